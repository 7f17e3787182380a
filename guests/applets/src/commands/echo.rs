use crate::{Args, Outcome, options, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: echo [SHORT-OPTION]... [STRING]...
  or:  echo LONG-OPTION
Print the STRINGs with a blank between them.

  -n             no newline at the end
  -e             understand backslashes
  -E             do not understand backslashes (so it is)
      --help        print this help
      --version     print the version

What -e understands:

  \\\\      backslash
  \\a      alert (BEL)
  \\b      backspace
  \\c      the end of all output
  \\e      escape
  \\f      form feed
  \\n      new line
  \\r      carriage return
  \\t      horizontal tab
  \\v      vertical tab
  \\0NNN   the byte NNN, in octal (1 to 3 digits)
  \\xHH    the byte HH, in hexadecimal (1 or 2 digits)
";

pub fn main(args: &Args) -> Outcome {
    let posix = getenv(b"POSIXLY_CORRECT").is_some();
    let mut words = args.rest();
    if let [only] = words
        && !posix
        && (only == b"--help" || only == b"--version")
    {
        options::only_operands(args, 1)?;
    }
    let (mut newline, mut escapes) = (true, posix);
    // With POSIXLY_CORRECT only a first word of exactly -n is an option.
    if !posix || words.first().is_some_and(|w| w == b"-n") {
        while let Some(letters) = words.first().and_then(|w| w.strip_prefix(b"-")) {
            if letters.is_empty() || !letters.iter().all(|b| b"neE".contains(b)) {
                break;
            }
            for letter in letters {
                match letter {
                    b'n' => newline = false,
                    b'e' => escapes = true,
                    _ => escapes = false,
                }
            }
            words = &words[1..];
        }
    }
    let mut out = Out::stdout();
    let mut text = Vec::new();
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            text.push(b' ');
        }
        if !escapes {
            text.extend_from_slice(word);
        } else if !unescape(word, &mut text) {
            newline = false;
            break;
        }
    }
    if newline {
        text.push(b'\n');
    }
    out.write(&text);
    report::finish(&mut out, 0)
}

/// Appends a word with its escapes carried out; false after `\c`.
pub fn unescape(word: &[u8], text: &mut Vec<u8>) -> bool {
    let mut rest = word;
    while let Some(slash) = memchr::memchr(b'\\', rest) {
        text.extend_from_slice(&rest[..slash]);
        rest = &rest[slash + 1..];
        let Some(&letter) = rest.first() else {
            text.push(b'\\');
            break;
        };
        rest = &rest[1..];
        let byte = match letter {
            b'\\' => b'\\',
            b'a' => 7,
            b'b' => 8,
            b'c' => return false,
            b'e' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'x' if rest.first().is_some_and(u8::is_ascii_hexdigit) => digits(&mut rest, 2, 16, 0),
            b'0' => digits(&mut rest, 3, 8, 0),
            b'1'..=b'7' => digits(&mut rest, 2, 8, u32::from(letter - b'0')),
            other => {
                text.extend_from_slice(&[b'\\', other]);
                continue;
            }
        };
        text.push(byte);
    }
    text.extend_from_slice(rest);
    true
}

/// Up to `most` digits of a base, after what was there already.
pub fn digits(rest: &mut &[u8], most: usize, base: u32, before: u32) -> u8 {
    let mut value = before;
    for _ in 0..most {
        let Some(digit) = rest.first().and_then(|&b| char::from(b).to_digit(base)) else { break };
        value = value * base + digit;
        *rest = &rest[1..];
    }
    value as u8
}

use crate::input::Input;
use crate::options::{Long, NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: isutf8 [OPTION]... [FILE]...
Tell whether files are UTF-8.

  -h, --help    print this help
  -q, --quiet   print nothing
  -l, --list-only  print only names of invalid files
  -i, --invert  list valid files instead of invalid ones
";

const LONG: &[Long] = &[("quiet", NO, 'q'), ("list-only", NO, 'l'), ("invert", NO, 'i')];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "hqli", LONG);
    let (mut quiet, mut list, mut invert) = (false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'q' => quiet = true,
            'l' => list = true,
            'i' => invert = true,
            _ => return Err(options.help()),
        }
    }
    let operands = options.operands();
    let standard: &[&[u8]] = &[b"-"];
    let mut out = Out::stdout();
    let mut status = 0;
    for &file in if operands.is_empty() { standard } else { &operands } {
        let mut text = Vec::new();
        let opened = if operands.is_empty() { Ok(Input::stdin()) } else { Input::named(file) };
        let mut input = match opened {
            Ok(input) => input,
            Err(e) => {
                report::plain(&format!("open: {e}\n"));
                status = 1;
                continue;
            }
        };
        // What cannot be read has no invalid byte, for the original.
        let _ = input.stream.read_to_end(&mut text);
        let name: &[u8] = if input.is_stdin() { b"(standard input)" } else { file };
        let found = std::str::from_utf8(&text).err();
        status |= u8::from(found.is_some());
        if list || invert {
            if found.is_some() != invert && !quiet {
                out.write(name);
                out.byte(b'\n');
            }
            continue;
        }
        if let Some(error) = found.filter(|_| !quiet) {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|b| **b == b'\n').count();
            let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            let characters = String::from_utf8_lossy(&before[start..]).chars().count();
            out.write(name);
            let rest = &text[error.valid_up_to()..];
            let expected = expected(rest);
            // A byte that begins nothing counts as a character, a sequence that breaks off does not.
            let odd = rest.first().is_some_and(|first| !(0xc0..=0xf4).contains(first));
            let characters = characters + usize::from(odd);
            let place = format!("line {line}, char {characters}, byte {}", error.valid_up_to());
            out.write(format!(": {place}: {expected}\n").as_bytes());
        }
    }
    report::finish(&mut out, status)
}

/// What should have come where a sequence is broken.
fn expected(bytes: &[u8]) -> String {
    let first = bytes.first().copied().unwrap_or(0);
    // How the first byte is told of, the article before what follows, and what may be second.
    let (told, article, second) = match first {
        0xc2..=0xdf => ("between C2 and DF", "a ", 0x80..=0xbf),
        0xe0 => ("of E0", "a ", 0xa0..=0xbf),
        0xe1..=0xec => ("between E1 and EC", "the ", 0x80..=0xbf),
        0xed => ("of ED", "", 0x80..=0x9f),
        0xee..=0xef => ("between EE and EF", "", 0x80..=0xbf),
        0xf0 => ("of F0", "", 0x90..=0xbf),
        0xf1..=0xf3 => ("of F1, F2, or F3", "a ", 0x80..=0xbf),
        0xf4 => ("of F4", "", 0x80..=0x8f),
        _ => return "Expecting bytes in the following ranges: 00..7F C2..F4.".to_owned(),
    };
    let length = 2 + usize::from(first >= 0xe0) + usize::from(first >= 0xf0);
    let start = format!("After a first byte {told}, expecting");
    if bytes.len() < length {
        return match length {
            2 => format!("{start} a 2nd byte."),
            3 => format!("{start} two following bytes."),
            _ => format!("{start} three following bytes."),
        };
    }
    let wrong = (1..length).find(|&i| if i == 1 { !second.contains(&bytes[1]) } else { bytes[i] & 0xc0 != 0x80 });
    let (low, high) = if wrong == Some(1) { (*second.start(), *second.end()) } else { (0x80, 0xbf) };
    // The original's own word for one of them.
    let third = if first == 0xe0 { "3nd" } else { "3rd" };
    let which = ["2nd", third, "4th"][wrong.unwrap_or(1) - 1];
    let dot = if length == 2 { "" } else { "." };
    format!("{start} {article}{which} byte between {low:02X} and {high:02X}{dot}")
}

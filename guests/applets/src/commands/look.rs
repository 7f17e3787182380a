use crate::input::Input;
use crate::options::{NO, Options, REQ};
use crate::quote;
use crate::{Args, Outcome, report};
use capsule_sys::{Out, R_OK, access, getenv};

pub const HELP: &str = "\
Usage: look [-adf] [-t CHAR] STRING [FILE]
Show the lines of a sorted FILE that begin with STRING.

  -d, --alphanum         only letters, digits and blanks count
  -f, --ignore-case      upper and lower case are alike
  -t, --terminate=CHAR   STRING ends at CHAR
  -a, --alternative      the other dictionary, /usr/share/dict/web2
  -h, --help             print this help
  -V, --version          print the version

Without FILE the dictionary of WORDLIST or /usr/share/dict/words is used, with
-d and -f.
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("alternative", NO, 'a'), ("alphanum", NO, 'd'), ("ignore-case", NO, 'f'), ("terminate", REQ, 't')];
    let mut options = Options::new(args, "adfht:V", long);
    let (mut dictionary, mut fold, mut end, mut alternative) = (false, false, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'd' => dictionary = true,
            'f' => fold = true,
            't' => end = opt.value().first().copied(),
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            _ => alternative = true,
        }
    }
    let operands = options.operands();
    let asked = getenv(b"WORDLIST").filter(|list| access(list, R_OK).is_ok());
    let words = asked.unwrap_or_else(|| b"/usr/share/dict/words".to_vec());
    let (word, file): (&[u8], &[u8]) = match *operands.as_slice() {
        [word] => (word, if alternative { b"/usr/share/dict/web2" } else { &words }),
        [word, file] => (word, file),
        _ => return Err(report::usage(1, "bad usage")),
    };
    if operands.len() == 1 {
        (dictionary, fold) = (true, true);
    }
    let word = match end.and_then(|end| word.iter().position(|b| *b == end)) {
        Some(at) => &word[..=at],
        None => word,
    };
    let plain = |text: &[u8]| -> Vec<u8> {
        let keep = |b: &&u8| !dictionary || b.is_ascii_alphanumeric() || matches!(b, b' ' | b'\t');
        text.iter().filter(keep).map(|b| if fold { b.to_ascii_lowercase() } else { *b }).collect()
    };
    let wanted = plain(word);
    let fail = |e| report::die(1, format_args!("{}: {e}", quote::raw(file)));
    let mut input = Input::named(file).map_err(fail)?;
    let (mut out, mut line, mut found) = (Out::stdout(), Vec::new(), false);
    while input.stream.read_until(b'\n', &mut line).map_err(fail)? {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if plain(text).starts_with(&wanted) {
            out.write(text);
            out.byte(b'\n');
            found = true;
        } else if found {
            // Sorted: nothing more can follow.
            break;
        }
        line.clear();
    }
    report::finish(&mut out, u8::from(!found))
}

use crate::input::Input;
use crate::{Args, Outcome, options, quote, report};
use capsule_sys::{Errno, Out};

pub const HELP: &str = "\
Usage: rev [OPTION]... [FILE]...
Print each line backwards.

Standard input is read where FILE is - or missing.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let files = options::only_operands(args, 1)?;
    let utf8 = quote::is_utf8();
    let mut out = Out::stdout();
    let mut line = Vec::new();
    let mut good = true;
    let standard: &[&[u8]] = &[b"-"];
    for &name in if files.is_empty() { standard } else { &files } {
        let opened = if files.is_empty() { Ok(Input::stdin()) } else { Input::named(name) };
        let mut input = match opened {
            Ok(input) => input,
            Err(e) => {
                report::error(format_args!("cannot open {}: {e}", quote::raw(name)));
                good = false;
                continue;
            }
        };
        line.clear();
        let (mut kept, mut count) = (0, 0u64);
        loop {
            match input.stream.read_until(b'\n', &mut line) {
                Ok(more) if line.is_empty() && !more => break,
                Ok(_) => count += 1,
                Err(e) => {
                    let name = if input.is_stdin() { "stdin".to_owned() } else { quote::raw(name) };
                    report::error(format_args!("{name}: {count}: {e}"));
                    good = false;
                    break;
                }
            }
            // As util-linux's rev: a NUL hides the rest of its line, and the next line goes on behind what is before it.
            if let Some(nul) = memchr::memchr(0, &line[kept..]).map(|i| kept + i) {
                line.truncate(nul);
                kept = nul;
                continue;
            }
            kept = 0;
            let ended = line.last() == Some(&b'\n');
            let text = &line[..line.len() - usize::from(ended)];
            if text.is_ascii() {
                let reversed: Vec<u8> = text.iter().rev().copied().collect();
                out.write(&reversed);
            } else if let Some(text) = std::str::from_utf8(text).ok().filter(|_| utf8) {
                out.write(text.chars().rev().collect::<String>().as_bytes());
            } else {
                let name = if input.is_stdin() { "stdin".to_owned() } else { quote::raw(name) };
                let _ = out.flush();
                report::error(format_args!("{name}: {}: {}", count - 1, Errno::EILSEQ));
                good = false;
                break;
            }
            if ended {
                out.byte(b'\n');
            }
            line.clear();
        }
    }
    report::finish(&mut out, u8::from(!good))
}

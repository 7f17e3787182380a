use crate::options::{NO, OPT, Options, REQ, only};
use crate::{Args, Outcome, input, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: less [OPTION]... [FILE]...
  or:  more [OPTION]... [FILE]...
Show files page by page. There is no terminal inside the sandbox, so what is
shown is the whole of each file, as less does it into a pipe. Options that
change how pages look or what keys do have nothing to act on and are accepted;
-s and +N are carried out.

Standard input is read where FILE is - or missing.

  -s, --squeeze-blank-lines   several empty lines are one
  +N                          begin at line N
      --help        print this help
      --version     print the version
";

/// How a screen looks and what keys do: there is neither.
const LOOKS: &str = "+aAcCdeEfFgGiIJKLmMnNqQrRsSuUVwWXb:B:h:j:k:o:O:p:P:t:T:x:y:z:D:#:";

pub fn main(args: &Args) -> Outcome {
    const LOOK: char = only(0);
    const VALUE: char = only(1);
    let long = &[
        ("squeeze-blank-lines", NO, 's'),
        ("RAW-CONTROL-CHARS", NO, LOOK),
        ("raw-control-chars", NO, LOOK),
        ("quit-if-one-screen", NO, LOOK),
        ("no-init", NO, LOOK),
        ("chop-long-lines", NO, LOOK),
        ("LINE-NUMBERS", NO, LOOK),
        ("line-numbers", NO, LOOK),
        ("ignore-case", NO, LOOK),
        ("IGNORE-CASE", NO, LOOK),
        ("quit-at-eof", NO, LOOK),
        ("QUIT-AT-EOF", NO, LOOK),
        ("quiet", NO, LOOK),
        ("silent", NO, LOOK),
        ("use-color", NO, LOOK),
        ("mouse", NO, LOOK),
        ("follow-name", NO, LOOK),
        ("tabs", REQ, VALUE),
        ("pattern", REQ, VALUE),
        ("prompt", OPT, VALUE),
    ];
    let mut options = Options::new(args, LOOKS, long);
    let mut squeeze = false;
    while let Some(opt) = options.next()? {
        squeeze |= opt.letter == 's';
    }
    let (commands, files): (Vec<&[u8]>, Vec<&[u8]>) = options.operands().into_iter().partition(|o| o.starts_with(b"+"));
    let first = commands.iter().filter_map(|c| std::str::from_utf8(&c[1..]).ok()?.parse::<u64>().ok()).next_back();
    let mut out = Out::stdout();
    let mut line = Vec::new();
    let good = input::each(&files, |input, _| {
        let (mut number, mut empty) = (0, false);
        line.clear();
        while input.stream.read_until(b'\n', &mut line)? {
            number += 1;
            let was_empty = std::mem::replace(&mut empty, line == b"\n");
            if first.is_none_or(|first| number >= first) && !(squeeze && empty && was_empty) {
                out.write(&line);
            }
            line.clear();
        }
        Ok(())
    });
    report::finish(&mut out, u8::from(!good))
}

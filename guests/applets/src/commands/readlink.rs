use crate::options::{NO, Options};
use crate::path::{Missing, canonical};
use crate::{Args, Outcome, quote, report};
use capsule_sys::{Out, readlink};

pub const HELP: &str = "\
Usage: readlink [OPTION]... FILE...
Print where a link points, or the path of a file without links in it

  -f, --canonicalize            follow every link in the name;
                                only its last part may be missing
  -e, --canonicalize-existing   likewise; all components must exist
  -m, --canonicalize-missing    likewise, without requirements on existence
  -n, --no-newline              nothing behind the last one
  -q, --quiet
  -s, --silent                  no messages (so it is)
  -v, --verbose                 with messages
  -z, --zero                    NUL and no newline behind each
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("canonicalize", NO, 'f'),
        ("canonicalize-existing", NO, 'e'),
        ("canonicalize-missing", NO, 'm'),
        ("no-newline", NO, 'n'),
        ("quiet", NO, 'q'),
        ("silent", NO, 's'),
        ("verbose", NO, 'v'),
        ("zero", NO, 'z'),
    ];
    let mut options = Options::new(args, "efmnqsvz", long);
    let (mut missing, mut newline, mut verbose, mut end) = (None, true, false, b'\n');
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => missing = Some(Missing::Last),
            'e' => missing = Some(Missing::None),
            'm' => missing = Some(Missing::Any),
            'n' => newline = false,
            'v' => verbose = true,
            'z' => end = 0,
            _ => verbose = false,
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    if operands.len() > 1 && !newline {
        report::error("ignoring --no-newline with multiple arguments");
        newline = true;
    }
    let mut out = Out::stdout();
    let mut status = 0;
    for operand in operands {
        let found = match missing {
            Some(missing) => canonical(operand, missing, false, true),
            None => readlink(operand),
        };
        match found {
            Ok(text) => {
                out.write(&text);
                if newline {
                    out.byte(end);
                }
            }
            Err(e) => {
                status = 1;
                if verbose {
                    report::fault(quote::name(operand), e);
                }
            }
        }
    }
    report::finish(&mut out, status)
}

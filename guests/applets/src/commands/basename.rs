use crate::input::base_name;
use crate::options::{NO, Options, REQ};
use crate::quote::locale;
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: basename NAME [SUFFIX]
  or:  basename OPTION... NAME...
The last part of NAME: what is behind its directories,
and, where SUFFIX is given, without that at the end.

  -a, --multiple       every operand is a NAME
  -s, --suffix=SUFFIX  take SUFFIX off the end of each (and -a)
  -z, --zero           NUL and no newline behind each name
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("multiple", NO, 'a'), ("suffix", REQ, 's'), ("zero", NO, 'z')];
    let mut options = Options::new(args, "+as:z", long);
    let (mut multiple, mut suffix, mut end) = (false, b"".as_slice(), b'\n');
    while let Some(opt) = options.next()? {
        match opt.letter {
            's' => (suffix, multiple) = (opt.value(), true),
            'a' => multiple = true,
            _ => end = 0,
        }
    }
    let mut names = options.operands();
    if names.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    if !multiple {
        if let Some(extra) = names.get(2) {
            return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
        }
        if names.len() == 2 {
            suffix = names[1];
            names.truncate(1);
        }
    }
    let mut out = Out::stdout();
    for name in names {
        let base = base_name(name);
        // A suffix that is the whole name stays, and so does a root.
        let cut = base.strip_suffix(suffix).filter(|rest| !rest.is_empty() && base != b"/");
        out.write(cut.unwrap_or(base));
        out.byte(end);
    }
    report::finish(&mut out, 0)
}

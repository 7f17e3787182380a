use crate::input::join;
use crate::options::Options;
use crate::{Args, Outcome, report};
use capsule_sys::{FileType, Out, X_OK, access, getenv, stat};

pub const HELP: &str = "\
Usage: which [-as] COMMAND...
Write the path of the file that would be run for each COMMAND.

  -a   all files along PATH, not only the first
  -s   write nothing; the status tells
      --help        print this help
      --version     print the version

The status is 0 when all were found, 1 when some were not.
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+as", &[]).status(2);
    let (mut all, mut silent) = (false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => all = true,
            _ => silent = true,
        }
    }
    let operands = options.operands();
    let path = getenv(b"PATH").unwrap_or_default();
    let mut out = Out::stdout();
    let mut missing = operands.is_empty();
    let runs = |file: &[u8]| stat(file).is_ok_and(|s| s.kind == FileType::Regular) && access(file, X_OK).is_ok();
    for name in operands {
        let mut found = false;
        let mut show = |file: &[u8]| {
            if !silent {
                out.write(file);
                out.byte(b'\n');
            }
        };
        if name.contains(&b'/') {
            found = runs(name);
            if found {
                show(name);
            }
        } else {
            for dir in path.split(|&b| b == b':') {
                let file = join(if dir.is_empty() { b"." } else { dir }, name);
                if runs(&file) {
                    show(&file);
                    found = true;
                    if !all {
                        break;
                    }
                }
            }
        }
        missing |= !found;
    }
    report::finish(&mut out, u8::from(missing))
}

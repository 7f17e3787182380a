use crate::input::join;
use crate::options::Options;
use crate::{Args, Outcome, report};
use capsule_sys::{FileType, Out, X_OK, access, getenv, stat};

pub const HELP: &str = "\
Usage: which [-a] COMMAND...
Write the path of the file that would be run for each COMMAND.

  -a   all files along PATH, not only the first
      --help        print this help
      --version     print the version

The status is 0 when all were found, 1 when some were not.
";

pub fn main(args: &Args) -> Outcome {
    let (mut all, mut at) = (false, 0);
    while let Some([b'-', letters @ ..]) = args.rest().get(at).map(Vec::as_slice) {
        match letters {
            b"" => break,
            b"-" => {
                at += 1;
                break;
            }
            b"-help" => return Err(Options::new(args, "", &[]).help()),
            b"-version" => return Err(Options::new(args, "", &[]).version()),
            letters => {
                // A script of the shell's getopts there.
                if let Some(unknown) = letters.iter().find(|b| **b != b'a') {
                    report::plain(&format!("Illegal option -{}\n", char::from(*unknown)));
                    let mut out = Out::stdout();
                    out.write(b"Usage: /usr/bin/which [-a] args\n");
                    return report::finish(&mut out, 2);
                }
                all = true;
            }
        }
        at += 1;
    }
    let operands = &args.rest()[at..];
    let path = getenv(b"PATH").unwrap_or_default();
    let mut out = Out::stdout();
    let mut missing = operands.is_empty();
    let runs = |file: &[u8]| stat(file).is_ok_and(|s| s.kind == FileType::Regular) && access(file, X_OK).is_ok();
    for name in operands {
        let mut found = false;
        let mut show = |file: &[u8]| {
            out.write(file);
            out.byte(b'\n');
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

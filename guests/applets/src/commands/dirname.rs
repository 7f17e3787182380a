use crate::input::dir_name;
use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: dirname [OPTION] NAME...
NAME without its last part and the slashes before that:
the directory it is in, which is . where it has no slash.

  -z, --zero     NUL and no newline behind each
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+z", &[("zero", NO, 'z')]);
    let mut end = b'\n';
    while options.next()?.is_some() {
        end = 0;
    }
    let names = options.operands();
    if names.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let mut out = Out::stdout();
    for name in names {
        out.write(dir_name(name));
        out.byte(end);
    }
    report::finish(&mut out, 0)
}

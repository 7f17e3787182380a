use crate::input::dir_name;
use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: dirname [OPTION] NAME...
Output each NAME with its last non-slash component and trailing slashes
removed; if NAME contains no /'s, output '.' (meaning the current directory).

  -z, --zero     end each output line with NUL, not newline
      --help        display this help and exit
      --version     output version information and exit
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

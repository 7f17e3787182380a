use crate::{Args, Outcome, options, quote, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: arch [OPTION]...
Tell the kind of machine.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    if let Some(extra) = options::only_operands(args, 1)?.first() {
        return Err(report::usage(1, format_args!("extra operand {}", quote::locale(extra))));
    }
    let mut out = Out::stdout();
    out.write(format!("{}\n", super::uname::MACHINE).as_bytes());
    report::finish(&mut out, 0)
}

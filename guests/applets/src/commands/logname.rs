use crate::quote::locale;
use crate::{Args, Outcome, options, report};

pub const HELP: &str = "\
Usage: logname [OPTION]
Print the user's login name. Nobody logs in to a session, so there is none.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    if let Some(extra) = options::only_operands(args, 1)?.first() {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    Err(report::die(1, "no login name"))
}

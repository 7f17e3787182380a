use crate::quote::locale;
use crate::{Args, Outcome, options, report};

pub const HELP: &str = "\
Usage: users [OPTION]... [FILE]
Output who is currently logged in: nobody, a session has no logins.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    match options::only_operands(args, 1)?.get(1) {
        Some(extra) => Err(report::usage(1, format_args!("extra operand {}", locale(extra)))),
        None => Ok(0),
    }
}

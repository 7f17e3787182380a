use crate::quote::locale;
use crate::{Args, Outcome, options, report};

pub const HELP: &str = "\
Usage: users [OPTION]... [FILE]
Output who is currently logged in: nobody, a session has no logins.

      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    match options::only_operands(args, 1)?.get(1) {
        Some(extra) => Err(report::usage(1, format_args!("extra operand {}", locale(extra)))),
        None => Ok(0),
    }
}

use crate::quote::{locale, quoted};
use crate::{Args, Outcome, options, report};

pub const HELP: &str = "\
Usage: link FILE1 FILE2
  or:  link OPTION
Give the file FILE1 a second name, FILE2, by one system call.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    match options::only_operands(args, 1)?.as_slice() {
        [] => Err(report::usage(1, "missing operand")),
        [only] => Err(report::usage(1, format_args!("missing operand after {}", locale(only)))),
        [from, to] => match capsule_sys::link(from, to, 0) {
            Ok(()) => Ok(0),
            Err(e) => Err(report::die(1, format_args!("cannot create link {} to {}: {e}", quoted(to), quoted(from)))),
        },
        [_, _, extra, ..] => Err(report::usage(1, format_args!("extra operand {}", locale(extra)))),
    }
}

use crate::quote::{locale, quoted};
use crate::{Args, Outcome, options, report};

pub const HELP: &str = "\
Usage: unlink FILE
  or:  unlink OPTION
Take the name FILE away, by one system call.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    match options::only_operands(args, 1)?.as_slice() {
        [] => Err(report::usage(1, "missing operand")),
        [file] => match capsule_sys::unlink(file) {
            Ok(()) => Ok(0),
            Err(e) => Err(report::die(1, format_args!("cannot unlink {}: {e}", quoted(file)))),
        },
        [_, extra, ..] => Err(report::usage(1, format_args!("extra operand {}", locale(extra)))),
    }
}

use crate::quote::{locale, quoted};
use crate::{Args, Outcome, options, report};

pub const HELP: &str = "\
Usage: unlink FILE
  or:  unlink OPTION
Call the unlink function to remove the specified FILE.

      --help        display this help and exit
      --version     output version information and exit
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

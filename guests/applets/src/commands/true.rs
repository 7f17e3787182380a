use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: true [ignored command line arguments]
  or:  true OPTION
Succeed: the status is 0.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    with_status(args, 0)
}

/// `true` and `false` know `--help` and `--version` only as their one argument, and keep their status.
pub fn with_status(args: &Args, status: u8) -> Outcome {
    if let [only] = args.rest()
        && (only == b"--help" || only == b"--version")
    {
        let shown = crate::options::only_operands(args, status);
        return Ok(if shown == Err(crate::Exit(0)) { status } else { 1 });
    }
    Ok(status)
}

use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: false [ignored command line arguments]
  or:  false OPTION
Fail: the status is 1.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    super::r#true::with_status(args, 1)
}

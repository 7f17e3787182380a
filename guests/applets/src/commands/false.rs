use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: false [ignored command line arguments]
  or:  false OPTION
Exit with a status code indicating failure.

      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    super::r#true::with_status(args, 1)
}

use super::ls;
use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: vdir [OPTION]... [FILE]...
List directory contents in the long format, as 'ls -l -b' does.
All options of ls are options of vdir, too.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut argv = args.argv.clone();
    let at = argv.len().min(1);
    argv.splice(at..at, [b"-l".to_vec(), b"-b".to_vec()]);
    ls::main(&Args::new(argv))
}

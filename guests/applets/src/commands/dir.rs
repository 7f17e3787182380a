use super::ls;
use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: dir [OPTION]... [FILE]...
List directory contents in columns, as 'ls -C -b' does.
All options of ls are options of dir, too.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut argv = args.argv.clone();
    let at = argv.len().min(1);
    argv.splice(at..at, [b"-C".to_vec(), b"-b".to_vec()]);
    ls::main(&Args::new(argv))
}

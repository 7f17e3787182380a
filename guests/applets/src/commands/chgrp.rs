use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: chgrp [OPTION]... GROUP FILE...
  or:  chgrp [OPTION]... --reference=RFILE FILE...
Give each FILE to GROUP,
or to the group that RFILE has.

  -c, --changes          tell about the files that change
  -f, --silent, --quiet  keep quiet about most errors
  -v, --verbose          tell about every file
      --dereference      affect the referent of each symbolic link (the default)
  -h, --no-dereference   a symbolic link is itself meant, not its target
      --no-preserve-root  let -R work on / like on any other (so it is)
      --preserve-root    refuse -R on /
      --reference=RFILE  use RFILE's group rather than specifying a GROUP
  -R, --recursive        go down into directories
  -H                     with -R, follow links on the command line
  -L                     with -R, follow every link to a directory
  -P                     with -R, follow no links (the default)
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    super::chown::run(args, true)
}

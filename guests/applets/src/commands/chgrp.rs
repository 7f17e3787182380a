use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: chgrp [OPTION]... GROUP FILE...
  or:  chgrp [OPTION]... --reference=RFILE FILE...
Change the group of each FILE to GROUP.
With --reference, change the group of each FILE to that of RFILE.

  -c, --changes          like verbose but report only when a change is made
  -f, --silent, --quiet  suppress most error messages
  -v, --verbose          output a diagnostic for every file processed
      --dereference      affect the referent of each symbolic link (the default)
  -h, --no-dereference   affect symbolic links instead of any referenced file
      --no-preserve-root  do not treat '/' specially (the default)
      --preserve-root    fail to operate recursively on '/'
      --reference=RFILE  use RFILE's group rather than specifying a GROUP
  -R, --recursive        operate on files and directories recursively
  -H                     with -R, follow links on the command line
  -L                     with -R, follow every link to a directory
  -P                     with -R, follow no links (the default)
      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    super::chown::run(args, true)
}

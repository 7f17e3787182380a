use crate::options::{NO, Options};
use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{OpenFlags, fsync, open};

pub const HELP: &str = "\
Usage: sync [OPTION] [FILE]...
Have what was written put on disk:

of the files that are named, or everything.

  -d, --data             the data, and what is needed to find it
  -f, --file-system      all of the file systems the files are in
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "df", &[("data", NO, 'd'), ("file-system", NO, 'f')]);
    let (mut data, mut system) = (false, false);
    while let Some(opt) = options.next()? {
        if opt.letter == 'd' { data = true } else { system = true }
    }
    let files = options.operands();
    if data && system {
        return Err(report::die(1, "cannot specify both --data and --file-system"));
    }
    if data && files.is_empty() {
        return Err(report::die(1, "--data needs at least one argument"));
    }
    let mut status = 0;
    for file in files {
        let opened = open(file, OpenFlags::RDONLY | OpenFlags::NONBLOCK, 0);
        match opened {
            Err(e) => {
                report::fault(format_args!("error opening {}", quoted(file)), e);
                status = 1;
            }
            Ok(fd) => {
                if let Err(e) = fsync(fd.raw()) {
                    report::fault(format_args!("error syncing {}", quoted(file)), e);
                    status = 1;
                }
            }
        }
    }
    Ok(status)
}

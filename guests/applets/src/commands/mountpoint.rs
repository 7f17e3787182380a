use super::ls::{major, minor};
use crate::input::join;
use crate::options::{NO, Options, only};
use crate::{Args, Outcome, report};
use capsule_sys::{FileType, Out, lstat, stat};

pub const HELP: &str = "\
Usage: mountpoint [-qd] DIRECTORY
  or:  mountpoint -x DEVICE
Tell whether a directory or file is a mount point.

  -q, --quiet     print nothing
      --nofollow  do not follow a symbolic link
  -d, --fs-devno  print the device number of the file system
  -x, --devno     print the device number of a block device
  -h, --help      print this help
  -V, --version   print the version
";

/// It is none.
const NOT_MOUNTED: u8 = 32;

const NOFOLLOW: char = only(0);

pub fn main(args: &Args) -> Outcome {
    let long = &[("quiet", NO, 'q'), ("nofollow", NO, NOFOLLOW), ("fs-devno", NO, 'd'), ("devno", NO, 'x')];
    let mut options = Options::new(args, "qdxhV", long);
    let (mut quiet, mut number, mut device, mut follow) = (false, false, false, true);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'q' => quiet = true,
            'd' => number = true,
            'x' => device = true,
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            _ => follow = false,
        }
    }
    let operands = options.operands();
    let &[path] = operands.as_slice() else { return Err(report::usage(1, "bad usage")) };
    if device && !follow {
        return Err(report::die(1, "--devno and --nofollow are mutually exclusive"));
    }
    let shown = String::from_utf8_lossy(path);
    let found = match if follow { stat(path) } else { lstat(path) } {
        Ok(found) => found,
        Err(_) if quiet => return Ok(1),
        Err(e) => return Err(report::die(1, format_args!("{shown}: {e}"))),
    };
    let mut out = Out::stdout();
    if device {
        if found.kind != FileType::BlockDevice {
            if !quiet {
                report::error(format_args!("{shown}: not a block device"));
            }
            return Ok(NOT_MOUNTED);
        }
        out.write(format!("{}:{}\n", major(found.rdev), minor(found.rdev)).as_bytes());
        return report::finish(&mut out, 0);
    }
    let above = found.kind == FileType::Directory;
    let above = if above { stat(&join(path, b"..")) } else { stat(crate::input::dir_name(path)) };
    let mounted = above.is_ok_and(|up| up.dev != found.dev || (up.dev, up.ino) == (found.dev, found.ino));
    if !mounted {
        if !quiet {
            out.write(format!("{shown} is not a mountpoint\n").as_bytes());
        }
        return report::finish(&mut out, NOT_MOUNTED);
    }
    if number {
        out.write(format!("{}:{}\n", major(found.dev), minor(found.dev)).as_bytes());
    } else if !quiet {
        out.write(format!("{shown} is a mountpoint\n").as_bytes());
    }
    report::finish(&mut out, 0)
}

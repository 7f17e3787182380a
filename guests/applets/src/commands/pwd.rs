use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getcwd, getenv, stat};

pub const HELP: &str = "\
Usage: pwd [OPTION]...
Print the working directory.

  -L, --logical   as PWD has it, links and all
  -P, --physical  without links
      --help        print this help
      --version     print the version

Unless told otherwise: -P.
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "LP", &[("logical", NO, 'L'), ("physical", NO, 'P')]);
    let mut logical = getenv(b"POSIXLY_CORRECT").is_some();
    while let Some(opt) = options.next()? {
        logical = opt.letter == 'L';
    }
    if !options.operands().is_empty() {
        report::error("ignoring non-option arguments");
    }
    let mut out = Out::stdout();
    let named = if logical { getenv(b"PWD").filter(|pwd| is_here(pwd)) } else { None };
    let path = match named {
        Some(path) => path,
        None => getcwd().map_err(|e| report::die(1, format_args!("couldn't find directory entry: {e}")))?,
    };
    out.write(&path);
    out.byte(b'\n');
    report::finish(&mut out, 0)
}

/// An absolute name of this directory without `.` and `..` in it.
fn is_here(path: &[u8]) -> bool {
    let plain = path.starts_with(b"/") && !path.split(|&b| b == b'/').any(|part| part == b"." || part == b"..");
    let same = |a: &[u8], b: &[u8]| match (stat(a), stat(b)) {
        (Ok(a), Ok(b)) => (a.dev, a.ino) == (b.dev, b.ino),
        _ => false,
    };
    plain && same(path, b".")
}

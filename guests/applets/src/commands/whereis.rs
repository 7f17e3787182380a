use crate::input::{base_name, join};
use crate::options::Options;
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getenv, lstat};

pub const HELP: &str = "\
Usage: whereis [-bl] [-f] NAME...
Locate the files of commands: along PATH and where commands usually are.

  -b   only programs (there are no manuals and sources here)
  -l   write the directories that are searched
  -f   ends a list of directories (accepted)
      --help        print this help
      --version     print the version
";

const USUAL: &[&[u8]] = &[b"/usr/bin", b"/usr/sbin", b"/bin", b"/sbin", b"/usr/local/bin", b"/usr/local/sbin"];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "blf", &[]);
    let mut list = false;
    while let Some(opt) = options.next()? {
        list |= opt.letter == 'l';
    }
    let operands = options.operands();
    let path = getenv(b"PATH").unwrap_or_default();
    let mut dirs: Vec<&[u8]> = Vec::new();
    for dir in USUAL.iter().copied().chain(path.split(|&b| b == b':')) {
        // Two names of one directory are searched once.
        let same = |other: &&[u8]| {
            let id = |d: &[u8]| capsule_sys::stat(d).map(|s| (s.dev, s.ino)).ok();
            id(other).is_some() && id(other) == id(dir)
        };
        if !dir.is_empty() && lstat(dir).is_ok() && !dirs.iter().any(same) {
            dirs.push(dir);
        }
    }
    let mut out = Out::stdout();
    if list {
        for dir in &dirs {
            out.write(&[b"bin: ", *dir, b"\n"].concat());
        }
    } else if operands.is_empty() {
        return Err(report::usage(1, "not enough arguments"));
    }
    for operand in operands {
        let name = base_name(operand);
        out.write(&[name, b":"].concat());
        for dir in &dirs {
            let file = join(dir, name);
            if lstat(&file).is_ok() {
                out.write(&[b" ", file.as_slice()].concat());
            }
        }
        out.byte(b'\n');
    }
    report::finish(&mut out, 0)
}

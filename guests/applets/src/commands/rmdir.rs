use crate::options::{NO, Options, only};
use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, FileType, Out, lstat, rmdir, stat};

pub const HELP: &str = "\
Usage: rmdir [OPTION]... DIRECTORY...
Remove directories that hold nothing.

      --ignore-fail-on-non-empty
                    no error for those that hold something
  -p, --parents     remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b'
                    is similar to 'rmdir a/b a'
  -v, --verbose     name each directory
      --help        print this help
      --version     print the version
";

const IGNORE: char = only(0);

pub fn main(args: &Args) -> Outcome {
    let long = &[("ignore-fail-on-non-empty", NO, IGNORE), ("parents", NO, 'p'), ("verbose", NO, 'v')];
    let mut options = Options::new(args, "pv", long);
    let (mut ignore, mut parents, mut verbose) = (false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'p' => parents = true,
            'v' => verbose = true,
            _ => ignore = true,
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let mut out = Out::stdout();
    let mut status = 0;
    let mut tell = |path: &[u8]| {
        if verbose {
            out.write(format!("{}: removing directory, {}\n", report::program(), quoted(path)).as_bytes());
            let _ = out.flush();
        }
    };
    for operand in operands {
        let mut path = operand;
        let mut first = true;
        loop {
            tell(path);
            match rmdir(path) {
                Ok(()) => {}
                Err(Errno::ENOTEMPTY | Errno::EEXIST) if ignore => break,
                Err(Errno::ENOTDIR) if first && path.ends_with(b"/") && is_link_to_dir(path) => {
                    report::error(format_args!("failed to remove {}: Symbolic link not followed", quoted(path)));
                    status = 1;
                    break;
                }
                Err(e) => {
                    let what = if first { "failed to remove" } else { "failed to remove directory" };
                    report::fault(format_args!("{what} {}", quoted(path)), e);
                    status = 1;
                    break;
                }
            }
            first = false;
            let trimmed = path.iter().rposition(|&b| b != b'/').map_or(b"".as_slice(), |i| &path[..=i]);
            match trimmed.iter().rposition(|&b| b == b'/') {
                Some(slash) if parents => {
                    path = &trimmed[..slash];
                    let end = path.iter().rposition(|&b| b != b'/').map_or(0, |i| i + 1);
                    path = &path[..end];
                    if path.is_empty() {
                        break;
                    }
                }
                _ => break,
            }
        }
    }
    report::finish(&mut out, status)
}

/// Whether it is a link but for the slashes at its end.
/// Or one that leads nowhere.
fn is_link_to_dir(path: &[u8]) -> bool {
    let there = stat(path);
    (there.is_ok_and(|s| s.kind == FileType::Directory) || there == Err(Errno::ENOENT))
        && lstat(super::cp::trim_slashes(path)).is_ok_and(|s| s.kind == FileType::Symlink)
}

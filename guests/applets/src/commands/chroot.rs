use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, FileType, stat};

pub const HELP: &str = "\
Usage: chroot [OPTION] NEWROOT [COMMAND [ARG]...]
Run COMMAND with root directory set to NEWROOT: not permitted here.

      --groups=G_LIST        supplementary groups
      --userspec=USER:GROUP  user and group
      --skip-chdir           do not change the working directory
      --help        print this help
      --version     print the version

A session has one root. The status is 125.
";

const LONG: &[Long] = &[("groups", REQ, only(0)), ("userspec", REQ, only(1)), ("skip-chdir", NO, only(2))];
const FAILED: u8 = 125;

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+", LONG).status(FAILED);
    while options.next()?.is_some() {}
    let operands = options.operands();
    let Some(root) = operands.first() else { return Err(report::usage(FAILED, "missing operand")) };
    let why = match stat(root) {
        Ok(s) if s.kind != FileType::Directory => Errno::ENOTDIR,
        Ok(_) => Errno::EPERM,
        Err(e) => e,
    };
    Err(report::die(FAILED, format_args!("cannot change root directory to {}: {why}", quoted(root))))
}

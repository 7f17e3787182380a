use crate::mode::Change;
use crate::options::{OPT, Options, REQ, only};
use crate::quote::quoted;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{chmod, mkfifo, umask};

pub const HELP: &str = "\
Usage: mkfifo [OPTION]... NAME...
Make FIFOs: pipes that have a name.

  -m, --mode=MODE    permissions, as for chmod
  -Z, --context[=CTX]  no effect: there are no security contexts
      --help        print this help
      --version     print the version
";

const CONTEXT: char = only(0);

/// Says that a security context is ignored where one was given.
pub fn no_context(context: Option<&[u8]>) {
    if context.is_some() {
        report::error("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
    }
}

/// The mode of a new special file, as `-m` has it.
pub fn file_mode(text: &[u8]) -> Result<u32, Exit> {
    let change = Change::parse(text).ok_or_else(|| report::die(1, "invalid mode"))?;
    let mask = umask(0);
    umask(mask);
    match change.apply(0o666, false, mask) {
        mode if mode & !0o777 == 0 => Ok(mode),
        _ => Err(report::die(1, "mode must specify only file permission bits")),
    }
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "m:Z", &[("context", OPT, CONTEXT), ("mode", REQ, 'm')]);
    let mut text = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'm' => text = Some(opt.value()),
            'Z' => {}
            _ => no_context(opt.value),
        }
    }
    let names = options.operands();
    if names.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let mode = text.map(file_mode).transpose()?;
    let mut status = 0;
    for name in names {
        let made = mkfifo(name, mode.unwrap_or(0o666));
        if let Err(e) = made {
            report::fault(format_args!("cannot create fifo {}", quoted(name)), e);
            status = 1;
        } else if let Some(Err(e)) = mode.map(|mode| chmod(name, mode)) {
            report::fault(format_args!("cannot set permissions of {}", quoted(name)), e);
            status = 1;
        }
    }
    Ok(status)
}

use crate::mode::Change;
use crate::options::{OPT, Options, REQ, only};
use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{chmod, mkfifo};

pub const HELP: &str = "\
Usage: mkfifo [OPTION]... NAME...
Make FIFOs: pipes that have a name.

  -m, --mode=MODE    permissions, as for chmod
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

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "m:Z", &[("context", OPT, CONTEXT), ("mode", REQ, 'm')]);
    let mut mode = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'm' => {
                let Some(change) = Change::parse(opt.value()) else { return Err(report::die(1, "invalid mode")) };
                mode = Some(change.apply(0o666, false, 0));
            }
            'Z' => {}
            _ => no_context(opt.value),
        }
    }
    let names = options.operands();
    if names.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    if mode.is_some_and(|m| m & !0o777 != 0) {
        return Err(report::die(1, "mode must specify only file permission bits"));
    }
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

use crate::options::{OPT, Options, REQ, only};
use crate::quote::{locale, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, chmod, lstat, mkfifo};

pub const HELP: &str = "\
Usage: mknod [OPTION]... NAME TYPE [MAJOR MINOR]
Make NAME, a file of the given TYPE.

  -m, --mode=MODE    permissions, as for chmod
  -Z, --context[=CTX]  no effect: there are no security contexts
      --help        print this help
      --version     print the version

TYPE may be:
  b      create a block special file (not permitted here)
  c, u   create a character special file (not permitted here)
  p      create a FIFO
";

const CONTEXT: char = only(0);

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "m:Z", &[("mode", REQ, 'm'), ("context", OPT, CONTEXT)]);
    let mut mode = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'm' => mode = Some(super::mkfifo::file_mode(opt.value())?),
            'Z' => {}
            _ => super::mkfifo::no_context(opt.value),
        }
    }
    let operands = options.operands();
    let kind = operands.get(1).and_then(|k| k.first().copied());
    let wanted = if operands.len() < 2 || kind == Some(b'p') { 2 } else { 4 };
    if operands.len() < wanted {
        match operands.last() {
            None => report::error("missing operand"),
            Some(last) => report::error(format_args!("missing operand after {}", locale(last))),
        }
        if wanted == 4 && operands.len() == 2 {
            let text = "Special files require major and minor device numbers.\n";
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
        }
        return Err(report::try_help(1));
    }
    if let Some(extra) = operands.get(wanted) {
        report::error(format_args!("extra operand {}", locale(extra)));
        if wanted == 2 && operands.len() == 4 {
            let text = "Fifos do not have major and minor device numbers.\n";
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
        }
        return Err(report::try_help(1));
    }
    let name = operands[0];
    let result = match kind {
        Some(b'p') => mkfifo(name, mode.unwrap_or(0o666)),
        // Devices belong to the host.
        Some(b'b' | b'c' | b'u') => {
            for (number, which) in operands[2..].iter().zip(["major", "minor"]) {
                if crate::number::unsigned_as_c(number, b"").is_err() {
                    return Err(report::die(1, format_args!("invalid {which} device number {}", locale(number))));
                }
            }
            Err(if lstat(name).is_ok() { Errno::EEXIST } else { Errno::EPERM })
        }
        _ => return Err(report::usage(1, format_args!("invalid device type {}", locale(operands[1])))),
    };
    result.map_err(|e| report::die(1, format_args!("{}: {e}", crate::quote::name(name))))?;
    if let Some(mode) = mode {
        chmod(name, mode)
            .map_err(|e| report::die(1, format_args!("cannot set permissions of {}: {e}", quoted(name))))?;
    }
    Ok(0)
}

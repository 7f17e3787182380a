use crate::input::join;
use crate::options::Options;
use crate::quote::quoted;
use crate::{Args, Outcome, program, report};
use capsule_sys::{
    Disposition, OpenFlags, STDERR, STDIN, STDOUT, Signal, dup2, environ, getenv, isatty, open, signal_action,
};

pub const HELP: &str = "\
Usage: nohup COMMAND [ARG]...
  or:  nohup OPTION
Run COMMAND so that the end of the terminal does not end it.

      --help        print this help
      --version     print the version

If standard input is a terminal, it is made unreadable. If standard output is
one, output is appended to 'nohup.out', or to '$HOME/nohup.out'. Standard error
follows standard output where it is a terminal.
";

const CANNOT: u8 = 126;

pub fn main(args: &Args) -> Outcome {
    let failed = if getenv(b"POSIXLY_CORRECT").is_some() { 127 } else { 125 };
    let mut options = Options::new(args, "+", &[]).status(failed);
    while options.next()?.is_some() {}
    let command: Vec<Vec<u8>> = options.operands().iter().map(|w| w.to_vec()).collect();
    if command.is_empty() {
        return Err(report::usage(failed, "missing operand"));
    }
    let (input, output, errors) = (isatty(STDIN), isatty(STDOUT), isatty(STDERR));
    if input {
        let opened = open(b"/dev/null", OpenFlags::WRONLY, 0).and_then(|fd| dup2(fd.raw(), STDIN, OpenFlags(0)));
        opened.map_err(|e| report::die(failed, format_args!("failed to render standard input unusable: {e}")))?;
        if !output && !errors {
            report::error("ignoring input");
        }
    }
    if output || (errors && dup2(STDOUT, STDOUT, OpenFlags(0)).is_err()) {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::APPEND;
        let mut file = b"nohup.out".to_vec();
        let mut opened = open(&file, flags, 0o600);
        if opened.is_err()
            && let Some(home) = getenv(b"HOME")
        {
            file = join(&home, b"nohup.out");
            opened = open(&file, flags, 0o600);
        }
        let fd = opened.map_err(|e| report::die(failed, format_args!("failed to open {}: {e}", quoted(&file))))?;
        let moved = dup2(fd.raw(), STDOUT, OpenFlags(0));
        moved.map_err(|e| report::die(failed, format_args!("failed to redirect standard output: {e}")))?;
        let ignoring = if input { "ignoring input and appending output to" } else { "appending output to" };
        report::error(format_args!("{ignoring} {}", quoted(&file)));
    } else if input && errors {
        report::error("ignoring input and redirecting stderr to stdout");
    } else if errors {
        report::error("redirecting stderr to stdout");
    }
    if errors {
        let _ = dup2(STDOUT, STDERR, OpenFlags(0));
    }
    let _ = signal_action(Signal::HUP, Disposition::Ignore);
    let why = program::become_command(&command, &environ());
    report::error(format_args!("failed to run command {}: {why}", quoted(&command[0])));
    Ok(if why == capsule_sys::Errno::ENOENT { program::NOT_FOUND } else { CANNOT })
}

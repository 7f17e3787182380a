use crate::options::{NO, Options, only};
use crate::{Args, Outcome, program, report};
use capsule_sys::{Disposition, FdAction, In, OpenFlags, STDIN, Signal, pipe, signal_action, wait, write_all};

pub const HELP: &str = "\
Usage: pee [OPTION]... [COMMAND]...
Give standard input to every command, each run by the shell.

      --ignore-sigpipe, --ignore-write-errors  go on all the same (so it is)
      --no-ignore-sigpipe       a command that stops reading ends everything
      --no-ignore-write-errors  so does any other failed write
";

const PIPE: char = only(0);
const NO_PIPE: char = only(1);
const ERRORS: char = only(2);
const NO_ERRORS: char = only(3);

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("ignore-sigpipe", NO, PIPE),
        ("no-ignore-sigpipe", NO, NO_PIPE),
        ("ignore-write-errors", NO, ERRORS),
        ("no-ignore-write-errors", NO, NO_ERRORS),
    ];
    let mut options = Options::new(args, "+", long);
    let (mut ignore_pipe, mut ignore_errors) = (true, true);
    while let Some(opt) = options.next()? {
        match opt.letter {
            PIPE => ignore_pipe = true,
            NO_PIPE => ignore_pipe = false,
            ERRORS => ignore_errors = true,
            _ => ignore_errors = false,
        }
    }
    let failed = |e| report::die(1, format_args!("Can not open pipe to command: {e}"));
    let mut sinks = Vec::new();
    let mut children = Vec::new();
    for command in options.operands() {
        let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(failed)?;
        let stdin = FdAction::Dup2 { from: reader.raw(), to: STDIN };
        children.push(program::shell(command, &[], vec![stdin]).map_err(failed)?);
        sinks.push(Some(writer));
    }
    if ignore_pipe {
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
    }
    let mut input = In::new(STDIN);
    loop {
        let block = input.fill().map_err(|e| report::die(1, format_args!("read error: {e}")))?;
        if block.is_empty() {
            break;
        }
        for sink in &mut sinks {
            if sink.as_ref().is_some_and(|writer| write_all(writer.raw(), block).is_err()) {
                if !ignore_errors {
                    return Err(report::die(1, "write error"));
                }
                *sink = None;
            }
        }
        let n = block.len();
        input.consume(n);
    }
    sinks.clear();
    let mut status = 0;
    for child in children {
        status |= wait(child, 0).ok().flatten().map_or(0, |waited| waited.status.shell_code() as u8);
    }
    Ok(status)
}

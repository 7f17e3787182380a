use crate::{Args, Outcome, options, program, report};
use capsule_sys::{FdAction, OpenFlags, STDIN, STDOUT, pipe, wait};

pub const HELP: &str = "\
Usage: mispipe COMMAND1 COMMAND2
Run two commands, the output of the first being the input of the second, and end
with the status of the first.
";

pub fn main(args: &Args) -> Outcome {
    let operands = options::only_operands(args, 1)?;
    let [first, second] = operands.as_slice() else {
        return Err(report::die(1, "Wrong number of args, aborting"));
    };
    let failed = |e| report::die(1, format_args!("{e}"));
    let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(failed)?;
    let shell = |command: &[u8]| [b"/bin/sh".to_vec(), b"-c".to_vec(), command.to_vec()];
    let to = |from, to| vec![FdAction::Dup2 { from, to }];
    let one = program::start(&shell(first), to(writer.raw(), STDOUT)).map_err(failed)?;
    let two = program::start(&shell(second), to(reader.raw(), STDIN)).map_err(failed)?;
    drop((reader, writer));
    let status = wait(one, 0).map_err(failed)?.map_or(0, |waited| waited.status.shell_code() as u8);
    let _ = wait(two, 0);
    Ok(status)
}

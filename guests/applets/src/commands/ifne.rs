use crate::options::Options;
use crate::{Args, Outcome, program, report};
use capsule_sys::{FdAction, In, OpenFlags, Out, STDIN, Signal, pipe, signal_action, wait, write_all};

pub const HELP: &str = "\
Usage: ifne [-n] COMMAND [ARG]...
Run a command if standard input is not empty, with that input.

  -n   run it if standard input is empty; else copy it to standard output
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+n", &[]);
    let mut reversed = false;
    while options.next()?.is_some() {
        reversed = true;
    }
    let argv: Vec<Vec<u8>> = options.operands().iter().map(|word| word.to_vec()).collect();
    if argv.is_empty() {
        report::plain(&format!("Usage: {} [-n] command [args]\n", report::program()));
        return Ok(1);
    }
    let mut input = In::new(STDIN);
    let unread = |e| report::die(1, format_args!("read failed: {e}"));
    let empty = input.fill().map_err(unread)?.is_empty();
    if empty != reversed {
        if reversed {
            let mut out = Out::stdout();
            loop {
                let block = input.fill().map_err(unread)?;
                if block.is_empty() {
                    return report::finish(&mut out, 0);
                }
                let n = block.len();
                out.write(block);
                input.consume(n);
            }
        }
        return Ok(0);
    }
    let failed = |e| report::die(1, format_args!("{}: {e}", String::from_utf8_lossy(&argv[0])));
    if reversed {
        return Err(failed(program::become_command(&argv, &capsule_sys::environ())));
    }
    let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(failed)?;
    let child = program::start(&argv, vec![FdAction::Dup2 { from: reader.raw(), to: STDIN }]).map_err(failed)?;
    drop(reader);
    // A command that stops reading is not our failure.
    let _ = signal_action(Signal::PIPE, capsule_sys::Disposition::Ignore);
    loop {
        let block = input.fill().map_err(unread)?;
        if block.is_empty() || write_all(writer.raw(), block).is_err() {
            break;
        }
        let n = block.len();
        input.consume(n);
    }
    drop(writer);
    let waited = wait(child, 0).map_err(failed)?;
    Ok(waited.map_or(0, |waited| waited.status.shell_code() as u8))
}

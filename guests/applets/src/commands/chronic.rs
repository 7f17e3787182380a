use crate::options::Options;
use crate::{Args, Outcome, program, report};
use capsule_sys::{Fd, FdAction, In, STDERR, STDOUT, Seek, seek, wait, write_all};

pub const HELP: &str = "\
Usage: chronic [-ev] COMMAND...
Run a command, and show what it wrote only if it failed.

  -e   also if it wrote to standard error
  -v   with words around standard output, standard error and the status
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+ev", &[]);
    let (mut on_errors, mut verbose) = (false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'e' => on_errors = true,
            _ => verbose = true,
        }
    }
    let argv: Vec<Vec<u8>> = options.operands().iter().map(|word| word.to_vec()).collect();
    if argv.is_empty() {
        report::plain("usage: chronic COMMAND...\n");
        return Ok(255);
    }
    let failed = |e| report::die(255, format_args!("{}: {e}", String::from_utf8_lossy(&argv[0])));
    // Files, as both may be long and neither may wait for the other.
    let place = crate::temporary::directory();
    let out = crate::temporary::unnamed(&place, "chronic.").map_err(failed)?;
    let err = crate::temporary::unnamed(&place, "chronic.").map_err(failed)?;
    let to = |from: &Fd, to| FdAction::Dup2 { from: from.raw(), to };
    let child = program::start(&argv, vec![to(&out, STDOUT), to(&err, STDERR)]).map_err(failed)?;
    let status = wait(child, 0).map_err(failed)?.map_or(0, |waited| waited.status.shell_code() as u8);
    let text = |file: &Fd| {
        let mut text = Vec::new();
        let read = seek(file.raw(), Seek::Start(0)).and_then(|_| In::new(file.raw()).read_to_end(&mut text));
        read.map(|()| text)
    };
    let (out, err) = (text(&out).map_err(failed)?, text(&err).map_err(failed)?);
    if status != 0 || (on_errors && !err.is_empty()) {
        let mark = |text: &str| if verbose { text.to_owned() } else { String::new() };
        let _ = write_all(STDOUT, &[mark("STDOUT:\n").as_bytes(), &out].concat());
        let _ = write_all(STDOUT, mark("\nSTDERR:\n").as_bytes());
        let _ = write_all(STDERR, &err);
        let _ = write_all(STDOUT, mark(&format!("\nRETVAL: {status}\n")).as_bytes());
    }
    Ok(status)
}

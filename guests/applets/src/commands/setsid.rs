use crate::options::{NO, Options};
use crate::quote::raw;
use crate::{Args, Outcome, program, report};
use capsule_sys::{environ, fork, getpgid, getpid, setsid, wait};

pub const HELP: &str = "\
Usage: setsid [OPTION]... PROGRAM [ARG]...
Run a program in a session of its own.

  -c, --ctty     set the controlling terminal (there is none to set)
  -f, --fork     in a new process, always
  -w, --wait     wait for the program to end, and have its status
  -h, --help     print this help
  -V, --version  print the version
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("ctty", NO, 'c'), ("fork", NO, 'f'), ("wait", NO, 'w')];
    let mut options = Options::new(args, "+Vhcfw", long);
    let (mut forks, mut waits) = (false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            'f' => forks = true,
            'w' => waits = true,
            _ => {}
        }
    }
    let argv: Vec<Vec<u8>> = options.operands().iter().map(|word| word.to_vec()).collect();
    if argv.is_empty() {
        return Err(report::usage(1, "no command specified"));
    }
    let run = || {
        if let Err(e) = setsid() {
            report::error(format_args!("setsid failed: {e}"));
            return 1;
        }
        let why = program::become_command(&argv, &environ());
        report::error(format_args!("failed to execute {}: {why}", raw(&argv[0])));
        program::status(why)
    };
    // Who leads a group cannot begin a session: a child can.
    if !forks && getpgid(0) != Ok(getpid()) {
        return Ok(run());
    }
    let child = fork(|| run().into()).map_err(|e| report::die(1, format_args!("fork: {e}")))?;
    if !waits {
        return Ok(0);
    }
    let waited = wait(child, 0).map_err(|e| report::die(1, format_args!("wait: {e}")))?;
    Ok(waited.map_or(0, |waited| waited.status.shell_code() as u8))
}

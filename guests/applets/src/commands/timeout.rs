use crate::options::{NO, Options, REQ, only};
use crate::quote::locale;
use crate::{Args, Outcome, program, report};
use capsule_sys::{
    Clock, Disposition, Errno, STDERR, Signal, SpawnRequest, WNOHANG, WaitStatus, clock, environ, getenv, getpgid,
    getpid, kill, setpgid, signal_action, signal_take, sleep_until, spawn, wait, write_all,
};

pub const HELP: &str = "\
Usage: timeout [OPTION] DURATION COMMAND [ARG]...
  or:  timeout [OPTION]
Run COMMAND, and end it when DURATION is over.

      --preserve-status  exit with the same status as COMMAND, even when the
                           command times out
      --foreground       when not running timeout directly from a shell prompt,
                           allow COMMAND to read from the TTY and get TTY
                           signals; in this mode, children of COMMAND will not
                           be timed out
  -k, --kill-after=DURATION  send KILL as well, if it is still there
                           this long after that
  -s, --signal=SIGNAL    specify the signal to be sent on timeout
  -v, --verbose          tell which signal was sent
      --help        print this help
      --version     print the version

DURATION is a number, with s (or nothing) for seconds, m for minutes, h for
hours or d for days.
0 is for ever.

Exit status: 124 if COMMAND times out, 125 if timeout itself fails, 126 if
COMMAND is found but cannot be invoked, 127 if it cannot be found, 137 if it
was sent KILL, else the status of COMMAND.
";

const PRESERVE: char = only(0);
const FOREGROUND: char = only(1);
/// It took too long.
const TIMED_OUT: u8 = 124;
const FAILED: u8 = 125;

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("foreground", NO, FOREGROUND),
        ("kill-after", REQ, 'k'),
        ("preserve-status", NO, PRESERVE),
        ("signal", REQ, 's'),
        ("verbose", NO, 'v'),
    ];
    let mut options = Options::new(args, "+k:s:v", long).status(FAILED);
    let (mut preserve, mut foreground, mut verbose) = (false, false, false);
    let (mut signal, mut kill_after) = (Signal::TERM.number().into(), 0.0);
    let duration = |text: &[u8]| {
        super::sleep::duration(text)
            .ok_or_else(|| report::usage(FAILED, format_args!("invalid time interval {}", locale(text))))
    };
    while let Some(opt) = options.next()? {
        match opt.letter {
            PRESERVE => preserve = true,
            FOREGROUND => foreground = true,
            'v' => verbose = true,
            'k' => kill_after = duration(opt.value())?,
            _ => {
                signal = super::kill::signal(opt.value())
                    .ok_or_else(|| report::usage(FAILED, format_args!("{}: invalid signal", locale(opt.value()))))?;
            }
        }
    }
    let operands = options.operands();
    let [time, command @ ..] = operands.as_slice() else { return Err(report::try_help(FAILED)) };
    if command.is_empty() {
        return Err(report::try_help(FAILED));
    }
    let limit = duration(time)?;
    if !foreground {
        // Its own group, so that the signal reaches the command's children too.
        let _ = setpgid(0, 0);
    }
    // Caught before the command starts, so that its end cannot be missed.
    let _ = signal_action(Signal::CHLD, Disposition::Catch);
    let argv: Vec<Vec<u8>> = command.iter().map(|w| w.to_vec()).collect();
    let path = getenv(b"PATH").unwrap_or_else(|| b"/usr/local/bin:/usr/bin:/bin".to_vec());
    let started = program::find(&argv[0], &path)
        .and_then(|path| spawn(&SpawnRequest { path, argv: argv.clone(), env: environ(), ..SpawnRequest::default() }));
    let pid = match started {
        Ok(pid) => pid,
        Err(e) => {
            report::error(format_args!("failed to run command {}: {e}", locale(&argv[0])));
            return Ok(program::status(e));
        }
    };
    let deadline = |seconds: f64| clock(Clock::Monotonic).saturating_add((seconds * 1e9) as u64);
    let mut until = if limit > 0.0 { Some(deadline(limit)) } else { None };
    let (mut timed_out, mut killed) = (false, false);
    loop {
        match wait(pid, WNOHANG) {
            Ok(Some(waited)) => {
                // Who waits for us is to see the signal that ended the command.
                if let (WaitStatus::Signaled(signal), false) = (waited.status, timed_out)
                    && let Some(known) = Signal::from_number(signal.into())
                {
                    let _ = signal_action(known, Disposition::Default);
                    let _ = kill(getpid(), signal.into());
                }
                return Ok(status(waited.status, timed_out, killed, preserve));
            }
            Ok(None) | Err(Errno::EINTR) => {}
            Err(e) => return Err(report::die(FAILED, format_args!("error waiting for command: {e}"))),
        }
        if until.is_some_and(|until| clock(Clock::Monotonic) >= until) {
            let sent = if timed_out { Signal::KILL.number().into() } else { signal };
            killed |= sent == i32::from(Signal::KILL.number());
            if verbose {
                let name = Signal::from_number(sent).map_or("0", Signal::name);
                let text = format!("{}: sending signal {name} to command {}\n", report::program(), locale(&argv[0]));
                let _ = write_all(STDERR, text.as_bytes());
            }
            send(pid, sent, foreground);
            until = if !timed_out && kill_after > 0.0 { Some(deadline(kill_after)) } else { None };
            timed_out = true;
            continue;
        }
        // Until the time is over, or the command's end interrupts.
        let _ = sleep_until(until.unwrap_or(u64::MAX));
        signal_take();
    }
}

/// To the command, and to its group when that is ours; we ourselves do not listen if we can.
fn send(pid: i32, signal: i32, foreground: bool) {
    let _ = kill(pid, signal);
    let own_group = !foreground && getpgid(0) == Ok(getpid());
    if own_group && let Some(known) = Signal::from_number(signal) {
        // KILL ends us too, and that is what our parent is to see.
        let _ = signal_action(known, Disposition::Ignore);
        let _ = kill(0, signal);
        // A stopped command cannot end.
        let _ = signal_action(Signal::CONT, Disposition::Ignore);
        let _ = kill(pid, Signal::CONT.number().into());
        let _ = kill(0, Signal::CONT.number().into());
    }
}

fn status(how: WaitStatus, timed_out: bool, killed: bool, preserve: bool) -> u8 {
    if timed_out && killed && !preserve {
        return 128 + Signal::KILL.number();
    }
    if timed_out && !preserve {
        return TIMED_OUT;
    }
    how.shell_code() as u8
}

use crate::calendar::{Moment, Zone};
use crate::options::{NO, Options, REQ};
use crate::quote::locale;
use crate::{Args, Outcome, program, report};
use capsule_sys::{
    Clock, Errno, FdAction, OpenFlags, Out, STDOUT, SpawnRequest, clock, environ, getenv, isatty, now, pipe,
    read_to_end, sleep_until, spawn, wait,
};

pub const HELP: &str = "\
Usage: watch [OPTION]... COMMAND...
Run COMMAND again and again and show what it writes, until a signal or the
session's time limit ends it.

  -b, --beep             beep if COMMAND has a non-zero exit
  -c, --color            (colors pass as they are)
  -e, --errexit          end if COMMAND has a non-zero exit
  -g, --chgexit          end when the output changes
  -n, --interval=SECS    seconds between runs (default 2)
  -p, --precise          count the interval from start to start
  -t, --no-title         no header
  -x, --exec             run COMMAND itself, not by sh -c
      --help        print this help
      --version     print the version

On a terminal the screen is cleared before each run; elsewhere runs follow each
other.
";

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("beep", NO, 'b'),
        ("color", NO, 'c'),
        ("errexit", NO, 'e'),
        ("chgexit", NO, 'g'),
        ("interval", REQ, 'n'),
        ("precise", NO, 'p'),
        ("no-title", NO, 't'),
        ("exec", NO, 'x'),
    ];
    let mut options = Options::new(args, "+bcegn:ptx", long);
    let (mut beep, mut on_error, mut on_change, mut precise, mut title, mut direct) =
        (false, false, false, false, true, false);
    let mut interval = 2.0;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => beep = true,
            // Colours pass as everything does.
            'c' => {}
            'e' => on_error = true,
            'g' => on_change = true,
            'n' => {
                let seconds = super::sleep::duration(opt.value());
                let bad =
                    || report::die(1, format_args!("failed to parse argument: '{}': {}", opt.text(), Errno::EINVAL));
                interval = f64::max(seconds.ok_or_else(bad)?, 0.1);
            }
            'p' => precise = true,
            't' => title = false,
            _ => direct = true,
        }
    }
    let words: Vec<Vec<u8>> = options.operands().iter().map(|w| w.to_vec()).collect();
    if words.is_empty() {
        return Err(report::usage(1, "no command given"));
    }
    let joined = words.join(&b' ');
    let argv = if direct { words } else { vec![b"sh".to_vec(), b"-c".to_vec(), joined.clone()] };
    let path = getenv(b"PATH").unwrap_or_default();
    let file = program::find(&argv[0], &path)
        .map_err(|e| report::die(1, format_args!("unable to execute {}: {e}", locale(&argv[0]))))?;
    let mut out = Out::stdout();
    let mut before: Option<Vec<u8>> = None;
    let fail = |e: Errno| report::die(1, format_args!("unable to run the command: {e}"));
    loop {
        let start = clock(Clock::Monotonic);
        let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(fail)?;
        let request = SpawnRequest {
            path: file.clone(),
            argv: argv.clone(),
            env: environ(),
            actions: [1, 2].into_iter().map(|to| FdAction::Dup2 { from: writer.raw(), to }).collect(),
            ..SpawnRequest::default()
        };
        let pid = spawn(&request).map_err(fail)?;
        drop(writer);
        let text = read_to_end(reader.raw()).map_err(fail)?;
        let status = wait(pid, 0).ok().flatten().map_or(0, |w| w.status.shell_code());
        if isatty(STDOUT) {
            out.write(b"\x1b[H\x1b[2J");
        }
        if title {
            let date = Moment::new(now().sec, 0, &Zone::local()).format(b"%a %b %e %H:%M:%S %Y");
            out.write(format!("Every {interval:.1}s: ").as_bytes());
            out.write(&[joined.as_slice(), b"    ", &date, b"\n\n"].concat());
        }
        out.write(&text);
        if beep && status != 0 {
            out.byte(7);
        }
        let _ = out.flush();
        report::writable(&out)?;
        if on_error && status != 0 {
            return Ok(8);
        }
        if on_change && before.as_ref().is_some_and(|b| *b != text) {
            return Ok(0);
        }
        before = Some(text);
        let from = if precise { start } else { clock(Clock::Monotonic) };
        let _ = sleep_until(from.saturating_add((interval * 1e9) as u64));
    }
}

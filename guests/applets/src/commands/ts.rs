use crate::calendar::{Moment, Zone};
use crate::options::Options;
use crate::{Args, Outcome, report};
use capsule_sys::{Clock, In, Out, STDIN, Time, clock, now};

pub const HELP: &str = "\
Usage: ts [-i | -s] [-m] [FORMAT]
Put a time stamp in front of each line of standard input.

  -i   the time since the last line
  -s   the time since the start
  -m   a clock that is never set (with -i and -s)
      --help        print this help
      --version     print the version

FORMAT is that of date (default '%b %d %H:%M:%S', with -i and -s '%H:%M:%S');
%.S, %.s and %.T have fractions of seconds.
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "ism", &[]);
    let (mut each, mut since) = (false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'i' => each = true,
            's' => since = true,
            _ => {}
        }
    }
    let operands = options.operands();
    let relative = each || since;
    let usual: &[u8] = if relative { b"%H:%M:%S" } else { b"%b %d %H:%M:%S" };
    let format = String::from_utf8_lossy(operands.first().copied().unwrap_or(usual)).into_owned();
    let format = format.replace("%.S", "%S.%6N").replace("%.s", "%s.%6N").replace("%.T", "%T.%6N");
    let zone = if relative { Zone::utc() } else { Zone::local() };
    let (mut stream, mut out, mut line) = (In::new(STDIN), Out::stdout(), Vec::new());
    let mut last = clock(Clock::Monotonic);
    loop {
        line.clear();
        let more = stream.read_until(b'\n', &mut line);
        if !more.map_err(|e| report::die(1, format_args!("read error: {e}")))? {
            break;
        }
        let time = if relative {
            let here = clock(Clock::Monotonic);
            let passed = here - last;
            if each {
                last = here;
            }
            Time::from_nanos(passed)
        } else {
            now()
        };
        out.write(&Moment::new(time.sec, time.nsec, &zone).format(format.as_bytes()));
        out.byte(b' ');
        out.write(&line);
        // The stamp is of use when it comes at once.
        if stream.buffered() == 0 {
            let _ = out.flush();
        }
        report::writable(&out)?;
    }
    report::finish(&mut out, 0)
}

use crate::calendar::{Moment, Zone};
use crate::input::Input;
use crate::options::Options;
use crate::quote::raw;
use crate::{Args, Outcome, report};
use capsule_sys::{Clock, Out, Time, clock, now};

pub const HELP: &str = "\
Usage: ts [-i | -s] [-m] [FORMAT [FILE]...]
Put a time stamp in front of each line of the FILEs, or of standard input.

  -i   the time since the last line
  -s   the time since the start
  -m   by a clock that is never set (as -i and -s always)
      --help        print this help
      --version     print the version

FORMAT is that of date (default '%b %d %H:%M:%S', with -i and -s '%H:%M:%S');
%.S, %.s and %.T have fractions of seconds.
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "ism", &[]).status(255);
    let (mut each, mut since, mut steady) = (false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'i' => each = true,
            's' => since = true,
            _ => steady = true,
        }
    }
    report::output_fails(1, "write error");
    let operands = options.operands();
    let relative = each || since;
    let usual: &[u8] = if relative { b"%H:%M:%S" } else { b"%b %d %H:%M:%S" };
    let format = fractions(operands.first().copied().unwrap_or(usual));
    // The files behind the format, as Perl reads them.
    let standard: &[&[u8]] = &[b"-"];
    let files = operands.get(1..).filter(|files| !files.is_empty()).unwrap_or(standard);
    let zone = if relative { Zone::utc() } else { Zone::local() };
    let (mut out, mut line) = (Out::stdout(), Vec::new());
    let mut last = clock(Clock::Monotonic);
    for file in files {
        let mut input = match Input::open(file) {
            Ok(input) => input,
            Err(e) => {
                report::plain(&format!("Can't open {}: {e}\n", raw(file)));
                continue;
            }
        };
        let stream = &mut input.stream;
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
            } else if steady {
                Time::from_nanos(clock(Clock::Monotonic))
            } else {
                now()
            };
            out.write(&Moment::new(time.sec, time.nsec, &zone).format(&format));
            out.byte(b' ');
            out.write(&line);
            // The stamp is of use when it comes at once.
            if stream.buffered() == 0 {
                let _ = out.flush();
            }
            report::writable(&out)?;
        }
    }
    report::finish(&mut out, 0)
}

/// `%.S`, `%.s` and `%.T` as [`Moment::format`] knows them.
fn fractions(format: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    let mut rest = format;
    while let [first, tail @ ..] = rest {
        (rest, _) = match rest {
            [b'%', b'.', letter @ (b'S' | b's' | b'T'), tail @ ..] => {
                (tail, all.extend([b'%', *letter, b'.', b'%', b'6', b'N']))
            }
            [b'%', other, tail @ ..] => (tail, all.extend([b'%', *other])),
            _ => (tail, all.push(*first)),
        };
    }
    all
}

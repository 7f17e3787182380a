use crate::quote::locale;
use crate::{Args, Outcome, options, report};
use capsule_sys::{Clock, clock, sleep_until};

pub const HELP: &str = "\
Usage: sleep NUMBER[SUFFIX]...
  or:  sleep OPTION
Wait for NUMBER seconds, or, with a letter behind it, minutes (m),
hours (h) or days (d); fractions are possible. Of several numbers,
wait for the sum.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let operands = options::only_operands(args, 1)?;
    // `sleep --` waits for no time at all.
    if args.rest().is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let mut seconds = 0.0;
    let mut good = true;
    for operand in operands {
        match duration(operand) {
            Some(s) => seconds += s,
            None => {
                report::error(format_args!("invalid time interval {}", locale(operand)));
                good = false;
            }
        }
    }
    if !good {
        return Err(report::try_help(1));
    }
    // Saturates far beyond the life of any session.
    let until = clock(Clock::Monotonic).saturating_add((seconds * 1e9).ceil() as u64);
    while clock(Clock::Monotonic) < until {
        // A signal that a process catches and forgets does not shorten the sleep.
        let _ = sleep_until(until);
    }
    Ok(0)
}

/// Seconds of `1.5m` and the like.
pub fn duration(text: &[u8]) -> Option<f64> {
    let (number, unit) = match text.split_last()? {
        (b's', rest) => (rest, 1.0),
        (b'm', rest) => (rest, 60.0),
        (b'h', rest) => (rest, 3600.0),
        (b'd', rest) => (rest, 86_400.0),
        _ => (text, 1.0),
    };
    let (value, read) = crate::float::parse(number);
    (read == number.len() && read > 0 && value >= 0.0).then_some(value * unit)
}

use crate::calendar::parse::{parse, to_utc_existing};
use crate::calendar::{Moment, Zone, days_from_civil};
use crate::options::{NO, Options, REQ, only, word};
use crate::quote::{locale, quoted};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, OpenFlags, STDOUT, SetTime, Time, futimens, lstat, now, open, stat,
    utimens_at,
};

pub const HELP: &str = "\
Usage: touch [OPTION]... FILE...
Set the times of each FILE to now.

A FILE that is not there is made, empty, unless -c or -h
is there.

FILE may be -, the file that standard output is.

  -a                     the time of reading only
  -c, --no-create        make no files
  -d, --date=STRING      the time that STRING describes, not now
  -f                     (ignored)
  -h, --no-dereference   the times of a link, not of its target
  -m                     the time of writing only
  -r, --reference=FILE   the times of FILE, not now
  -t STAMP               [[CC]YY]MMDDhhmm[.ss], not now
      --time=WORD        access, atime or use for -a,
                           modify or mtime for -m
      --help        print this help
      --version     print the version
";

const TIME: char = only(0);

struct Touch {
    access: bool,
    modification: bool,
    create: bool,
    follow: bool,
    times: (SetTime, SetTime),
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("time", REQ, TIME),
        ("no-create", NO, 'c'),
        ("date", REQ, 'd'),
        ("reference", REQ, 'r'),
        ("no-dereference", NO, 'h'),
    ];
    let mut touch =
        Touch { access: false, modification: false, create: true, follow: true, times: (SetTime::Now, SetTime::Now) };
    let (mut date, mut reference, mut stamp) = (None, None, None);
    let mut options = Options::new(args, "acd:fhmr:t:", long);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => touch.access = true,
            'm' => touch.modification = true,
            'c' => touch.create = false,
            'd' => date = Some(opt.value()),
            'f' => {}
            'h' => touch.follow = false,
            'r' => reference = Some(opt.value()),
            't' => {
                let text = opt.value();
                let time = stamped(text);
                stamp = Some(time.ok_or_else(|| report::die(1, format_args!("invalid date format {}", locale(text))))?);
            }
            _ => {
                let words = &[("atime", 'a'), ("access", 'a'), ("use", 'a'), ("mtime", 'm'), ("modify", 'm')];
                match word(opt.value(), "--time", words, 1)? {
                    'a' => touch.access = true,
                    _ => touch.modification = true,
                }
            }
        }
    }
    if !touch.access && !touch.modification {
        (touch.access, touch.modification) = (true, true);
    }
    touch.times = times(date, reference, stamp, touch.follow)?;
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing file operand"));
    }
    let mut status = 0;
    for operand in operands {
        if let Err((action, e)) = touch.one(operand) {
            report::fault(format_args!("{action} {}", quoted(operand)), e);
            status = 1;
        }
    }
    Ok(status)
}

/// The access and the modification time to set.
fn times(
    date: Option<&[u8]>,
    reference: Option<&[u8]>,
    stamp: Option<Time>,
    follow: bool,
) -> Result<(SetTime, SetTime), Exit> {
    if stamp.is_some() && (date.is_some() || reference.is_some()) {
        return Err(report::usage(1, "cannot specify times from more than one source"));
    }
    if let Some(time) = stamp {
        return Ok((SetTime::At(time), SetTime::At(time)));
    }
    let mut base = (now(), now());
    if let Some(file) = reference {
        let found = if follow { stat(file) } else { lstat(file) };
        let s = found.map_err(|e| report::die(1, format_args!("failed to get attributes of {}: {e}", quoted(file))))?;
        base = (s.atime, s.mtime);
    }
    let Some(text) = date else {
        return Ok(match reference {
            Some(_) => (SetTime::At(base.0), SetTime::At(base.1)),
            None => (SetTime::Now, SetTime::Now),
        });
    };
    let zone = Zone::local();
    // With a reference, the date is relative to its times.
    match (parse(text, base.0, &zone), parse(text, base.1, &zone)) {
        (Some(access), Some(modification)) => Ok((SetTime::At(access), SetTime::At(modification))),
        _ => Err(report::die(1, format_args!("invalid date format {}", locale(text)))),
    }
}

/// `[[CC]YY]MMDDhhmm[.ss]`, local time.
fn stamped(text: &[u8]) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, seconds) = text.split_once('.').unwrap_or((text, "00"));
    if !digits.bytes().chain(seconds.bytes()).all(|b| b.is_ascii_digit()) || seconds.len() != 2 {
        return None;
    }
    let zone = Zone::local();
    let (year, rest) = match digits.len() {
        8 => (Moment::new(now().sec, 0, &zone).year, digits),
        10 => {
            let short: i64 = digits[..2].parse().ok()?;
            (if short < 69 { 2000 + short } else { 1900 + short }, &digits[2..])
        }
        12 => (digits[..4].parse().ok()?, &digits[4..]),
        _ => return None,
    };
    let two = |at: usize| rest[at..at + 2].parse::<u32>().ok();
    let (month, day, hour, minute) = (two(0)?, two(2)?, two(4)?, two(6)?);
    let second: i64 = seconds.parse().ok()?;
    let days = days_from_civil(year, month.clamp(1, 12), day);
    let real = (1..=12).contains(&month) && crate::calendar::civil_from_days(days) == (year, month, day);
    if !real || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let local = days * 86_400 + i64::from(hour) * 3600 + i64::from(minute) * 60 + second;
    Some(Time { sec: to_utc_existing(local, &zone)?, nsec: 0 })
}

impl Touch {
    fn one(&self, path: &[u8]) -> Result<(), (&'static str, Errno)> {
        let access = if self.access { self.times.0 } else { SetTime::Omit };
        let modification = if self.modification { self.times.1 } else { SetTime::Omit };
        if path == b"-" {
            return futimens(STDOUT, access, modification).map_err(|e| ("setting times of", e));
        }
        let mut made = Ok(());
        if self.create && self.follow {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::NONBLOCK | OpenFlags::NOCTTY;
            made = open(path, flags, 0o666).map(drop);
        }
        let flags = if self.follow { 0 } else { AT_SYMLINK_NOFOLLOW };
        match (utimens_at(AT_FDCWD, path, access, modification, flags), made) {
            (Ok(()), _) => Ok(()),
            // What open said is nearer to the point, but a directory cannot be opened and can be touched.
            (Err(_), Err(e)) if e != Errno::EISDIR => Err(("cannot touch", e)),
            (Err(Errno::ENOENT), _) if !self.create => Ok(()),
            (Err(e @ Errno::ENOENT), _) if !self.follow => Err(("setting times of", e)),
            (Err(e), _) => Err(("setting times of", e)),
        }
    }
}

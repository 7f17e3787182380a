use crate::calendar::parse::{In, parse_telling};
use crate::calendar::{Moment, Zone};
use crate::input::Input;
use crate::options::{NO, OPT, Options, REQ, only, word};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, Out, Time, getenv, now, stat};

pub const HELP: &str = "\
Usage: date [OPTION]... [+FORMAT]
Print the time as FORMAT says.

  -d, --date=STRING          the time that STRING describes
      --debug                tell on standard error how the date was understood
  -f, --file=DATEFILE        for each line of FILE, the time it describes
  -I[FMT], --iso-8601[=FMT]  as ISO 8601 says: date (unless told
                               otherwise), hours, minutes, seconds or ns
      --resolution           print how fine the clock is
  -R, --rfc-email            output date and time in RFC 5322 format
      --rfc-3339=FMT         as RFC 3339 says: date, seconds
                               or ns
  -r, --reference=FILE       when FILE was last modified
  -s, --set=STRING           refused: the clock belongs to the host
  -u, --utc, --universal     print Coordinated Universal Time (UTC)
      --help        print this help
      --version     print the version

FORMAT controls the output as in strftime, with the flags - _ 0 + ^ #,
a width, and %N for nanoseconds, %:z %::z %:::z for the zone's offset.
";

const RFC_3339: char = only(0);
const RESOLUTION: char = only(1);
const DEBUG: char = only(2);

enum When<'a> {
    Now,
    Text(&'a [u8]),
    File(&'a [u8]),
    Reference(&'a [u8]),
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("date", REQ, 'd'),
        ("debug", NO, DEBUG),
        ("file", REQ, 'f'),
        ("iso-8601", OPT, 'I'),
        ("resolution", NO, RESOLUTION),
        ("rfc-3339", REQ, RFC_3339),
        ("rfc-email", NO, 'R'),
        ("rfc-822", NO, 'R'),
        ("rfc-2822", NO, 'R'),
        ("reference", REQ, 'r'),
        ("set", REQ, 's'),
        ("uct", NO, 'u'),
        ("utc", NO, 'u'),
        ("universal", NO, 'u'),
    ];
    let mut options = Options::new(args, "d:f:I::r:Rs:u", long);
    let (mut when, mut format, mut utc, mut sources) = (When::Now, None, false, 0);
    let (mut set, mut debug) = (false, false);
    while let Some(opt) = options.next()? {
        let chosen: &[u8] = match opt.letter {
            'd' => {
                (when, sources) = (When::Text(opt.value()), sources + usize::from(!matches!(when, When::Text(_))));
                continue;
            }
            'f' => {
                (when, sources) = (When::File(opt.value()), sources + 1);
                continue;
            }
            'r' => {
                (when, sources) = (When::Reference(opt.value()), sources + 1);
                continue;
            }
            'u' => {
                utc = true;
                continue;
            }
            's' => {
                set = true;
                continue;
            }
            DEBUG => {
                debug = true;
                continue;
            }
            RESOLUTION => b"0.000000001",
            'R' => b"%a, %d %b %Y %H:%M:%S %z",
            'I' => {
                let words: &[(&str, &[u8])] = &[
                    ("hours", b"%Y-%m-%dT%H%:z"),
                    ("minutes", b"%Y-%m-%dT%H:%M%:z"),
                    ("date", b"%Y-%m-%d"),
                    ("seconds", b"%Y-%m-%dT%H:%M:%S%:z"),
                    ("ns", b"%Y-%m-%dT%H:%M:%S,%N%:z"),
                ];
                opt.value.map_or(Ok(b"%Y-%m-%d".as_slice()), |v| word(v, "--iso-8601", words, 1))?
            }
            _ => {
                let words: &[(&str, &[u8])] =
                    &[("date", b"%Y-%m-%d"), ("seconds", b"%Y-%m-%d %H:%M:%S%:z"), ("ns", b"%Y-%m-%d %H:%M:%S.%N%:z")];
                word(opt.value(), "--rfc-3339", words, 1)?
            }
        };
        if format.is_some() {
            return Err(report::die(1, "multiple output formats specified"));
        }
        format = Some(chosen);
    }
    let operands = options.operands();
    if sources > 1 {
        return Err(report::usage(1, "the options to specify dates for printing are mutually exclusive"));
    }
    match operands.as_slice() {
        [] => {}
        [_, extra, ..] => return Err(report::usage(1, format_args!("extra operand {}", locale(extra)))),
        [only] => match only.strip_prefix(b"+") {
            Some(_) if format.is_some() => return Err(report::die(1, "multiple output formats specified")),
            Some(text) => format = Some(text),
            None if sources > 0 => {
                report::error(format_args!("the argument {} lacks a leading '+';", locale(only)));
                let text = "when using an option to specify date(s), any non-option\nargument must be a format string \
                            beginning with '+'\n";
                let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
                return Err(report::try_help(1));
            }
            None if is_clock(only) => set = true,
            None => return Err(report::die(1, format_args!("invalid date {}", locale(only)))),
        },
    }
    if set && sources > 0 {
        return Err(report::usage(1, "the options to print and set the time may not be used together"));
    }
    if set {
        // The clock belongs to the host.
        return Err(report::die(1, format_args!("cannot set date: {}", Errno::EPERM)));
    }
    let zone = if utc { Zone::utc() } else { Zone::local() };
    let format = format.unwrap_or(b"%a %b %e %H:%M:%S %Z %Y");
    let mut out = Out::stdout();
    let mut status = 0;
    let mut show = |time: Time| {
        if debug {
            report::error(format_args!("output format: {}", locale(format)));
        }
        let moment = Moment::new(time.sec, time.nsec, &zone);
        if !moment.is_in_range() {
            let text = locale(time.sec.to_string().as_bytes());
            return Err(report::die(1, format_args!("time {text} is out of range")));
        }
        out.write(&moment.format(format));
        out.byte(b'\n');
        Ok(())
    };
    let source = if utc { Some(b"UTC0".to_vec()) } else { getenv(b"TZ") };
    let source = source.map(|name| String::from_utf8_lossy(&name).into_owned());
    let read = |text: &[u8]| {
        let mut tell = |text: &str| {
            if debug {
                report::error(text);
            }
        };
        let place = In { zone: &zone, name: source.as_deref() };
        parse_telling(text, now(), place, &mut tell)
            .ok_or_else(|| report::die(1, format_args!("invalid date {}", locale(text))))
    };
    match when {
        When::Now => show(now())?,
        When::Text(text) => show(read(text)?)?,
        When::Reference(file) => match stat(file) {
            Ok(s) => show(s.mtime)?,
            Err(e) => return Err(report::die(1, format_args!("{}: {e}", quote::name(file)))),
        },
        When::File(file) => status = each_line(file, |line| read(line).and_then(&mut show))?,
    }
    report::finish(&mut out, status)
}

/// `MMDDhhmm[[CC]YY][.ss]`: what would set the clock.
fn is_clock(text: &[u8]) -> bool {
    let (date, seconds) = match text.iter().position(|b| *b == b'.') {
        Some(dot) => (&text[..dot], Some(&text[dot + 1..])),
        None => (text, None),
    };
    let digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    matches!(date.len(), 8 | 10 | 12) && digits(date) && seconds.is_none_or(|s| s.len() == 2 && digits(s))
}

fn each_line(file: &[u8], mut each: impl FnMut(&[u8]) -> Result<(), Exit>) -> Result<u8, Exit> {
    let fail = |e| report::die(1, format_args!("{}: {e}", quote::name(file)));
    let mut input = Input::open(file).map_err(fail)?;
    let (mut line, mut status) = (Vec::new(), 0);
    // What cannot be read has no more lines, as for GNU's; what is not open is told.
    if file == b"-"
        && let Err(e) = capsule_sys::fstat(capsule_sys::STDIN)
    {
        return Err(report::die(1, format_args!("'standard input': {e}")));
    }
    while input.stream.read_until(b'\n', &mut line).unwrap_or(false) {
        let text = line.split(|&b| b == 0).next().unwrap_or_default();
        if each(text.strip_suffix(b"\n").unwrap_or(text)).is_err() {
            status = 1;
        }
        line.clear();
    }
    Ok(status)
}

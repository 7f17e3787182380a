use crate::quote::{locale, quoted};
use crate::{Args, Exit, Outcome, options, report};
use capsule_sys::{Out, Signal, kill};

pub const HELP: &str = "\
Usage: kill [-s SIGNAL | -SIGNAL] PID...
  or:  kill -l [SIGNAL]...
  or:  kill -t [SIGNAL]...
Send signals to processes, or list signals.

  -s, --signal=SIGNAL, -SIGNAL
                   specify the name or number of the signal to be sent
  -l, --list       list signal names, or convert signal names to/from numbers
  -t, --table      print a table of signal information
      --help        print this help
      --version     print the version

SIGNAL may be a signal name like 'HUP', or a signal number like '1',
or the exit status of a process terminated by a signal.
PID is an integer; if negative it identifies a process group.
";

pub fn main(args: &Args) -> Outcome {
    let words = args.rest();
    if let [only] = words
        && (only == b"--help" || only == b"--version")
    {
        options::only_operands(args, 1)?;
    }
    let mut signal = Signal::TERM.number().into();
    let mut rest = words;
    match words.first().map(Vec::as_slice) {
        Some(b"-l" | b"--list" | b"-L") => return list(&words[1..], false),
        Some(b"-t" | b"--table") => return list(&words[1..], true),
        Some(b"-s" | b"-n" | b"--signal") => {
            let Some(name) = words.get(1) else {
                return Err(report::usage(1, "option requires an argument -- 's'"));
            };
            signal = number(name)?;
            rest = &words[2..];
        }
        Some(word) if word.starts_with(b"--signal=") => {
            signal = number(&word[9..])?;
            rest = &words[1..];
        }
        Some([b'-', name @ ..]) if !name.is_empty() && name != b"-" => {
            // `-sTERM` is `-s TERM`; `-stop` is a name.
            let short = name.strip_prefix(b"s").and_then(self::signal).filter(|_| self::signal(name).is_none());
            signal = short.map_or_else(|| number(name), Ok)?;
            rest = &words[1..];
        }
        _ => {}
    }
    if rest.first().is_some_and(|w| w == b"--") {
        rest = &rest[1..];
    }
    if rest.is_empty() {
        return Err(report::usage(1, "no process ID specified"));
    }
    let mut status = 0;
    for word in rest {
        let pid = std::str::from_utf8(word).ok().and_then(|t| t.trim().parse::<i32>().ok());
        let Some(pid) = pid else {
            report::error(format_args!("{}: invalid process id", locale(word)));
            status = 1;
            continue;
        };
        if let Err(e) = kill(pid, signal) {
            report::fault(quoted(word), e);
            status = 1;
        }
    }
    Ok(status)
}

/// A signal by name, with or without SIG, by number, or by the exit status it causes.
pub fn signal(name: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(name).ok()?;
    if let Ok(number) = text.parse::<i32>() {
        let number = if number > 128 { number & 127 } else { number };
        return (number == 0 || Signal::from_number(number).is_some()).then_some(number);
    }
    if text.eq_ignore_ascii_case("EXIT") {
        return Some(0);
    }
    Signal::from_name(text).map(|s| s.number().into())
}

fn number(name: &[u8]) -> Result<i32, Exit> {
    signal(name).ok_or_else(|| report::usage(1, format_args!("{}: invalid signal", locale(name))))
}

fn list(names: &[Vec<u8>], table: bool) -> Outcome {
    let mut out = Out::stdout();
    let mut status = 0;
    let mut show = |signal: Signal, by_number: bool| {
        let line = match (table, by_number) {
            (true, _) => format!("{:>2} {:<8} {}\n", signal.number(), signal.name(), signal.text()),
            (false, true) => format!("{}\n", signal.number()),
            (false, false) => format!("{}\n", signal.name()),
        };
        out.write(line.as_bytes());
    };
    if names.is_empty() {
        Signal::ALL.iter().for_each(|s| show(*s, false));
    }
    for name in names {
        match signal(name).and_then(Signal::from_number) {
            // A name is turned into a number, and a number into a name.
            Some(found) => show(found, !name[0].is_ascii_digit()),
            None => {
                report::error(format_args!("{}: invalid signal", locale(name)));
                status = 1;
            }
        }
    }
    report::finish(&mut out, status)
}

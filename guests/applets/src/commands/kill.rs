use crate::quote::raw;
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, Out, Signal, kill};

pub const HELP: &str = "\
Usage: kill [-s SIGNAL | -SIGNAL] PID...
  or:  kill -l [SIGNAL]
  or:  kill -L
Send signals to processes, or list signals.

  -SIGNAL, -s, --signal SIGNAL
                       the signal to be sent, by name or number (TERM)
  -l, --list[=SIGNAL]  list signal names, or turn a name into its number and
                       the other way round
  -L, --table          list numbers and names
  -h, --help           print this help
  -V, --version        print the version

A negative PID stands for a process group.
";

pub fn main(args: &Args) -> Outcome {
    let mut words = args.rest().iter().map(Vec::as_slice);
    let (mut sent, mut pids) = (None, Vec::new());
    while let Some(word) = words.next() {
        let wrong = |letter: u8| {
            report::error(raw(&[&b"invalid argument "[..], &[letter]].concat()));
            report::hint(report::Hint::Help);
            Err(report::try_help(1))
        };
        match word {
            b"-h" | b"--help" | b"-V" | b"--version" => {
                let long = if word.ends_with(b"h") || word.ends_with(b"help") { "--help" } else { "--version" };
                let asked = Args::new(vec![args.argv[0].clone(), long.as_bytes().to_vec()]);
                crate::options::only_operands(&asked, 1)?;
            }
            b"-l" | b"--list" => return list(words.next()),
            b"-L" | b"--table" => return table(),
            b"-s" | b"--signal" => match words.next() {
                Some(name) => sent = Some(number(name)),
                None => return wrong(b's'),
            },
            b"--" => {
                pids.extend(words.by_ref());
            }
            [b'-', b'-', name @ ..] => match (name.strip_prefix(b"list="), name.strip_prefix(b"signal=")) {
                (Some(name), _) => return list(Some(name)),
                (_, Some(name)) => sent = Some(number(name)),
                _ if name.starts_with(b"queue") => return no_queue(),
                _ => return wrong(b' '),
            },
            [b'-', name @ ..] if !name.is_empty() => match signal(name) {
                // Behind a signal it is the number of a group.
                _ if sent.is_some() && name.iter().all(u8::is_ascii_digit) => pids.push(word),
                Some(known) if sent.is_none() => sent = Some(known),
                _ if name[0] == b's' => sent = Some(number(&name[1..])),
                _ if name[0] == b'l' => return list(Some(&name[1..])),
                _ if name[0] == b'q' => return no_queue(),
                _ => return wrong(name[0]),
            },
            pid => pids.push(pid),
        }
    }
    if pids.is_empty() {
        report::hint(report::Hint::Help);
        return Err(report::try_help(1));
    }
    let mut status = 0;
    for word in pids {
        let Some(pid) = std::str::from_utf8(word).ok().and_then(|t| t.trim_start().parse::<i64>().ok()) else {
            report::error(raw(&[b"failed to parse argument: '", word, b"'"].concat()));
            return Ok(1);
        };
        let reached = i32::try_from(pid).map_err(|_| Errno::ESRCH);
        if let Err(e) = reached.and_then(|pid| kill(pid, sent.unwrap_or(Signal::TERM.number().into()))) {
            report::error(format_args!("({pid}): {e}"));
            status = 1;
        }
    }
    Ok(status)
}

fn no_queue() -> Outcome {
    Err(report::die(1, "--queue is not supported: a signal carries no value here"))
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

/// A name that is none is a signal that is none: the system refuses it.
fn number(name: &[u8]) -> i32 {
    signal(name).unwrap_or(-1)
}

fn list(name: Option<&[u8]>) -> Outcome {
    let Some(name) = name else { return super::killall::list() };
    let mut out = Out::stdout();
    let digits = name.iter().all(u8::is_ascii_digit);
    let known = std::str::from_utf8(name).ok().and_then(|text| match text.parse() {
        Ok(number) if digits => Signal::from_number(number),
        _ => Signal::from_name(text),
    });
    match known {
        Some(signal) if digits => out.write(format!("{}\n", shown(signal)).as_bytes()),
        Some(signal) => out.write(format!("{}\n", signal.number()).as_bytes()),
        None => report::error(raw(&[&b"unknown signal name "[..], name].concat())),
    }
    report::finish(&mut out, 0)
}

/// Its older name, for one.
pub fn shown(signal: Signal) -> &'static str {
    if signal == Signal::IO { "POLL" } else { signal.name() }
}

fn table() -> Outcome {
    let mut out = Out::stdout();
    for (i, &signal) in Signal::ALL.iter().enumerate() {
        let (number, name) = (signal.number(), shown(signal));
        let last = i % 7 == 6;
        out.write(if last { format!("{number:2} {name}\n") } else { format!("{number:2} {name:<8}") }.as_bytes());
    }
    out.byte(b'\n');
    report::finish(&mut out, 0)
}

//! `trap`.

use super::{Letter, Letters};
use crate::exec::{DEBUG, ERR, EXIT, RETURN};
use crate::expand::single_quote;
use crate::shell::{Flow, Shell};
use capsule_sys::Signal;

/// The number of a signal or condition by name or number.
pub fn number_of(text: &[u8]) -> Option<u8> {
    if let Some(n) = super::number(text) {
        return u8::try_from(n).ok().filter(|&n| n == 0 || n <= 64);
    }
    let upper = text.to_ascii_uppercase();
    let bare = upper.strip_prefix(b"SIG").unwrap_or(&upper);
    Some(match bare {
        b"EXIT" => EXIT,
        b"DEBUG" => DEBUG,
        b"ERR" => ERR,
        b"RETURN" => RETURN,
        bare => match real_time(bare) {
            Some(n) => n,
            None => Signal::from_name(std::str::from_utf8(bare).ok()?)?.number(),
        },
    })
}

fn real_time(name: &[u8]) -> Option<u8> {
    let name = std::str::from_utf8(name).ok()?;
    if let Some(rest) = name.strip_prefix("RTMIN") {
        return if rest.is_empty() { Some(34) } else { rest.strip_prefix('+')?.parse::<u8>().ok().map(|n| 34 + n) };
    }
    if let Some(rest) = name.strip_prefix("RTMAX") {
        return if rest.is_empty() { Some(64) } else { rest.strip_prefix('-')?.parse::<u8>().ok().map(|n| 64 - n) };
    }
    None
}

/// With `SIG` for signals.
pub fn name_of(number: u8) -> String {
    match number {
        EXIT => "EXIT".into(),
        DEBUG => "DEBUG".into(),
        ERR => "ERR".into(),
        RETURN => "RETURN".into(),
        n => format!("SIG{}", short_name(n)),
    }
}

pub fn short_name(number: u8) -> String {
    match number {
        34 => "RTMIN".into(),
        35..=49 => format!("RTMIN+{}", number - 34),
        50..=63 => format!("RTMAX-{}", 64 - number),
        64 => "RTMAX".into(),
        n => Signal::from_number(n.into()).map_or_else(|| n.to_string(), |signal| signal.name().to_owned()),
    }
}

/// `kill -l`, `trap -l`.
pub fn list(shell: &mut Shell) {
    for (at, number) in (1..=31u8).chain(34..=64).enumerate() {
        let end = if at % 5 == 4 { '\n' } else { '\t' };
        shell.out.extend_from_slice(format!("{number:2}) SIG{}{end}", short_name(number)).as_bytes());
    }
    // The last line is not full.
    shell.out.push(b'\n');
}

fn show(shell: &mut Shell, number: u8, action: &[u8]) {
    let text = [b"trap -- ", &single_quote(action)[..], b" ", name_of(number).as_bytes(), b"\n"].concat();
    shell.out.extend_from_slice(&text);
}

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut print = false;
    let mut letters = Letters::new(args, b"lp");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'l') => {
                list(shell);
                return Ok(0);
            }
            Letter::Plain(_) => print = true,
            Letter::Bad(option) => return Ok(shell.bad_option("trap", &option)),
            _ => return Ok(2),
        }
    }
    let rest = letters.rest();
    if rest.is_empty() || print {
        let all: Vec<(u8, Vec<u8>)> = shell.traps.all().into_iter().map(|(n, action)| (n, action.to_vec())).collect();
        if rest.is_empty() {
            for (number, action) in all {
                show(shell, number, &action);
            }
            return Ok(0);
        }
        let mut status = 0;
        for name in rest {
            match number_of(name) {
                Some(number) => {
                    if let Some((_, action)) = all.iter().find(|(n, _)| *n == number) {
                        show(shell, number, action);
                    }
                }
                None => {
                    shell.complain("trap", [&name[..], b": invalid signal specification"].concat());
                    status = 1;
                }
            }
        }
        return Ok(status);
    }
    // One argument, or a number first: back to the default.
    let first = &rest[0];
    let resets =
        first == b"-" || rest.len() == 1 || super::number(first).is_some_and(|n| n >= 0) && number_of(first).is_some();
    let (action, names) = if first == b"-" {
        (None, &rest[1..])
    } else if resets {
        if rest.len() == 1 && number_of(first).is_none() {
            return Ok(shell.usage("trap"));
        }
        (None, rest)
    } else {
        (Some(std::rc::Rc::<[u8]>::from(&first[..])), &rest[1..])
    };
    if names.is_empty() {
        return Ok(shell.usage("trap"));
    }
    let mut status = 0;
    for name in names {
        match number_of(name) {
            Some(number) => shell.traps.set(number, action.clone()),
            None => {
                shell.complain("trap", [&name[..], b": invalid signal specification"].concat());
                status = 1;
            }
        }
    }
    Ok(status)
}

//! Messages for the person at the terminal, all on stderr: what is being done, what is done, what failed.

use std::env;
use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use anyhow::Result;

const CYAN: u8 = 36;
const GREEN: u8 = 32;
const RED: u8 = 31;

/// Says what is being done, does it, and says how long it took.
pub fn step<T>(what: impl Display, work: impl FnOnce() -> Result<T>) -> Result<T> {
    begin(&what);
    let started = Instant::now();
    let result = work();
    let time = seconds(started.elapsed());
    match &result {
        Ok(_) => done(format_args!("{what} ({time})")),
        Err(_) => failure(format_args!("{what} ({time})")),
    }
    result
}

pub fn begin(what: impl Display) {
    eprintln!("{} {what}", mark("▸", CYAN));
}

pub fn done(what: impl Display) {
    eprintln!("{} {what}", mark("✔", GREEN));
}

pub fn failure(what: impl Display) {
    eprintln!("{} {what}", mark("✘", RED));
}

/// Something worth knowing that is neither success nor failure.
pub fn note(what: impl Display) {
    eprintln!("  {what}");
}

fn mark(sign: &str, colour: u8) -> String {
    if stderr().is_terminal() && env::var_os("NO_COLOR").is_none() {
        return format!("\x1b[1;{colour}m{sign}\x1b[0m");
    }
    sign.to_owned()
}

fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(seconds(Duration::from_millis(40)), "0.0 s");
        assert_eq!(seconds(Duration::from_millis(1260)), "1.3 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }
}

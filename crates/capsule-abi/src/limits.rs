//! The limits of a session. There are ten; each is hit loudly, by name, and none changes a result in silence.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::time::Duration;

/// Which limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Limit {
    /// Wall time of one run.
    Wall,
    /// Instructions of one run, in Wasmtime's fuel units.
    Fuel,
    /// Linear memory of all processes of the session together.
    Memory,
    /// Bytes the session's files really use.
    Disk,
    /// Files, directories and links of the session.
    Files,
    /// Processes of the session, zombies included.
    Processes,
    /// Open descriptors of all processes of the session together.
    OpenFiles,
    /// Bytes one run may print before it is ended.
    Output,
    /// Bytes of output that an answer carries; the rest is kept in a file.
    Answer,
    /// Bytes over the network.
    Network,
}

impl Limit {
    pub const ALL: [Limit; 10] = [
        Limit::Wall,
        Limit::Fuel,
        Limit::Memory,
        Limit::Disk,
        Limit::Files,
        Limit::Processes,
        Limit::OpenFiles,
        Limit::Output,
        Limit::Answer,
        Limit::Network,
    ];

    /// The name used in `--limit NAME=VALUE` and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Wall => "wall",
            Limit::Fuel => "fuel",
            Limit::Memory => "memory",
            Limit::Disk => "disk",
            Limit::Files => "files",
            Limit::Processes => "processes",
            Limit::OpenFiles => "open-files",
            Limit::Output => "output",
            Limit::Answer => "answer",
            Limit::Network => "network",
        }
    }

    fn is_bytes(self) -> bool {
        matches!(self, Limit::Memory | Limit::Disk | Limit::Output | Limit::Answer | Limit::Network)
    }

    /// A value of this limit as people write it.
    pub fn show(self, value: u64) -> String {
        if self == Limit::Wall {
            return format!("{:?}", Duration::from_nanos(value));
        }
        if !self.is_bytes() {
            return value.to_string();
        }
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
            if value >= 1 << shift && value.is_multiple_of(1 << shift) {
                return format!("{} {unit}", value >> shift);
            }
        }
        format!("{value} bytes")
    }
}

/// The values. `u64::MAX` means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    values: [u64; Limit::ALL.len()],
}

/// Generous enough for real work on an ordinary machine; each can be raised.
impl Default for Limits {
    fn default() -> Limits {
        let mut limits = Limits::unlimited();
        limits.set(Limit::Wall, 600 * 1_000_000_000);
        limits.set(Limit::Memory, 2 << 30);
        limits.set(Limit::Disk, 2 << 30);
        limits.set(Limit::Files, 500_000);
        limits.set(Limit::Processes, 256);
        limits.set(Limit::OpenFiles, 8192);
        limits.set(Limit::Output, 1 << 30);
        limits.set(Limit::Answer, 1 << 20);
        limits.set(Limit::Network, 256 << 20);
        limits
    }
}

impl Limits {
    pub fn unlimited() -> Limits {
        Limits { values: [u64::MAX; Limit::ALL.len()] }
    }

    /// The value; wall time in nanoseconds.
    pub fn get(&self, limit: Limit) -> u64 {
        self.values[limit as usize]
    }

    pub fn set(&mut self, limit: Limit, value: u64) {
        self.values[limit as usize] = value;
    }

    /// Takes `NAME=VALUE`: `wall=30s`, `memory=512M`, `processes=64`, `fuel=unlimited`.
    pub fn parse(&mut self, text: &str) -> Result<(), BadLimit> {
        let bad = |why: &str| BadLimit(format!("'{text}': {why}"));
        let (name, value) = text.split_once('=').ok_or_else(|| bad("expected NAME=VALUE, as in memory=512M"))?;
        let limit = Limit::ALL.into_iter().find(|l| l.name() == name).ok_or_else(|| {
            let names = Limit::ALL.map(Limit::name).join(", ");
            bad(&format!("no limit is called '{name}'; there are {names}"))
        })?;
        let parsed = match value {
            "unlimited" => u64::MAX,
            _ if limit == Limit::Wall => {
                parse_time(value).ok_or_else(|| bad("expected a time, as in 500ms, 30s or 5m"))?
            }
            _ => parse_count(value).ok_or_else(|| bad("expected a number with an optional K, M or G"))?,
        };
        self.set(limit, parsed);
        Ok(())
    }
}

/// What was wrong with a limit somebody wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLimit(String);

impl fmt::Display for BadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "limit {}", self.0)
    }
}

impl core::error::Error for BadLimit {}

fn parse_count(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches("iB").trim_end_matches('B');
    let (number, shift) = match digits.char_indices().next_back()? {
        (at, 'k' | 'K') => (&digits[..at], 10),
        (at, 'm' | 'M') => (&digits[..at], 20),
        (at, 'g' | 'G') => (&digits[..at], 30),
        _ => (digits, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn parse_time(text: &str) -> Option<u64> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let nanos_per_unit = match &text[unit_at..] {
        "us" => 1e3,
        "ms" => 1e6,
        "s" | "" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return None,
    };
    let nanos = text[..unit_at].parse::<f64>().ok()? * nanos_per_unit;
    (nanos.is_finite() && nanos < u64::MAX as f64).then_some(nanos as u64)
}

/// A limit that was reached: what the user is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitHit {
    pub limit: Limit,
    pub value: u64,
    /// What was ended or refused because of it.
    pub effect: String,
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, shown) = (self.limit.name(), self.limit.show(self.value));
        write!(
            f,
            "capsule: the {name} limit of {shown} was reached: {}; raise it with --limit {name}=VALUE",
            self.effect
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_people_write_them() {
        let mut limits = Limits::default();
        for (text, limit, value) in [
            ("wall=200ms", Limit::Wall, 200_000_000),
            ("wall=1.5s", Limit::Wall, 1_500_000_000),
            ("memory=512M", Limit::Memory, 512 << 20),
            ("disk=1GiB", Limit::Disk, 1 << 30),
            ("processes=64", Limit::Processes, 64),
            ("fuel=unlimited", Limit::Fuel, u64::MAX),
        ] {
            limits.parse(text).unwrap();
            assert_eq!(limits.get(limit), value, "{text}");
        }
        for text in
            ["wall", "walls=1", "wall=-1s", "memory=", "memory=1T", "disk=99999999999G", "wall=1e400s", "files=é"]
        {
            assert!(limits.parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_hit_says_what_and_how_to_raise_it() {
        let hit = LimitHit { limit: Limit::Memory, value: 64 << 20, effect: "process 3 (x) was refused 1 MiB".into() };
        assert_eq!(
            hit.to_string(),
            "capsule: the memory limit of 64 MiB was reached: process 3 (x) was refused 1 MiB; raise it with --limit memory=VALUE"
        );
    }
}

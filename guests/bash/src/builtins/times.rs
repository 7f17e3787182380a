//! `times`.

use super::{Letter, Letters};
use crate::shell::{Flow, Shell};
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    if let Some(Letter::Bad(option)) = Letters::new(args, b"").next() {
        return Ok(shell.bad_option("times", &option));
    }
    for who in [sys::UsageOf::Itself, sys::UsageOf::Children] {
        let millis = sys::getrusage(who).map_or(0, |usage| usage.cpu_ns) / 1_000_000;
        let (minutes, seconds, part) = (millis / 60_000, millis / 1000 % 60, millis % 1000);
        shell.out.extend_from_slice(format!("{minutes}m{seconds}.{part:03}s 0m0.000s\n").as_bytes());
    }
    Ok(0)
}

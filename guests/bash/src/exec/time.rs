//! `time`.

use crate::shell::Shell;
use crate::syntax::ast::TimeFormat;
use capsule_sys as sys;

pub struct Timer {
    wall: u64,
    cpu: u64,
}

impl Shell {
    fn cpu_ns(&self) -> u64 {
        [sys::UsageOf::Itself, sys::UsageOf::Children]
            .into_iter()
            .map(|who| sys::getrusage(who).map_or(0, |usage| usage.cpu_ns))
            .sum()
    }

    pub(super) fn start_timer(&self) -> Timer {
        Timer { wall: sys::clock(sys::Clock::Monotonic), cpu: self.cpu_ns() }
    }

    pub(super) fn report_time(&mut self, format: TimeFormat, timer: Timer) {
        let wall = sys::clock(sys::Clock::Monotonic).saturating_sub(timer.wall);
        let cpu = self.cpu_ns().saturating_sub(timer.cpu);
        let text = match format {
            TimeFormat::Posix => b"real %2R\nuser %2U\nsys %2S".to_vec(),
            TimeFormat::Bash => match self.vars.text(b"TIMEFORMAT") {
                Some(text) if text.is_empty() => return,
                Some(text) => text.into_owned(),
                None => b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS".to_vec(),
            },
        };
        let mut out = format_times(&text, wall, cpu);
        out.push(b'\n');
        self.stderr(&out);
    }
}

fn format_times(text: &[u8], wall: u64, cpu: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let b = text[i];
        i += 1;
        if b != b'%' {
            out.push(b);
            continue;
        }
        let start = i;
        let mut precision = 3;
        if let Some(digit) = text.get(i).filter(|b| b.is_ascii_digit()) {
            precision = usize::from(digit - b'0').min(3);
            i += 1;
        }
        let long = text.get(i) == Some(&b'l');
        i += usize::from(long);
        let ns = match text.get(i) {
            Some(b'R') => wall,
            Some(b'U') => cpu,
            Some(b'S') => 0,
            Some(b'P') => {
                let percent = if wall == 0 { 0.0 } else { cpu as f64 * 100.0 / wall as f64 };
                out.extend_from_slice(format!("{percent:.2}").as_bytes());
                i += 1;
                continue;
            }
            Some(b'%') => {
                out.push(b'%');
                i += 1;
                continue;
            }
            _ => {
                out.push(b'%');
                i = start;
                continue;
            }
        };
        i += 1;
        let millis = ns / 1_000_000;
        let (mut whole, part) = (millis / 1000, millis % 1000);
        let mut value = String::new();
        if long {
            value = format!("{}m", whole / 60);
            whole %= 60;
        }
        value.push_str(&whole.to_string());
        if precision > 0 {
            let digits = format!("{part:03}");
            value.push('.');
            value.push_str(&digits[..precision]);
        }
        if long {
            value.push('s');
        }
        out.extend_from_slice(value.as_bytes());
    }
    out
}

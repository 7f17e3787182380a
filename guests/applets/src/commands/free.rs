use crate::number;
use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Outcome, proc, report};
use capsule_sys::{Errno, Out, sleep};

pub const HELP: &str = "\
Usage: free [OPTION]...
Show the session's memory: all, used, free.

  -b, --bytes         in bytes
      --kilo, --mega, --giga, --tera   in powers of 1000
  -k, --kibi          show output in kibibytes (default)
  -m, --mebi          in MiB
  -g, --gibi          in GiB
      --tebi          in TiB
  -h, --human         in what is easy to read
      --si            powers of 1000, not of 1024
  -t, --total         with a line of sums
  -s N, --seconds N   again every N seconds
  -c N, --count N     N times
  -w, --wide          buffers and cache in columns of their own
      --help        print this help
      --version     print the version
";

const KILO: char = only(0);
const MEGA: char = only(1);
const GIGA: char = only(2);
const TERA: char = only(3);
const TEBI: char = only(4);
const SI: char = only(5);
const LONG: &[Long] = &[
    ("bytes", NO, 'b'),
    ("kilo", NO, KILO),
    ("mega", NO, MEGA),
    ("giga", NO, GIGA),
    ("tera", NO, TERA),
    ("kibi", NO, 'k'),
    ("mebi", NO, 'm'),
    ("gibi", NO, 'g'),
    ("tebi", NO, TEBI),
    ("human", NO, 'h'),
    ("si", NO, SI),
    ("total", NO, 't'),
    ("seconds", REQ, 's'),
    ("count", REQ, 'c'),
    ("wide", NO, 'w'),
];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "bkmghts:c:w", LONG);
    let (mut unit, mut power, mut si, mut human, mut total, mut wide) = (1024u64, 1, false, false, false, false);
    let (mut seconds, mut count) = (None, None);
    let mut chosen = false;
    while let Some(opt) = options.next()? {
        if matches!(opt.letter, 'b' | 'k' | 'm' | 'g' | TEBI | KILO | MEGA | GIGA | TERA) {
            if chosen {
                return Err(report::die(1, "Multiple unit options don't make sense."));
            }
            chosen = true;
        }
        match opt.letter {
            'b' => power = 0,
            'k' => (unit, power) = (1024, 1),
            'm' => (unit, power) = (1024, 2),
            'g' => (unit, power) = (1024, 3),
            TEBI => (unit, power) = (1024, 4),
            KILO => (unit, power) = (1000, 1),
            MEGA => (unit, power) = (1000, 2),
            GIGA => (unit, power) = (1000, 3),
            TERA => (unit, power) = (1000, 4),
            'h' => human = true,
            SI => si = true,
            't' => total = true,
            'w' => wide = true,
            's' => {
                let text = opt.text();
                let value: f64 = text.parse().map_err(|_| {
                    report::die(1, format_args!("seconds argument failed: '{text}': {}", Errno::EINVAL))
                })?;
                if value <= 0.0 {
                    return Err(report::die(1, format_args!("seconds argument `{text}' is not positive number")));
                }
                seconds = Some(value);
            }
            _ => {
                let value = number::signed(opt.value(), b"");
                let why = if value.is_ok() { format!(": {}", Errno::ERANGE) } else { String::new() };
                let bad = || report::die(1, format_args!("failed to parse count argument: '{}'{why}", opt.text()));
                count = Some(value.ok().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0).ok_or_else(bad)?);
            }
        }
    }
    if !options.operands().is_empty() {
        return Err(report::try_help(1));
    }
    if si {
        unit = 1000;
    }
    let divisor = unit.pow(power);
    let show = |bytes: u64| if human { in_words(bytes, si) } else { (bytes / divisor).to_string() };
    let rounds = count.unwrap_or(if seconds.is_some() { u64::MAX } else { 1 });
    let mut out = Out::stdout();
    for round in 0..rounds {
        let m = proc::Memory::read()?;
        let (all, free, cache, buffers) = (m.get("MemTotal"), m.get("MemFree"), m.cache(), m.get("Buffers"));
        let used = all.saturating_sub(m.available());
        let head = ["total", "used", "free", "shared"];
        let tail: &[&str] = if wide { &["buffers", "cache", "available"] } else { &["buff/cache", "available"] };
        let mut text = " ".repeat(8);
        for title in head.iter().chain(tail) {
            text += &format!("{title:>12}");
        }
        text.push('\n');
        let mut row = |name: &str, values: &[u64]| {
            text += &format!("{name:<8}");
            for value in values {
                text += &format!("{:>12}", show(*value));
            }
            text.push('\n');
        };
        let shared = m.get("Shmem");
        if wide {
            row("Mem:", &[all, used, free, shared, buffers, cache, m.available()]);
        } else {
            row("Mem:", &[all, used, free, shared, buffers + cache, m.available()]);
        }
        let (swap, swap_free) = (m.get("SwapTotal"), m.get("SwapFree"));
        row("Swap:", &[swap, swap - swap_free.min(swap), swap_free]);
        if total {
            row("Total:", &[all + swap, used + swap - swap_free.min(swap), free + swap_free]);
        }
        if round + 1 < rounds && (seconds.is_some() || count.is_some()) {
            text.push('\n');
        }
        out.write(text.as_bytes());
        let _ = out.flush();
        report::writable(&out)?;
        if round + 1 < rounds {
            let _ = sleep((seconds.unwrap_or(1.0) * 1e9) as u64);
        }
    }
    report::finish(&mut out, 0)
}

fn in_words(bytes: u64, si: bool) -> String {
    let base = if si { 1000.0 } else { 1024.0 };
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= base * 0.9995 && unit < 5 {
        value /= base;
        unit += 1;
    }
    let letter = ["B", "K", "M", "G", "T", "P"][unit];
    let end = if unit > 0 && !si { "i" } else { "" };
    if unit == 0 || value >= 9.95 { format!("{value:.0}{letter}{end}") } else { format!("{value:.1}{letter}{end}") }
}

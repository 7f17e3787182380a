//! What wget says: sizes, speeds, and the dots while a file comes.

use crate::calendar::{Moment, Zone};
use crate::http::now_ms;
use capsule_sys::now;

/// `2026-11-16 04:00:00`
pub fn time() -> String {
    let m = Moment::new(now().sec, 0, &Zone::local());
    format!("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", m.year, m.month, m.day, m.hour, m.minute, m.second)
}

/// A number and its unit, in steps of 1024.
fn scaled(number: f64) -> (f64, usize) {
    let (mut number, mut unit) = (number, 0);
    while number >= 1024.0 && unit < 4 {
        number /= 1024.0;
        unit += 1;
    }
    (number, unit)
}

fn digits(number: f64) -> usize {
    if number >= 99.95 {
        0
    } else if number >= 9.995 {
        1
    } else {
        2
    }
}

/// `1.85 MB/s`
pub fn speed(bytes: u64, ms: u64) -> String {
    let (number, unit) = scaled(bytes as f64 * 1000.0 / ms.max(1) as f64);
    format!("{:.*} {}", digits(number), number, ["B/s", "KB/s", "MB/s", "GB/s", "TB/s"][unit])
}

/// In five columns.
fn short_speed(bytes: u64, ms: u64) -> String {
    let (number, unit) = scaled(bytes as f64 * 1000.0 / ms.max(1) as f64);
    format!("{:4.*}{}", digits(number), number, ["B", "K", "M", "G", "T"][unit])
}

/// ` (195K)` behind a length that is long enough.
fn human(bytes: u64) -> String {
    if bytes < 1024 {
        return String::new();
    }
    let (number, unit) = scaled(bytes as f64);
    let places = usize::from(number < 10.0);
    format!(" ({:.places$}{})", if places == 0 { number.floor() } else { number }, ["", "K", "M", "G", "T"][unit])
}

/// `10 (…), 7 (…) remaining [text/plain]`
pub fn length(whole: Option<u64>, offset: u64, kind: &str) -> String {
    let mut text = match whole {
        None => "Length: unspecified".to_owned(),
        Some(whole) if offset == 0 => format!("Length: {whole}{}", human(whole)),
        Some(whole) => {
            let left = whole.saturating_sub(offset);
            format!("Length: {whole}{}, {left}{} remaining", human(whole), human(left))
        }
    };
    if !kind.is_empty() {
        text += &format!(" [{kind}]");
    }
    text + "\n"
}

/// `0.002s`
pub fn seconds(ms: u64) -> String {
    match ms {
        0 => "0s".to_owned(),
        1..1000 => format!("0.{}s", format!("{ms:03}").trim_end_matches('0')),
        1000..10_000 => format!("{}.{}s", ms / 1000, ms / 100 % 10),
        10_000..60_000 => format!("{}s", ms / 1000),
        _ => format!("{}m {}s", ms / 60_000, ms / 1000 % 60),
    }
}

/// How much a dot, a cluster and a row stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dots {
    bytes: u64,
    cluster: u64,
    row: u64,
}

impl Dots {
    pub const USUAL: Dots = Dots { bytes: 1 << 10, cluster: 10, row: 50 };

    /// `dot:STYLE`; none is a style that is not known.
    pub fn named(style: &str) -> Option<Dots> {
        Some(match style {
            "" | "default" => Dots::USUAL,
            "binary" => Dots { bytes: 8 << 10, cluster: 16, row: 48 },
            "mega" => Dots { bytes: 64 << 10, cluster: 8, row: 48 },
            "giga" => Dots { bytes: 1 << 20, cluster: 8, row: 32 },
            _ => return None,
        })
    }
}

/// The dots of one file.
pub struct Progress {
    style: Dots,
    whole: Option<u64>,
    /// What was there before.
    offset: u64,
    received: u64,
    /// Bytes that are told of, and dots in this row.
    told: u64,
    dots: u64,
    row_began: u64,
    pub began: u64,
}

impl Progress {
    /// And what is written at once.
    pub fn begin(style: Dots, whole: Option<u64>, offset: u64) -> (Progress, String) {
        let now = now_ms();
        let rows = offset / (style.bytes * style.row);
        let told = rows * style.bytes * style.row;
        let mut progress = Progress { style, whole, offset, received: 0, told, dots: 0, row_began: now, began: now };
        let mut text = String::from("\n") + &progress.start();
        if offset > 0 {
            text = format!("\n{:>6}K", told / 1024) + &text;
            while progress.told + style.bytes <= offset {
                text += &progress.dot(',');
            }
        }
        (progress, text)
    }

    fn start(&self) -> String {
        format!("{:>6}K", self.told / 1024)
    }

    fn dot(&mut self, mark: char) -> String {
        let mut text = String::new();
        if self.dots.is_multiple_of(self.style.cluster) {
            text.push(' ');
        }
        text.push(mark);
        self.dots += 1;
        self.told += self.style.bytes;
        text
    }

    pub fn received(&mut self, bytes: u64) -> String {
        self.received += bytes;
        let mut text = String::new();
        while self.told + self.style.bytes <= self.offset + self.received {
            text += &self.dot('.');
            if self.dots == self.style.row {
                text += &self.stats(false);
                self.dots = 0;
                self.row_began = now_ms();
                text += "\n";
                text += &self.start();
            }
        }
        text
    }

    fn stats(&self, last: bool) -> String {
        let now = now_ms();
        let done = if last { self.offset + self.received } else { self.told };
        let mut text = String::new();
        if let Some(whole) = self.whole {
            text += &format!("{:3}%", (done * 100).checked_div(whole).unwrap_or(100).min(100));
        }
        let (bytes, took) = match last {
            true => (self.received, now - self.began),
            false => (self.style.bytes * self.style.row, now - self.row_began),
        };
        text += &format!(" {}", short_speed(bytes, took));
        match self.whole {
            _ if last => text += &format!("={}", seconds(now - self.began)),
            Some(whole) => {
                let left = whole.saturating_sub(done);
                let eta = left.saturating_mul((now - self.began).max(1)) / self.received.max(1);
                text += &format!(" {}s", eta / 1000);
            }
            None => {}
        }
        text
    }

    /// The rest of the last row.
    pub fn end(&mut self) -> String {
        let mut text = String::new();
        for dot in self.dots..self.style.row {
            text += if dot.is_multiple_of(self.style.cluster) { "  " } else { " " };
        }
        text + &self.stats(true) + "\n\n"
    }

    pub fn took(&self) -> u64 {
        now_ms() - self.began
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(length(Some(200_000), 0, "a/b"), "Length: 200000 (195K) [a/b]\n");
        assert_eq!(length(Some(10), 3, ""), "Length: 10, 7 remaining\n");
        assert_eq!((speed(6, 1).as_str(), speed(1 << 21, 1000).as_str()), ("5.86 KB/s", "2.00 MB/s"));
        assert_eq!(
            (seconds(2).as_str(), seconds(1500).as_str(), seconds(61_000).as_str()),
            ("0.002s", "1.5s", "1m 1s")
        );
        let (mut progress, start) = Progress::begin(Dots::USUAL, Some(3000), 0);
        assert_eq!((start.as_str(), progress.received(3000).as_str()), ("\n     0K", " .."));
        assert!(progress.end().starts_with(&format!("{}100% ", " ".repeat(8 + 4 * 11))));
    }
}

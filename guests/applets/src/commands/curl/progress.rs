//! What is shown on standard error while bytes go by: the table of numbers, or the bar of `-#`.

use crate::http::now_ms;
use crate::report;
use std::cell::Cell;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Nothing,
    Meter,
    Bar,
}

const TITLE: &str = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n";
/// Rows are written at most this often.
const INTERVAL: u64 = 1000;

/// The state of one transfer.
pub struct Progress {
    style: Style,
    began: u64,
    shown: Cell<u64>,
    started: Cell<bool>,
    received: Cell<u64>,
    sent: Cell<u64>,
    to_receive: Cell<Option<u64>>,
    to_send: Cell<Option<u64>>,
}

impl Progress {
    pub fn begin(style: Style) -> Progress {
        let now = now_ms();
        Progress {
            style,
            began: now,
            shown: Cell::new(now),
            started: Cell::new(false),
            received: Cell::new(0),
            sent: Cell::new(0),
            to_receive: Cell::new(None),
            to_send: Cell::new(None),
        }
    }

    /// All is ready for the request: what fails before has nothing to show.
    pub fn start(&self) {
        if self.style == Style::Meter && !self.started.get() {
            report::plain(TITLE);
            self.row();
        }
        self.started.set(true);
    }

    /// Another answer: what came with a redirect does not count.
    pub fn answer(&self, length: Option<u64>) {
        self.received.set(0);
        self.to_receive.set(length);
    }

    pub fn received(&self, bytes: u64) {
        self.received.set(self.received.get() + bytes);
        let now = now_ms();
        if self.style != Style::Nothing && now - self.shown.get() >= INTERVAL {
            self.shown.set(now);
            self.row();
        }
    }

    pub fn sent(&self, bytes: u64, of: Option<u64>) {
        self.sent.set(bytes);
        self.to_send.set(of);
    }

    pub fn end(&self) {
        match self.style {
            Style::Nothing => return,
            _ if !self.started.get() => return,
            Style::Bar if self.received.get() == 0 && self.sent.get() == 0 => return,
            _ => self.row(),
        }
        report::plain("\n");
    }

    fn row(&self) {
        let (received, sent) = (self.received.get(), self.sent.get());
        let (to_receive, to_send) = (self.to_receive.get().unwrap_or(0), self.to_send.get().unwrap_or(0));
        let percent = |part: u64, whole: u64| part.saturating_mul(100).checked_div(whole).unwrap_or(0);
        // What is not known is as long as it has been so far.
        let (whole, done) = (to_receive.max(received) + to_send.max(sent), received + sent);
        let known = to_receive > 0 || to_send > 0;
        if self.style == Style::Bar {
            let width = crate::commands::curl::columns().saturating_sub(7).max(1);
            let point = if known && whole > 0 { done as f64 / whole as f64 } else { 1.0 };
            let hashes = "#".repeat((point * width as f64) as usize);
            report::plain(&format!("\r{hashes:<width$} {:5.1}%", point * 100.0));
            return;
        }
        let spent = now_ms() - self.began;
        let speed = |bytes: u64| bytes.saturating_mul(1000) / spent.max(1);
        let (down, up) = (speed(received), speed(sent));
        let needed = if known { whole.checked_div(down + up).unwrap_or(0) } else { 0 };
        let row = format!(
            "\r{:3} {}  {:3} {}  {:3} {}  {}  {} {} {} {} {}",
            if known { percent(done, whole) } else { 0 },
            short(whole),
            percent(received, to_receive),
            short(received),
            percent(sent, to_send),
            short(sent),
            short(down),
            short(up),
            clock(needed),
            clock(spent / 1000),
            clock(needed.saturating_sub(spent / 1000)),
            short(down + up),
        );
        report::plain(&row);
    }
}

/// A number in five columns.
fn short(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    match bytes {
        0..100_000 => format!("{bytes:5}"),
        _ if bytes < 10_000 * KIB => format!("{:4}k", bytes / KIB),
        _ if bytes < 100 * MIB => format!("{:2}.{}M", bytes / MIB, bytes % MIB / (MIB / 10)),
        _ if bytes < 10_000 * MIB => format!("{:4}M", bytes / MIB),
        _ if bytes < 100 * GIB => format!("{:2}.{}G", bytes / GIB, bytes % GIB / (GIB / 10)),
        _ => format!("{:4}G", bytes / GIB),
    }
}

fn clock(seconds: u64) -> String {
    match seconds {
        0 => "--:--:--".into(),
        _ if seconds < 360_000 => format!("{:2}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
        _ => format!("{:3}d {:02}h", seconds / 86400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::{clock, short};

    #[test]
    fn columns() {
        let all = [0, 99_999, 100_000, 10 << 20, 100 << 20, 10_000 << 20, 200 << 30].map(short);
        assert_eq!(all, ["    0", "99999", "  97k", "10.0M", " 100M", " 9.7G", " 200G"]);
        assert_eq!((clock(0).as_str(), clock(3725).as_str()), ("--:--:--", " 1:02:05"));
    }
}

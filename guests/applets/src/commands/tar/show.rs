//! Lines of listings.

use super::header::{Entry, Kind};
use super::names::shown;
use super::settings::Settings;
use crate::calendar::{Moment, Zone};
use crate::{human, mode};
use capsule_sys::{Out, Time, now};

/// A time, to the minute or in full.
pub fn time(time: Time, full: bool, zone: &Zone) -> String {
    let format: &[u8] = match (full, time.nsec) {
        (false, _) => b"%Y-%m-%d %H:%M",
        (true, 0) => b"%Y-%m-%d %H:%M:%S",
        (true, _) => b"%Y-%m-%d %H:%M:%S.%N",
    };
    let text = Moment::new(time.sec, time.nsec, zone).format(format);
    let text = String::from_utf8_lossy(&text);
    match full && time.nsec != 0 {
        true => text.trim_end_matches('0').to_owned(),
        false => text.into_owned(),
    }
}

/// `10240 (10KiB, 27MiB/s)`
pub fn totals(bytes: u64, started: Time) -> String {
    let end = now();
    let seconds = (end.sec - started.sec) as f64 + (f64::from(end.nsec) - f64::from(started.nsec)) / 1e9;
    let size = |bytes: u64| match bytes {
        0..1024 => format!("{bytes}B"),
        _ => format!("{}iB", human::nearest(bytes, 1024)),
    };
    let rate = if seconds > 0.0 { (bytes as f64 / seconds) as u64 } else { 0 };
    format!("{bytes} ({}, {}/s)", size(bytes), size(rate))
}

pub struct Lister {
    pub numeric: bool,
    pub full_time: bool,
    /// Where in the archive the member is, is told too.
    pub block_numbers: bool,
    zone: Zone,
    /// How wide owner and size have been so far.
    width: usize,
}

impl Lister {
    pub fn new(settings: &Settings) -> Lister {
        Lister {
            numeric: settings.numeric,
            full_time: settings.full_time,
            block_numbers: settings.block_numbers,
            zone: if settings.utc { Zone::utc() } else { Zone::local() },
            width: 19,
        }
    }

    /// A name alone, or with all that is known.
    pub fn line(&mut self, out: &mut Out, entry: &Entry, long: bool, block: u64) {
        if self.block_numbers {
            out.write(format!("block {block}: ").as_bytes());
        }
        if !long {
            out.write(shown(&entry.name).as_bytes());
            out.byte(b'\n');
            return;
        }
        let mut modes = mode::show(entry.file_type().mode_bits() | entry.mode);
        if entry.kind == Kind::HardLink {
            modes.replace_range(..1, "h");
        }
        if entry.kind == Kind::Label {
            modes.replace_range(..1, "V");
        }
        let name = |text: &[u8], id: u64| match self.numeric || text.is_empty() {
            true => id.to_string(),
            false => String::from_utf8_lossy(text).into_owned(),
        };
        let (user, group) = (name(&entry.user, entry.uid), name(&entry.group, entry.gid));
        let size = match entry.kind {
            Kind::CharDevice | Kind::BlockDevice => format!("{},{}", entry.device.0, entry.device.1),
            _ => entry.real_size().to_string(),
        };
        let used = user.len() + 1 + group.len() + 1 + size.len();
        self.width = self.width.max(used);
        let gap = self.width - used + 1;
        let time = time(entry.mtime, self.full_time, &self.zone);
        let mut line = format!("{modes} {user}/{group}{:gap$}{size} {time} {}", "", shown(&entry.name));
        match entry.kind {
            Kind::Symlink => line += &format!(" -> {}", shown(&entry.link)),
            Kind::HardLink => line += &format!(" link to {}", shown(&entry.link)),
            Kind::Label => line += "--Volume Header--",
            Kind::Other(byte) => line += &format!(" unknown file type {}", crate::quote::locale(&[byte])),
            _ => {}
        }
        line.push('\n');
        out.write(line.as_bytes());
    }
}

//! Lines of listings.

use super::header::{Entry, Kind};
use super::names::shown;
use crate::calendar::{Moment, Zone};
use crate::mode;
use capsule_sys::Out;

pub struct Lister {
    pub numeric: bool,
    pub full_time: bool,
    zone: Zone,
    /// How wide owner and size have been so far.
    width: usize,
}

impl Lister {
    pub fn new() -> Lister {
        Lister { numeric: false, full_time: false, zone: Zone::local(), width: 19 }
    }

    /// A name alone, or with all that is known.
    pub fn line(&mut self, out: &mut Out, entry: &Entry, long: bool) {
        if !long {
            out.write(shown(&entry.name).as_bytes());
            out.byte(b'\n');
            return;
        }
        let mut modes = mode::show(entry.file_type().mode_bits() | entry.mode);
        if entry.kind == Kind::HardLink {
            modes.replace_range(..1, "h");
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
        let format: &[u8] = if self.full_time { b"%Y-%m-%d %H:%M:%S.%N" } else { b"%Y-%m-%d %H:%M" };
        let time = Moment::new(entry.mtime.sec, entry.mtime.nsec, &self.zone).format(format);
        let mut time = String::from_utf8_lossy(&time).into_owned();
        if self.full_time && entry.mtime.nsec == 0 {
            time.truncate(19);
        }
        let mut line = format!("{modes} {user}/{group}{:gap$}{size} {time} {}", "", shown(&entry.name));
        match entry.kind {
            Kind::Symlink => line += &format!(" -> {}", shown(&entry.link)),
            Kind::HardLink => line += &format!(" link to {}", shown(&entry.link)),
            _ => {}
        }
        line.push('\n');
        out.write(line.as_bytes());
    }
}

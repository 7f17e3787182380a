//! The long format: a line of facts for each file, in columns that fit all of them.

use super::color::Colors;
use super::columns::{self, blocks, inode};
use super::options::{Indicator, Settings, TimeStyle};
use super::{Entry, executable, name, sort};
use crate::calendar::{Moment, Zone};
use crate::mode;
use crate::users::Names;
use capsule_sys::{FileType, Out, Stat, Time, now};

/// Half a mean Gregorian year: older times show the year instead of the hour.
const RECENT: i64 = 31_556_952 / 2;

pub struct Long {
    users: Names,
    groups: Names,
    zone: Option<Zone>,
    now: Time,
    /// Where names begin and end, for --dired.
    pub marks: Vec<u64>,
}

/// The texts of one line, before their widths are known.
struct Line {
    inode: String,
    blocks: String,
    mode: String,
    links: String,
    owner: String,
    group: String,
    author: String,
    size: String,
    /// Major and minor number of a device stand where a size would.
    device: Option<(String, String)>,
    time: Vec<u8>,
}

impl Long {
    pub fn new(_settings: &Settings) -> Long {
        Long { users: Names::users(), groups: Names::groups(), zone: None, now: Time::default(), marks: Vec::new() }
    }

    /// The columns fit `entries`, of which the first `shown` are listed here.
    pub fn show(
        &mut self,
        entries: &[Entry],
        shown: usize,
        settings: &Settings,
        mut colors: Option<&mut Colors>,
        out: &mut Out,
    ) {
        if self.zone.is_none() {
            self.zone = Some(Zone::local());
            self.now = now();
        }
        let lines: Vec<Line> = entries.iter().map(|e| self.line(e, settings)).collect();
        let widest = |of: fn(&Line) -> &str| lines.iter().map(|l| of(l).chars().count()).max().unwrap_or(0);
        let (inodes, block, links) = (widest(|l| &l.inode), widest(|l| &l.blocks), widest(|l| &l.links));
        let (owner, group, author) = (widest(|l| &l.owner), widest(|l| &l.group), widest(|l| &l.author));
        let devices = |of: fn(&(String, String)) -> &str| {
            lines.iter().filter_map(|l| l.device.as_ref()).map(|d| of(d).len()).max().unwrap_or(0)
        };
        let (major, minor) = (devices(|d| &d.0), devices(|d| &d.1));
        let has_device = lines.iter().any(|l| l.device.is_some());
        let size = widest(|l| &l.size).max(if has_device { major + 2 + minor } else { 0 });
        let times = lines.iter().map(|l| l.time.len()).max().unwrap_or(0);
        for (entry, line) in entries.iter().zip(&lines).take(shown) {
            if let Some(colors) = colors.as_deref_mut() {
                colors.normal(out);
            }
            let mut text = if settings.dired { "  ".to_owned() } else { String::new() };
            if settings.inode {
                text += &format!("{:>inodes$} ", line.inode);
            }
            if settings.blocks {
                text += &format!("{:>block$} ", line.blocks);
            }
            text += &format!("{} {:>links$} ", line.mode, line.links);
            if settings.owner {
                text += &person(&line.owner, owner, settings.numeric);
            }
            if settings.group {
                text += &person(&line.group, group, settings.numeric);
            }
            if settings.author {
                text += &person(&line.author, author, settings.numeric);
            }
            if settings.context {
                text += "? ";
            }
            text += &match &line.device {
                Some((a, b)) => format!("{a:>0$}, {b:>minor$} ", size - minor - 2),
                None => format!("{:>size$} ", line.size),
            };
            out.write(text.as_bytes());
            // Times are as wide as each other but where one is not known.
            if entry.stat.is_none() {
                out.write(" ".repeat(times.saturating_sub(line.time.len())).as_bytes());
            }
            out.write(&line.time);
            out.byte(b' ');
            if settings.dired {
                self.marks.extend(name::place(&entry.shown, settings, out));
            }
            self.name(entry, settings, colors.as_deref_mut(), out);
            out.byte(settings.end());
        }
    }

    fn name(&self, entry: &Entry, settings: &Settings, mut colors: Option<&mut Colors>, out: &mut Out) {
        let Some((target, found)) = entry.target.as_ref().filter(|_| entry.kind == Some(FileType::Symlink)) else {
            return columns::name(entry, settings, colors, out);
        };
        let text = entry.shown.linked();
        match colors.as_deref_mut() {
            Some(colors) => colors.paint(entry, &text, out),
            None => out.write(&text),
        }
        out.write(b" -> ");
        let looked_at =
            colors.as_deref().is_some_and(Colors::looks_at_targets) || settings.indicator != Indicator::Slash;
        let mut shown = name::Shown::new(target, settings);
        shown.link.clone_from(&entry.shown.link);
        let text = shown.linked();
        match colors {
            Some(colors) if settings.needs_mode(false) || colors.looks_at_targets() => {
                colors.paint_target(found.as_ref(), target, &text, out);
            }
            Some(colors) => colors.paint_plain(&text, out),
            None => out.write(&text),
        }
        if let Some(s) = found.filter(|_| looked_at)
            && let Some(mark) = columns::mark(s.kind, executable(&s), settings.indicator)
        {
            out.byte(mark);
        }
    }

    fn line(&mut self, entry: &Entry, settings: &Settings) -> Line {
        let unknown = || "?".to_owned();
        let Some(s) = entry.stat else {
            let kind = entry.kind.map_or('?', |kind| mode::show(kind.mode_bits()).chars().next().unwrap_or('?'));
            return Line {
                inode: inode(entry),
                blocks: blocks(entry, settings),
                mode: format!("{kind}?????????"),
                links: unknown(),
                owner: unknown(),
                group: unknown(),
                author: unknown(),
                size: unknown(),
                device: None,
                time: format!("{:>1$}", "?", self.time(Time { sec: 0, nsec: 0 }, &settings.time_style).len())
                    .into_bytes(),
            };
        };
        let named = |names: &mut Names, id: u32| match settings.numeric {
            true => id.to_string(),
            false => names.name(id).unwrap_or_else(|| id.to_string()),
        };
        Line {
            inode: inode(entry),
            blocks: blocks(entry, settings),
            mode: mode::show(s.st_mode()),
            links: s.nlink.to_string(),
            owner: if settings.owner { named(&mut self.users, s.uid) } else { String::new() },
            group: if settings.group { named(&mut self.groups, s.gid) } else { String::new() },
            author: if settings.author { named(&mut self.users, s.uid) } else { String::new() },
            size: if is_device(&s) { String::new() } else { settings.size_unit.show(s.size) },
            device: is_device(&s).then(|| (major(s.rdev).to_string(), minor(s.rdev).to_string())),
            time: self.time(sort::time(entry, settings.time), &settings.time_style),
        }
    }

    fn time(&self, time: Time, style: &TimeStyle) -> Vec<u8> {
        let utc;
        let zone = match &self.zone {
            Some(zone) => zone,
            None => {
                utc = Zone::utc();
                &utc
            }
        };
        let half_a_year_ago = Time { sec: self.now.sec - RECENT, ..self.now };
        let recent = half_a_year_ago < time && time <= self.now;
        let format = if recent { &style.recent } else { &style.old };
        Moment::new(time.sec, time.nsec, zone).format(format)
    }
}

fn person(name: &str, width: usize, numeric: bool) -> String {
    // Numbers to the right, names to the left.
    if numeric { format!("{name:>width$} ") } else { format!("{name:<width$} ") }
}

fn is_device(s: &Stat) -> bool {
    matches!(s.kind, FileType::CharDevice | FileType::BlockDevice)
}

/// As Linux packs them.
pub fn major(rdev: u64) -> u64 {
    (rdev >> 8 & 0xfff) | (rdev >> 32 & !0xfff)
}

pub fn minor(rdev: u64) -> u64 {
    (rdev & 0xff) | (rdev >> 12 & !0xff & 0xffff_ffff)
}

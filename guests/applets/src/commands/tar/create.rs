//! Files become members.

use super::Tar;
use super::checkpoint::Checkpoints;
use super::header::{BLOCK, Entry, Format, Kind, Unfit, encode, pax_map};
use super::maps::Map;
use super::names::{Pattern, Prefixes, shown};
use super::settings::{Order, Owner};
use super::show::Lister;
use super::tags::Leaves;
use super::transform::{HARD_LINKS, MEMBERS, SYMBOLIC_LINKS, transformed};
use crate::codec::Encode;
use crate::commands::ls::{major, minor};
use crate::input::join;
use crate::report;
use crate::users::Names;
use capsule_sys::{
    Errno, FileType, OpenFlags, Out, Seek, Stat, lstat, open, read, read_dir, read_full, readlink, rmdir, seek, stat,
    unlink,
};
use std::collections::HashMap;

/// Data as it is.
pub struct Plain(pub Out);

impl Encode for Plain {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(self: Box<Self>) -> Out {
        self.0
    }

    fn out(&mut self) -> &mut Out {
        &mut self.0
    }
}

pub struct Writer {
    pub encoder: Box<dyn Encode>,
    pub written: u64,
    /// The first name of every file that has more, and how many of them were not met.
    links: HashMap<(u64, u64), (Vec<u8>, u32)>,
    /// Files may be met again though they have one name: several names were given, or links are followed.
    pub again: bool,
    prefixes: Prefixes,
    /// The archive's own file, which is not put into itself.
    pub archive: Option<(u64, u64)>,
    pub lister: Lister,
    /// Where verbose lines go.
    pub listing: Out,
    /// What is removed when all is written.
    remove: Vec<(Vec<u8>, bool)>,
    pub record: u64,
    pub checkpoints: Checkpoints,
}

impl Writer {
    pub fn new(
        encoder: Box<dyn Encode>,
        archive: Option<(u64, u64)>,
        lister: Lister,
        listing: Out,
        record: u64,
    ) -> Writer {
        Writer {
            again: false,
            record,
            checkpoints: Checkpoints::default(),
            encoder,
            written: 0,
            links: HashMap::new(),
            prefixes: Prefixes::default(),
            archive,
            lister,
            listing,
            remove: Vec::new(),
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.encoder.write(bytes);
        self.written += bytes.len() as u64;
        self.checkpoints.reached(self.written, self.record, true);
    }

    fn pad(&mut self) {
        let missing = self.written.next_multiple_of(BLOCK as u64) - self.written;
        self.bytes(&[0; BLOCK][..missing as usize]);
    }

    /// Two blocks of zeros, and a whole record: whether the archive, and the lines about it, are written.
    pub fn end(mut self) -> (Result<(), Errno>, Result<(), Errno>) {
        self.bytes(&[0; 2 * BLOCK]);
        let missing = self.written.next_multiple_of(self.record) - self.written;
        self.bytes(&vec![0; missing as usize]);
        let mut out = self.encoder.finish();
        let result = out.flush();
        let listed = self.listing.flush();
        // What is not safely in the archive stays.
        for (path, directory) in self.remove.iter().rev().filter(|_| result.is_ok()) {
            let _ = if *directory { rmdir(path) } else { unlink(path) };
        }
        (result, listed)
    }
}

/// Says why a member cannot be in the archive.
pub fn tell_unfit(entry: &Entry, unfit: Unfit) {
    match unfit {
        Unfit::Name(why) => report::error(format_args!("{}: {why}", shown(&entry.name))),
        Unfit::Link(why) => report::error(format_args!("{}: {why}", shown(&entry.link))),
        Unfit::Number(value, what, most) => {
            report::error(format_args!("value {value} out of {what} range 0..{most}"));
        }
    }
}

/// Where a file has data: pages that are not all zeros, and its end.
fn data_of(fd: i32, size: u64) -> Vec<(u64, u64)> {
    let mut map: Vec<(u64, u64)> = Vec::new();
    let mut block = vec![0; 64 * 1024];
    let mut at = 0;
    while let Ok(n @ 1..) = read_full(fd, &mut block) {
        for page in block[..n].chunks(4096) {
            let length = page.len() as u64;
            if page.iter().any(|b| *b != 0) {
                match map.last_mut() {
                    Some((start, known)) if *start + *known == at => *known += length,
                    _ => map.push((at, length)),
                }
            }
            at += length;
        }
    }
    map.push((size, 0));
    map
}

/// What is still to be stored.
struct Waiting {
    path: Vec<u8>,
    top: bool,
    /// How many patterns of lists in directories above hold for it.
    patterns: usize,
}

impl Tar {
    /// A file named by the user, and all below it. An explicit stack: trees may be deep.
    pub fn add(&mut self, writer: &mut Writer, path: &[u8], recurse: bool) {
        let mut stack = vec![Waiting { path: path.to_vec(), top: true, patterns: 0 }];
        let mut device = None;
        // Patterns that directories on the way down have listed.
        let mut patterns: Vec<Pattern> = Vec::new();
        while let Some(Waiting { path, top, patterns: held }) = stack.pop() {
            patterns.truncate(held);
            if self.settings.excludes.iter().chain(&patterns).any(|p| p.matches(&path)) {
                continue;
            }
            let Some(found) = self.look(writer, &path, top) else { continue };
            if self.settings.interactive && !self.confirmed("add", &path) {
                continue;
            }
            let directory = found.kind == FileType::Directory;
            let tag = if directory { self.settings.tags.find(&path) } else { None };
            let tag = tag.map(|(leaves, name)| (leaves, name.to_vec()));
            if let Some((Leaves::All, name)) = &tag {
                self.settings.tell_tag(&path, name, "directory not dumped");
                continue;
            }
            let dumped = self.member(writer, &path, &found);
            if self.failed_output(writer) {
                return;
            }
            let other = *device.get_or_insert(found.dev) != found.dev;
            if !dumped || !directory || !recurse || (other && self.settings.one_system) {
                continue;
            }
            if let Some((leaves, name)) = &tag {
                self.settings.tell_tag(&path, name, "contents not dumped");
                if *leaves == Leaves::Contents {
                    stack.push(Waiting { path: join(&path, name), top: false, patterns: held });
                }
                continue;
            }
            let children = match self.children(&path) {
                Ok(children) => children,
                Err(e) => {
                    self.unreadable(&path, "open", e);
                    continue;
                }
            };
            patterns.extend(self.settings.tags.patterns(&path));
            let held = patterns.len();
            stack.extend(children.into_iter().rev().map(|path| Waiting { path, top: false, patterns: held }));
        }
    }

    /// What a file is; none when it is not stored.
    fn look(&mut self, writer: &mut Writer, path: &[u8], top: bool) -> Option<Stat> {
        let found = if self.settings.follow { stat(path) } else { lstat(path) };
        let found = match found {
            Ok(found) => found,
            Err(Errno::ENOENT) if !top => {
                self.settings.warn("file-removed", format_args!("{}: File removed before we read it", shown(path)));
                self.status = self.status.max(1);
                return None;
            }
            Err(e) => {
                // What would have been left out of its name is told first.
                if !self.settings.absolute {
                    writer.prefixes.remove(path, false);
                }
                self.unreadable(path, "stat", e);
                return None;
            }
        };
        if writer.archive == Some((found.dev, found.ino)) {
            let text = format!("{}: file is the archive; not dumped", shown(path));
            self.settings.warn("ignore-archive", text);
            return None;
        }
        let unchanged = self.settings.newer.is_some_and(|t| {
            found.mtime < t && (self.settings.newer_mtime || found.ctime < t) && found.kind != FileType::Directory
        });
        if unchanged {
            if self.settings.verbose > 0 {
                let text = format!("{}: file is unchanged; not dumped", shown(path));
                self.settings.warn("file-unchanged", text);
            }
            return None;
        }
        if let Some(known) = &self.update
            && found.kind != FileType::Directory
            && known.get(path).is_some_and(|t| *t >= found.mtime.sec)
        {
            return None;
        }
        Some(found)
    }

    /// A file that cannot be read is an error, or a warning where that was asked for.
    fn unreadable(&mut self, path: &[u8], what: &str, e: Errno) {
        if self.settings.ignore_failed {
            self.settings.warn("failed-read", format_args!("{}: Warning: Cannot {what}: {e}", shown(path)));
        } else {
            report::error(format_args!("{}: Cannot {what}: {e}", shown(path)));
            self.status = 2;
        }
    }

    fn failed_output(&mut self, writer: &mut Writer) -> bool {
        writer.encoder.out().error().is_some()
    }

    fn children(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
        let mut entries = read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        match self.settings.order {
            Order::None => {}
            Order::Name => entries.sort_by(|a, b| a.name.cmp(&b.name)),
            Order::Inode => {
                entries.sort_by_key(|entry| lstat(&join(path, &entry.name)).map_or(0, |found| found.ino));
            }
        }
        Ok(entries.into_iter().map(|entry| join(path, &entry.name)).collect())
    }

    /// The name in the archive.
    fn member_name(&self, writer: &mut Writer, path: &[u8], kind: u8) -> Vec<u8> {
        let name = match self.settings.absolute {
            true => path,
            false => writer.prefixes.remove(path, kind == HARD_LINKS),
        };
        transformed(&self.settings.transforms, name, kind)
    }

    /// One file; false when it could not be put into the archive.
    fn member(&mut self, writer: &mut Writer, path: &[u8], found: &Stat) -> bool {
        let kind = match found.kind {
            FileType::Regular => Kind::Regular,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Symlink,
            FileType::Fifo => Kind::Fifo,
            FileType::CharDevice => Kind::CharDevice,
            FileType::BlockDevice => Kind::BlockDevice,
            FileType::Socket => {
                self.settings.warn("file-ignored", format_args!("{}: socket ignored", shown(path)));
                return false;
            }
        };
        if self.settings.format == Format::V7 && matches!(kind, Kind::Fifo | Kind::CharDevice | Kind::BlockDevice) {
            report::error(format_args!("{}: Unknown file type; file ignored", shown(path)));
            self.status = 2;
            return false;
        }
        let mut name = self.member_name(writer, path, MEMBERS);
        if kind == Kind::Directory && !name.ends_with(b"/") {
            name.push(b'/');
        }
        let mut entry = self.entry(name, kind, found);
        self.link(writer, path, found, &mut entry);
        let mut file = None;
        if entry.kind == Kind::Regular {
            entry.size = found.size;
            match open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
                Ok(opened) => file = Some(opened),
                Err(e) => {
                    self.unreadable(path, "open", e);
                    return false;
                }
            }
        }
        let mut places = Vec::new();
        if let Some(file) = file.as_ref().filter(|_| self.settings.sparse && found.blocks * 512 < found.size) {
            let map = data_of(file.raw(), found.size);
            if self.settings.format == Format::Pax {
                places = pax_map(&map);
            }
            entry.size = places.len() as u64 + map.iter().map(|(_, length)| length).sum::<u64>();
            entry.sparse = Some((map, found.size));
        }
        let real = entry.mtime;
        if self.settings.format != Format::Pax {
            entry.mtime.nsec = 0;
        }
        let head = match encode(&entry, self.settings.format, &self.settings.pax) {
            Ok(head) => head,
            Err(unfit) => {
                tell_unfit(&entry, unfit);
                self.status = 2;
                return false;
            }
        };
        let block = writer.written / BLOCK as u64;
        if self.settings.verbose > 0 {
            // What is shown is the file, unless what it is called in the archive was asked for.
            let mut line = Entry { mtime: real, ..entry.clone() };
            if !self.settings.show_transformed {
                line.name = path.to_vec();
                if kind == Kind::Directory && !line.name.ends_with(b"/") {
                    line.name.push(b'/');
                }
            }
            writer.lister.line(&mut writer.listing, &line, self.settings.verbose > 1, block);
        }
        writer.bytes(&head);
        writer.bytes(&places);
        if let Some(file) = file {
            match &entry.sparse {
                None => self.content(writer, path, file.raw(), entry.size),
                Some((map, _)) => {
                    for &(at, length) in map {
                        let _ = seek(file.raw(), Seek::Start(at));
                        self.content(writer, path, file.raw(), length);
                    }
                }
            }
            writer.pad();
        }
        if self.settings.remove_files {
            writer.remove.push((path.to_vec(), kind == Kind::Directory));
        }
        true
    }

    /// What a link points to; a file that is in the archive already becomes a link to it.
    fn link(&mut self, writer: &mut Writer, path: &[u8], found: &Stat, entry: &mut Entry) {
        if entry.kind == Kind::Symlink {
            let target = readlink(path).unwrap_or_default();
            entry.link = transformed(&self.settings.transforms, &target, SYMBOLIC_LINKS);
        }
        let linked = found.nlink > u32::from(!writer.again);
        if entry.kind == Kind::Directory || !linked || self.settings.hard_dereference {
            return;
        }
        match writer.links.get_mut(&(found.dev, found.ino)) {
            Some((first, missing)) => {
                *missing = missing.saturating_sub(1);
                let first = first.clone();
                entry.kind = Kind::HardLink;
                entry.link = self.member_name(writer, &first, HARD_LINKS);
            }
            None => {
                writer.links.insert((found.dev, found.ino), (path.to_vec(), found.nlink.saturating_sub(1)));
            }
        }
    }

    /// `-l`: files that have more names than were stored.
    pub fn check_links(&self, writer: &Writer) {
        let mut missing: Vec<_> = writer.links.values().filter(|link| link.1 > 0).collect();
        missing.sort();
        for (path, _) in missing.into_iter().filter(|_| self.settings.check_links) {
            report::error(format_args!("Missing links to {}.", crate::quote::locale(path)));
        }
    }

    fn entry(&mut self, name: Vec<u8>, kind: Kind, found: &Stat) -> Entry {
        let settings = &mut self.settings;
        let numeric = settings.numeric;
        let user = match settings.numeric {
            true => None,
            false => settings.users.name(found.uid),
        };
        let group = match settings.numeric {
            true => None,
            false => settings.groups.name(found.gid),
        };
        let mut entry = Entry {
            name,
            link: Vec::new(),
            kind,
            mode: match &settings.mode {
                Some(change) => change.apply(found.mode, kind == Kind::Directory, settings.umask),
                None => found.mode,
            },
            uid: found.uid.into(),
            gid: found.gid.into(),
            user: user.unwrap_or_default().into_bytes(),
            group: group.unwrap_or_default().into_bytes(),
            mtime: found.mtime,
            atime: Some(found.atime),
            ctime: Some(found.ctime),
            size: 0,
            device: (major(found.rdev), minor(found.rdev)),
            sparse: None,
        };
        let replace = |names: &mut Names, given: &Owner, name: &mut Vec<u8>, id: &mut u64| {
            if given.0.is_none() && given.1.is_none() {
                return;
            }
            let number = given
                .1
                .or_else(|| given.0.as_ref().and_then(|name| names.id(name).filter(|_| name.first() != Some(&b'+'))));
            *id = number.map_or(*id, u64::from);
            *name = match (&given.0, number) {
                _ if numeric => Vec::new(),
                (Some(name), _) => name.clone(),
                (None, number) => number.and_then(|n| names.name(n)).unwrap_or_default().into_bytes(),
            };
        };
        let mapped = |map: &Map, name: &mut Vec<u8>, id: &mut u64| {
            let Some(rule) = map.iter().find(|rule| u64::from(rule.0) == *id) else { return false };
            *id = rule.1.into();
            *name = if numeric { Vec::new() } else { rule.2.clone() };
            true
        };
        if !mapped(&settings.owner_map, &mut entry.user, &mut entry.uid) {
            replace(&mut settings.users, &settings.owner, &mut entry.user, &mut entry.uid);
        }
        if !mapped(&settings.group_map, &mut entry.group, &mut entry.gid) {
            replace(&mut settings.groups, &settings.group, &mut entry.group, &mut entry.gid);
        }
        if let Some(time) = settings.mtime {
            let clamps = settings.clamp && entry.mtime <= time;
            entry.mtime = if clamps { entry.mtime } else { time };
        }
        entry
    }

    /// As many bytes as were promised, whatever happens to the file meanwhile.
    fn content(&mut self, writer: &mut Writer, path: &[u8], fd: i32, size: u64) {
        let mut block = vec![0; 64 * 1024];
        let mut left = size;
        while left > 0 {
            let most = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match read(fd, &mut block[..most]) {
                Ok(0) => {
                    report::error(format_args!("{}: File shrank by {left} bytes; padding with zeros", shown(path)));
                    self.status = self.status.max(1);
                    self.zeros(writer, left);
                    left = 0;
                }
                Ok(n) => {
                    writer.bytes(&block[..n]);
                    left -= n as u64;
                    if self.failed_output(writer) {
                        return;
                    }
                }
                Err(Errno::EINTR) => {}
                Err(e) => {
                    report::error(format_args!("{}: Read error at byte {}: {e}", shown(path), size - left));
                    self.status = 2;
                    self.zeros(writer, left);
                    left = 0;
                }
            }
        }
    }

    fn zeros(&self, writer: &mut Writer, mut left: u64) {
        while left > 0 {
            let n = left.min(BLOCK as u64);
            writer.bytes(&[0; BLOCK][..n as usize]);
            left -= n;
        }
    }
}

//! Files become members.

use super::Tar;
use super::header::{BLOCK, Entry, Kind, encode};
use super::names::{Prefixes, shown};
use super::show::Lister;
use crate::codec::Encode;
use crate::commands::ls::{major, minor};
use crate::input::join;
use crate::report;
use capsule_sys::{
    Errno, FileType, OpenFlags, Out, Stat, Time, lstat, open, read, read_dir, readlink, rmdir, stat, unlink,
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
    /// The first name of every file that has more.
    links: HashMap<(u64, u64), Vec<u8>>,
    prefixes: Prefixes,
    /// The archive's own file, which is not put into itself.
    pub archive: Option<(u64, u64)>,
    pub lister: Lister,
    /// Where verbose lines go.
    pub listing: Out,
    /// What is removed when all is written.
    remove: Vec<(Vec<u8>, bool)>,
}

impl Writer {
    pub fn new(encoder: Box<dyn Encode>, archive: Option<(u64, u64)>, lister: Lister, listing: Out) -> Writer {
        Writer {
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
    }

    fn pad(&mut self) {
        let missing = self.written.next_multiple_of(BLOCK as u64) - self.written;
        self.bytes(&[0; BLOCK][..missing as usize]);
    }

    /// Two blocks of zeros, and a whole record.
    pub fn end(mut self, record: u64) -> (Result<(), Errno>, Out) {
        self.bytes(&[0; 2 * BLOCK]);
        let missing = self.written.next_multiple_of(record) - self.written;
        self.bytes(&vec![0; missing as usize]);
        let mut out = self.encoder.finish();
        let result = out.flush();
        let _ = self.listing.flush();
        for (path, directory) in self.remove.iter().rev() {
            let _ = if *directory { rmdir(path) } else { unlink(path) };
        }
        (result, out)
    }
}

impl Tar {
    /// A file named by the user, and all below it. An explicit stack: trees may be deep.
    pub fn add(&mut self, writer: &mut Writer, path: &[u8]) {
        let mut stack = vec![path.to_vec()];
        let mut device = None;
        while let Some(path) = stack.pop() {
            if self.settings.excludes.iter().any(|p| p.matches(&path)) {
                continue;
            }
            let found = if self.settings.follow { stat(&path) } else { lstat(&path) };
            let found = match found {
                Ok(found) => found,
                Err(e) => {
                    report::error(format_args!("{}: Cannot stat: {e}", shown(&path)));
                    if !self.settings.ignore_failed {
                        self.status = 2;
                    }
                    continue;
                }
            };
            if writer.archive == Some((found.dev, found.ino)) {
                if self.settings.warns("ignore-archive") {
                    report::error(format_args!("{}: file is the archive; not dumped", shown(&path)));
                }
                continue;
            }
            if self.settings.newer.is_some_and(|t| found.kind != FileType::Directory && found.mtime <= t) {
                continue;
            }
            if let Some(known) = &self.update
                && found.kind != FileType::Directory
                && known.get(path.as_slice()).is_some_and(|t| *t >= found.mtime.sec)
            {
                continue;
            }
            let dumped = self.member(writer, &path, &found);
            if self.failed_output(writer) {
                return;
            }
            let other = *device.get_or_insert(found.dev) != found.dev;
            if dumped
                && found.kind == FileType::Directory
                && self.settings.recurse
                && !(other && self.settings.one_system)
            {
                match self.children(&path) {
                    Ok(children) => stack.extend(children.into_iter().rev()),
                    Err(e) => {
                        report::error(format_args!("{}: Cannot open: {e}", shown(&path)));
                        self.status = 2;
                    }
                }
            }
        }
    }

    fn failed_output(&mut self, writer: &mut Writer) -> bool {
        writer.encoder.out().error().is_some()
    }

    fn children(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
        let mut names = read_dir(path)?.map(|e| e.map(|e| e.name)).collect::<Result<Vec<_>, _>>()?;
        if self.settings.sort {
            names.sort();
        }
        Ok(names.into_iter().map(|name| join(path, &name)).collect())
    }

    /// The name in the archive.
    fn member_name(&self, writer: &mut Writer, path: &[u8], links: bool) -> Vec<u8> {
        let mut name = path.to_vec();
        for transform in &self.settings.transforms {
            name = transform.apply(&name);
        }
        match self.settings.absolute {
            true => name,
            false => writer.prefixes.remove(&name, links).to_vec(),
        }
    }

    /// One file; false when it could not be put into the archive.
    fn member(&mut self, writer: &mut Writer, path: &[u8], found: &Stat) -> bool {
        let mut name = self.member_name(writer, path, false);
        let kind = match found.kind {
            FileType::Regular => Kind::Regular,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Symlink,
            FileType::Fifo => Kind::Fifo,
            FileType::CharDevice => Kind::CharDevice,
            FileType::BlockDevice => Kind::BlockDevice,
            FileType::Socket => {
                if self.settings.warns("file-ignored") {
                    report::error(format_args!("{}: socket ignored", shown(path)));
                }
                return false;
            }
        };
        if kind == Kind::Directory && !name.ends_with(b"/") {
            name.push(b'/');
        }
        let mut entry = self.entry(name, kind, found);
        if found.nlink > 1 && kind != Kind::Directory && !self.settings.hard_dereference {
            match writer.links.get(&(found.dev, found.ino)) {
                Some(first) => {
                    let first = first.clone();
                    entry.kind = Kind::HardLink;
                    entry.link = self.member_name(writer, &first, true);
                }
                None => {
                    writer.links.insert((found.dev, found.ino), path.to_vec());
                }
            }
        }
        if entry.kind == Kind::Symlink {
            entry.link = readlink(path).unwrap_or_default();
        }
        let mut file = None;
        if entry.kind == Kind::Regular {
            entry.size = found.size;
            match open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
                Ok(opened) => file = Some(opened),
                Err(e) => {
                    report::error(format_args!("{}: Cannot open: {e}", shown(path)));
                    if !self.settings.ignore_failed {
                        self.status = 2;
                    }
                    return false;
                }
            }
        }
        let head = match encode(&entry, self.settings.format) {
            Ok(head) => head,
            Err(why) => {
                let name = if why.starts_with("link") { &entry.link } else { &entry.name };
                report::error(format_args!("{}: {why}", shown(name)));
                self.status = 2;
                return false;
            }
        };
        writer.bytes(&head);
        if self.settings.verbose > 0 {
            writer.lister.line(&mut writer.listing, &entry, self.settings.verbose > 1);
        }
        if let Some(file) = file {
            self.content(writer, path, file.raw(), entry.size);
        }
        if self.settings.remove_files {
            writer.remove.push((path.to_vec(), kind == Kind::Directory));
        }
        true
    }

    fn entry(&mut self, name: Vec<u8>, kind: Kind, found: &Stat) -> Entry {
        let settings = &mut self.settings;
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
            size: 0,
            device: (major(found.rdev), minor(found.rdev)),
            sparse: None,
        };
        if let Some((name, id)) = &settings.owner {
            (entry.user, entry.uid) = (if settings.numeric { Vec::new() } else { name.clone() }, (*id).into());
        }
        if let Some((name, id)) = &settings.group {
            (entry.group, entry.gid) = (if settings.numeric { Vec::new() } else { name.clone() }, (*id).into());
        }
        if let Some(time) = settings.mtime {
            let clamps = settings.clamp && entry.mtime <= time;
            entry.mtime = if clamps { entry.mtime } else { time };
        }
        if settings.format != super::header::Format::Pax {
            entry.mtime = Time { nsec: 0, ..entry.mtime };
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
        writer.pad();
    }

    fn zeros(&self, writer: &mut Writer, mut left: u64) {
        while left > 0 {
            let n = left.min(BLOCK as u64);
            writer.bytes(&[0; BLOCK][..n as usize]);
            left -= n;
        }
    }
}

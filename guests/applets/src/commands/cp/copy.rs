//! Copies files, links and trees.

use super::trim_slashes;
use crate::backup::Backup;
use crate::input::{base_name, dir_name, join};
use crate::quote::quoted;
use crate::{Exit, report};
use capsule_sys::{
    DirEntry, Errno, FileType, In, Out, STDIN, Stat, lstat, mkdir, mkfifo, read_dir, rename, stat, unlink,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq)]
pub enum Follow {
    Never,
    Operands,
    Always,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Update {
    All,
    Newer,
}

/// Where a copy may have holes.
#[derive(Clone, Copy, PartialEq)]
pub enum Sparse {
    Never,
    /// Where its source has some.
    Auto,
    Always,
}

/// What is kept of a source beside its data.
#[derive(Clone, Copy, Default)]
pub struct Preserve {
    pub mode: bool,
    pub ownership: bool,
    pub timestamps: bool,
    pub links: bool,
    /// Explicitly not: new files get what the umask leaves.
    pub no_mode: bool,
}

impl Preserve {
    pub const ALL: Preserve = Preserve { mode: true, ownership: true, timestamps: true, links: true, no_mode: false };

    pub fn attributes(&mut self, on: bool) {
        (self.mode, self.ownership, self.timestamps) = (on, on, on);
    }

    /// A list of attribute names.
    pub fn set(&mut self, list: &[u8], on: bool) -> Result<(), Exit> {
        for name in list.split(|&b| b == b',') {
            match name {
                b"mode" => (self.mode, self.no_mode) = (on, !on),
                b"ownership" => self.ownership = on,
                b"timestamps" => self.timestamps = on,
                b"links" => self.links = on,
                b"context" if on => {
                    return Err(report::die(1, "cannot preserve security context without an SELinux-enabled kernel"));
                }
                // There are none here to be kept or lost.
                b"context" | b"xattr" => {}
                b"all" => {
                    self.attributes(on);
                    (self.links, self.no_mode) = (on, !on);
                }
                other => {
                    let option = if on { "--preserve" } else { "--no-preserve" };
                    let words = &[
                        ("mode", 0),
                        ("timestamps", 1),
                        ("ownership", 2),
                        ("links", 3),
                        ("context", 4),
                        ("xattr", 5),
                        ("all", 6),
                    ];
                    crate::options::word(other, option, words, 1)?;
                }
            }
        }
        Ok(())
    }
}

/// Which file it is, whatever its name.
type Id = (u64, u64);
/// Which entry of which directory.
type Entry = (Option<Id>, Vec<u8>);

pub struct Copier {
    pub recursive: bool,
    pub follow: Follow,
    pub preserve: Preserve,
    pub data: bool,
    pub sparse: Sparse,
    /// Data is only to be shared, which no file system here does.
    pub clone: bool,
    pub force: bool,
    pub interactive: bool,
    pub no_clobber: bool,
    pub update: Update,
    pub remove: bool,
    pub link: bool,
    pub symbolic: bool,
    pub verbose: bool,
    pub one_file_system: bool,
    pub backup: Option<Backup>,
    pub umask: u32,
    /// A move: `mv` says other things, and trees come whole.
    pub moving: bool,
    /// What is no file is read as if it were one, in trees, too.
    pub contents: bool,
    /// There are several operands: one may meet what another has made.
    pub several: bool,
    pub failed: bool,
    pub out: Out,
    pub answers: In,
    /// Where the copies of directories, and of files with several names, are.
    copied: BTreeMap<Id, Vec<u8>>,
    /// What this run has made: it must not be copied over.
    pub made: BTreeMap<Id, Vec<u8>>,
    /// The operands so far.
    named: BTreeSet<(Id, Entry)>,
    /// The operand that is being copied, and where to.
    top: (Vec<u8>, Vec<u8>),
    /// The first directory of this operand has been made.
    created: bool,
    /// Where the operand goes, if it was there before.
    target: Option<(u64, u64)>,
    /// A directory has met its own copy: there is no end to what would follow.
    into_itself: bool,
    /// The directories that are being copied.
    ancestors: Vec<Id>,
}

impl Copier {
    pub fn new() -> Copier {
        Copier {
            recursive: false,
            follow: Follow::Always,
            preserve: Preserve::default(),
            data: true,
            sparse: Sparse::Auto,
            clone: false,
            force: false,
            interactive: false,
            no_clobber: false,
            update: Update::All,
            remove: false,
            link: false,
            symbolic: false,
            verbose: false,
            one_file_system: false,
            backup: None,
            umask: 0,
            moving: false,
            contents: false,
            several: false,
            failed: false,
            out: Out::stdout(),
            answers: In::new(STDIN),
            copied: BTreeMap::new(),
            made: BTreeMap::new(),
            named: BTreeSet::new(),
            top: Default::default(),
            created: false,
            target: None,
            into_itself: false,
            ancestors: Vec::new(),
        }
    }

    /// A message that is no failure.
    fn warn(&mut self, message: impl std::fmt::Display) {
        let _ = self.out.flush();
        report::error(message);
    }

    pub fn fail(&mut self, message: impl std::fmt::Display) {
        let _ = self.out.flush();
        report::error(message);
        self.failed = true;
    }

    /// Copies an operand; whether all of it came over.
    pub fn operand(&mut self, source: &[u8], to: &[u8]) -> bool {
        let before = self.failed;
        self.failed = false;
        let device = stat(source).map_or(0, |s| s.dev);
        let to = if lstat(to).is_err() { trim_slashes_of_new(source, to) } else { to };
        self.top = (source.to_vec(), to.to_vec());
        self.created = false;
        self.into_itself = false;
        self.target = stat(to).ok().map(|there| (there.dev, there.ino));
        self.copy(source, to, device, true);
        let good = !self.failed;
        self.failed |= before;
        good
    }

    /// `--parents`: the source's directories are made below the target.
    pub fn with_parents(&mut self, source: &[u8], dir: &[u8]) {
        let given = source;
        let source = trim_slashes(source);
        let mut made = Vec::new();
        let parent = dir_name(source);
        if parent != b"." && parent != b"/" {
            let mut so_far: Vec<u8> = if source.starts_with(b"/") { b"/".to_vec() } else { Vec::new() };
            for part in parent.split(|&b| b == b'/').filter(|p| !p.is_empty()) {
                so_far = if so_far.is_empty() { part.to_vec() } else { join(&so_far, part) };
                let target = join(dir, so_far.strip_prefix(b"/").unwrap_or(&so_far));
                if let Ok(there) = stat(&target) {
                    if there.kind == FileType::Directory {
                        continue;
                    }
                    return self.fail(format_args!("{} exists but is not a directory", quoted(&target)));
                }
                let Ok(s) = stat(&so_far) else {
                    let e = stat(source).err().unwrap_or(Errno::ENOENT);
                    return self.fail(format_args!("cannot stat {}: {e}", quoted(source)));
                };
                if let Err(e) = mkdir(&target, s.mode | 0o700) {
                    return self.fail(format_args!("cannot make directory {}: {e}", quoted(&target)));
                }
                if self.verbose {
                    let line =
                        format!("{} -> {}\n", String::from_utf8_lossy(&so_far), String::from_utf8_lossy(&target));
                    self.out.write(line.as_bytes());
                }
                made.push((target, s));
            }
        }
        let to = join(dir, source.strip_prefix(b"/").unwrap_or(source));
        self.operand(given, &to);
        for (target, s) in made.into_iter().rev() {
            self.attributes(&target, &s, true);
        }
    }

    fn copy(&mut self, source: &[u8], to: &[u8], device: u64, top: bool) {
        let follow = self.follow == Follow::Always || (top && self.follow == Follow::Operands);
        let s = match if follow { stat(source) } else { lstat(source) } {
            Ok(s) => s,
            Err(e) => return self.fail(format_args!("cannot stat {}: {e}", quoted(source))),
        };
        let is_dir = s.kind == FileType::Directory;
        if is_dir && !self.recursive {
            return self.fail(format_args!("-r not specified; omitting directory {}", quoted(source)));
        }
        let id = (s.dev, s.ino);
        if top && self.several && !is_dir && self.backup.is_none() && !self.named.insert((id, entry(source))) {
            return self.warn(format_args!("warning: source file {} specified more than once", quoted(source)));
        }
        let mut existing = match self.destination(&s, to) {
            Ok(there) => there,
            Err(e) => return self.fail(format_args!("cannot stat {}: {e}", quoted(to))),
        };
        let mut saved = None;
        if let Some(there) = existing {
            if !self.may_replace(source, &s, to, &there, top) {
                return;
            }
            let to_dir = there.kind == FileType::Directory;
            if let Some(backup) = self.backup.clone().filter(|_| !to_dir) {
                if backup.would_take(source, to) {
                    let text =
                        format!("backing up {} might destroy source;  {} not copied", quoted(to), quoted(source));
                    return self.fail(text);
                }
                match backup.save(to) {
                    Ok(name) => saved = name,
                    Err(_) => {
                        self.failed = true;
                        return;
                    }
                }
                existing = None;
            } else if !to_dir && self.goes_first(&s, &there) {
                match unlink(to) {
                    Ok(()) | Err(Errno::ENOENT) => existing = None,
                    Err(e) => return self.fail(format_args!("cannot remove {}: {e}", quoted(to))),
                }
                if self.verbose {
                    self.out.write(format!("removed {}\n", quoted(to)).as_bytes());
                }
            }
        }
        // What a link leads to that this very run has made is nobody's to write.
        if top && self.several && !self.moving && self.backup.is_none() {
            let made = |there: Stat| there.kind == FileType::Symlink && self.made.contains_key(&(there.dev, there.ino));
            if lstat(to).is_ok_and(made) {
                let text = format!("will not copy {} through just-created symlink {}", quoted(source), quoted(to));
                return self.fail(text);
            }
        }
        if self.verbose && !is_dir {
            self.tell(source, to, saved.as_deref());
        }
        let remembers = self.preserve.links && !self.link && (s.nlink > 1 || follow);
        let earlier = match is_dir {
            true if top => self.copied.insert(id, to.to_vec()),
            false if remembers => self.copied.insert(id, to.to_vec()),
            _ => self.copied.get(&id).cloned().filter(|_| is_dir),
        };
        if let Some(first) = earlier {
            self.copied.insert(id, first.clone());
            if !is_dir {
                return self.second_name(&first, to);
            }
            if same_entry(source, &first) {
                let (from, into) = &self.top;
                let text = format!("cannot copy a directory, {}, into itself, {}", quoted(from), quoted(into));
                self.into_itself = true;
                return self.fail(text);
            }
            if same_entry(to, &first) {
                return self
                    .warn(format_args!("warning: source directory {} specified more than once", quoted(source)));
            }
            if !follow {
                let text = format!("will not create hard link {} to directory {}", quoted(to), quoted(&first));
                return self.fail(text);
            }
        }
        let before = std::mem::replace(&mut self.failed, false);
        match s.kind {
            FileType::Directory => self.directory(source, &s, to, existing, device, top),
            _ if self.link => self.hard_link(source, to, follow),
            _ if self.symbolic => self.symbolic_link(source, &s, to),
            FileType::Symlink => self.same_link(source, &s, to),
            FileType::Fifo if !self.as_regular() => match mkfifo(to, s.mode) {
                Ok(()) => self.attributes(to, &s, true),
                Err(e) => self.fail(format_args!("cannot create fifo {}: {e}", quoted(to))),
            },
            FileType::CharDevice | FileType::BlockDevice | FileType::Socket if !self.as_regular() => {
                self.fail(format_args!("cannot create special file {}: {}", quoted(to), Errno::EPERM));
            }
            _ => self.data(source, &s, to, existing),
        }
        if let Some(saved) = saved.filter(|_| self.failed) {
            self.take_back(&saved, to);
        }
        self.failed |= before;
        if top && let Ok(now) = lstat(to) {
            self.made.insert((now.dev, now.ino), to.to_vec());
        }
    }

    /// What was put aside comes back when its successor failed.
    fn take_back(&mut self, saved: &[u8], to: &[u8]) {
        match rename(saved, to) {
            Ok(()) if self.verbose => {
                self.out.write(format!("{} -> {} (unbackup)\n", quoted(saved), quoted(to)).as_bytes());
            }
            Ok(()) => {}
            Err(e) => self.fail(format_args!("cannot un-backup {}: {e}", quoted(to))),
        }
    }

    /// Whether what is no file is read as if it were one.
    pub fn as_regular(&self) -> bool {
        self.contents || !(self.recursive || self.moving)
    }

    /// Whether what is there is removed instead of written into.
    fn goes_first(&self, s: &Stat, there: &Stat) -> bool {
        let shared = self.preserve.links && there.nlink > 1;
        !self.moving && (self.remove || shared || (self.follow == Follow::Never && s.kind != FileType::Regular))
    }

    fn tell(&mut self, source: &[u8], to: &[u8], saved: Option<&[u8]>) {
        let mut line = format!("{} -> {}", quoted(source), quoted(to));
        if self.moving {
            line = format!("copied {line}");
        }
        if let Some(saved) = saved {
            line += &format!(" (backup: {})", quoted(saved));
        }
        self.out.write((line + "\n").as_bytes());
    }

    fn directory(&mut self, source: &[u8], s: &Stat, to: &[u8], existing: Option<Stat>, device: u64, top: bool) {
        if self.ancestors.contains(&(s.dev, s.ino)) {
            return self.fail(format_args!("cannot copy cyclic symbolic link {}", quoted(source)));
        }
        if existing.is_none() {
            // Writable while it is filled; its own mode comes at the end.
            if let Err(e) = mkdir(to, (s.mode & if self.preserve.ownership { 0o700 } else { 0o755 }) | 0o700) {
                return self.fail(format_args!("cannot create directory {}: {e}", quoted(to)));
            }
            // A copy inside of what is copied must not be copied too: it begins with the first directory that is made,
            // or with the copy of the place that everything goes to.
            if (!self.created || self.target == Some((s.dev, s.ino)))
                && let Ok(now) = stat(to)
            {
                self.copied.insert((now.dev, now.ino), to.to_vec());
                self.created = true;
            }
            if self.verbose && self.moving {
                self.out.write(format!("created directory {}\n", quoted(to)).as_bytes());
            } else if self.verbose {
                self.tell(source, to, None);
            }
        }
        if top || !self.one_file_system || s.dev == device {
            self.ancestors.push((s.dev, s.ino));
            let entries: Result<Vec<_>, _> = read_dir(source).and_then(Iterator::collect);
            match entries {
                Ok(mut entries) => {
                    // The order in which a disk has them, which is where copies into themselves end.
                    entries.sort_by_key(|entry| entry.ino);
                    for DirEntry { name, .. } in entries {
                        self.copy(&join(source, &name), &join(to, &name), device, false);
                        if self.into_itself {
                            break;
                        }
                    }
                }
                Err(e) => self.fail(format_args!("cannot access {}: {e}", quoted(source))),
            }
            self.ancestors.pop();
        }
        self.attributes(to, s, existing.is_none());
    }
}

/// Which entry of which directory a path is.
fn entry(path: &[u8]) -> Entry {
    (stat(dir_name(path)).ok().map(|s| (s.dev, s.ino)), base_name(path).to_vec())
}

/// Whether two paths are one and the same entry of one directory.
pub fn same_entry(a: &[u8], b: &[u8]) -> bool {
    base_name(a) == base_name(b) && matches!((entry(a).0, entry(b).0), (Some(a), Some(b)) if a == b)
}

/// `cp -r dir new/`: a new directory may be named with a slash.
fn trim_slashes_of_new<'a>(source: &[u8], to: &'a [u8]) -> &'a [u8] {
    if stat(source).is_ok_and(|s| s.kind == FileType::Directory) { trim_slashes(to) } else { to }
}

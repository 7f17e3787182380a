//! Copies files, links and trees.

use super::trim_slashes;
use crate::backup::Backup;
use crate::input::{base_name, dir_name, join};
use crate::quote::quoted;
use crate::{Exit, report};
use capsule_sys::{
    Errno, FileType, In, Out, STDERR, STDIN, Stat, access, link, lstat, mkdir, mkfifo, read_dir, stat, unlink,
    write_all,
};
use std::collections::BTreeMap;

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

pub struct Copier {
    pub recursive: bool,
    pub follow: Follow,
    pub preserve: Preserve,
    pub data: bool,
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
    pub failed: bool,
    pub out: Out,
    answers: In,
    /// Copies made so far of files with several names.
    copied: BTreeMap<(u64, u64), Vec<u8>>,
    /// What this run has made: it must not be copied over.
    made: BTreeMap<(u64, u64), Vec<u8>>,
}

impl Copier {
    pub fn new() -> Copier {
        Copier {
            recursive: false,
            follow: Follow::Always,
            preserve: Preserve::default(),
            data: true,
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
            failed: false,
            out: Out::stdout(),
            answers: In::new(STDIN),
            copied: BTreeMap::new(),
            made: BTreeMap::new(),
        }
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
        self.copy(source, to, device, true);
        let good = !self.failed;
        self.failed |= before;
        good
    }

    /// `--parents`: the source's directories are made below the target.
    pub fn with_parents(&mut self, source: &[u8], dir: &[u8]) {
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
        self.operand(source, &to);
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
        if s.kind == FileType::Directory && !self.recursive {
            return self.fail(format_args!("-r not specified; omitting directory {}", quoted(source)));
        }
        let as_it_is = self.moving || !follow || self.link || self.symbolic;
        // A link that leads nowhere is there as a link; one that leads in a circle can only be replaced.
        let there = match stat(to) {
            _ if as_it_is => lstat(to),
            Err(Errno::ELOOP) if self.force || self.remove || self.backup.is_some() => lstat(to),
            Err(Errno::ENOENT) => lstat(to),
            other => other,
        };
        let mut existing = match there {
            Ok(s) => Some(s),
            Err(Errno::ENOENT) => None,
            Err(e) => return self.fail(format_args!("cannot stat {}: {e}", quoted(to))),
        };
        if let Some(there) = existing
            && !self.may_replace(source, &s, to, &there)
        {
            return;
        }
        let mut saved = None;
        if let Some(there) = existing {
            let replaces = there.kind != FileType::Directory || s.kind != FileType::Directory;
            if let Some(backup) = self.backup.clone().filter(|_| replaces && there.kind != FileType::Directory) {
                match backup.save(to) {
                    Ok(name) => saved = name,
                    Err(_) => {
                        self.failed = true;
                        return;
                    }
                }
                existing = None;
            } else if replaces && self.goes_first(&s, &there) {
                if let Err(e) = unlink(to) {
                    return self.fail(format_args!("cannot remove {}: {e}", quoted(to)));
                }
                existing = None;
            }
        }
        if self.verbose && (s.kind != FileType::Directory || existing.is_none()) {
            self.tell(source, to, saved.as_deref());
        }
        let id = (s.dev, s.ino);
        // A second name of a file that was copied already.
        if s.kind != FileType::Directory && self.preserve.links && s.nlink > 1 {
            if let Some(first) = self.copied.get(&id).cloned() {
                if existing.is_some() {
                    let _ = unlink(to);
                }
                if let Err(e) = link(&first, to, 0) {
                    let text = format!("cannot create hard link {} to {}: {e}", quoted(to), quoted(&first));
                    self.fail(text);
                }
                return;
            }
            self.copied.insert(id, to.to_vec());
        }
        match s.kind {
            FileType::Directory => self.directory(source, &s, to, existing, device, top),
            _ if self.link => {
                let flags = if follow { capsule_sys::AT_SYMLINK_FOLLOW } else { 0 };
                if let Err(e) = link(source, to, flags) {
                    self.fail(format_args!("cannot create hard link {} to {}: {e}", quoted(to), quoted(source)));
                }
            }
            _ if self.symbolic => self.symbolic_link(source, to),
            FileType::Symlink => self.same_link(source, &s, to),
            FileType::Fifo if self.recursive || self.moving => match mkfifo(to, s.mode) {
                Ok(()) => self.attributes(to, &s, true),
                Err(e) => self.fail(format_args!("cannot create fifo {}: {e}", quoted(to))),
            },
            FileType::CharDevice | FileType::BlockDevice | FileType::Socket if self.recursive => {
                self.fail(format_args!("cannot create special file {}: {}", quoted(to), Errno::EPERM));
            }
            _ => self.data(source, &s, to, existing),
        }
        if let Ok(now) = lstat(to) {
            self.made.insert((now.dev, now.ino), to.to_vec());
        }
    }

    /// Whether what is there is removed instead of written into.
    fn goes_first(&self, s: &Stat, there: &Stat) -> bool {
        let links = self.link || self.symbolic;
        let second_name = self.preserve.links && s.nlink > 1 && self.copied.contains_key(&(s.dev, s.ino));
        let special = self.recursive && s.kind != FileType::Regular && there.kind != FileType::Directory && !links;
        self.remove || (self.force && links) || second_name || special
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

    /// Whether what is there may be replaced; says why not.
    fn may_replace(&mut self, source: &[u8], s: &Stat, to: &[u8], there: &Stat) -> bool {
        let same = (s.dev, s.ino) == (there.dev, there.ino);
        if same && s.kind != FileType::Directory {
            let other_name = self.backup.is_some() && !same_entry(source, to);
            if self.link && !self.interactive {
                return false;
            }
            if !(other_name || (self.force && self.remove) || (self.remove && !same_entry(source, to))) {
                self.fail(format_args!("{} and {} are the same file", quoted(source), quoted(to)));
                return false;
            }
        }
        match (s.kind == FileType::Directory, there.kind == FileType::Directory) {
            (true, false) => {
                let text = format!("cannot overwrite non-directory {} with directory {}", quoted(to), quoted(source));
                self.fail(text);
                return false;
            }
            (false, true) => {
                self.fail(format_args!("cannot overwrite directory {} with non-directory", quoted(to)));
                return false;
            }
            (true, true) => return true,
            _ => {}
        }
        if self.made.contains_key(&(there.dev, there.ino)) && self.backup.is_none() && !self.preserve.links {
            let text = format!("will not overwrite just-created {} with {}", quoted(to), quoted(source));
            self.fail(text);
            return false;
        }
        if self.update == Update::Newer && there.mtime >= s.mtime {
            return false;
        }
        if self.no_clobber {
            return false;
        }
        if self.interactive {
            let _ = self.out.flush();
            let name = report::program();
            let question = if access(to, capsule_sys::W_OK).is_err() {
                let mode = crate::mode::show(there.st_mode());
                let how = if self.force || self.remove { "replace" } else { "unwritable" };
                match how {
                    "replace" => {
                        format!("{name}: replace {}, overriding mode {:04o} ({})? ", quoted(to), there.mode, &mode[1..])
                    }
                    _ => format!(
                        "{name}: unwritable {} (mode {:04o}, {}); try anyway? ",
                        quoted(to),
                        there.mode,
                        &mode[1..]
                    ),
                }
            } else {
                format!("{name}: overwrite {}? ", quoted(to))
            };
            let _ = write_all(STDERR, question.as_bytes());
            let mut line = Vec::new();
            let _ = self.answers.read_until(b'\n', &mut line);
            if !matches!(line.first(), Some(b'y' | b'Y')) {
                return false;
            }
        }
        true
    }

    fn directory(&mut self, source: &[u8], s: &Stat, to: &[u8], existing: Option<Stat>, device: u64, top: bool) {
        if !top && self.one_file_system && s.dev != device {
            return;
        }
        if existing.is_none() {
            // Writable while it is filled; its own mode comes at the end.
            if let Err(e) = mkdir(to, (s.mode & 0o777) | 0o700) {
                return self.fail(format_args!("cannot create directory {}: {e}", quoted(to)));
            }
        }
        let ours = stat(to).map(|s| (s.dev, s.ino));
        let names: Result<Vec<_>, _> = read_dir(source).and_then(|dir| dir.map(|e| e.map(|e| e.name)).collect());
        match names {
            Ok(names) => {
                for name in names {
                    let from = join(source, &name);
                    // A copy inside of what is copied must not be copied too.
                    if lstat(&from).is_ok_and(|s| Ok((s.dev, s.ino)) == ours) {
                        let text = format!("cannot copy a directory, {}, into itself, {}", quoted(source), quoted(to));
                        self.fail(text);
                        continue;
                    }
                    self.copy(&from, &join(to, &name), device, false);
                }
            }
            Err(e) => self.fail(format_args!("cannot access {}: {e}", quoted(source))),
        }
        self.attributes(to, s, existing.is_none());
    }
}

/// Whether two paths are one and the same entry of one directory.
pub fn same_entry(a: &[u8], b: &[u8]) -> bool {
    let place = |p: &[u8]| stat(dir_name(p)).map(|s| (s.dev, s.ino));
    base_name(a) == base_name(b) && matches!((place(a), place(b)), (Ok(a), Ok(b)) if a == b)
}

/// `cp -r dir new/`: a new directory may be named with a slash.
fn trim_slashes_of_new<'a>(source: &[u8], to: &'a [u8]) -> &'a [u8] {
    if stat(source).is_ok_and(|s| s.kind == FileType::Directory) { trim_slashes(to) } else { to }
}

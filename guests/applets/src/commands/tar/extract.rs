//! Members become files. What would write through a link that the archive made is delayed until nothing more is written.

use super::Tar;
use super::header::{Entry, Kind};
use super::names::{Prefixes, leading, leads_up, shown, strip};
use super::reader::{Broken, Reader};
use super::settings::Keep;
use super::transform::{HARD_LINKS, SYMBOLIC_LINKS, transformed};
use crate::input::join;
use crate::late_links::{Late, LateLinks, leads_out};
use crate::path::make_above;
use crate::quote::locale;
use crate::report;
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, FileType, OpenFlags, Out, SetTime, Time, chmod, chown_at, fchmod, ftruncate,
    futimens, link, lstat, mkdir, mkfifo, now, open, pwrite, rmdir, symlink, unlink, utimens_at,
};

/// A directory's mode and time are set when nothing more goes into it.
struct Directory {
    path: Vec<u8>,
    mode: u32,
    mtime: Time,
}

#[derive(Default)]
pub struct Extraction {
    directories: Vec<Directory>,
    links: LateLinks,
    prefixes: Prefixes,
}

impl Extraction {
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty() && self.links.is_empty()
    }

    /// Says what will be left out of a member's names, and leaves it out of the name it is linked to.
    pub fn tell_prefixes(&mut self, name: &[u8], entry: &mut Entry, absolute: bool, out: &mut Out) {
        if name.is_empty() || leading(name) + leading(&entry.link) > 0 {
            // Messages and names stay in order.
            let _ = out.flush();
        }
        if name.is_empty() {
            report::error("Substituting `.' for empty member name");
        } else if !absolute {
            self.prefixes.remove(name, false);
        }
        if entry.kind == Kind::HardLink && !absolute {
            entry.link = self.prefixes.remove(&entry.link, true).to_vec();
        }
    }
}

impl Tar {
    /// Where a member goes; none when it is not to be extracted.
    fn place(&mut self, entry: &Entry, work: &mut Extraction) -> Option<Vec<u8>> {
        let name = self.transformed_name(&entry.name);
        let mut name = strip(&name, self.settings.strip).to_vec();
        if name.is_empty() && self.settings.strip > 0 {
            return None;
        }
        if !self.settings.absolute {
            if leads_up(&entry.name) {
                report::error(format_args!("{}: Member name contains '..'", shown(&entry.name)));
                self.status = 2;
                return None;
            }
            name = work.prefixes.remove(&name, false).to_vec();
        }
        if name.is_empty() {
            name.push(b'.');
        }
        while name.len() > 1 && name.ends_with(b"/") {
            name.pop();
        }
        match &self.settings.top_level {
            Some(top) if name != b"." && !name.starts_with(&[top.as_slice(), b"/"].concat()) && name != *top => {
                Some(join(top, &name))
            }
            _ => Some(name),
        }
    }

    pub fn extract(
        &mut self,
        reader: &mut Reader,
        entry: &Entry,
        work: &mut Extraction,
        out: &mut Out,
        tell: &mut dyn FnMut(bool),
    ) -> Result<(), Broken> {
        if entry.kind == Kind::Label {
            tell(false);
            return Ok(());
        }
        if self.settings.interactive && !self.confirmed("extract", &entry.name) {
            return Ok(());
        }
        if self.settings.to_stdout || self.settings.to_command.is_some() {
            if strip(&self.transformed_name(&entry.name), self.settings.strip).is_empty() {
                return Ok(());
            }
            tell(true);
            if let Some(command) = self.settings.to_command.clone() {
                return match entry.kind {
                    Kind::Regular => self.give_to_command(reader, entry, &command),
                    _ => Ok(()),
                };
            }
            if entry.kind == Kind::Regular {
                loop {
                    let data = reader.data()?;
                    if data.is_empty() {
                        break;
                    }
                    out.write(data);
                }
                if let Err(e) = out.flush() {
                    report::error(format_args!("{}: Cannot write: {e}", shown(&entry.name)));
                    self.status = 2;
                }
            }
            return Ok(());
        }
        let Some(path) = self.place(entry, work) else { return Ok(()) };
        tell(false);
        if self.stays(&path, entry) {
            return Ok(());
        }
        if self.settings.unlink_first
            && !self.settings.recursive_unlink
            && lstat(&path).is_ok_and(|found| found.kind == FileType::Directory)
            && let Err(e) = rmdir(&path)
        {
            report::error(format_args!("{}: Cannot unlink: {e}", shown(&path)));
            self.status = 2;
            return Ok(());
        }
        if (self.settings.unlink_first || self.settings.recursive_unlink)
            && let Err(e @ Errno::ENOTDIR) = lstat(&path)
        {
            report::error(format_args!("{}: Cannot unlink: {e}", shown(&path)));
            self.status = 2;
            return Ok(());
        }
        let made = match entry.kind {
            Kind::Directory => self.directory(&path, entry, work),
            Kind::Regular => return self.regular(reader, &path, entry),
            Kind::Symlink => self.symlink(&path, entry, work),
            Kind::HardLink => self.hard_link(&path, entry, work),
            Kind::Fifo => self.fifo(&path, entry),
            Kind::CharDevice | Kind::BlockDevice => Err(Errno::EPERM),
            Kind::Label => Ok(()),
            Kind::Other(byte) => {
                let text =
                    format!("{}: Unknown file type '{}', extracted as normal file", shown(&entry.name), byte as char);
                self.settings.warn("unknown-cast", text);
                return self.regular(reader, &path, entry);
            }
        };
        if let Err(e) = made {
            let name = shown(&path);
            match entry.kind {
                Kind::Directory => report::error(format_args!("{name}: Cannot mkdir: {e}")),
                Kind::Symlink => {
                    report::error(format_args!("{name}: Cannot create symlink to {}: {e}", locale(&entry.link)));
                }
                Kind::HardLink => {
                    report::error(format_args!("{name}: Cannot hard link to {}: {e}", locale(&entry.link)));
                }
                Kind::Fifo => report::error(format_args!("{name}: Cannot mkfifo: {e}")),
                _ => report::error(format_args!("{name}: Cannot mknod: {e}")),
            }
            self.status = 2;
        }
        Ok(())
    }

    /// Whether a file that is there stays.
    fn stays(&mut self, path: &[u8], entry: &Entry) -> bool {
        let Ok(found) = lstat(path) else { return false };
        // A directory is made only where there is none.
        let is_made = entry.kind == Kind::Directory && found.kind == FileType::Directory;
        if is_made && self.settings.keep != Keep::SkipOld {
            return false;
        }
        match self.settings.keep {
            Keep::Old => entry.kind == Kind::Directory,
            Keep::SkipOld => {
                if self.settings.verbose > 0 {
                    self.settings.warn("existing-file", format_args!("{}: skipping existing file", shown(path)));
                }
                true
            }
            Keep::Newer if found.mtime >= entry.mtime => {
                let text = format!("Current {} is newer or same age", locale(path));
                self.settings.warn("ignore-newer", text);
                true
            }
            _ => false,
        }
    }

    fn mode_mask(&self) -> u32 {
        if self.settings.same_mode { 0o7777 } else { 0o777 & !self.settings.umask }
    }

    /// Makes the directories above when they are missing, and takes away what is in the way.
    fn retry<T>(&self, path: &[u8], mut make: impl FnMut(&[u8]) -> Result<T, Errno>) -> Result<T, Errno> {
        if self.settings.unlink_first {
            let _ = unlink(path);
        }
        if self.settings.recursive_unlink && lstat(path).is_ok_and(|found| found.kind == FileType::Directory) {
            remove_tree(path)?;
        }
        if let Some(backup) = &self.settings.backup
            && lstat(path).is_ok_and(|found| found.kind != FileType::Directory)
        {
            let name = backup.name(path);
            capsule_sys::rename(path, &name)?;
            if self.settings.verbose > 0 {
                let text = format!("Renaming '{}' to '{}'\n", shown(path), shown(&name));
                let _ = capsule_sys::write_all(capsule_sys::STDOUT, text.as_bytes());
            }
        }
        match make(path) {
            Err(Errno::ENOENT) => {
                make_above(path)?;
                make(path)
            }
            // A link in the way is replaced, never followed.
            Err(Errno::EEXIST | Errno::ELOOP) if self.settings.keep != Keep::Old => {
                match lstat(path)?.kind {
                    FileType::Directory => rmdir(path).map_err(|e| match e {
                        Errno::ENOTEMPTY | Errno::EINVAL => Errno::EEXIST,
                        e => e,
                    })?,
                    _ => unlink(path)?,
                }
                make(path)
            }
            other => other,
        }
    }

    fn fifo(&self, path: &[u8], entry: &Entry) -> Result<(), Errno> {
        let mode = entry.mode & self.mode_mask();
        self.retry(path, |p| mkfifo(p, mode))?;
        self.owner(path, entry);
        chmod(path, mode)?;
        if !self.settings.touch {
            let _ = utimens_at(AT_FDCWD, path, SetTime::Now, SetTime::At(entry.mtime), AT_SYMLINK_NOFOLLOW);
        }
        Ok(())
    }

    fn directory(&mut self, path: &[u8], entry: &Entry, work: &mut Extraction) -> Result<(), Errno> {
        let mode = entry.mode & self.mode_mask();
        // Open for us until all is in it.
        let made = match mkdir(path, mode | 0o700) {
            Err(Errno::ENOENT) => make_above(path).and_then(|()| mkdir(path, mode | 0o700)),
            Err(Errno::EEXIST) => match lstat(path) {
                Ok(s) if s.kind == FileType::Directory => {
                    if self.settings.keep == Keep::Old || self.settings.no_overwrite_dir {
                        return Ok(());
                    }
                    chmod(path, mode | 0o700)
                }
                // A link to a directory stands for it, where that was asked for.
                Ok(s)
                    if s.kind == FileType::Symlink
                        && self.settings.keep_directory_links
                        && capsule_sys::stat(path).is_ok_and(|s| s.kind == FileType::Directory) =>
                {
                    return Ok(());
                }
                Ok(_) => unlink(path).and_then(|()| mkdir(path, mode | 0o700)),
                Err(e) => Err(e),
            },
            other => other,
        };
        made?;
        self.owner(path, entry);
        work.directories.push(Directory { path: path.to_vec(), mode, mtime: entry.mtime });
        Ok(())
    }

    fn regular(&mut self, reader: &mut Reader, path: &[u8], entry: &Entry) -> Result<(), Broken> {
        let mode = entry.mode & self.mode_mask();
        let how = match self.settings.keep {
            Keep::Overwrite => OpenFlags::TRUNC,
            _ => OpenFlags::EXCL,
        };
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | how | OpenFlags::NOFOLLOW | OpenFlags::CLOEXEC;
        // Nobody else looks into it before it is whole and has its owner.
        let until_then = if self.settings.same_owner { mode & 0o700 } else { mode & 0o777 } | 0o600;
        let file = match self.retry(path, |p| open(p, flags, until_then)) {
            Ok(file) => file,
            Err(e) => {
                report::error(format_args!("{}: Cannot open: {e}", shown(path)));
                self.status = 2;
                return Ok(());
            }
        };
        let written = match &entry.sparse {
            None => self.copy(reader, file.raw())?,
            Some((map, size)) => self.holes(reader, file.raw(), map, *size)?,
        };
        if let Err(e) = written {
            report::error(format_args!("{}: Cannot write: {e}", shown(path)));
            self.status = 2;
            return Ok(());
        }
        self.owner(path, entry);
        let _ = fchmod(file.raw(), mode);
        if !self.settings.touch {
            let _ = futimens(file.raw(), SetTime::Now, SetTime::At(entry.mtime));
        }
        if let Err(e) = file.close() {
            report::error(format_args!("{}: Cannot close: {e}", shown(path)));
            self.status = 2;
        }
        Ok(())
    }

    fn copy(&self, reader: &mut Reader, fd: i32) -> Result<Result<(), Errno>, Broken> {
        let mut out = Out::new(fd);
        loop {
            let data = match reader.data() {
                Ok(data) => data,
                Err(broken) => {
                    // What there was of it stays.
                    let _ = out.flush();
                    return Err(broken);
                }
            };
            if data.is_empty() {
                return Ok(out.flush());
            }
            out.write(data);
            if let Some(e) = out.error() {
                return Ok(Err(e));
            }
        }
    }

    fn holes(&self, reader: &mut Reader, fd: i32, map: &[(u64, u64)], size: u64) -> Result<Result<(), Errno>, Broken> {
        let mut pieces = map.iter().copied();
        let (mut at, mut left) = pieces.next().unwrap_or((0, 0));
        loop {
            let mut data = reader.data()?;
            if data.is_empty() {
                return Ok(ftruncate(fd, size));
            }
            while !data.is_empty() {
                while left == 0 {
                    match pieces.next() {
                        Some(piece) => (at, left) = piece,
                        None => return Ok(Err(Errno::EINVAL)),
                    }
                }
                let n = data.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                match pwrite(fd, &data[..n], at) {
                    Ok(0) => return Ok(Err(Errno::EIO)),
                    Ok(done) => {
                        at = at.saturating_add(done as u64);
                        left -= done as u64;
                        data = &data[done..];
                    }
                    Err(e) => return Ok(Err(e)),
                }
            }
        }
    }

    fn symlink(&mut self, path: &[u8], entry: &Entry, work: &mut Extraction) -> Result<(), Errno> {
        let target = transformed(&self.settings.transforms, &entry.link, SYMBOLIC_LINKS);
        if leads_out(&target) && !self.settings.absolute {
            let mtime = (!self.settings.touch).then_some(entry.mtime);
            return self.retry(path, |p| work.links.add(p, &target, mtime));
        }
        self.retry(path, |p| symlink(&target, p))?;
        if !self.settings.touch {
            let _ = utimens_at(AT_FDCWD, path, SetTime::Now, SetTime::At(entry.mtime), AT_SYMLINK_NOFOLLOW);
        }
        Ok(())
    }

    fn hard_link(&mut self, path: &[u8], entry: &Entry, work: &mut Extraction) -> Result<(), Errno> {
        let target = transformed(&self.settings.transforms, &entry.link, HARD_LINKS);
        let mut target = strip(&target, self.settings.strip).to_vec();
        if !self.settings.absolute {
            target = work.prefixes.remove(&target, true).to_vec();
        }
        if let Some(top) = &self.settings.top_level {
            target = join(top, &target);
        }
        // Another name for what is already that file is no mistake.
        let same = |a: &[u8], b: &[u8]| match (lstat(a), lstat(b)) {
            (Ok(a), Ok(b)) => (a.dev, a.ino) == (b.dev, b.ino),
            _ => false,
        };
        if same(&target, path) {
            return Ok(());
        }
        self.retry(path, |p| link(&target, p, 0))?;
        work.links.linked(&target, path);
        Ok(())
    }

    /// Ours stay ours unless we may give them away.
    fn owner(&self, path: &[u8], entry: &Entry) {
        if !self.settings.same_owner {
            return;
        }
        let uid = u32::try_from(entry.uid).ok();
        let gid = u32::try_from(entry.gid).ok();
        let wanted =
            (self.settings.owner_ids(&entry.user, true).or(uid), self.settings.owner_ids(&entry.group, false).or(gid));
        let Ok(found) = lstat(path) else { return };
        if (Some(found.uid), Some(found.gid)) != wanted {
            let _ = chown_at(AT_FDCWD, path, wanted.0, wanted.1, AT_SYMLINK_NOFOLLOW);
        }
    }

    /// Links that had to wait, and directories from the innermost out.
    pub fn finish_extraction(&mut self, work: Extraction) {
        work.links.finish(|path, target, late| {
            if let Late::Failed(e) = late {
                report::error(format_args!("{}: Cannot create symlink to {}: {e}", shown(path), locale(target)));
                self.status = 2;
            }
        });
        for directory in work.directories.iter().rev() {
            let _ = chmod(&directory.path, directory.mode);
            if !self.settings.touch {
                let _ = utimens_at(
                    AT_FDCWD,
                    &directory.path,
                    SetTime::At(now()),
                    SetTime::At(directory.mtime),
                    AT_SYMLINK_NOFOLLOW,
                );
            }
        }
    }
}

/// A directory with all that is in it. An explicit stack: trees may be deep.
fn remove_tree(path: &[u8]) -> Result<(), Errno> {
    let mut waiting = vec![(path.to_vec(), false)];
    while let Some((dir, emptied)) = waiting.pop() {
        if emptied {
            rmdir(&dir)?;
            continue;
        }
        waiting.push((dir.clone(), true));
        for entry in capsule_sys::read_dir(&dir)? {
            let entry = entry?;
            let child = join(&dir, &entry.name);
            match entry.kind {
                FileType::Directory => waiting.push((child, false)),
                _ => unlink(&child)?,
            }
        }
    }
    Ok(())
}

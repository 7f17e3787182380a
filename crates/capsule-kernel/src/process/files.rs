//! The calls that take a path. Each resolves it relative to a directory descriptor and asks the filesystem once.

use super::Process;
use super::descriptors::descriptor_path;
use capsule_abi::Errno;
use capsule_abi::fs::{
    AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW, FileType, FsUsage, MODE_BITS,
    RENAME_EXCHANGE, RENAME_NOREPLACE, SetTime, Stat,
};
use capsule_vfs::{Attributes, OpenNode, Vfs};
use std::sync::Arc;

impl Process {
    fn vfs(&self) -> &Vfs {
        self.kernel.vfs()
    }

    pub fn stat(&self, dirfd: i32, path: &[u8], flags: u32) -> Result<Stat, Errno> {
        only(flags, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)?;
        if path.is_empty() && flags & AT_EMPTY_PATH != 0 {
            return self.stat_descriptor(dirfd);
        }
        let follow = flags & AT_SYMLINK_NOFOLLOW == 0;
        if follow && let Some(fd) = descriptor_path(path) {
            return self.description(fd).map_err(|_| Errno::ENOENT)?.stat();
        }
        let at = self.at_for(dirfd, path)?;
        match self.vfs().stat(&self.caller(), at.place(), path, follow) {
            Err(Errno::ENOENT) if follow => {
                let fd = self.linked_descriptor(at.place(), path).ok_or(Errno::ENOENT)?;
                self.description(fd).map_err(|_| Errno::ENOENT)?.stat()
            }
            outcome => outcome,
        }
    }

    fn stat_descriptor(&self, fd: i32) -> Result<Stat, Errno> {
        match fd {
            AT_FDCWD => self.vfs().stat_place(self.caller().cwd),
            fd => self.description(fd)?.stat(),
        }
    }

    pub fn statfs(&self, dirfd: i32, path: &[u8]) -> Result<FsUsage, Errno> {
        let at = self.at_for(dirfd, path)?;
        let place = self.vfs().resolve(&self.caller(), at.place(), path, true)?;
        self.vfs().usage(place)
    }

    pub fn access(&self, dirfd: i32, path: &[u8], mode: u32, flags: u32) -> Result<(), Errno> {
        only(flags, AT_SYMLINK_NOFOLLOW)?;
        if mode > 7 {
            return Err(Errno::EINVAL);
        }
        if let Some(fd) = descriptor_path(path) {
            return self.description(fd).map(drop).map_err(|_| Errno::ENOENT);
        }
        let at = self.at_for(dirfd, path)?;
        let follow = flags & AT_SYMLINK_NOFOLLOW == 0;
        match self.vfs().access(&self.caller(), at.place(), path, mode, follow) {
            Err(Errno::ENOENT) if follow && self.linked_descriptor(at.place(), path).is_some() => Ok(()),
            outcome => outcome,
        }
    }

    pub fn chmod(&self, dirfd: i32, path: &[u8], mode: u32, flags: u32) -> Result<(), Errno> {
        only(flags, AT_EMPTY_PATH)?;
        self.set_attributes(dirfd, path, flags, &Attributes { mode: Some(mode & MODE_BITS), ..Attributes::default() })
    }

    /// `u32::MAX` keeps an id, as -1 does in C.
    pub fn chown(&self, dirfd: i32, path: &[u8], uid: u32, gid: u32, flags: u32) -> Result<(), Errno> {
        only(flags, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)?;
        let id = |id: u32| (id != u32::MAX).then_some(id);
        self.set_attributes(dirfd, path, flags, &Attributes { uid: id(uid), gid: id(gid), ..Attributes::default() })
    }

    pub fn utimens(&self, dirfd: i32, path: &[u8], atime: SetTime, mtime: SetTime, flags: u32) -> Result<(), Errno> {
        only(flags, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)?;
        self.set_attributes(dirfd, path, flags, &Attributes { atime, mtime, ..Attributes::default() })
    }

    pub fn truncate(&self, dirfd: i32, path: &[u8], size: i64) -> Result<(), Errno> {
        let size = u64::try_from(size).map_err(|_| Errno::EINVAL)?;
        self.set_attributes(dirfd, path, 0, &Attributes { size: Some(size), ..Attributes::default() })
    }

    fn set_attributes(&self, dirfd: i32, path: &[u8], flags: u32, attributes: &Attributes) -> Result<(), Errno> {
        if path.is_empty() && flags & AT_EMPTY_PATH != 0 {
            return self.description(dirfd)?.set_attributes(&self.credentials(), attributes);
        }
        let at = self.at_for(dirfd, path)?;
        let follow = flags & AT_SYMLINK_NOFOLLOW == 0;
        self.vfs().set_attributes(&self.caller(), at.place(), path, follow, attributes)
    }

    pub fn mkdir(&self, dirfd: i32, path: &[u8], mode: u32) -> Result<(), Errno> {
        let at = self.at_for(dirfd, path)?;
        self.vfs().mkdir(&self.caller(), at.place(), path, mode & MODE_BITS)
    }

    pub fn mkfifo(&self, dirfd: i32, path: &[u8], mode: u32) -> Result<(), Errno> {
        let at = self.at_for(dirfd, path)?;
        self.vfs().mkfifo(&self.caller(), at.place(), path, mode & MODE_BITS)
    }

    pub fn symlink(&self, target: &[u8], dirfd: i32, path: &[u8]) -> Result<(), Errno> {
        let at = self.at_for(dirfd, path)?;
        self.vfs().symlink(&self.caller(), target, at.place(), path)
    }

    pub fn readlink(&self, dirfd: i32, path: &[u8]) -> Result<Vec<u8>, Errno> {
        let at = self.at_for(dirfd, path)?;
        self.vfs().read_link(&self.caller(), at.place(), path)
    }

    pub fn link(&self, dirfd: i32, path: &[u8], to_dirfd: i32, to_path: &[u8], flags: u32) -> Result<(), Errno> {
        only(flags, AT_SYMLINK_FOLLOW)?;
        let (at, to) = (self.at_for(dirfd, path)?, self.at_for(to_dirfd, to_path)?);
        let follow = flags & AT_SYMLINK_FOLLOW != 0;
        self.vfs().link(&self.caller(), at.place(), path, to.place(), to_path, follow)
    }

    pub fn unlink(&self, dirfd: i32, path: &[u8], flags: u32) -> Result<(), Errno> {
        only(flags, AT_REMOVEDIR)?;
        let at = self.at_for(dirfd, path)?;
        match flags & AT_REMOVEDIR {
            0 => self.vfs().unlink(&self.caller(), at.place(), path),
            _ => self.vfs().remove_dir(&self.caller(), at.place(), path),
        }
    }

    pub fn rename(&self, dirfd: i32, path: &[u8], to_dirfd: i32, to_path: &[u8], flags: u32) -> Result<(), Errno> {
        only(flags, RENAME_NOREPLACE | RENAME_EXCHANGE)?;
        let (at, to) = (self.at_for(dirfd, path)?, self.at_for(to_dirfd, to_path)?);
        self.vfs().rename(&self.caller(), at.place(), path, to.place(), to_path, flags)
    }

    pub fn chdir(&self, path: &[u8]) -> Result<(), Errno> {
        let cwd = self.vfs().open_cwd(&self.caller(), None, path)?;
        self.set_cwd(cwd);
        Ok(())
    }

    pub fn fchdir(&self, fd: i32) -> Result<(), Errno> {
        let description = self.description(fd)?;
        if description.file_type() != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        let place = description.node().ok_or(Errno::ENOTDIR)?.place();
        let cwd = self.vfs().open_cwd(&self.caller(), Some(place), b".")?;
        self.set_cwd(cwd);
        Ok(())
    }

    pub(super) fn set_cwd(&self, cwd: OpenNode) {
        let old = self.context.lock().cwd.replace(Arc::new(cwd));
        drop(old);
    }

    /// `ENOENT` when the working directory has been removed.
    pub fn getcwd(&self) -> Result<Vec<u8>, Errno> {
        self.vfs().path_of(self.caller().cwd).ok_or(Errno::ENOENT)
    }

    /// Sets the umask; the old one.
    pub fn umask(&self, mask: u32) -> u32 {
        std::mem::replace(&mut self.context.lock().umask, mask & 0o777)
    }

    /// An absolute path needs no directory, and whatever descriptor came with it is not looked at.
    fn at_for(&self, dirfd: i32, path: &[u8]) -> Result<super::descriptors::At, Errno> {
        self.at(if path.starts_with(b"/") { AT_FDCWD } else { dirfd })
    }
}

/// Flags beyond those a call knows are an error, as on Linux: ignoring them would change what was asked.
fn only(flags: u32, known: u32) -> Result<(), Errno> {
    if flags & !known == 0 { Ok(()) } else { Err(Errno::EINVAL) }
}

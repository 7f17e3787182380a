//! What a node's metadata are, as a guest sees them, and how they are changed.

use super::{Errno, HostDir, HostErrno, LOOK, NodeId, Result, errno};
use crate::Attributes;
use capsule_abi::fs::{FileType, MODE_BITS, S_ISVTX, SetTime, Stat, Time};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use std::sync::Arc;

/// What a guest may set on the host: never set-user-id or set-group-id.
const SETTABLE: u32 = 0o777 | S_ISVTX;

/// The host's answer without what is none of the guest's business: owners and device numbers.
pub fn shown(stat: &rustix::fs::Stat) -> Stat {
    let time = |sec: i64, nsec: u64| Time { sec, nsec: nsec.try_into().unwrap_or(0) };
    Stat {
        dev: 0,
        ino: stat.st_ino,
        kind: super::identity(stat).kind,
        mode: stat.st_mode & MODE_BITS,
        nlink: stat.st_nlink.try_into().unwrap_or(u32::MAX),
        uid: 0,
        gid: 0,
        rdev: 0,
        size: stat.st_size.try_into().unwrap_or(0),
        blocks: stat.st_blocks.try_into().unwrap_or(0),
        atime: time(stat.st_atime, stat.st_atime_nsec),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec),
        ctime: time(stat.st_ctime, stat.st_ctime_nsec),
    }
}

/// The permission bits a guest asked for, as far as it may have them.
pub fn settable(mode: u32) -> Mode {
    Mode::from_raw_mode(mode & SETTABLE)
}

/// Gives a node just made, opened for reading, the mode it should have: the host's umask may have cut it. A
/// set-group-id bit it inherited from the user's own folder stays.
pub fn set_new_mode(fd: BorrowedFd<'_>, mode: u32) -> Result<rustix::fs::Stat, HostErrno> {
    let stat = rustix::fs::fstat(fd)?;
    let wanted = (mode & SETTABLE) | (stat.st_mode & 0o2000);
    if stat.st_mode & MODE_BITS == wanted {
        return Ok(stat);
    }
    rustix::fs::fchmod(fd, Mode::from_raw_mode(wanted))?;
    rustix::fs::fstat(fd)
}

impl HostDir {
    fn held(&self, node: NodeId) -> Option<Arc<OwnedFd>> {
        self.table.lock().get(node.0).and_then(|n| n.held.any().cloned())
    }

    /// A descriptor good for looking at a node: the one kept, or one opened by its name.
    pub(super) fn look(&self, node: NodeId) -> Result<Arc<OwnedFd>> {
        match self.held(node) {
            Some(fd) => Ok(fd),
            None => Ok(Arc::new(self.open_node(node, LOOK)?.0)),
        }
    }

    pub(super) fn host_stat(&self, node: NodeId) -> Result<rustix::fs::Stat> {
        match self.held(node) {
            Some(fd) => rustix::fs::fstat(fd).map_err(errno),
            None => Ok(self.open_node(node, LOOK)?.1),
        }
    }

    pub(super) fn change_attributes(&self, node: NodeId, wanted: &Attributes) -> Result<()> {
        self.writable()?;
        let kind = self.identity_of(node)?.kind;
        // All nodes belong to the session's own user, and that cannot be changed.
        if wanted.uid.is_some_and(|uid| uid != 0) || wanted.gid.is_some_and(|gid| gid != 0) {
            return Err(Errno::EPERM);
        }
        match kind {
            FileType::Regular => {}
            FileType::Directory if wanted.size.is_some() => return Err(Errno::EISDIR),
            FileType::Directory => {}
            FileType::Symlink if wanted.size.is_some() => return Err(Errno::EINVAL),
            FileType::Symlink if wanted.mode.is_some() => return Err(Errno::EOPNOTSUPP),
            FileType::Symlink => {}
            _ => return Err(Errno::EPERM),
        }
        self.touch(node);
        if let Some(size) = wanted.size {
            self.truncate(node, size)?;
        }
        if let Some(mode) = wanted.mode {
            self.set_mode(node, settable(mode), kind)?;
        }
        if (wanted.atime, wanted.mtime) != (SetTime::Omit, SetTime::Omit) {
            self.set_times(node, wanted.atime, wanted.mtime)?;
        }
        Ok(())
    }

    fn set_mode(&self, node: NodeId, mode: Mode, kind: FileType) -> Result<()> {
        let directory = if kind == FileType::Directory { OFlags::DIRECTORY } else { OFlags::empty() };
        if kind == FileType::Regular {
            // Who has it open for writing goes on writing when the new mode forbids it.
            self.keep_writer(node);
        }
        match self.open_node(node, OFlags::RDONLY | directory) {
            Ok((fd, _)) => return rustix::fs::fchmod(fd, mode).map_err(errno),
            Err(Errno::EACCES | Errno::ENOENT | Errno::ESTALE) => {}
            Err(other) => return Err(other),
        }
        // Without a name, or not ours to read: through any descriptor of it. An O_PATH one cannot be given to fchmod,
        // but its entry in /proc leads to this very node, which is known to be no link.
        let fd = self.look(node)?;
        match rustix::fs::fchmod(&fd, mode) {
            Err(HostErrno::BADF) => {
                rustix::fs::chmodat(rustix::fs::CWD, proc_path(fd.as_fd()), mode, AtFlags::empty()).map_err(errno)
            }
            answer => answer.map_err(errno),
        }
    }

    fn set_times(&self, node: NodeId, atime: SetTime, mtime: SetTime) -> Result<()> {
        let times = Timestamps { last_access: timespec(atime), last_modification: timespec(mtime) };
        let fd = self.look(node)?;
        rustix::fs::utimensat(fd, c"", &times, AtFlags::EMPTY_PATH).map_err(errno)
    }
}

/// The magic link of an open descriptor.
pub fn proc_path(fd: BorrowedFd<'_>) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

fn timespec(time: SetTime) -> Timespec {
    match time {
        SetTime::Omit => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        SetTime::Now => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        // Below a second by the type's promise; more would be read as one of the two words above.
        SetTime::At(Time { sec, nsec }) => Timespec { tv_sec: sec, tv_nsec: nsec.min(999_999_999).into() },
    }
}

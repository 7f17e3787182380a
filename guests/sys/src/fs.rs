//! Files by name. The plain calls work from the working directory; those ending in `_at` take a directory descriptor.

use crate::{Errno, Fd, Result, check, raw};
use capsule_abi::fs::{
    AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, DirEntry, FsUsage, OpenFlags, PATH_MAX, SetTime, Stat,
};
use capsule_abi::wire::{Reader, Writer};

/// Opens as the lowest free descriptor. `mode` counts when the file is made, under the umask.
pub fn open(path: &[u8], flags: OpenFlags, mode: u32) -> Result<Fd> {
    open_at(AT_FDCWD, path, flags, mode)
}

/// The same, but never as a standard descriptor: where one of those is closed, a file is not taken for it.
pub fn open_apart(path: &[u8], flags: OpenFlags, mode: u32) -> Result<Fd> {
    let file = open(path, flags, mode)?;
    if file.raw() > crate::STDERR {
        return Ok(file);
    }
    crate::fd::dup(file.raw(), crate::STDERR + 1, flags.0 & OpenFlags::CLOEXEC.0 != 0).map(Fd::new)
}

pub fn open_at(dir: i32, path: &[u8], flags: OpenFlags, mode: u32) -> Result<Fd> {
    check(raw::open(dir, path, flags.0, mode)).map(Fd::new)
}

/// Follows a symbolic link at the end.
pub fn stat(path: &[u8]) -> Result<Stat> {
    stat_at(AT_FDCWD, path, 0)
}

pub fn lstat(path: &[u8]) -> Result<Stat> {
    stat_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
}

pub fn fstat(fd: i32) -> Result<Stat> {
    stat_at(fd, b"", AT_EMPTY_PATH)
}

/// `flags`: `AT_SYMLINK_NOFOLLOW`, `AT_EMPTY_PATH`.
pub fn stat_at(dir: i32, path: &[u8], flags: u32) -> Result<Stat> {
    let mut out = [0; Stat::WIRE];
    check(raw::stat(dir, path, flags, &mut out))?;
    Stat::from_wire(&out).map_err(|_| Errno::EIO)
}

pub fn statfs(path: &[u8]) -> Result<FsUsage> {
    let mut out = [0; FsUsage::WIRE];
    check(raw::statfs(AT_FDCWD, path, &mut out))?;
    FsUsage::from_wire(&out).map_err(|_| Errno::EIO)
}

/// Whether the process may: `R_OK`, `W_OK`, `X_OK` together, or `F_OK`.
pub fn access(path: &[u8], mode: u32) -> Result<()> {
    access_at(AT_FDCWD, path, mode, 0)
}

pub fn access_at(dir: i32, path: &[u8], mode: u32, flags: u32) -> Result<()> {
    check(raw::access(dir, path, mode, flags)).map(drop)
}

pub fn chmod(path: &[u8], mode: u32) -> Result<()> {
    chmod_at(AT_FDCWD, path, mode, 0)
}

pub fn fchmod(fd: i32, mode: u32) -> Result<()> {
    chmod_at(fd, b"", mode, AT_EMPTY_PATH)
}

pub fn chmod_at(dir: i32, path: &[u8], mode: u32, flags: u32) -> Result<()> {
    check(raw::chmod(dir, path, mode, flags)).map(drop)
}

/// `None` keeps what is. `flags`: `AT_SYMLINK_NOFOLLOW`, `AT_EMPTY_PATH`.
pub fn chown_at(dir: i32, path: &[u8], uid: Option<u32>, gid: Option<u32>, flags: u32) -> Result<()> {
    let id = |id: Option<u32>| id.map_or(-1, |id| id as i32);
    check(raw::chown(dir, path, id(uid), id(gid), flags)).map(drop)
}

pub fn chown(path: &[u8], uid: Option<u32>, gid: Option<u32>) -> Result<()> {
    chown_at(AT_FDCWD, path, uid, gid, 0)
}

pub fn utimens(path: &[u8], access: SetTime, modification: SetTime) -> Result<()> {
    utimens_at(AT_FDCWD, path, access, modification, 0)
}

pub fn futimens(fd: i32, access: SetTime, modification: SetTime) -> Result<()> {
    utimens_at(fd, b"", access, modification, AT_EMPTY_PATH)
}

pub fn utimens_at(dir: i32, path: &[u8], access: SetTime, modification: SetTime, flags: u32) -> Result<()> {
    let mut w = Writer::with_capacity(2 * SetTime::WIRE);
    access.write(&mut w);
    modification.write(&mut w);
    let wire = w.finish().try_into().map_err(|_| Errno::EINVAL)?;
    check(raw::utimens(dir, path, &wire, flags)).map(drop)
}

pub fn truncate(path: &[u8], size: u64) -> Result<()> {
    check(raw::truncate(AT_FDCWD, path, size as i64)).map(drop)
}

pub fn mkdir(path: &[u8], mode: u32) -> Result<()> {
    mkdir_at(AT_FDCWD, path, mode)
}

pub fn mkdir_at(dir: i32, path: &[u8], mode: u32) -> Result<()> {
    check(raw::mkdir(dir, path, mode)).map(drop)
}

pub fn mkfifo(path: &[u8], mode: u32) -> Result<()> {
    check(raw::mkfifo(AT_FDCWD, path, mode)).map(drop)
}

pub fn symlink(target: &[u8], path: &[u8]) -> Result<()> {
    symlink_at(target, AT_FDCWD, path)
}

pub fn symlink_at(target: &[u8], dir: i32, path: &[u8]) -> Result<()> {
    check(raw::symlink(target, dir, path)).map(drop)
}

pub fn readlink(path: &[u8]) -> Result<Vec<u8>> {
    readlink_at(AT_FDCWD, path)
}

pub fn readlink_at(dir: i32, path: &[u8]) -> Result<Vec<u8>> {
    let mut buf = vec![0; PATH_MAX];
    let n = check(raw::readlink(dir, path, &mut buf))?;
    buf.truncate(n as usize);
    Ok(buf)
}

/// A second name for a file. `flags`: `AT_SYMLINK_FOLLOW`.
pub fn link(path: &[u8], new: &[u8], flags: u32) -> Result<()> {
    check(raw::link(AT_FDCWD, path, AT_FDCWD, new, flags)).map(drop)
}

pub fn unlink(path: &[u8]) -> Result<()> {
    unlink_at(AT_FDCWD, path, 0)
}

pub fn rmdir(path: &[u8]) -> Result<()> {
    unlink_at(AT_FDCWD, path, AT_REMOVEDIR)
}

/// `flags`: `AT_REMOVEDIR`.
pub fn unlink_at(dir: i32, path: &[u8], flags: u32) -> Result<()> {
    check(raw::unlink(dir, path, flags)).map(drop)
}

pub fn rename(path: &[u8], new: &[u8]) -> Result<()> {
    rename_at(AT_FDCWD, path, AT_FDCWD, new, 0)
}

/// `flags`: `RENAME_NOREPLACE`, `RENAME_EXCHANGE`.
pub fn rename_at(dir: i32, path: &[u8], dir2: i32, new: &[u8], flags: u32) -> Result<()> {
    check(raw::rename(dir, path, dir2, new, flags)).map(drop)
}

pub fn chdir(path: &[u8]) -> Result<()> {
    check(raw::chdir(path)).map(drop)
}

pub fn fchdir(fd: i32) -> Result<()> {
    check(raw::fchdir(fd)).map(drop)
}

pub fn getcwd() -> Result<Vec<u8>> {
    let mut buf = vec![0; PATH_MAX];
    let n = check(raw::getcwd(&mut buf))?;
    buf.truncate(n as usize);
    Ok(buf)
}

/// Sets the mask of new files; the one before.
pub fn umask(mask: u32) -> u32 {
    raw::umask(mask as i32) as u32
}

/// The bytes one `getdents` call asks for.
const DIR_BLOCK: usize = 32 * 1024;

/// The entries of an open directory, `.` and `..` left out.
pub struct Dir {
    fd: Fd,
    block: Vec<u8>,
    at: usize,
    filled: usize,
    ended: bool,
}

impl Dir {
    /// Reads the directory this descriptor stands for, and closes it in the end.
    pub fn new(fd: Fd) -> Dir {
        Dir { fd, block: Vec::new(), at: 0, filled: 0, ended: false }
    }

    pub fn open(path: &[u8]) -> Result<Dir> {
        let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY | OpenFlags::CLOEXEC;
        Ok(Dir::new(open(path, flags, 0)?))
    }

    pub fn fd(&self) -> i32 {
        self.fd.raw()
    }

    /// The descriptor, for those who go on with it.
    pub fn into_fd(self) -> Fd {
        self.fd
    }

    fn read(&mut self) -> Result<Option<DirEntry>> {
        if self.at == self.filled {
            if self.block.is_empty() {
                self.block.resize(DIR_BLOCK, 0);
            }
            self.at = 0;
            self.filled = 0;
            self.filled = check(raw::getdents(self.fd.raw(), &mut self.block))? as usize;
            if self.filled == 0 {
                return Ok(None);
            }
        }
        let rest = self.block.get(self.at..self.filled).ok_or(Errno::EIO)?;
        let entry = DirEntry::read(&mut Reader::new(rest)).map_err(|_| Errno::EIO)?;
        self.at += DirEntry::wire_len(&entry.name);
        Ok(Some(entry))
    }
}

impl Iterator for Dir {
    type Item = Result<DirEntry>;

    fn next(&mut self) -> Option<Result<DirEntry>> {
        while !self.ended {
            match self.read() {
                Ok(Some(entry)) if entry.name == b"." || entry.name == b".." => {}
                Ok(Some(entry)) => return Some(Ok(entry)),
                Ok(None) => self.ended = true,
                Err(e) => {
                    self.ended = true;
                    return Some(Err(e));
                }
            }
        }
        None
    }
}

/// The entries of a directory by name.
pub fn read_dir(path: &[u8]) -> Result<Dir> {
    Dir::open(path)
}

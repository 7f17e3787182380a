//! The same operations by the kernel of the machine, in a temporary folder.

use crate::ops::{HANDLES, Op, Outcome, Start, Subject, Value};
use crate::vfs::DEPTH;
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags};
use rustix::fs::{self, AtFlags, CWD, Mode, OFlags, RenameFlags, Timespec, Timestamps};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

pub struct OnKernel {
    base: OwnedFd,
    handles: [Option<(OwnedFd, OpenFlags)>; HANDLES],
    _folder: Option<tempfile::TempDir>,
}

fn errno(errno: rustix::io::Errno) -> Errno {
    Errno::from_linux(errno.raw_os_error()).unwrap_or_else(|| panic!("an errno that is not known: {errno:?}"))
}

impl OnKernel {
    pub fn new() -> OnKernel {
        // The model applies a umask of 022 in every world; modes are compared.
        rustix::process::umask(Mode::from_raw_mode(0o022));
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(folder.path().join("x/".repeat(DEPTH))).expect("the base directory");
        let on = OnKernel::in_folder(folder.path());
        OnKernel { _folder: Some(folder), ..on }
    }

    /// In a folder that has the base directory already.
    pub fn in_folder(folder: &Path) -> OnKernel {
        let base = folder.join("x/".repeat(DEPTH));
        let base = fs::openat(CWD, &base, OFlags::DIRECTORY, Mode::empty()).expect("the base directory");
        OnKernel { base, handles: Default::default(), _folder: None }
    }

    fn start(&self, start: Start) -> BorrowedFd<'_> {
        let handle = start.and_then(|handle| self.handles[handle].as_ref());
        let dir = handle.filter(|(fd, _)| fs::fstat(fd).is_ok_and(|stat| kind(stat.st_mode) == FileType::Directory));
        dir.map_or(self.base.as_fd(), |(fd, _)| fd.as_fd())
    }

    fn with(&self, handle: usize, call: impl FnOnce(&OwnedFd) -> rustix::io::Result<Value>) -> Outcome {
        match &self.handles[handle] {
            None => Ok(Value::Closed),
            Some((fd, _)) => call(fd).map_err(errno),
        }
    }
}

fn kind(mode: u32) -> FileType {
    FileType::from_mode(mode).expect("a kind")
}

fn stat_value(stat: &fs::Stat, mtime: bool) -> Value {
    let dir = kind(stat.st_mode) == FileType::Directory;
    Value::Stat {
        kind: kind(stat.st_mode),
        mode: stat.st_mode & 0o7777,
        nlink: if dir { 0 } else { stat.st_nlink as u32 },
        size: if dir { 0 } else { stat.st_size as u64 },
        mtime: mtime.then_some(stat.st_mtime),
    }
}

fn nofollow(follow: bool) -> AtFlags {
    if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
}

/// `pwrite` until all is written, as the kernel may stop early only for reasons that are none here.
fn write_all(fd: &OwnedFd, mut offset: u64, data: &[u8]) -> rustix::io::Result<Value> {
    let mut done = rustix::io::pwrite(fd, data, offset)?;
    while done < data.len() {
        offset += done as u64;
        done += rustix::io::pwrite(fd, &data[done..], offset)?;
    }
    Ok(Value::Count(data.len()))
}

impl Subject for OnKernel {
    fn apply(&mut self, op: &Op) -> Outcome {
        let base = self.base.as_fd();
        let done = |result: rustix::io::Result<()>| result.map(|()| Value::Nothing).map_err(errno);
        match op {
            Op::Open { start, path, flags, mode, handle } => {
                let raw = OFlags::from_bits_retain(flags.0) | OFlags::CLOEXEC;
                let fd = fs::openat(self.start(*start), path.as_slice(), raw, Mode::from_raw_mode(*mode));
                self.handles[*handle] = Some((fd.map_err(errno)?, *flags));
                Ok(Value::Nothing)
            }
            Op::Close { handle } => {
                self.handles[*handle] = None;
                Ok(Value::Nothing)
            }
            Op::Read { handle, offset, len } => self.with(*handle, |fd| {
                let mut buf = vec![0; *len];
                let n = rustix::io::pread(fd, &mut buf[..], *offset)?;
                Ok(Value::Bytes(buf[..n].to_vec()))
            }),
            Op::Write { handle, offset, byte, len } => {
                self.with(*handle, |fd| write_all(fd, *offset, &vec![*byte; *len]))
            }
            Op::Append { handle, byte, len } => {
                self.with(*handle, |fd| write_all(fd, fs::fstat(fd)?.st_size as u64, &vec![*byte; *len]))
            }
            Op::SetLen { handle, size } => self.with(*handle, |fd| fs::ftruncate(fd, *size).map(|()| Value::Nothing)),
            Op::StatHandle { handle } => self.with(*handle, |fd| Ok(stat_value(&fs::fstat(fd)?, false))),
            Op::ChmodHandle { handle, mode } => {
                self.with(*handle, |fd| fs::fchmod(fd, Mode::from_raw_mode(*mode)).map(|()| Value::Nothing))
            }
            Op::Mkdir { start, path, mode } => {
                done(fs::mkdirat(self.start(*start), path.as_slice(), Mode::from_raw_mode(*mode)))
            }
            Op::RemoveDir { start, path } => {
                done(fs::unlinkat(self.start(*start), path.as_slice(), AtFlags::REMOVEDIR))
            }
            Op::Unlink { start, path } => done(fs::unlinkat(self.start(*start), path.as_slice(), AtFlags::empty())),
            Op::Symlink { target, start, path } => {
                done(fs::symlinkat(target.as_slice(), self.start(*start), path.as_slice()))
            }
            Op::Link { path, to, follow } => {
                let flags = if *follow { AtFlags::SYMLINK_FOLLOW } else { AtFlags::empty() };
                done(fs::linkat(base, path.as_slice(), base, to.as_slice(), flags))
            }
            Op::Rename { start, path, to, flags } => {
                let flags = RenameFlags::from_bits_retain(*flags);
                done(fs::renameat_with(self.start(*start), path.as_slice(), base, to.as_slice(), flags))
            }
            Op::Chmod { path, mode } => {
                done(fs::chmodat(base, path.as_slice(), Mode::from_raw_mode(*mode), AtFlags::empty()))
            }
            Op::Truncate { path, size } => {
                // There is no truncateat; opening for writing makes the same checks.
                let fd = fs::openat(base, path.as_slice(), OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
                done(fd.and_then(|fd| fs::ftruncate(&fd, *size)))
            }
            Op::SetTime { path, seconds, follow } => {
                let time = Timespec { tv_sec: *seconds, tv_nsec: 0 };
                let times = Timestamps { last_access: time, last_modification: time };
                fs::utimensat(base, path.as_slice(), &times, nofollow(*follow)).map_err(errno)?;
                let stat = fs::statat(base, path.as_slice(), nofollow(*follow)).map_err(errno)?;
                Ok(stat_value(&stat, true))
            }
            Op::Stat { start, path, follow } => {
                let stat = fs::statat(self.start(*start), path.as_slice(), nofollow(*follow)).map_err(errno)?;
                Ok(stat_value(&stat, false))
            }
            Op::ReadLink { path } => {
                let target = fs::readlinkat(base, path.as_slice(), Vec::new()).map_err(errno)?;
                Ok(Value::Bytes(target.into_bytes()))
            }
            Op::ReadDir { start, path } => {
                let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
                let dir = fs::openat(self.start(*start), path.as_slice(), flags, Mode::empty()).map_err(errno)?;
                let mut names = Vec::new();
                for entry in fs::Dir::read_from(&dir).map_err(errno)? {
                    let name = entry.map_err(errno)?.file_name().to_bytes().to_vec();
                    let stat = fs::statat(&dir, name.as_slice(), AtFlags::SYMLINK_NOFOLLOW).map_err(errno)?;
                    names.push((name, kind(stat.st_mode)));
                }
                names.sort_by(|a, b| a.0.cmp(&b.0));
                Ok(Value::Names(names))
            }
        }
    }
}

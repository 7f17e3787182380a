//! Everything that takes a path. Permissions of what is made are Linux's usual ones, under the process's umask.

#![expect(clippy::too_many_arguments, reason = "as many as the call has")]

use super::at::{At, at};
use super::wire;
use crate::call::{Call, Guest, answer};
use capsule_abi::Errno;
use capsule_abi::fs::{AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW, OpenFlags};
use capsule_abi::wasi::*;

const DIRECTORY_MODE: u32 = 0o777;
const FILE_MODE: u32 = 0o666;

/// Descriptors that `path_open` answers begin above the preopened directory.
const LEAST_FD: i32 = PREOPEN_FD + 1;

/// What a program asks for that wants to write.
const WRITING: u64 = RIGHTS_FD_WRITE | RIGHTS_FD_ALLOCATE | RIGHTS_FD_FILESTAT_SET_SIZE;
const READING: u64 = RIGHTS_FD_READ | RIGHTS_FD_READDIR;

pub fn path_create_directory(call: Call<'_>, fd: i32, path: i32, len: i32) -> Result<(), Errno> {
    let At { fd, path } = at(&call, fd, path, len)?;
    call.process.mkdir(fd, &path, DIRECTORY_MODE)
}

pub fn path_filestat_get(mut call: Call<'_>, fd: i32, lookup: i32, path: i32, len: i32, out: i32) -> Result<(), Errno> {
    let At { fd, path } = at(&call, fd, path, len)?;
    let stat = call.process.stat(fd, &path, nofollow(lookup))?;
    drop(path);
    call.memory.write(out, &wire::filestat(&stat))
}

pub fn path_filestat_set_times(
    call: Call<'_>,
    fd: i32,
    lookup: i32,
    path: i32,
    len: i32,
    atime: i64,
    mtime: i64,
    flags: i32,
) -> Result<(), Errno> {
    let (atime, mtime) = wire::set_times(atime, mtime, flags)?;
    let At { fd, path } = at(&call, fd, path, len)?;
    call.process.utimens(fd, &path, atime, mtime, nofollow(lookup))
}

pub fn path_link(
    call: Call<'_>,
    fd: i32,
    lookup: i32,
    path: i32,
    len: i32,
    to_fd: i32,
    to_path: i32,
    to_len: i32,
) -> Result<(), Errno> {
    let (from, to) = (at(&call, fd, path, len)?, at(&call, to_fd, to_path, to_len)?);
    let flags = if follows(lookup) { AT_SYMLINK_FOLLOW } else { 0 };
    call.process.link(from.fd, &from.path, to.fd, &to.path, flags)
}

pub async fn path_open(
    guest: &mut Guest<'_>,
    fd: i32,
    lookup: i32,
    path: i32,
    len: i32,
    oflags: i32,
    rights: i64,
    _inheriting: i64,
    fdflags: i32,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    let process = guest.data().process.clone();
    let call = Call::new(guest);
    let decoded = open_flags(lookup, oflags, rights as u64, fdflags).and_then(|flags| {
        call.memory.check(out, 4)?;
        let At { fd, path } = at(&call, fd, path, len)?;
        Ok((fd, path.into_owned(), flags))
    });
    let opened = match decoded {
        Ok((fd, path, flags)) => process.open(fd, &path, flags, FILE_MODE, LEAST_FD).await,
        Err(errno) => Err(errno),
    };
    let outcome = opened.and_then(|fd| Call::new(guest).memory.write_u32(out, fd as u32));
    answer(&process, outcome).await
}

fn open_flags(lookup: i32, oflags: i32, rights: u64, fdflags: i32) -> Result<OpenFlags, Errno> {
    let known = OFLAGS_CREAT | OFLAGS_DIRECTORY | OFLAGS_EXCL | OFLAGS_TRUNC;
    let oflags = u16::try_from(oflags).ok().filter(|flags| flags & !known == 0).ok_or(Errno::EINVAL)?;
    let mut flags = wire::status_flags(fdflags)? | OpenFlags::CLOEXEC;
    for (wasi, linux) in [
        (OFLAGS_CREAT, OpenFlags::CREAT),
        (OFLAGS_DIRECTORY, OpenFlags::DIRECTORY),
        (OFLAGS_EXCL, OpenFlags::EXCL),
        (OFLAGS_TRUNC, OpenFlags::TRUNC),
    ] {
        if oflags & wasi != 0 {
            flags |= linux;
        }
    }
    if !follows(lookup) {
        flags |= OpenFlags::NOFOLLOW;
    }
    // Old programs ask for all rights on a directory, which cannot be written.
    let directory = oflags & OFLAGS_DIRECTORY != 0;
    flags |= match (rights & READING != 0, rights & WRITING != 0 && !directory) {
        (true, true) => OpenFlags::RDWR,
        (false, true) => OpenFlags::WRONLY,
        (_, false) => OpenFlags::RDONLY,
    };
    Ok(flags)
}

pub fn path_readlink(
    mut call: Call<'_>,
    fd: i32,
    path: i32,
    len: i32,
    buf: i32,
    buf_len: i32,
    used: i32,
) -> Result<(), Errno> {
    let At { fd, path } = at(&call, fd, path, len)?;
    let target = call.process.readlink(fd, &path)?;
    drop(path);
    let space = call.memory.slice_mut(buf, buf_len)?;
    let fits = target.len().min(space.len());
    space[..fits].copy_from_slice(&target[..fits]);
    call.memory.write_u32(used, fits as u32)
}

pub fn path_remove_directory(call: Call<'_>, fd: i32, path: i32, len: i32) -> Result<(), Errno> {
    let At { fd, path } = at(&call, fd, path, len)?;
    call.process.unlink(fd, &path, AT_REMOVEDIR)
}

pub fn path_rename(
    call: Call<'_>,
    fd: i32,
    path: i32,
    len: i32,
    to_fd: i32,
    to_path: i32,
    to_len: i32,
) -> Result<(), Errno> {
    let (from, to) = (at(&call, fd, path, len)?, at(&call, to_fd, to_path, to_len)?);
    call.process.rename(from.fd, &from.path, to.fd, &to.path, 0)
}

pub fn path_symlink(call: Call<'_>, target: i32, target_len: i32, fd: i32, path: i32, len: i32) -> Result<(), Errno> {
    let target = call.memory.path(target, target_len)?;
    let At { fd, path } = at(&call, fd, path, len)?;
    call.process.symlink(target, fd, &path)
}

pub fn path_unlink_file(call: Call<'_>, fd: i32, path: i32, len: i32) -> Result<(), Errno> {
    let At { fd, path } = at(&call, fd, path, len)?;
    call.process.unlink(fd, &path, 0)
}

fn follows(lookup: i32) -> bool {
    lookup as u32 & LOOKUP_SYMLINK_FOLLOW != 0
}

fn nofollow(lookup: i32) -> u32 {
    if follows(lookup) { 0 } else { AT_SYMLINK_NOFOLLOW }
}

//! The calls that take a path.

#![expect(clippy::too_many_arguments, reason = "as many as the call has")]

use crate::call::Call;
use crate::memory::GuestMemory;
use capsule_abi::Errno;
use capsule_abi::fs::SetTime;
use capsule_abi::wire::Reader;

pub fn stat(mut call: Call<'_>, dir: i32, path: i32, len: i32, flags: i32, out: i32) -> Result<i32, Errno> {
    let stat = call.process.stat(dir, call.memory.path(path, len)?, flags as u32)?;
    call.memory.write(out, &stat.to_wire()).map(|()| 0)
}

pub fn statfs(mut call: Call<'_>, dir: i32, path: i32, len: i32, out: i32) -> Result<i32, Errno> {
    let usage = call.process.statfs(dir, call.memory.path(path, len)?)?;
    call.memory.write(out, &usage.to_wire()).map(|()| 0)
}

pub fn access(call: Call<'_>, dir: i32, path: i32, len: i32, mode: i32, flags: i32) -> Result<i32, Errno> {
    call.process.access(dir, call.memory.path(path, len)?, mode as u32, flags as u32).map(|()| 0)
}

pub fn chmod(call: Call<'_>, dir: i32, path: i32, len: i32, mode: i32, flags: i32) -> Result<i32, Errno> {
    call.process.chmod(dir, call.memory.path(path, len)?, mode as u32, flags as u32).map(|()| 0)
}

pub fn chown(call: Call<'_>, dir: i32, path: i32, len: i32, uid: i32, gid: i32, flags: i32) -> Result<i32, Errno> {
    let path = call.memory.path(path, len)?;
    call.process.chown(dir, path, uid as u32, gid as u32, flags as u32).map(|()| 0)
}

pub fn utimens(call: Call<'_>, dir: i32, path: i32, len: i32, times: i32, flags: i32) -> Result<i32, Errno> {
    let path = call.memory.path(path, len)?;
    let (atime, mtime) = set_times(&call.memory, times)?;
    call.process.utimens(dir, path, atime, mtime, flags as u32).map(|()| 0)
}

fn set_times(memory: &GuestMemory<'_>, times: i32) -> Result<(SetTime, SetTime), Errno> {
    let record: [u8; 2 * SetTime::WIRE] = memory.array(times)?;
    let mut reader = Reader::new(&record);
    let mut time = || SetTime::read(&mut reader).map_err(|_| Errno::EINVAL);
    Ok((time()?, time()?))
}

pub fn truncate(call: Call<'_>, dir: i32, path: i32, len: i32, size: i64) -> Result<i32, Errno> {
    call.process.truncate(dir, call.memory.path(path, len)?, size).map(|()| 0)
}

pub fn mkdir(call: Call<'_>, dir: i32, path: i32, len: i32, mode: i32) -> Result<i32, Errno> {
    call.process.mkdir(dir, call.memory.path(path, len)?, mode as u32).map(|()| 0)
}

pub fn mkfifo(call: Call<'_>, dir: i32, path: i32, len: i32, mode: i32) -> Result<i32, Errno> {
    call.process.mkfifo(dir, call.memory.path(path, len)?, mode as u32).map(|()| 0)
}

pub fn symlink(call: Call<'_>, target: i32, target_len: i32, dir: i32, path: i32, len: i32) -> Result<i32, Errno> {
    let target = call.memory.path(target, target_len)?;
    call.process.symlink(target, dir, call.memory.path(path, len)?).map(|()| 0)
}

/// As much of the target as fits, without a NUL; how much that is.
pub fn readlink(mut call: Call<'_>, dir: i32, path: i32, len: i32, buf: i32, buf_len: i32) -> Result<i32, Errno> {
    let target = call.process.readlink(dir, call.memory.path(path, len)?)?;
    let space = call.memory.slice_mut(buf, buf_len)?;
    if space.is_empty() {
        return Err(Errno::EINVAL);
    }
    let fits = target.len().min(space.len());
    space[..fits].copy_from_slice(&target[..fits]);
    Ok(fits as i32)
}

pub fn link(
    call: Call<'_>,
    dir: i32,
    path: i32,
    len: i32,
    to_dir: i32,
    to_path: i32,
    to_len: i32,
    flags: i32,
) -> Result<i32, Errno> {
    let (path, to_path) = (call.memory.path(path, len)?, call.memory.path(to_path, to_len)?);
    call.process.link(dir, path, to_dir, to_path, flags as u32).map(|()| 0)
}

pub fn unlink(call: Call<'_>, dir: i32, path: i32, len: i32, flags: i32) -> Result<i32, Errno> {
    call.process.unlink(dir, call.memory.path(path, len)?, flags as u32).map(|()| 0)
}

pub fn rename(
    call: Call<'_>,
    dir: i32,
    path: i32,
    len: i32,
    to_dir: i32,
    to_path: i32,
    to_len: i32,
    flags: i32,
) -> Result<i32, Errno> {
    let (path, to_path) = (call.memory.path(path, len)?, call.memory.path(to_path, to_len)?);
    call.process.rename(dir, path, to_dir, to_path, flags as u32).map(|()| 0)
}

pub fn chdir(call: Call<'_>, path: i32, len: i32) -> Result<i32, Errno> {
    call.process.chdir(call.memory.path(path, len)?).map(|()| 0)
}

pub fn fchdir(call: Call<'_>, fd: i32) -> Result<i32, Errno> {
    call.process.fchdir(fd).map(|()| 0)
}

/// The path without a NUL, and its length; `ERANGE` when it does not fit.
pub fn getcwd(mut call: Call<'_>, buf: i32, len: i32) -> Result<i32, Errno> {
    let path = call.process.getcwd()?;
    if path.len() > call.memory.slice(buf, len)?.len() {
        return Err(Errno::ERANGE);
    }
    call.memory.write(buf, &path).map(|()| path.len() as i32)
}

pub fn umask(call: Call<'_>, mask: i32) -> Result<i32, Errno> {
    Ok(call.process.umask(mask as u32) as i32)
}

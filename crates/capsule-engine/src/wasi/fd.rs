//! Descriptors: what they are, where they stand, what they refer to.

use super::at::description;
use super::wire;
use crate::call::Call;
use capsule_abi::Errno;
use capsule_abi::fs::FileType;
use capsule_abi::wasi::{PREOPEN_FD, RIGHTS_ALL, WHENCE_CUR, WHENCE_END, WHENCE_SET};
use capsule_kernel::Whence;
use capsule_vfs::Attributes;

/// The highest `advice`.
const ADVICE_NOREUSE: i32 = 5;

/// Advice is checked and not needed: everything is in memory.
pub fn fd_advise(call: Call<'_>, fd: i32, offset: i64, len: i64, advice: i32) -> Result<(), Errno> {
    let description = description(call.process, fd)?;
    if description.file_type() == FileType::Fifo {
        return Err(Errno::ESPIPE);
    }
    if offset < 0 || len < 0 || !(0..=ADVICE_NOREUSE).contains(&advice) {
        return Err(Errno::EINVAL);
    }
    Ok(())
}

/// Makes a file at least so long.
pub fn fd_allocate(call: Call<'_>, fd: i32, offset: i64, len: i64) -> Result<(), Errno> {
    let (offset, len) = (u64::try_from(offset), u64::try_from(len));
    let (Ok(offset), Ok(len @ 1..)) = (offset, len) else { return Err(Errno::EINVAL) };
    let end = offset.checked_add(len).ok_or(Errno::EFBIG)?;
    let description = call.process.description(fd)?;
    match description.file_type() {
        FileType::Regular if !description.flags().get().writable() => return Err(Errno::EBADF),
        FileType::Regular => {}
        FileType::Fifo => return Err(Errno::ESPIPE),
        _ => return Err(Errno::ENODEV),
    }
    if description.stat()?.size >= end {
        return Ok(());
    }
    set_attributes(&call, fd, Attributes { size: Some(end), ..Attributes::default() })
}

pub fn fd_close(call: Call<'_>, fd: i32) -> Result<(), Errno> {
    call.process.close(fd)
}

pub fn fd_datasync(call: Call<'_>, fd: i32) -> Result<(), Errno> {
    description(call.process, fd)?.sync()
}

pub fn fd_sync(call: Call<'_>, fd: i32) -> Result<(), Errno> {
    description(call.process, fd)?.sync()
}

pub fn fd_fdstat_get(mut call: Call<'_>, fd: i32, out: i32) -> Result<(), Errno> {
    let description = description(call.process, fd)?;
    let mut record = wire::fdstat(&*description);
    if fd == PREOPEN_FD {
        // Whatever stands there, it is also the preopened directory: wasi-libc opens files with the rights it passes on.
        record[16..24].copy_from_slice(&RIGHTS_ALL.to_le_bytes());
    }
    call.memory.write(out, &record)
}

pub fn fd_fdstat_set_flags(call: Call<'_>, fd: i32, flags: i32) -> Result<(), Errno> {
    let flags = wire::status_flags(flags)?;
    call.process.description(fd)?.flags().set(flags);
    Ok(())
}

/// Rights follow from how a descriptor was opened; they cannot be given away.
pub fn fd_fdstat_set_rights(call: Call<'_>, fd: i32, _base: i64, _inheriting: i64) -> Result<(), Errno> {
    description(call.process, fd).and(Err(Errno::EOPNOTSUPP))
}

pub fn fd_filestat_get(mut call: Call<'_>, fd: i32, out: i32) -> Result<(), Errno> {
    let stat = description(call.process, fd)?.stat()?;
    call.memory.write(out, &wire::filestat(&stat))
}

pub fn fd_filestat_set_size(call: Call<'_>, fd: i32, size: i64) -> Result<(), Errno> {
    let size = u64::try_from(size).map_err(|_| Errno::EINVAL)?;
    set_attributes(&call, fd, Attributes { size: Some(size), ..Attributes::default() })
}

pub fn fd_filestat_set_times(call: Call<'_>, fd: i32, atime: i64, mtime: i64, flags: i32) -> Result<(), Errno> {
    let (atime, mtime) = wire::set_times(atime, mtime, flags)?;
    set_attributes(&call, fd, Attributes { atime, mtime, ..Attributes::default() })
}

fn set_attributes(call: &Call<'_>, fd: i32, attributes: Attributes) -> Result<(), Errno> {
    description(call.process, fd)?.set_attributes(&call.process.credentials(), &attributes)
}

pub fn fd_renumber(call: Call<'_>, from: i32, to: i32) -> Result<(), Errno> {
    call.process.renumber(from, to)
}

pub fn fd_seek(mut call: Call<'_>, fd: i32, offset: i64, whence: i32, out: i32) -> Result<(), Errno> {
    let whence = match u8::try_from(whence) {
        Ok(WHENCE_SET) => Whence::Set,
        Ok(WHENCE_CUR) => Whence::Current,
        Ok(WHENCE_END) => Whence::End,
        _ => return Err(Errno::EINVAL),
    };
    call.memory.check(out, 8)?;
    let position = call.process.description(fd)?.seek(whence, offset)?;
    call.memory.write_u64(out, position)
}

pub fn fd_tell(mut call: Call<'_>, fd: i32, out: i32) -> Result<(), Errno> {
    let position = call.process.description(fd)?.seek(Whence::Current, 0)?;
    call.memory.write_u64(out, position)
}

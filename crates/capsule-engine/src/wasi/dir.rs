//! The preopened directory, and directory entries.

use super::at::description;
use crate::call::Call;
use capsule_abi::Errno;
use capsule_abi::fs::DirEntry;
use capsule_abi::wasi::{DIRENT_SIZE, PREOPEN_FD, filetype};

/// The name of the one preopened directory.
const ROOT: &[u8] = b"/";
/// `preopentype`: a directory.
const PREOPENTYPE_DIR: u32 = 0;

pub fn fd_prestat_get(mut call: Call<'_>, fd: i32, out: i32) -> Result<(), Errno> {
    if fd != PREOPEN_FD {
        return Err(Errno::EBADF);
    }
    let mut record = [0; 8];
    record[..4].copy_from_slice(&PREOPENTYPE_DIR.to_le_bytes());
    record[4..].copy_from_slice(&(ROOT.len() as u32).to_le_bytes());
    call.memory.write(out, &record)
}

pub fn fd_prestat_dir_name(mut call: Call<'_>, fd: i32, buf: i32, len: i32) -> Result<(), Errno> {
    if fd != PREOPEN_FD {
        return Err(Errno::EBADF);
    }
    if (len as u32) < ROOT.len() as u32 {
        return Err(Errno::ENAMETOOLONG);
    }
    call.memory.write(buf, ROOT)
}

/// Fills the buffer; the last entry may be cut, which tells the guest that there is more.
pub fn fd_readdir(mut call: Call<'_>, fd: i32, buf: i32, len: i32, cookie: i64, used: i32) -> Result<(), Errno> {
    call.memory.check(used, 4)?;
    let description = description(call.process, fd)?;
    let target = call.memory.slice_mut(buf, len)?;
    let mut filled = 0;
    description.read_dir(cookie as u64, &mut |entry| {
        filled += put(&mut target[filled..], &dirent(&entry));
        filled += put(&mut target[filled..], &entry.name);
        filled < target.len()
    })?;
    call.memory.write_u32(used, filled as u32)
}

/// Copies what fits.
fn put(target: &mut [u8], bytes: &[u8]) -> usize {
    let fits = bytes.len().min(target.len());
    target[..fits].copy_from_slice(&bytes[..fits]);
    fits
}

fn dirent(entry: &DirEntry) -> [u8; DIRENT_SIZE] {
    let mut record = [0; DIRENT_SIZE];
    record[..8].copy_from_slice(&entry.next.to_le_bytes());
    record[8..16].copy_from_slice(&entry.ino.to_le_bytes());
    record[16..20].copy_from_slice(&(entry.name.len() as u32).to_le_bytes());
    record[20] = filetype(entry.kind);
    record
}

//! The preopened directory, and directory entries.

use super::at::description;
use crate::call::{Call, Guest, breathe};
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

/// Bytes of entries told in one go; between two of them kills and deadlines are heeded.
const PIECE: usize = 256 << 10;

/// Fills the buffer; the last entry may be cut, which tells the guest that there is more.
pub async fn fd_readdir(
    guest: &mut Guest<'_>,
    fd: i32,
    buf: i32,
    len: i32,
    cookie: i64,
    used: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    let process = guest.data().process.clone();
    let mut listing = Listing { filled: 0, cookie: cookie as u64 };
    loop {
        match listing.piece(&mut Call::new(guest), fd, buf, len, used) {
            Ok(true) => breathe(&process).await?,
            Ok(false) => return Ok(Call::new(guest).memory.write_u32(used, listing.filled as u32)),
            Err(errno) => return Ok(Err(errno)),
        }
    }
}

/// How far a listing is.
struct Listing {
    filled: usize,
    cookie: u64,
}

impl Listing {
    /// Tells the next entries; whether there are more, and room for them.
    fn piece(&mut self, call: &mut Call<'_>, fd: i32, buf: i32, len: i32, used: i32) -> Result<bool, Errno> {
        call.memory.check(used, 4)?;
        let description = description(call.process, fd)?;
        let target = call.memory.slice_mut(buf, len)?;
        let (enough, mut more) = (self.filled.saturating_add(PIECE), false);
        description.read_dir(self.cookie, &mut |entry| {
            more = self.filled >= enough;
            if more {
                return false;
            }
            self.filled += put(&mut target[self.filled..], &dirent(&entry));
            self.filled += put(&mut target[self.filled..], &entry.name);
            self.cookie = entry.next;
            self.filled < target.len()
        })?;
        Ok(more)
    }
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

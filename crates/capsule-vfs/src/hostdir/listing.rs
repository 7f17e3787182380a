//! Listing directories, by the host's own cookies.

use super::{Errno, Filesystem, HostDir, LOOK, NodeId, Result, errno, identity};
use capsule_abi::fs::{DirEntry, FileType};
use parking_lot::Mutex;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, RawDir, SeekFrom};
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Entries asked of the host at a time, in bytes.
const BATCH: usize = 16 * 1024;
/// Hosts say "the end" with the largest number there is; a little less leaves room for `.`, `..` and layers above, and is
/// the end too.
const LAST_COOKIE: u64 = i64::MAX as u64 - 16;

impl HostDir {
    pub(super) fn list(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        {
            let table = self.table.lock();
            let node = table.get(dir.0).ok_or(Errno::ESTALE)?;
            if node.identity.kind != FileType::Directory {
                return Err(Errno::ENOTDIR);
            }
            // Removed, and open still: empty.
            if dir != self.root() && table.names(dir.0).is_empty() {
                return Ok(());
            }
        }
        let listing = self.listing(dir, cookie)?;
        // On the heap: guests' calls run on small stacks.
        let mut buffer = Vec::with_capacity(BATCH);
        let mut cookie = cookie.min(LAST_COOKIE);
        loop {
            // The sink may well ask this folder something: nothing is locked while it runs.
            let batch = self.batch(&listing.lock(), cookie, buffer.spare_capacity_mut())?;
            let Some(last) = batch.last() else { return Ok(()) };
            cookie = last.next;
            for entry in batch {
                if !matches!(entry.name.as_slice(), b"." | b"..") && !sink(entry) {
                    return Ok(());
                }
            }
        }
    }

    /// As many entries as one question to the host gives; none at the end.
    fn batch(&self, fd: &OwnedFd, cookie: u64, buffer: &mut [MaybeUninit<u8>]) -> Result<Vec<DirEntry>> {
        rustix::fs::seek(fd, SeekFrom::Start(cookie)).map_err(errno)?;
        let mut entries = RawDir::new(fd.as_fd(), buffer);
        let mut batch = Vec::new();
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(errno)?;
            let name = entry.file_name().to_bytes();
            // Unknown here and gone when asked: as good as any type for who sees it in this moment.
            let kind = file_type(entry.file_type())
                .or_else(|| self.type_of(fd.as_fd(), name).ok())
                .unwrap_or(FileType::Regular);
            let next = entry.next_entry_cookie().min(LAST_COOKIE);
            batch.push(DirEntry { next, ino: entry.ino(), kind, name: name.to_vec() });
            if entries.is_buffer_empty() {
                break;
            }
        }
        Ok(batch)
    }

    /// A descriptor to list with; a pinned directory keeps its own until it is listed from the start again.
    fn listing(&self, dir: NodeId, cookie: u64) -> Result<Arc<Mutex<OwnedFd>>> {
        // Opened by its way also when one is kept: a folder moved out of the root is not listed any more.
        let (fd, _) = self.open_node(dir, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut table = self.table.lock();
        let Some(node) = table.get_mut(dir.0).filter(|node| node.pins > 0) else {
            return Ok(Arc::new(Mutex::new(fd)));
        };
        match &node.held.listing {
            Some(kept) if cookie != 0 => Ok(kept.clone()),
            _ => Ok(node.held.listing.insert(Arc::new(Mutex::new(fd))).clone()),
        }
    }

    /// For host filesystems that do not tell types while listing.
    fn type_of(&self, dir: BorrowedFd<'_>, name: &[u8]) -> Result<FileType> {
        let fd = self.root.open_name(dir, name, LOOK, Mode::empty()).map_err(errno)?;
        Ok(identity(&rustix::fs::fstat(&fd).map_err(errno)?).kind)
    }
}

fn file_type(kind: rustix::fs::FileType) -> Option<FileType> {
    use rustix::fs::FileType as Host;
    Some(match kind {
        Host::RegularFile => FileType::Regular,
        Host::Directory => FileType::Directory,
        Host::Symlink => FileType::Symlink,
        Host::Fifo => FileType::Fifo,
        Host::Socket => FileType::Socket,
        Host::CharacterDevice => FileType::CharDevice,
        Host::BlockDevice => FileType::BlockDevice,
        Host::Unknown => return None,
    })
}

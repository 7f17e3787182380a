//! Reading and writing regular files of the host, and what they cost.

use super::attributes::proc_path;
use super::{Errno, Held, HostDir, HostErrno, LOOK, NodeId, Result, errno, identity};
use crate::memory::FileData;
use crate::{Content, Quota};
use capsule_abi::fs::FileType;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::ReadWriteFlags;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The largest offset there is on Linux.
const LARGEST: u64 = i64::MAX as u64;
/// Host filesystems give out space in these pieces, or smaller ones.
const PIECE: u64 = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl HostDir {
    /// Keeps a node: a file can be read and written on though its last name goes.
    pub(super) fn hold(&self, node: NodeId) -> Result<()> {
        let kind = {
            let mut table = self.table.lock();
            let Some(known) = table.get(node.0) else { return Err(Errno::ESTALE) };
            let kind = known.identity.kind;
            if known.pins > 0 {
                table.pin(node.0, Held::default());
                return Ok(());
            }
            // The file made last is still open.
            if let Some((_, fd)) = table.made.take_if(|made| made.0 == node.0) {
                table.pin(node.0, Held { reader: Some(fd.clone()), writer: Some(fd), ..Held::default() });
                return Ok(());
            }
            kind
        };
        let reader = match kind {
            FileType::Regular => self.open_node(node, OFlags::RDONLY),
            _ => Err(Errno::EACCES),
        };
        let held = match reader {
            Ok((fd, _)) => Held { reader: Some(Arc::new(fd)), ..Held::default() },
            Err(Errno::EACCES | Errno::EPERM) => {
                Held { path: Some(Arc::new(self.open_node(node, LOOK)?.0)), ..Held::default() }
            }
            Err(other) => return Err(other),
        };
        if self.table.lock().pin(node.0, held) { Ok(()) } else { Err(Errno::ESTALE) }
    }

    /// Opens what a pinned node will need; the host may refuse.
    pub(super) fn open_for(&self, node: NodeId, read: bool, write: bool) -> Result<()> {
        match self.identity_of(node)?.kind {
            FileType::Directory if read => {
                // Removed, and open still: there is nothing to refuse.
                match self.open_node(node, OFlags::RDONLY | OFlags::DIRECTORY) {
                    Err(Errno::ENOENT) => Ok(()),
                    answer => answer.map(drop),
                }
            }
            FileType::Regular => {
                if read {
                    self.file(node, Access::Read)?;
                }
                if write {
                    self.writable()?;
                    self.file(node, Access::Write)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A descriptor for reading or writing a regular file; the one kept, when it is pinned.
    fn file(&self, node: NodeId, access: Access) -> Result<Arc<OwnedFd>> {
        let (pinned, any) = {
            let table = self.table.lock();
            let known = table.get(node.0).ok_or(Errno::ESTALE)?;
            match known.identity.kind {
                FileType::Regular => {}
                FileType::Directory => return Err(Errno::EISDIR),
                FileType::Symlink => return Err(Errno::EINVAL),
                // FIFOs, sockets and devices of the host are never opened.
                _ => return Err(Errno::EACCES),
            }
            let kept = if access == Access::Read { &known.held.reader } else { &known.held.writer };
            if let Some(fd) = kept {
                return Ok(fd.clone());
            }
            (known.pins > 0, known.held.any().cloned())
        };
        let opened = match access {
            Access::Read => self.open_node(node, OFlags::RDONLY),
            Access::Write => match self.open_node(node, OFlags::RDWR) {
                Err(Errno::EACCES) => self.open_node(node, OFlags::WRONLY),
                answer => answer,
            },
        };
        let fd = match (opened, any) {
            (Ok((fd, _)), _) => fd,
            // Pinned and without a name: its descriptor's entry in /proc leads to this very file.
            (Err(Errno::ENOENT | Errno::ESTALE), Some(held)) => self.reopen(node, &held, access)?,
            (Err(error), _) => return Err(error),
        };
        let fd = Arc::new(fd);
        if pinned && let Some(known) = self.table.lock().get_mut(node.0).filter(|known| known.pins > 0) {
            match access {
                Access::Read => known.held.reader = Some(fd.clone()),
                Access::Write => known.held.writer = Some(fd.clone()),
            }
        }
        Ok(fd)
    }

    fn reopen(&self, node: NodeId, held: &OwnedFd, access: Access) -> Result<OwnedFd> {
        let flags = if access == Access::Read { OFlags::RDONLY } else { OFlags::RDWR };
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = rustix::fs::open(proc_path(held.as_fd()), flags, Mode::empty()).map_err(|_| Errno::ESTALE)?;
        let stat = rustix::fs::fstat(&fd).map_err(errno)?;
        if identity(&stat) == self.identity_of(node)? { Ok(fd) } else { Err(Errno::ESTALE) }
    }

    /// Before a pinned file loses its name or its permissions: whoever has it open may still want to write.
    pub(super) fn keep_writer(&self, node: NodeId) {
        let wanted = |known: &super::table::Node| {
            known.pins > 0 && known.held.writer.is_none() && known.identity.kind == FileType::Regular
        };
        let wanted = self.table.lock().get(node.0).is_some_and(wanted);
        if wanted && !self.read_only {
            // The host may forbid it; then it could not have been written anyway.
            let _ = self.file(node, Access::Write);
        }
    }

    /// The node is changed by us: the journal may remember its number.
    pub(super) fn touch(&self, node: NodeId) {
        if let Some(known) = self.table.lock().get_mut(node.0) {
            known.touched = true;
        }
    }

    pub(super) fn read_file(&self, node: NodeId, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let fd = self.file(node, Access::Read)?;
        let mut got = 0;
        while got < buf.len() {
            let at = offset.saturating_add(got as u64);
            if at >= LARGEST {
                break;
            }
            match rustix::io::pread(&fd, &mut buf[got..], at) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(HostErrno::INTR) => {}
                Err(_) if got > 0 => break,
                Err(error) => return Err(errno(error)),
            }
        }
        Ok(got)
    }

    pub(super) fn write_file(&self, node: NodeId, offset: u64, data: &[u8]) -> Result<usize> {
        self.writable()?;
        let fd = self.file(node, Access::Write)?;
        if data.is_empty() {
            return Ok(0);
        }
        if offset >= LARGEST {
            return Err(Errno::EFBIG);
        }
        let (room, reserved) = self.reserve(node, &fd, Some(offset), data.len())?;
        let written = write_all(&data[..room], |part, done| rustix::io::pwrite(&fd, part, offset + done));
        self.settle(node, &fd, reserved)?;
        written
    }

    pub(super) fn append_file(&self, node: NodeId, data: &[u8]) -> Result<(u64, usize)> {
        self.writable()?;
        let fd = self.file(node, Access::Write)?;
        let _one = self.appending.lock();
        if data.is_empty() {
            return Ok((file_size(&fd)?, 0));
        }
        let (room, reserved) = self.reserve(node, &fd, None, data.len())?;
        let written = write_all(&data[..room], |part, _| {
            // At the end also when somebody on the host appends at the same moment.
            let parts = [std::io::IoSlice::new(part)];
            match rustix::io::pwritev2(&fd, &parts, 0, ReadWriteFlags::APPEND) {
                Err(HostErrno::OPNOTSUPP | HostErrno::NOSYS) => {
                    let end = rustix::fs::fstat(&fd)?.st_size;
                    rustix::io::pwrite(&fd, part, end.try_into().unwrap_or(0))
                }
                answer => answer,
            }
        });
        self.settle(node, &fd, reserved)?;
        Ok((file_size(&fd)?, written?))
    }

    pub(super) fn truncate(&self, node: NodeId, size: u64) -> Result<()> {
        if size > LARGEST {
            return Err(Errno::EFBIG);
        }
        let fd = self.file(node, Access::Write)?;
        let before = rustix::fs::fstat(&fd).map_err(errno)?;
        self.remember_base(node, blocks(&before));
        let done = rustix::fs::ftruncate(&fd, size).map_err(errno);
        self.settle(node, &fd, 0)?;
        done
    }

    /// Takes from the quota what writing `len` bytes may need at most; how many of them fit, and what was taken.
    fn reserve(&self, node: NodeId, fd: &OwnedFd, offset: Option<u64>, len: usize) -> Result<(usize, u64)> {
        let stat = rustix::fs::fstat(fd).map_err(errno)?;
        let (size, have) = (stat.st_size.max(0) as u64, blocks(&stat));
        self.remember_base(node, have);
        let offset = offset.unwrap_or(size);
        if offset >= LARGEST {
            return Err(Errno::EFBIG);
        }
        let end = offset.saturating_add(len as u64).min(LARGEST);
        // A file with holes may need space anywhere, one without only after its end.
        let free_until = if have >= size { round_up(size) } else { 0 };
        let from = free_until.max(offset / PIECE * PIECE);
        let needed = round_up(end).saturating_sub(from);
        let granted = self.quota.charge_bytes_up_to(needed);
        if granted == needed {
            return Ok(((end - offset) as usize, granted));
        }
        let usable = granted / PIECE * PIECE;
        self.quota.refund_bytes(granted - usable);
        let fits = (from + usable).clamp(offset, end) - offset;
        if fits == 0 {
            self.quota.refund_bytes(usable);
            return Err(Errno::ENOSPC);
        }
        Ok((fits as usize, usable))
    }

    fn remember_base(&self, node: NodeId, have: u64) {
        if let Some(known) = self.table.lock().get_mut(node.0) {
            known.touched = true;
            known.base.get_or_insert(have);
        }
    }

    /// Charges what the file really holds more than before we came, instead of what was reserved.
    fn settle(&self, node: NodeId, fd: &OwnedFd, reserved: u64) -> Result<()> {
        let mut table = self.table.lock();
        let stat = rustix::fs::fstat(fd).map_err(errno);
        let (mut take, mut give) = (0, reserved);
        if let (Ok(stat), Some(known)) = (&stat, table.get_mut(node.0)) {
            let owed = blocks(stat).saturating_sub(known.base.unwrap_or(0));
            take = owed;
            give += std::mem::replace(&mut known.charged_bytes, owed);
        }
        match take.checked_sub(give) {
            Some(more) => self.quota.force_bytes(more),
            None => self.quota.refund_bytes(give - take),
        }
        stat.map(|_| ())
    }

    /// The bytes where they may be kept, else their hash where they are not too many.
    pub(super) fn kept_or_digest(&self, node: NodeId) -> Result<Content> {
        let fd = self.file(node, Access::Read)?;
        let size = file_size(&fd)?;
        let take = |left: u64| left.checked_sub(size);
        if self.may_keep.fetch_update(Relaxed, Relaxed, take).is_ok() {
            let mut data = FileData::default();
            let unlimited = Quota::unlimited();
            let mut block = vec![0; crate::digest::BLOCK];
            let mut offset = 0;
            while let Some(next) = data_after(&fd, offset)?.filter(|next| *next < size) {
                match rustix::io::pread(&fd, &mut block[..], next) {
                    Ok(0) => break,
                    Ok(n) => {
                        data.write(next, &block[..n], &unlimited)?;
                        offset = next + n as u64;
                    }
                    Err(HostErrno::INTR) => {}
                    Err(e) => return Err(errno(e)),
                }
            }
            if data.size() < size {
                data.set_len(size, &unlimited)?;
            }
            return Ok(Content::Shared(data));
        }
        match self.may_hash.fetch_update(Relaxed, Relaxed, take) {
            Ok(_) => self.digest(&fd),
            Err(_) => Ok(Content::Unknown { size }),
        }
    }

    fn digest(&self, fd: &OwnedFd) -> Result<Content> {
        let read = |offset, buf: &mut [u8]| loop {
            match rustix::io::pread(fd, &mut *buf, offset) {
                Err(HostErrno::INTR) => {}
                answer => return answer.map_err(errno),
            }
        };
        let (size, hash) = crate::digest::digest(file_size(fd)?, |offset| data_after(fd, offset), read)?;
        Ok(Content::Digest { size, hash })
    }

    pub(super) fn data_after(&self, node: NodeId, offset: u64) -> Result<Option<u64>> {
        data_after(&*self.file(node, Access::Read)?, offset)
    }

    pub(super) fn flush(&self, node: NodeId) -> Result<()> {
        let kind = self.identity_of(node)?.kind;
        match kind {
            // Flushing through any descriptor writes what was written through another.
            FileType::Regular => rustix::fs::fsync(self.file(node, Access::Read)?).map_err(errno),
            FileType::Directory => {
                let (fd, _) = self.open_node(node, OFlags::RDONLY | OFlags::DIRECTORY)?;
                rustix::fs::fsync(fd).map_err(errno)
            }
            _ => Ok(()),
        }
    }
}

/// Writes until all is written; an error only when nothing was.
fn write_all(data: &[u8], mut write: impl FnMut(&[u8], u64) -> Result<usize, HostErrno>) -> Result<usize> {
    let mut done = 0;
    while done < data.len() {
        match write(&data[done..], done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(HostErrno::INTR) => {}
            Err(_) if done > 0 => break,
            Err(error) => return Err(errno(error)),
        }
    }
    Ok(done)
}

fn data_after(fd: &OwnedFd, offset: u64) -> Result<Option<u64>> {
    // Nobody uses the descriptor's own offset.
    match rustix::fs::seek(fd, SeekFrom::Data(offset)) {
        Ok(data) => Ok(Some(data)),
        Err(HostErrno::NXIO) => Ok(None),
        // The host's filesystem knows nothing of holes.
        Err(HostErrno::INVAL | HostErrno::OPNOTSUPP) => Ok((offset < file_size(fd)?).then_some(offset)),
        Err(error) => Err(errno(error)),
    }
}

fn file_size(fd: &OwnedFd) -> Result<u64> {
    Ok(rustix::fs::fstat(fd).map_err(errno)?.st_size.max(0) as u64)
}

fn blocks(stat: &rustix::fs::Stat) -> u64 {
    (stat.st_blocks.max(0) as u64).saturating_mul(512)
}

fn round_up(bytes: u64) -> u64 {
    bytes.div_ceil(PIECE).saturating_mul(PIECE)
}

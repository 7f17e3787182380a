//! An open node.

use super::mount::gone;
use super::{Caller, Credentials, Mount, Place, attributes, open};
use crate::journal::Touch;
use crate::{Attributes, Errno, Journal, NodeId, Result};
use capsule_abi::fs::{DirEntry, FileType, FsUsage, OpenFlags, S_ISGID, S_ISUID, Stat};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// An open file or directory: keeps its node alive until dropped. It has no offset: file descriptions have.
///
/// Whether it was opened for reading or writing is in [`flags`](OpenNode::flags); the kernel answers `EBADF`. A node of a
/// mount that is read-only refuses every change here too.
pub struct OpenNode {
    mount: Arc<Mount>,
    journal: Arc<Journal>,
    node: NodeId,
    kind: FileType,
    flags: OpenFlags,
    /// Writing takes the set-id bits off the file: opened by somebody other than user 0.
    strips: bool,
    /// The journal's run in which the bytes were recorded already.
    recorded: AtomicU64,
}

impl OpenNode {
    pub(super) fn new(
        mount: Arc<Mount>,
        journal: Arc<Journal>,
        node: NodeId,
        kind: FileType,
        flags: OpenFlags,
        strips: bool,
    ) -> OpenNode {
        OpenNode { mount, journal, node, kind, flags, strips, recorded: AtomicU64::new(0) }
    }

    pub fn place(&self) -> Place {
        self.mount.place(self.node)
    }

    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The flags of `open`, without those that only matter then (`O_CREAT`, `O_EXCL`, `O_TRUNC`, `O_NOCTTY`).
    pub fn flags(&self) -> OpenFlags {
        self.flags
    }

    pub fn kind(&self) -> FileType {
        self.kind
    }

    pub fn stat(&self) -> Result<Stat> {
        self.mount.stat(self.node)
    }

    pub fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.mount.fs.read(self.node, offset, buf)
    }

    pub fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize> {
        self.before_write()?;
        self.mount.fs.write(self.node, offset, data)
    }

    /// Writes at the end; the offset after the data, and how much was written.
    pub fn append(&self, data: &[u8]) -> Result<(u64, usize)> {
        self.before_write()?;
        self.mount.fs.append(self.node, data)
    }

    /// `ftruncate`.
    pub fn set_len(&self, size: u64) -> Result<()> {
        self.before_write()?;
        self.mount.fs.set_attributes(self.node, &Attributes { size: Some(size), ..Attributes::default() })
    }

    /// Entries from `cookie` on until `sink` answers false; 0 is the start; `.` and `..` come first.
    pub fn read_dir(&self, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        if self.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        for (at, name) in [(0, &b"."[..]), (1, b"..")] {
            if at < cookie {
                continue;
            }
            let ino = if at == 0 { number(&self.mount, self.node) } else { self.parent_number() };
            if !sink(DirEntry { next: at + 1, ino, kind: FileType::Directory, name: name.to_vec() }) {
                return Ok(());
            }
        }
        // The tree's own cookies start at 0; here that is 2.
        let tree = cookie.saturating_sub(2);
        let mut shifted = |entry: DirEntry| sink(DirEntry { next: entry.next.saturating_add(2), ..entry });
        self.mount.fs.read_dir(self.node, tree, &mut shifted).map_err(gone)
    }

    /// The number of the directory `..` leads to.
    fn parent_number(&self) -> u64 {
        let (mut mount, mut node) = (&self.mount, self.node);
        while let (true, Some(below), Some(covers)) = (node == mount.root, &mount.below, mount.covers) {
            (mount, node) = (below, covers.node);
        }
        number(mount, mount.fs.parent(node).unwrap_or(node))
    }

    /// `fchmod`, `fchown`, `futimens`; the size belongs to [`set_len`](OpenNode::set_len) (here it is `EINVAL`).
    pub fn set_attributes(&self, who: &Credentials, attributes: &Attributes) -> Result<()> {
        if attributes.size.is_some() {
            return Err(Errno::EINVAL);
        }
        attributes::set(&self.mount, &self.journal, who, self.node, &self.stat()?, attributes)
    }

    pub fn sync(&self) -> Result<()> {
        self.mount.fs.sync(self.node)
    }

    pub fn usage(&self) -> FsUsage {
        self.mount.usage()
    }

    /// See [`Filesystem::content_version`](crate::Filesystem::content_version).
    pub fn content_version(&self) -> Option<u64> {
        self.mount.fs.content_version(self.node)
    }

    /// See [`Filesystem::embedded`](crate::Filesystem::embedded).
    pub fn embedded(&self) -> Option<&'static [u8]> {
        self.mount.fs.embedded(self.node)
    }

    /// Whether no name leads here any more.
    pub fn is_unlinked(&self) -> bool {
        self.mount.fs.stat(self.node).map_or(true, |stat| stat.nlink == 0)
    }

    /// A new opening of the same node, with the permission checks of `open` (as `/proc/self/fd/N` does).
    pub fn reopen(&self, caller: &Caller, flags: OpenFlags) -> Result<OpenNode> {
        let flags = open::check_flags(flags)?.without(OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::NOFOLLOW);
        open::open_node(&self.mount, &self.journal, caller, self.node, &self.stat()?, flags)
    }

    /// Every way of changing the bytes comes through here.
    fn before_write(&self) -> Result<()> {
        if self.kind != FileType::Regular {
            return Ok(());
        }
        self.mount.writable()?;
        let run = self.journal.run();
        if run != self.recorded.load(Relaxed) {
            self.journal.touch(&self.mount, self.node, Touch::Content);
            self.recorded.store(run, Relaxed);
        }
        if self.strips {
            self.strip_set_id()?;
        }
        Ok(())
    }

    fn strip_set_id(&self) -> Result<()> {
        let stat = self.stat()?;
        let mode = without_set_id(stat.mode);
        if mode == stat.mode {
            return Ok(());
        }
        self.journal.touch(&self.mount, self.node, Touch::Attributes);
        self.mount.fs.set_attributes(self.node, &Attributes { mode: Some(mode), ..Attributes::default() })
    }
}

/// What `stat` tells as the inode number.
fn number(mount: &Mount, node: NodeId) -> u64 {
    mount.fs.stat(node).map_or(node.0, |stat| stat.ino)
}

/// A mode after the file's bytes or owner changed: set-group-id without group execution is another thing, and stays.
pub(super) fn without_set_id(mode: u32) -> u32 {
    let group = if mode & 0o010 != 0 { S_ISGID } else { 0 };
    mode & !(S_ISUID | group)
}

impl Drop for OpenNode {
    fn drop(&mut self) {
        self.mount.fs.unpin(self.node);
    }
}

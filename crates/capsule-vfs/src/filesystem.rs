//! One mounted tree. Names are single components that [`Vfs`](crate::Vfs) has already checked: not empty, not `.` or
//! `..`, no `/`, no NUL, at most 255 bytes. Implementations know nothing of paths, users or mounts; permissions are
//! checked above them.

use crate::{Errno, Result};
use capsule_abi::fs::{DirEntry, FileType, FsUsage, SetTime, Stat};
use std::sync::Arc;

/// A node of one filesystem. Stays valid while the node has a name or is pinned; never reused for another node
/// while anybody could still hold it. Below 2^56: an overlay marks the layer in a further bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u64);

/// What to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeKind {
    Regular,
    Directory,
    Symlink(Vec<u8>),
    Fifo,
}

/// A node to be made. The mode has the umask applied already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewNode {
    pub kind: NodeKind,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
}

/// Attributes to change; what is `None` (or `Omit`) stays. Changing any of them updates ctime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    pub mode: Option<u32>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub size: Option<u64>,
    pub atime: SetTime,
    pub mtime: SetTime,
}

/// What a file held at some moment, so that it can be compared later with what it holds then.
#[derive(Clone)]
pub enum Content {
    /// Shared with the file until one of them changes.
    Shared(crate::memory::FileData),
    /// Size and BLAKE3 hash, where nothing can be shared.
    Digest { size: u64, hash: [u8; 32] },
    /// Too many bytes to look at: never the same as others.
    Unknown { size: u64 },
}

/// What decides who may do what with a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub kind: FileType,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
}

impl From<&Stat> for Access {
    fn from(stat: &Stat) -> Access {
        Access { kind: stat.kind, mode: stat.mode, uid: stat.uid, gid: stat.gid }
    }
}

/// One mounted tree.
pub trait Filesystem: Send + Sync + 'static {
    fn root(&self) -> NodeId;

    /// `ENOENT` when there is none, `ENOTDIR` when `dir` is not a directory.
    fn lookup(&self, dir: NodeId, name: &[u8]) -> Result<NodeId>;
    /// [`lookup`](Self::lookup) and [`stat`](Self::stat) in one call: what resolution asks for the last component.
    fn lookup_stat(&self, dir: NodeId, name: &[u8]) -> Result<(NodeId, Stat)> {
        let node = self.lookup(dir, name)?;
        Ok((node, self.stat(node)?))
    }
    /// What it asks for the others. Worth an own implementation where a `Stat` (some 100 bytes) is much to copy.
    fn lookup_access(&self, dir: NodeId, name: &[u8]) -> Result<(NodeId, Access)> {
        self.lookup_stat(dir, name).map(|(node, stat)| (node, Access::from(&stat)))
    }
    /// The directory a directory is in; the root's parent is the root.
    fn parent(&self, dir: NodeId) -> Result<NodeId>;
    /// The names a node is known by (directory and name); several for hard links, none once it is unlinked.
    fn names(&self, node: NodeId) -> Vec<(NodeId, Vec<u8>)>;

    fn stat(&self, node: NodeId) -> Result<Stat>;
    fn read_link(&self, node: NodeId) -> Result<Vec<u8>>;
    /// The same for a process: links such as `/proc/self` depend on who asks.
    fn read_link_as(&self, node: NodeId, _pid: u32) -> Result<Vec<u8>> {
        self.read_link(node)
    }
    /// Entries from `cookie` on (0 is the start), until `sink` answers false; `.` and `..` are not among them. An entry
    /// that stays is seen exactly once, whatever is created or removed meanwhile.
    fn read_dir(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()>;

    /// Fewer bytes than asked only at the end of the file. `EISDIR` for directories, `EINVAL` for what has no bytes.
    fn read(&self, node: NodeId, offset: u64, buf: &mut [u8]) -> Result<usize>;
    /// May write less than asked when space runs out midway; `ENOSPC` when nothing fits, `EFBIG` past the largest size.
    fn write(&self, node: NodeId, offset: u64, data: &[u8]) -> Result<usize>;
    /// Where at or after `offset` the next byte may be that is not in a hole; none when only holes follow. As `SEEK_DATA`.
    fn next_data(&self, node: NodeId, offset: u64) -> Result<Option<u64>> {
        Ok((offset < self.stat(node)?.size).then_some(offset))
    }
    /// Writes at the end in one step; the offset after the data, and how much was written.
    fn append(&self, node: NodeId, data: &[u8]) -> Result<(u64, usize)>;
    /// `size` in here is `truncate`: `EISDIR` for directories, `EINVAL` for what has no bytes.
    fn set_attributes(&self, node: NodeId, attributes: &Attributes) -> Result<()>;

    // What changes names is refused unless implemented, as by a tree that is mounted read-only.

    /// `EEXIST` when the name is taken.
    fn create(&self, _dir: NodeId, _name: &[u8], _new: &NewNode) -> Result<NodeId> {
        Err(Errno::EROFS)
    }
    /// `EPERM` for directories, `EEXIST` when the name is taken.
    fn link(&self, _node: NodeId, _dir: NodeId, _name: &[u8]) -> Result<()> {
        Err(Errno::EROFS)
    }
    /// Removes a name that is not a directory's (`EISDIR`).
    fn unlink(&self, _dir: NodeId, _name: &[u8]) -> Result<()> {
        Err(Errno::EROFS)
    }
    /// Removes an empty directory (`ENOTDIR`, `ENOTEMPTY`).
    fn remove_dir(&self, _dir: NodeId, _name: &[u8]) -> Result<()> {
        Err(Errno::EROFS)
    }
    /// The rules of rename(2), `flags` as `RENAME_*`: replacing files and empty directories, `EINVAL` into itself,
    /// nothing happens when both names are the same node.
    fn rename(&self, _dir: NodeId, _name: &[u8], _to_dir: NodeId, _to_name: &[u8], _flags: u32) -> Result<()> {
        Err(Errno::EROFS)
    }

    /// Keeps a node alive (and readable) though its last name may go. Every pin is followed by one unpin.
    fn pin(&self, node: NodeId) -> Result<()>;
    fn unpin(&self, node: NodeId);

    /// A pinned node is being opened for this. A host folder asks the host now, so that a refusal is `open`'s, as it is on
    /// Linux, and not the first `read`'s or `write`'s.
    fn prepare(&self, _node: NodeId, _read: bool, _write: bool) -> Result<()> {
        Ok(())
    }

    /// What the file holds now, for later comparison.
    fn content(&self, node: NodeId) -> Result<Content>;
    /// Makes a file hold what another held, sharing the bytes; false (and nothing happens) where they cannot be shared.
    fn set_content(&self, _node: NodeId, _content: &Content) -> Result<bool> {
        Ok(false)
    }
    /// A number that changes whenever the file's bytes may have changed and is never used for other bytes in this
    /// process; none where that cannot be promised (host files).
    fn content_version(&self, _node: NodeId) -> Option<u64> {
        None
    }
    /// The whole file, where it is part of the host program itself.
    fn embedded(&self, _node: NodeId) -> Option<&'static [u8]> {
        None
    }
    fn sync(&self, _node: NodeId) -> Result<()> {
        Ok(())
    }
    fn usage(&self) -> FsUsage;
    /// Whether open FIFOs of this tree may be used (never those of a host folder).
    fn allows_fifos(&self) -> bool {
        false
    }
    /// Whether device files of this tree may be opened (those of `/dev`, never those of a host folder).
    fn allows_devices(&self) -> bool {
        false
    }
}

impl Content {
    pub fn size(&self) -> u64 {
        match self {
            Content::Shared(data) => data.size(),
            Content::Digest { size, .. } | Content::Unknown { size } => *size,
        }
    }

    /// The hash, where it can be known.
    fn digest(&self) -> Result<Option<[u8; 32]>> {
        match self {
            Content::Digest { hash, .. } => Ok(Some(*hash)),
            Content::Shared(data) => {
                let read = |offset, buf: &mut [u8]| Ok(data.read(offset, buf));
                let (_, hash) = crate::digest::digest(data.size(), |offset| Ok(data.next_data(offset)), read)?;
                Ok(Some(hash))
            }
            Content::Unknown { .. } => Ok(None),
        }
    }
}

/// Whether a file's bytes are those of `before`, without holding either in memory.
pub fn same_content(fs: &Arc<dyn Filesystem>, node: NodeId, before: &Content) -> Result<bool> {
    // Whatever is in it, it is something else: nothing need be read for that.
    if matches!(before, Content::Unknown { .. }) || fs.stat(node)?.size != before.size() {
        return Ok(false);
    }
    let now = fs.content(node)?;
    match (before, &now) {
        (Content::Shared(before), Content::Shared(now)) => Ok(before == now),
        // Only one may be shared: a file that was copied up into a host folder.
        _ => Ok(before.size() == now.size() && now.digest()?.is_some_and(|now| before.digest() == Ok(Some(now)))),
    }
}

/// The type of what [`NodeKind`] makes.
impl NodeKind {
    pub fn file_type(&self) -> FileType {
        match self {
            NodeKind::Regular => FileType::Regular,
            NodeKind::Directory => FileType::Directory,
            NodeKind::Symlink(_) => FileType::Symlink,
            NodeKind::Fifo => FileType::Fifo,
        }
    }
}

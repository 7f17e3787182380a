//! A folder of the host. **The only code that touches host paths.**
//!
//! The user names the folder; a guest never does. From then on there are only handles and single names: each use of a
//! node opens its way from the root anew, following no link and crossing no mount (`resolve`), and compares what it
//! got with what the node was (`table`). Nothing is checked by path and used later by path.
//!
//! * `resolve`: opening beneath the root
//! * `table`: what each node id stands for
//! * `attributes`: stat, chmod, times
//! * `data`: reading and writing files, and what that costs
//! * `change`: making, linking, moving and removing names
//! * `listing`: what a directory holds
//!
//! What a guest sees: owner and group 0, the mount's device number, the host's inode numbers. What it may make: regular
//! files, directories, symbolic links; never FIFOs or devices, never set-user-id or set-group-id bits (they are left
//! out). FIFOs, sockets and devices that are there are shown but never opened. Hard links that were made on the host are
//! one node once both names have been looked up; until then [`names`](Filesystem::names) knows only those seen. A
//! folder of another filesystem mounted inside is shown and cannot be entered (`EACCES`).

mod attributes;
mod change;
mod data;
mod listing;
mod resolve;
mod table;

use crate::{Attributes, Content, Errno, Filesystem, NewNode, NodeId, Quota, Result};
use capsule_abi::fs::{DirEntry, FileType, FsUsage, Stat};
use parking_lot::{Mutex, RwLock};
use resolve::{DIRECTORY, LOOK, Root, check_name, errno, identity};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno as HostErrno;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use table::{Held, Identity, Refund, Table};

/// A folder of the host.
pub struct HostDir {
    root: Root,
    read_only: bool,
    quota: Arc<Quota>,
    table: Mutex<Table>,
    /// Held for writing while names change, for reading while they are looked up and noted in the table: so the table
    /// never learns what a change of ours has already undone.
    tree: RwLock<()>,
    /// One at a time, so that the offset after appended data is known.
    appending: Mutex<()>,
    /// How many bytes of files may still be held in memory where their content is asked for, rather than their hash.
    may_keep: AtomicU64,
    /// How many bytes of files may still be hashed for that.
    may_hash: AtomicU64,
}

/// A directory to work in: the root's own handle, or one opened for this call.
enum Directory<'a> {
    Root(BorrowedFd<'a>),
    Below(OwnedFd),
}

impl AsFd for Directory<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Directory::Root(fd) => *fd,
            Directory::Below(fd) => fd.as_fd(),
        }
    }
}

impl HostDir {
    /// Opens a folder that the user named; its path may lead over links, as the user's own commands may. What is in it
    /// is not counted against `quota`, what is added is.
    pub fn open(path: &Path, read_only: bool, quota: Arc<Quota>) -> Result<HostDir> {
        let fd = rustix::fs::open(path, DIRECTORY | OFlags::CLOEXEC, Mode::empty()).map_err(errno)?;
        let stat = rustix::fs::fstat(&fd).map_err(errno)?;
        Ok(HostDir {
            root: Root::new(fd, stat.st_dev),
            read_only,
            quota,
            table: Mutex::new(Table::new(identity(&stat))),
            tree: RwLock::new(()),
            appending: Mutex::new(()),
            may_keep: AtomicU64::new(0),
            may_hash: AtomicU64::new(u64::MAX),
        })
    }

    /// The same, for kernels and filters that do not know `openat2`; chosen by itself there.
    pub fn without_openat2(self) -> HostDir {
        self.root.walk_only();
        self
    }

    /// From now on the journal gets the bytes of files that change, up to this many in all, so that they can be told or put
    /// back; beyond that, hashes of as many bytes as `hash` says, and of what is more than that only that it is there.
    pub fn keep_contents(&self, bytes: u64, hash: u64) {
        self.may_keep.store(bytes, Relaxed);
        self.may_hash.store(hash, Relaxed);
    }

    fn writable(&self) -> Result<()> {
        if self.read_only { Err(Errno::EROFS) } else { Ok(()) }
    }

    fn give_back(&self, refund: Refund) {
        self.quota.refund_bytes(refund.bytes);
        self.quota.refund_nodes(refund.names);
    }

    fn identity_of(&self, node: NodeId) -> Result<Identity> {
        self.table.lock().get(node.0).map(|n| n.identity).ok_or(Errno::ESTALE)
    }

    /// Opens a node by one of its names, and makes sure that it is still the one.
    fn open_node(&self, node: NodeId, flags: OFlags) -> Result<(OwnedFd, rustix::fs::Stat)> {
        let (known, ways) = {
            let table = self.table.lock();
            (table.get(node.0).map(|n| n.identity).ok_or(Errno::ESTALE)?, table.ways(node.0))
        };
        let mut error = Errno::ENOENT;
        for way in ways {
            match self.root.open(&way, flags) {
                Ok(fd) => {
                    let stat = rustix::fs::fstat(&fd).map_err(errno)?;
                    if identity(&stat) == known {
                        return Ok((fd, stat));
                    }
                    error = Errno::ESTALE;
                }
                Err(HostErrno::NOENT) => {}
                // Something on the way is not the directory any more that it was.
                Err(HostErrno::NOTDIR | HostErrno::LOOP | HostErrno::XDEV) => error = Errno::ESTALE,
                Err(other) => return Err(errno(other)),
            }
        }
        Err(error)
    }

    fn directory(&self, dir: NodeId) -> Result<Directory<'_>> {
        if dir == self.root() {
            return Ok(Directory::Root(self.root.fd()));
        }
        if self.identity_of(dir)?.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        Ok(Directory::Below(self.open_node(dir, DIRECTORY)?.0))
    }

    /// What a name in an opened directory is now, noted in the table. The tree lock is held.
    fn find(&self, dir: NodeId, handle: &Directory<'_>, name: &[u8]) -> Result<(NodeId, rustix::fs::Stat)> {
        let found = self.root.open_name(handle.as_fd(), name, LOOK, Mode::empty());
        let stat = match found.and_then(rustix::fs::fstat) {
            Ok(stat) => stat,
            Err(error) => {
                if error == HostErrno::NOENT {
                    let refund = self.table.lock().unbind(dir.0, name);
                    self.give_back(refund);
                }
                return Err(errno(error));
            }
        };
        Ok((self.note(dir, name, &stat), stat))
    }

    fn note(&self, dir: NodeId, name: &[u8], stat: &rustix::fs::Stat) -> NodeId {
        let (id, refund) = self.table.lock().bind(dir.0, name, identity(stat));
        self.give_back(refund);
        NodeId(id)
    }
}

impl Filesystem for HostDir {
    fn root(&self) -> NodeId {
        NodeId(table::ROOT)
    }

    fn lookup(&self, dir: NodeId, name: &[u8]) -> Result<NodeId> {
        self.lookup_stat(dir, name).map(|(node, _)| node)
    }

    fn lookup_stat(&self, dir: NodeId, name: &[u8]) -> Result<(NodeId, Stat)> {
        check_name(name)?;
        let _tree = self.tree.read();
        let handle = self.directory(dir)?;
        let (node, stat) = self.find(dir, &handle, name)?;
        Ok((node, attributes::shown(&stat)))
    }

    fn parent(&self, dir: NodeId) -> Result<NodeId> {
        if dir == self.root() {
            return Ok(dir);
        }
        let table = self.table.lock();
        match table.get(dir.0) {
            None => Err(Errno::ESTALE),
            Some(node) if node.identity.kind != FileType::Directory => Err(Errno::ENOTDIR),
            // A removed directory still knows where it was, as on Linux.
            Some(node) => Ok(NodeId(node.parent)),
        }
    }

    fn names(&self, node: NodeId) -> Vec<(NodeId, Vec<u8>)> {
        self.table.lock().names(node.0).iter().map(|(dir, name)| (NodeId(*dir), name.to_vec())).collect()
    }

    fn stat(&self, node: NodeId) -> Result<Stat> {
        self.host_stat(node).map(|stat| attributes::shown(&stat))
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>> {
        if self.identity_of(node)?.kind != FileType::Symlink {
            return Err(Errno::EINVAL);
        }
        Ok(rustix::fs::readlinkat(self.look(node)?, c"", Vec::new()).map_err(errno)?.into_bytes())
    }

    fn read_dir(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        self.list(dir, cookie, sink)
    }

    fn read(&self, node: NodeId, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.read_file(node, offset, buf)
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8]) -> Result<usize> {
        self.write_file(node, offset, data)
    }

    fn next_data(&self, node: NodeId, offset: u64) -> Result<Option<u64>> {
        self.data_after(node, offset)
    }

    fn append(&self, node: NodeId, data: &[u8]) -> Result<(u64, usize)> {
        self.append_file(node, data)
    }

    fn set_attributes(&self, node: NodeId, attributes: &Attributes) -> Result<()> {
        self.change_attributes(node, attributes)
    }

    fn create(&self, dir: NodeId, name: &[u8], new: &NewNode) -> Result<NodeId> {
        self.make(dir, name, new)
    }

    fn link(&self, node: NodeId, dir: NodeId, name: &[u8]) -> Result<()> {
        self.add_link(node, dir, name)
    }

    fn unlink(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        self.remove(dir, name, false)
    }

    fn remove_dir(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        self.remove(dir, name, true)
    }

    fn rename(&self, dir: NodeId, name: &[u8], to_dir: NodeId, to_name: &[u8], flags: u32) -> Result<()> {
        self.move_name(dir, name, to_dir, to_name, flags)
    }

    fn pin(&self, node: NodeId) -> Result<()> {
        self.hold(node)
    }

    fn unpin(&self, node: NodeId) {
        let refund = self.table.lock().unpin(node.0);
        self.give_back(refund);
    }

    fn prepare(&self, node: NodeId, read: bool, write: bool) -> Result<()> {
        self.open_for(node, read, write)
    }

    fn content(&self, node: NodeId) -> Result<Content> {
        self.kept_or_digest(node)
    }

    fn sync(&self, node: NodeId) -> Result<()> {
        self.flush(node)
    }

    fn usage(&self) -> FsUsage {
        FsUsage { read_only: self.read_only, ..self.quota.usage() }
    }
}

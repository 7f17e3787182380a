//! A tree in memory. Copying a whole tree ([`MemoryFs::fork`]) costs a reference per 256 nodes: the node table, the
//! directories and the files' bytes are all shared until one side changes them.
//!
//! * `data`: the bytes of a file
//! * `directory`: names
//! * `inode`: a node
//! * `table`: nodes by number
//! * `tree`: the changes of a tree, under its lock
//! * `compare`: what differs between a tree and an earlier copy of it
//! * `delta`: the same as bytes, for trees that outlive the process; `check`: whether what was read is a tree
//!
//! Access times change only when they are set (`noatime`); the other times are exact.

mod check;
mod compare;
mod data;
mod delta;
#[cfg(test)]
mod delta_tests;
mod directory;
mod inode;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use data::FileData;
pub use delta::Embedded;

use crate::{Access, Attributes, Content, Errno, Filesystem, NewNode, NodeId, Quota, Result};
use capsule_abi::fs::{DirEntry, FsUsage, Stat};
use inode::Body;
use parking_lot::{RwLock, RwLockWriteGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tree::Tree;

/// Entries of a directory that are copied at a time.
const BATCH: usize = 64;

/// A tree in memory.
pub struct MemoryFs {
    tree: RwLock<Tree>,
    root: NodeId,
    quota: Arc<Quota>,
    /// How often the tree was changed.
    changes: AtomicU64,
}

impl MemoryFs {
    /// An empty tree: a root directory with mode 0755.
    pub fn new(quota: Arc<Quota>) -> MemoryFs {
        let (tree, root) = Tree::new();
        MemoryFs { tree: RwLock::new(tree), root, quota, changes: AtomicU64::new(0) }
    }

    /// A copy that shares every byte with this tree until one of them changes; counted against `quota` (whatever its
    /// limit). Node ids stay the same. Files that are unlinked but open here are not part of it.
    pub fn fork(&self, quota: Arc<Quota>) -> MemoryFs {
        let tree = self.tree.read().fork();
        let (bytes, names) = tree.charged();
        quota.force_bytes(bytes);
        quota.force_nodes(names);
        MemoryFs { tree: RwLock::new(tree), root: self.root, quota, changes: AtomicU64::new(0) }
    }

    /// A file of an embedded image: its bytes are not copied until it is changed, and cost no quota.
    pub fn create_static(&self, dir: NodeId, name: &[u8], mode: u32, bytes: &'static [u8]) -> Result<NodeId> {
        let new = NewNode { kind: crate::NodeKind::Regular, mode, uid: 0, gid: 0 };
        let mut tree = self.change();
        let id = tree.create(dir, name, &new, &self.quota)?;
        tree.table.get_mut(id)?.body = Body::File(FileData::from_static(bytes));
        Ok(id)
    }

    /// Changes whenever anything in the tree may have changed.
    pub fn change_count(&self) -> u64 {
        self.changes.load(Relaxed)
    }

    /// The tree, to be changed.
    fn change(&self) -> RwLockWriteGuard<'_, Tree> {
        self.changes.fetch_add(1, Relaxed);
        self.tree.write()
    }

    pub fn quota(&self) -> &Arc<Quota> {
        &self.quota
    }

    /// The next few entries of a directory.
    fn entries(&self, dir: NodeId, cookie: u64) -> Result<Vec<DirEntry>> {
        let tree = self.tree.read();
        let entry = |(number, name, node): (u64, &directory::Name, NodeId)| {
            let kind = tree.table.get(node)?.kind();
            Ok(DirEntry { next: number + 1, ino: node.0, kind, name: name.bytes().to_vec() })
        };
        tree.table.get(dir)?.directory()?.entries(cookie).take(BATCH).map(entry).collect()
    }
}

/// What the tree held is free again, though the session goes on with another tree.
impl Drop for MemoryFs {
    fn drop(&mut self) {
        let (bytes, names) = self.tree.get_mut().charged();
        self.quota.refund_bytes(bytes);
        self.quota.refund_nodes(names);
    }
}

impl Filesystem for MemoryFs {
    fn root(&self) -> NodeId {
        self.root
    }

    fn lookup(&self, dir: NodeId, name: &[u8]) -> Result<NodeId> {
        self.tree.read().table.get(dir)?.directory()?.get(name).ok_or(Errno::ENOENT)
    }

    fn lookup_stat(&self, dir: NodeId, name: &[u8]) -> Result<(NodeId, Stat)> {
        let tree = self.tree.read();
        let id = tree.table.get(dir)?.directory()?.get(name).ok_or(Errno::ENOENT)?;
        Ok((id, tree.table.get(id)?.stat(id)))
    }

    fn lookup_access(&self, dir: NodeId, name: &[u8]) -> Result<(NodeId, Access)> {
        let tree = self.tree.read();
        let id = tree.table.get(dir)?.directory()?.get(name).ok_or(Errno::ENOENT)?;
        let inode = tree.table.get(id)?;
        Ok((id, Access { kind: inode.kind(), mode: inode.mode, uid: inode.uid, gid: inode.gid }))
    }

    fn parent(&self, dir: NodeId) -> Result<NodeId> {
        let tree = self.tree.read();
        let parent = tree.table.get(dir)?.directory()?.parent;
        tree.table.get(parent).map(|_| parent)
    }

    fn names(&self, node: NodeId) -> Vec<(NodeId, Vec<u8>)> {
        let tree = self.tree.read();
        let names = tree.table.get(node).map(|inode| inode.names.as_slice()).unwrap_or_default();
        names.iter().map(|(dir, name)| (*dir, name.bytes().to_vec())).collect()
    }

    fn stat(&self, node: NodeId) -> Result<Stat> {
        Ok(self.tree.read().table.get(node)?.stat(node))
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>> {
        match &self.tree.read().table.get(node)?.body {
            Body::Symlink(target) => Ok(target.to_vec()),
            _ => Err(Errno::EINVAL),
        }
    }

    /// In batches, so that `sink` is never called under the lock.
    fn read_dir(&self, dir: NodeId, mut cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        loop {
            let batch = self.entries(dir, cookie)?;
            let Some(last) = batch.last() else { return Ok(()) };
            cookie = last.next;
            for entry in batch {
                if !sink(entry) {
                    return Ok(());
                }
            }
        }
    }

    fn read(&self, node: NodeId, offset: u64, buf: &mut [u8]) -> Result<usize> {
        Ok(self.tree.read().table.get(node)?.data()?.read(offset, buf))
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8]) -> Result<usize> {
        self.change().write(node, Some(offset), data, &self.quota).map(|(_, written)| written)
    }

    fn next_data(&self, node: NodeId, offset: u64) -> Result<Option<u64>> {
        Ok(self.tree.read().table.get(node)?.data()?.next_data(offset))
    }

    fn append(&self, node: NodeId, data: &[u8]) -> Result<(u64, usize)> {
        self.change().write(node, None, data, &self.quota)
    }

    fn set_attributes(&self, node: NodeId, attributes: &Attributes) -> Result<()> {
        self.change().set_attributes(node, attributes, &self.quota)
    }

    fn create(&self, dir: NodeId, name: &[u8], new: &NewNode) -> Result<NodeId> {
        self.change().create(dir, name, new, &self.quota)
    }

    fn link(&self, node: NodeId, dir: NodeId, name: &[u8]) -> Result<()> {
        self.change().link(node, dir, name, &self.quota)
    }

    fn unlink(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        self.change().unlink(dir, name, &self.quota)
    }

    fn remove_dir(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        self.change().remove_dir(dir, name, &self.quota)
    }

    fn rename(&self, dir: NodeId, name: &[u8], to_dir: NodeId, to_name: &[u8], flags: u32) -> Result<()> {
        self.change().rename((dir, name), (to_dir, to_name), flags, &self.quota)
    }

    fn pin(&self, node: NodeId) -> Result<()> {
        self.tree.read().pin(node)
    }

    fn unpin(&self, node: NodeId) {
        let last = self.tree.read().unpin(node);
        if last {
            self.tree.write().collect(node, &self.quota);
        }
    }

    fn content(&self, node: NodeId) -> Result<Content> {
        Ok(Content::Shared(self.tree.read().table.get(node)?.data()?.clone()))
    }

    fn set_content(&self, node: NodeId, content: &Content) -> Result<bool> {
        match content {
            Content::Shared(data) => self.change().set_content(node, data, &self.quota).map(|()| true),
            Content::Digest { .. } | Content::Unknown { .. } => Ok(false),
        }
    }

    fn content_version(&self, node: NodeId) -> Option<u64> {
        let tree = self.tree.read();
        let inode = tree.table.get(node).ok()?;
        inode.data().is_ok().then_some(inode.version)
    }

    fn embedded(&self, node: NodeId) -> Option<&'static [u8]> {
        self.tree.read().table.get(node).ok()?.data().ok()?.embedded()
    }

    fn usage(&self) -> FsUsage {
        self.quota.usage()
    }

    fn allows_fifos(&self) -> bool {
        true
    }
}

//! The changes of a tree. Each is checked whole before anything is changed, so that it happens or does not.

mod rename;

use super::data::FileData;
use super::directory::{Directory, Name};
use super::inode::{Body, Inode, LINK_MAX, next_version};
use super::table::{Table, slot_of};
use crate::clock::now;
use crate::{Attributes, Errno, NewNode, NodeId, NodeKind, Quota, Result};
use capsule_abi::fs::{MODE_BITS, SetTime, Time};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub struct Tree {
    pub table: Table,
    /// How often each slot's node is pinned; beside the table, because copies of the tree share that.
    pins: Vec<AtomicU32>,
    /// Pinned nodes without a name.
    orphans: HashSet<NodeId>,
    /// What this tree has been charged.
    bytes: u64,
    names: u64,
}

impl Tree {
    /// With its root.
    pub fn new() -> (Tree, NodeId) {
        let mut tree = Tree { table: Table::new(), pins: Vec::new(), orphans: HashSet::new(), bytes: 0, names: 0 };
        let root = tree.table.reserve().unwrap_or(NodeId(1));
        let body = Body::Directory(Directory::new(root));
        let root_inode = Inode { nlink: 2, ..inode(0o755, (0, 0), now(), body) };
        tree.table.fill(root, root_inode);
        tree.grow_pins();
        (tree, root)
    }

    pub fn fork(&self) -> Tree {
        let mut tree = Tree {
            table: self.table.clone(),
            pins: Vec::new(),
            orphans: HashSet::new(),
            bytes: self.bytes,
            names: self.names,
        };
        for &orphan in &self.orphans {
            tree.bytes -= tree.table.get(orphan).map_or(0, Inode::cost);
            tree.names -= 1;
            tree.table.free(orphan);
        }
        tree.grow_pins();
        tree
    }

    /// Bytes and names charged to the quota.
    pub fn charged(&self) -> (u64, u64) {
        (self.bytes, self.names)
    }

    /// After nodes were put into the table from outside: what is counted and free is found out anew.
    pub fn read_in(&mut self) {
        self.table.settle();
        self.grow_pins();
        self.bytes = self.table.nodes().map(|(_, inode)| inode.cost()).sum();
        self.names = self.table.nodes().map(|(_, inode)| inode.names.len() as u64).sum();
    }

    fn grow_pins(&mut self) {
        self.pins.resize_with(self.table.slots(), AtomicU32::default);
    }

    pub fn pin(&self, id: NodeId) -> Result<()> {
        self.table.get(id)?;
        self.pins[slot_of(id)].fetch_add(1, Relaxed);
        Ok(())
    }

    /// True when it was the last pin of a node without a name.
    pub fn unpin(&self, id: NodeId) -> bool {
        let Ok(inode) = self.table.get(id) else { return false };
        let before = self.pins[slot_of(id)].fetch_update(Relaxed, Relaxed, |pins| pins.checked_sub(1));
        before == Ok(1) && inode.nlink == 0
    }

    /// Frees a node that has neither name nor pin.
    pub fn collect(&mut self, id: NodeId, quota: &Quota) {
        let Ok(inode) = self.table.get(id) else { return };
        if inode.nlink > 0 {
            return;
        }
        if self.pins[slot_of(id)].load(Relaxed) > 0 {
            self.orphans.insert(id);
            return;
        }
        self.orphans.remove(&id);
        let bytes = inode.cost();
        self.table.free(id);
        self.bytes -= bytes;
        self.names -= 1;
        quota.refund_bytes(bytes);
        quota.refund_nodes(1);
    }

    pub fn write(&mut self, id: NodeId, at: Option<u64>, bytes: &[u8], quota: &Quota) -> Result<(u64, usize)> {
        self.table.get(id)?.data()?;
        let data = self.table.get_mut(id)?.data_mut(now())?;
        let (offset, before) = (at.unwrap_or(data.size()), data.cost());
        let written = data.write(offset, bytes, quota);
        self.bytes += data.cost() - before;
        let written = written?;
        Ok((offset + written as u64, written))
    }

    /// Takes over another file's bytes, shared; they are charged here too.
    pub fn set_content(&mut self, id: NodeId, content: &FileData, quota: &Quota) -> Result<()> {
        let before = self.table.get(id)?.data()?.cost();
        quota.charge_bytes(content.cost())?;
        *self.table.get_mut(id)?.data_mut(now())? = content.clone();
        self.bytes = self.bytes + content.cost() - before;
        quota.refund_bytes(before);
        Ok(())
    }

    pub fn set_attributes(&mut self, id: NodeId, attributes: &Attributes, quota: &Quota) -> Result<()> {
        let now = now();
        if let Some(size) = attributes.size {
            let data = self.table.get(id)?.data()?;
            let before = (data.size(), data.cost());
            if size != before.0 {
                let data = self.table.get_mut(id)?.data_mut(now)?;
                data.set_len(size, quota)?;
                self.bytes -= before.1 - data.cost();
            }
        }
        let inode = self.table.get_mut(id)?;
        inode.mode = attributes.mode.map_or(inode.mode, |mode| mode & MODE_BITS);
        inode.uid = attributes.uid.unwrap_or(inode.uid);
        inode.gid = attributes.gid.unwrap_or(inode.gid);
        let set = |old: Time, new: SetTime| match new {
            SetTime::Omit => old,
            SetTime::Now => now,
            SetTime::At(time) => time,
        };
        let mtime = if attributes.size.is_some() { now } else { inode.mtime };
        inode.atime = set(inode.atime, attributes.atime);
        inode.mtime = set(mtime, attributes.mtime);
        inode.ctime = now;
        Ok(())
    }

    /// The directory, when a name may be made in it: a removed one takes no names.
    fn open_directory(&self, id: NodeId) -> Result<&Directory> {
        let inode = self.table.get(id)?;
        let directory = inode.directory()?;
        if inode.nlink == 0 { Err(Errno::ENOENT) } else { Ok(directory) }
    }

    fn directory_changed(&mut self, id: NodeId, now: Time) -> Result<&mut Inode> {
        let inode = self.table.get_mut(id)?;
        inode.mtime = now;
        inode.ctime = now;
        Ok(inode)
    }

    pub fn create(&mut self, dir: NodeId, name: &[u8], new: &NewNode, quota: &Quota) -> Result<NodeId> {
        if self.open_directory(dir)?.get(name).is_some() {
            return Err(Errno::EEXIST);
        }
        let is_dir = matches!(new.kind, NodeKind::Directory);
        let id = self.table.reserve()?;
        self.grow_pins();
        let body = match &new.kind {
            NodeKind::Regular => Body::File(FileData::default()),
            NodeKind::Directory => Body::Directory(Directory::new(dir)),
            NodeKind::Symlink(target) => Body::Symlink(target.as_slice().into()),
            NodeKind::Fifo => Body::Fifo,
        };
        let (now, name) = (now(), Name::from(name));
        let mut inode = inode(new.mode, (new.uid, new.gid), now, body);
        inode.nlink = 1 + u32::from(is_dir);
        inode.names.push((dir, name.clone()));
        let bytes = inode.cost();
        quota.charge_nodes(1)?;
        quota.charge_bytes(bytes).inspect_err(|_| quota.refund_nodes(1))?;
        self.bytes += bytes;
        self.names += 1;
        self.table.fill(id, inode);
        let parent = self.directory_changed(dir, now)?;
        parent.nlink += u32::from(is_dir);
        parent.directory_mut()?.insert(name, id);
        Ok(id)
    }

    pub fn link(&mut self, id: NodeId, dir: NodeId, name: &[u8], quota: &Quota) -> Result<()> {
        let inode = self.table.get(id)?;
        let exists = self.open_directory(dir)?.get(name).is_some();
        match () {
            _ if exists => return Err(Errno::EEXIST),
            _ if inode.is_directory() => return Err(Errno::EPERM),
            _ if inode.nlink == 0 => return Err(Errno::ENOENT),
            _ if inode.nlink >= LINK_MAX => return Err(Errno::EMLINK),
            _ => quota.charge_nodes(1)?,
        }
        self.names += 1;
        let (now, name) = (now(), Name::from(name));
        let inode = self.table.get_mut(id)?;
        inode.nlink += 1;
        inode.ctime = now;
        inode.names.push((dir, name.clone()));
        self.directory_changed(dir, now)?.directory_mut()?.insert(name, id);
        Ok(())
    }

    pub fn unlink(&mut self, dir: NodeId, name: &[u8], quota: &Quota) -> Result<()> {
        let id = self.table.get(dir)?.directory()?.get(name).ok_or(Errno::ENOENT)?;
        if self.table.get(id)?.is_directory() {
            return Err(Errno::EISDIR);
        }
        let now = now();
        self.directory_changed(dir, now)?.directory_mut()?.remove(name);
        self.drop_name(id, dir, name, now, quota)
    }

    /// A name that the directory has lost already.
    fn drop_name(&mut self, id: NodeId, dir: NodeId, name: &[u8], now: Time, quota: &Quota) -> Result<()> {
        let inode = self.table.get_mut(id)?;
        inode.forget_name(dir, name);
        inode.ctime = now;
        inode.nlink = if inode.is_directory() { 0 } else { inode.nlink - 1 };
        if inode.nlink == 0 {
            self.collect(id, quota);
        } else {
            self.names -= 1;
            quota.refund_nodes(1);
        }
        Ok(())
    }

    pub fn remove_dir(&mut self, dir: NodeId, name: &[u8], quota: &Quota) -> Result<()> {
        let id = self.table.get(dir)?.directory()?.get(name).ok_or(Errno::ENOENT)?;
        if !self.table.get(id)?.directory()?.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        let now = now();
        let parent = self.directory_changed(dir, now)?;
        parent.nlink -= 1;
        parent.directory_mut()?.remove(name);
        self.drop_name(id, dir, name, now, quota)
    }
}

fn inode(mode: u32, (uid, gid): (u32, u32), now: Time, body: Body) -> Inode {
    let mode = if matches!(body, Body::Symlink(_)) { 0o777 } else { mode & MODE_BITS };
    let version = next_version();
    let names = Vec::new();
    Inode { mode, uid, gid, nlink: 1, atime: now, mtime: now, ctime: now, version, names, body }
}

/// Where a node is: directory and name.
type Slot<'a> = (NodeId, &'a [u8]);

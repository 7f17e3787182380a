//! A writable tree over one that never changes.
//!
//! * `state`: which node of which layer a node is
//! * `copy_up`: bringing a lower node into the upper layer, when it is about to change
//! * `change`: making, linking, moving and removing names
//! * `listing`: merged directories
//! * `persist`: what must be remembered beside the upper tree
//!
//! Unlike Linux's overlayfs: what is hidden or moved is kept in this object, not as special files in the upper tree, so
//! guests may use every name; a node is the same before and after copy-up (number, locks, open files); hard links of the
//! lower layer stay links when copied up (as far as the lower layer tells their names); a lower directory is moved in
//! one step, its content staying below. The ctime of a copied node is the time of the copy.
//!
//! The upper tree is changed through the overlay only; the lower one by nobody.

mod change;
mod copy_up;
mod listing;
mod persist;
mod state;
#[cfg(test)]
mod tests;

pub use persist::OverlayState;

use crate::{Attributes, Content, Errno, Filesystem, NewNode, NodeId, Result};
use capsule_abi::fs::{DirEntry, FileType, FsUsage, Stat};
use parking_lot::{Mutex, RwLock};
use state::{Born, Layer, State};
use std::collections::HashMap;
use std::sync::Arc;

/// A writable tree over one that never changes.
pub struct Overlay {
    lower: Arc<dyn Filesystem>,
    upper: Arc<dyn Filesystem>,
    state: RwLock<State>,
    /// How often nodes born in the lower layer are pinned. Locked after `state`.
    pins: Mutex<HashMap<NodeId, u32>>,
}

impl Overlay {
    /// The roots are merged; what `upper` holds already covers what `lower` has by the same name.
    pub fn new(lower: Arc<dyn Filesystem>, upper: Arc<dyn Filesystem>) -> Result<Overlay> {
        Overlay::with_state(lower, upper, &OverlayState::default())
    }

    /// A second overlay over the same lower tree, with a copy of the upper one: `copy` makes it while nothing changes
    /// here, and keeps all node ids ([`MemoryFs::fork`](crate::MemoryFs::fork) does).
    pub fn fork(&self, copy: impl FnOnce() -> Arc<dyn Filesystem>) -> Overlay {
        let state = self.state.read();
        let upper = copy();
        Overlay { lower: self.lower.clone(), upper, state: RwLock::new(state.fork()), pins: Mutex::default() }
    }

    pub fn upper(&self) -> &Arc<dyn Filesystem> {
        &self.upper
    }

    pub fn lower(&self) -> &Arc<dyn Filesystem> {
        &self.lower
    }

    /// A name in a directory: the lower layer's, unless it is covered, then the upper's.
    fn find(&self, state: &State, dir: NodeId, name: &[u8]) -> Result<NodeId> {
        state.check_there(dir)?;
        if let Some(node) = self.find_lower(state, dir, name)? {
            return Ok(Born::Lower(node).id());
        }
        let upper = state.upper(dir).ok_or(Errno::ENOENT)?;
        Ok(state.id_of_upper(self.upper.lookup(upper, name)?))
    }

    /// The lower node that a name of a directory still stands for.
    fn find_lower(&self, state: &State, dir: NodeId, name: &[u8]) -> Result<Option<NodeId>> {
        match Born::of(dir) {
            Born::Lower(lower) if !state.is_covered(lower, name) => match self.lower.lookup(lower, name) {
                Ok(node) => Ok(Some(node)),
                Err(Errno::ENOENT) => Ok(None),
                Err(error) => Err(error),
            },
            _ => Ok(None),
        }
    }

    fn stat_in(&self, state: &State, id: NodeId) -> Result<Stat> {
        match (Born::of(id), state.layer(id)) {
            (Born::Upper(_), Layer::Upper(upper)) => {
                let stat = self.upper.stat(upper)?;
                Ok(Stat { ino: stat.ino << 1 | 1, ..stat })
            }
            (Born::Lower(lower), Layer::Upper(upper)) => {
                let stat = self.upper.stat(upper)?;
                let ino = state.copy(lower).map_or(0, |copy| copy.ino) << 1;
                let below = if stat.kind == FileType::Directory && !state.is_gone(id) {
                    self.directories_below(state, lower)?
                } else {
                    0
                };
                Ok(Stat { ino, nlink: stat.nlink.saturating_add(below), ..stat })
            }
            (_, Layer::Lower(lower)) => {
                let stat = self.lower.stat(lower)?;
                Ok(self.shown_lower(state, id, stat)?)
            }
        }
    }

    /// A lower node that was not copied, as it is seen here.
    fn shown_lower(&self, state: &State, id: NodeId, stat: Stat) -> Result<Stat> {
        let nlink = if state.is_gone(id) { 0 } else { stat.nlink };
        // Nobody could still mean it: without names and pins it is nothing.
        if nlink == 0 && !self.is_pinned(id) {
            return Err(Errno::ESTALE);
        }
        Ok(Stat { ino: stat.ino << 1, nlink, ..stat })
    }

    /// How many directories of a lower one are still seen: they count as links of the merged one.
    fn directories_below(&self, state: &State, lower: NodeId) -> Result<u32> {
        let all = self.lower.stat(lower)?.nlink.saturating_sub(2);
        Ok(all.saturating_sub(state.cover(lower).map_or(0, |cover| cover.directories)))
    }

    fn is_pinned(&self, id: NodeId) -> bool {
        matches!(Born::of(id), Born::Lower(lower) if self.pins.lock().contains_key(&lower))
    }

    /// The layer and the node in it, for a call that needs no more than that.
    fn at(&self, id: NodeId) -> Result<(&Arc<dyn Filesystem>, NodeId)> {
        let state = self.state.read();
        match state.layer(id) {
            Layer::Upper(node) => Ok((&self.upper, node)),
            Layer::Lower(_) if state.is_gone(id) && !self.is_pinned(id) => Err(Errno::ESTALE),
            Layer::Lower(node) => Ok((&self.lower, node)),
        }
    }

    /// The node in the upper layer, copied up when it is not there; at most `keep` of its bytes.
    fn upper_node(&self, id: NodeId, keep: u64) -> Result<NodeId> {
        if let Some(upper) = self.state.read().upper(id) {
            return Ok(upper);
        }
        self.copy_up(&mut self.state.write(), id, keep)
    }
}

impl Filesystem for Overlay {
    fn root(&self) -> NodeId {
        Born::Lower(self.lower.root()).id()
    }

    fn lookup(&self, dir: NodeId, name: &[u8]) -> Result<NodeId> {
        self.find(&self.state.read(), dir, name)
    }

    fn lookup_stat(&self, dir: NodeId, name: &[u8]) -> Result<(NodeId, Stat)> {
        let state = self.state.read();
        state.check_there(dir)?;
        // One question to the layer in the common cases: not copied up, or born above.
        if let Born::Lower(lower) = Born::of(dir)
            && !state.is_covered(lower, name)
        {
            match self.lower.lookup_stat(lower, name) {
                Ok((node, stat)) => {
                    let id = Born::Lower(node).id();
                    let copied = state.copy(node).is_some();
                    let stat = if copied { self.stat_in(&state, id) } else { self.shown_lower(&state, id, stat) };
                    return Ok((id, stat?));
                }
                Err(Errno::ENOENT) => {}
                Err(error) => return Err(error),
            }
        }
        let upper = state.upper(dir).ok_or(Errno::ENOENT)?;
        let (node, stat) = self.upper.lookup_stat(upper, name)?;
        match state.original(node) {
            Some(lower) => {
                let id = Born::Lower(lower).id();
                Ok((id, self.stat_in(&state, id)?))
            }
            None => Ok((Born::Upper(node).id(), Stat { ino: stat.ino << 1 | 1, ..stat })),
        }
    }

    fn parent(&self, dir: NodeId) -> Result<NodeId> {
        let state = self.state.read();
        match state.layer(dir) {
            Layer::Upper(upper) => Ok(state.id_of_upper(self.upper.parent(upper)?)),
            Layer::Lower(lower) => Ok(Born::Lower(self.lower.parent(lower)?).id()),
        }
    }

    fn names(&self, node: NodeId) -> Vec<(NodeId, Vec<u8>)> {
        self.names_in(&self.state.read(), node)
    }

    fn stat(&self, node: NodeId) -> Result<Stat> {
        self.stat_in(&self.state.read(), node)
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>> {
        let (fs, node) = self.at(node)?;
        fs.read_link(node)
    }

    fn read_dir(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        self.list(dir, cookie, sink)
    }

    fn read(&self, node: NodeId, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let (fs, node) = self.at(node)?;
        fs.read(node, offset, buf)
    }

    fn next_data(&self, node: NodeId, offset: u64) -> Result<Option<u64>> {
        let (fs, node) = self.at(node)?;
        fs.next_data(node, offset)
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8]) -> Result<usize> {
        self.check_bytes(node)?;
        self.upper.write(self.upper_node(node, u64::MAX)?, offset, data)
    }

    fn append(&self, node: NodeId, data: &[u8]) -> Result<(u64, usize)> {
        self.check_bytes(node)?;
        self.upper.append(self.upper_node(node, u64::MAX)?, data)
    }

    fn set_attributes(&self, node: NodeId, attributes: &Attributes) -> Result<()> {
        if attributes.size.is_some() {
            self.check_bytes(node)?;
        }
        let keep = attributes.size.unwrap_or(u64::MAX);
        self.upper.set_attributes(self.upper_node(node, keep)?, attributes)
    }

    fn create(&self, dir: NodeId, name: &[u8], new: &NewNode) -> Result<NodeId> {
        self.make(dir, name, new)
    }

    fn link(&self, node: NodeId, dir: NodeId, name: &[u8]) -> Result<()> {
        self.add_link(node, dir, name)
    }

    fn unlink(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        self.remove_name(dir, name)
    }

    fn remove_dir(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        self.remove_directory(dir, name)
    }

    fn rename(&self, dir: NodeId, name: &[u8], to_dir: NodeId, to_name: &[u8], flags: u32) -> Result<()> {
        self.move_name((dir, name), (to_dir, to_name), flags)
    }

    fn pin(&self, node: NodeId) -> Result<()> {
        let state = self.state.read();
        let Born::Lower(lower) = Born::of(node) else { return self.upper.pin(NodeId(node.0 >> 1)) };
        let mut pins = self.pins.lock();
        if let Some(count) = pins.get_mut(&lower) {
            *count += 1;
            return Ok(());
        }
        if state.is_gone(node) {
            return Err(Errno::ESTALE);
        }
        match state.copy(lower) {
            Some(copy) => self.upper.pin(copy.upper)?,
            None => self.lower.pin(lower)?,
        }
        pins.insert(lower, 1);
        Ok(())
    }

    fn unpin(&self, node: NodeId) {
        let state = self.state.read();
        let Born::Lower(lower) = Born::of(node) else { return self.upper.unpin(NodeId(node.0 >> 1)) };
        let mut pins = self.pins.lock();
        match pins.get_mut(&lower) {
            None => return,
            Some(count) if *count > 1 => {
                *count -= 1;
                return;
            }
            Some(_) => pins.remove(&lower),
        };
        match state.copy(lower) {
            Some(copy) => self.upper.unpin(copy.upper),
            None => self.lower.unpin(lower),
        }
        if state.is_gone(node) {
            drop((pins, state));
            // Nothing can pin it again: it has no name.
            self.state.write().drop_copy(lower);
        }
    }

    fn prepare(&self, node: NodeId, read: bool, write: bool) -> Result<()> {
        // What is below is read there; writing copies it up, and happens above.
        let layer = self.state.read().layer(node);
        match layer {
            Layer::Upper(upper) => self.upper.prepare(upper, read, write),
            Layer::Lower(lower) => self.lower.prepare(lower, read, false),
        }
    }

    fn content(&self, node: NodeId) -> Result<Content> {
        let (fs, node) = self.at(node)?;
        fs.content(node)
    }

    fn content_version(&self, node: NodeId) -> Option<u64> {
        let (fs, node) = self.at(node).ok()?;
        fs.content_version(node)
    }

    fn embedded(&self, node: NodeId) -> Option<&'static [u8]> {
        let (fs, node) = self.at(node).ok()?;
        fs.embedded(node)
    }

    fn sync(&self, node: NodeId) -> Result<()> {
        let (fs, node) = self.at(node)?;
        fs.sync(node)
    }

    fn usage(&self) -> FsUsage {
        self.upper.usage()
    }

    fn allows_fifos(&self) -> bool {
        self.upper.allows_fifos()
    }
}

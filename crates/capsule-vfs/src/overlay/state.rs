//! Which node of which layer an overlay's node is.
//!
//! A node's id says where it was born: a lower node keeps its id when it is copied up, moved or removed, so whoever has
//! it open goes on with the same node. Nodes nobody changed need no memory here.

use crate::{Errno, NodeId, Result};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Born in the lower layer or in the upper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Born {
    Lower(NodeId),
    Upper(NodeId),
}

impl Born {
    pub fn of(id: NodeId) -> Born {
        if id.0 & 1 == 0 { Born::Lower(NodeId(id.0 >> 1)) } else { Born::Upper(NodeId(id.0 >> 1)) }
    }

    pub fn id(self) -> NodeId {
        match self {
            Born::Lower(node) => NodeId(node.0 << 1),
            Born::Upper(node) => NodeId(node.0 << 1 | 1),
        }
    }
}

/// Where a node's bytes and attributes are now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    Lower(NodeId),
    Upper(NodeId),
}

/// Node ids are numbers we gave out ourselves: a multiplication spreads them well enough.
#[derive(Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, n: u64) {
        let spread = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (spread >> 64) as u64 ^ spread as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Map<V> = HashMap<NodeId, V, BuildHasherDefault<IdHasher>>;

/// The names of a lower directory that are not taken from there any more: copied up, replaced, moved or removed.
#[derive(Clone, Default)]
pub struct Cover {
    pub names: BTreeSet<Box<[u8]>>,
    /// How many of them are directories in the lower layer; for the link count.
    pub directories: u32,
}

/// A lower node's copy.
#[derive(Clone, Copy)]
pub struct Copy {
    pub upper: NodeId,
    /// The inode number it had, which it keeps.
    pub ino: u64,
}

#[derive(Clone, Default)]
pub struct State {
    copies: Map<Copy>,
    originals: Map<NodeId>,
    covers: Map<Arc<Cover>>,
    /// Lower nodes that have no name any more.
    gone: HashSet<NodeId, BuildHasherDefault<IdHasher>>,
}

impl State {
    pub fn copy(&self, lower: NodeId) -> Option<&Copy> {
        self.copies.get(&lower)
    }

    pub fn original(&self, upper: NodeId) -> Option<NodeId> {
        self.originals.get(&upper).copied()
    }

    /// The overlay's id of an upper node.
    pub fn id_of_upper(&self, upper: NodeId) -> NodeId {
        self.original(upper).map_or(Born::Upper(upper), Born::Lower).id()
    }

    pub fn layer(&self, id: NodeId) -> Layer {
        match Born::of(id) {
            Born::Upper(node) => Layer::Upper(node),
            Born::Lower(node) => self.copy(node).map_or(Layer::Lower(node), |copy| Layer::Upper(copy.upper)),
        }
    }

    pub fn upper(&self, id: NodeId) -> Option<NodeId> {
        match self.layer(id) {
            Layer::Upper(node) => Some(node),
            Layer::Lower(_) => None,
        }
    }

    pub fn add_copy(&mut self, lower: NodeId, upper: NodeId, ino: u64) {
        self.copies.insert(lower, Copy { upper, ino });
        self.originals.insert(upper, lower);
    }

    pub fn drop_copy(&mut self, lower: NodeId) {
        if let Some(copy) = self.copies.remove(&lower) {
            self.originals.remove(&copy.upper);
        }
        self.covers.remove(&lower);
    }

    pub fn is_gone(&self, id: NodeId) -> bool {
        matches!(Born::of(id), Born::Lower(node) if self.gone.contains(&node))
    }

    pub fn set_gone(&mut self, lower: NodeId) {
        self.gone.insert(lower);
    }

    pub fn cover(&self, lower_dir: NodeId) -> Option<&Cover> {
        self.covers.get(&lower_dir).map(|cover| &**cover)
    }

    pub fn is_covered(&self, lower_dir: NodeId, name: &[u8]) -> bool {
        self.covers.get(&lower_dir).is_some_and(|cover| cover.names.contains(name))
    }

    /// From now on the name is the upper layer's business.
    pub fn add_cover(&mut self, lower_dir: NodeId, name: &[u8], is_directory: bool) {
        let cover = Arc::make_mut(self.covers.entry(lower_dir).or_default());
        if cover.names.insert(name.into()) {
            cover.directories += u32::from(is_directory);
        }
    }

    /// Without the copies of nodes that have no name: they belong to whoever has them open.
    pub fn fork(&self) -> State {
        let mut state = self.clone();
        for &lower in &self.gone {
            state.drop_copy(lower);
        }
        state
    }

    /// `ENOENT` in a removed directory.
    pub fn check_there(&self, dir: NodeId) -> Result<()> {
        if self.is_gone(dir) { Err(Errno::ENOENT) } else { Ok(()) }
    }
}

//! The nodes of a tree by number: shared chunks of slots, so that copying the table costs a reference per 256 nodes.

use super::inode::Inode;
use crate::{Errno, NodeId, Result};
use std::sync::Arc;

const SLOTS: usize = 256;

/// Slot 0 stays empty: an inode number of 0 means "no entry" to many programs.
const FIRST: u32 = 1;

/// Ids stay below 2^56, as [`NodeId`] promises.
const LAST_GENERATION: u32 = (1 << 24) - 1;

#[derive(Clone)]
pub struct Table {
    chunks: Vec<Arc<[Slot; SLOTS]>>,
    free: Vec<u32>,
    /// The first slot never used.
    next: u32,
}

#[derive(Clone, Default)]
struct Slot {
    /// How often the slot has been freed: an old id does not find a new node.
    generation: u32,
    inode: Option<Arc<Inode>>,
}

/// Where an id's slot is.
pub fn slot_of(id: NodeId) -> usize {
    (id.0 as u32) as usize
}

fn generation_of(id: NodeId) -> u32 {
    (id.0 >> 32) as u32
}

impl Table {
    pub fn new() -> Table {
        Table { chunks: Vec::new(), free: Vec::new(), next: FIRST }
    }

    /// One more than the largest slot in use.
    pub fn slots(&self) -> usize {
        self.chunks.len() * SLOTS
    }

    #[inline]
    pub fn get(&self, id: NodeId) -> Result<&Inode> {
        let slot = slot_of(id);
        let slot = self.chunks.get(slot / SLOTS).map(|chunk| &chunk[slot % SLOTS]).ok_or(Errno::ESTALE)?;
        match &slot.inode {
            Some(inode) if slot.generation == generation_of(id) => Ok(inode),
            _ => Err(Errno::ESTALE),
        }
    }

    /// The node, to be changed: what is shared with a copy of the tree is copied first.
    pub fn get_mut(&mut self, id: NodeId) -> Result<&mut Inode> {
        let slot = self.slot_mut(id)?;
        slot.inode.as_mut().map(Arc::make_mut).ok_or(Errno::ESTALE)
    }

    fn slot_mut(&mut self, id: NodeId) -> Result<&mut Slot> {
        self.get(id)?;
        let slot = slot_of(id);
        Ok(&mut Arc::make_mut(&mut self.chunks[slot / SLOTS])[slot % SLOTS])
    }

    /// The id the next node will have; `ENOSPC` when four billion slots are used up.
    pub fn reserve(&mut self) -> Result<NodeId> {
        let slot = match self.free.last() {
            Some(&slot) => slot,
            None => {
                if self.next == u32::MAX {
                    return Err(Errno::ENOSPC);
                }
                if self.next as usize >= self.slots() {
                    self.chunks.push(Arc::new(std::array::from_fn(|_| Slot::default())));
                }
                self.next
            }
        };
        let at = slot as usize;
        let generation = self.chunks[at / SLOTS][at % SLOTS].generation;
        Ok(NodeId(u64::from(generation) << 32 | u64::from(slot)))
    }

    /// Fills the slot that [`reserve`](Self::reserve) named last.
    pub fn fill(&mut self, id: NodeId, inode: Inode) {
        if self.free.pop().is_none() {
            self.next += 1;
        }
        let slot = slot_of(id);
        Arc::make_mut(&mut self.chunks[slot / SLOTS])[slot % SLOTS].inode = Some(Arc::new(inode));
    }

    pub fn free(&mut self, id: NodeId) {
        if let Ok(slot) = self.slot_mut(id) {
            slot.inode = None;
            // A slot whose generations are used up is left alone for ever.
            if slot.generation < LAST_GENERATION {
                slot.generation += 1;
                self.free.push(id.0 as u32);
            }
        }
    }
}

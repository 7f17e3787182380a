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
pub struct Slot {
    /// How often the slot has been freed: an old id does not find a new node.
    pub generation: u32,
    pub inode: Option<Arc<Inode>>,
}

impl Slot {
    /// Whether nothing has happened to it since the tables were one.
    fn is(&self, other: &Slot) -> bool {
        let same = match (&self.inode, &other.inode) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        same && self.generation == other.generation
    }
}

/// A slot of a table: its number and what is in it.
pub fn id_of(slot: u32, generation: u32) -> NodeId {
    NodeId(u64::from(generation) << 32 | u64::from(slot))
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
        Ok(id_of(slot, generation))
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

    fn slot(&self, number: usize) -> &Slot {
        static EMPTY: Slot = Slot { generation: 0, inode: None };
        self.chunks.get(number / SLOTS).map_or(&EMPTY, |chunk| &chunk[number % SLOTS])
    }

    /// The slots that are not as they were in another table, with what they were and are. What the two share is not looked
    /// at.
    pub fn differences<'a>(&'a self, before: &'a Table) -> impl Iterator<Item = (u32, &'a Slot, &'a Slot)> {
        let shared = |i: usize| match (self.chunks.get(i), before.chunks.get(i)) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let chunks = (0..self.chunks.len().max(before.chunks.len())).filter(move |&i| !shared(i));
        let slots = chunks.flat_map(|i| i * SLOTS..(i + 1) * SLOTS);
        let pairs = slots.map(|number| (number as u32, before.slot(number), self.slot(number)));
        pairs.filter(|(_, before, now)| !before.is(now))
    }

    /// Everything there is.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Inode)> {
        let slots = self.chunks.iter().flat_map(|chunk| chunk.iter()).zip(0_u32..);
        slots.filter_map(|(slot, number)| Some((id_of(number, slot.generation), slot.inode.as_deref()?)))
    }

    /// Puts a slot as it was read from somewhere; [`settle`](Self::settle) follows when all are there. The table grows by one
    /// chunk at a time: false for a slot that no table had yet.
    pub fn put(&mut self, number: u32, slot: Slot) -> bool {
        let at = number as usize;
        if number < FIRST || at / SLOTS > self.chunks.len() || slot.generation > LAST_GENERATION {
            return false;
        }
        if at / SLOTS == self.chunks.len() {
            self.chunks.push(Arc::new(std::array::from_fn(|_| Slot::default())));
        }
        Arc::make_mut(&mut self.chunks[at / SLOTS])[at % SLOTS] = slot;
        true
    }

    /// Finds out anew which slots are free.
    pub fn settle(&mut self) {
        let slots = || self.chunks.iter().flat_map(|chunk| chunk.iter()).zip(0_u32..);
        let used = |slot: &Slot| slot.inode.is_some() || slot.generation > 0;
        self.next = slots().filter(|(slot, _)| used(slot)).last().map_or(FIRST, |(_, number)| number + 1).max(FIRST);
        let next = self.next;
        let free = slots()
            .take_while(|(_, number)| *number < next)
            .filter(|(slot, number)| *number >= FIRST && slot.inode.is_none() && slot.generation < LAST_GENERATION);
        self.free = free.map(|(_, number)| number).collect();
    }
}

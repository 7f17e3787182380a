//! Listing merged directories: first the lower names, in the lower layer's order, then those the upper layer has alone.
//! A name that is copied up while somebody lists stays in its place, so it is seen once.

use super::state::{Born, Layer, State};
use super::{Errno, FileType, NodeId, Overlay, Result};
use crate::Filesystem;
use capsule_abi::fs::DirEntry;

/// In which layer a cookie goes on; the layers' own cookies are below this.
const UPPER: u64 = 1 << 63;
/// Entries taken from a layer at a time: a layer must not be asked anything while it lists.
const BATCH: usize = 64;

impl Overlay {
    pub(super) fn parent_in(&self, state: &State, dir: NodeId) -> Result<NodeId> {
        match state.layer(dir) {
            Layer::Upper(upper) => Ok(state.id_of_upper(self.upper.parent(upper)?)),
            Layer::Lower(lower) => Ok(Born::Lower(self.lower.parent(lower)?).id()),
        }
    }

    pub(super) fn list(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        let mut cookie = cookie;
        loop {
            let (batch, next) = {
                let state = self.state.read();
                // Removed, and open still: empty.
                if state.is_gone(dir) {
                    return Ok(());
                }
                self.batch(&state, dir, cookie)?
            };
            for entry in batch {
                if !sink(entry) {
                    return Ok(());
                }
            }
            match next {
                Some(next) => cookie = next,
                None => return Ok(()),
            }
        }
    }

    pub(super) fn is_empty(&self, state: &State, dir: NodeId) -> Result<bool> {
        let mut cookie = 0;
        loop {
            let (batch, next) = self.batch(state, dir, cookie)?;
            if !batch.is_empty() {
                return Ok(false);
            }
            match next {
                Some(next) => cookie = next,
                None => return Ok(true),
            }
        }
    }

    /// Some entries, and where to go on.
    fn batch(&self, state: &State, dir: NodeId, cookie: u64) -> Result<(Vec<DirEntry>, Option<u64>)> {
        let upper = state.upper(dir);
        if cookie < UPPER
            && let Born::Lower(lower) = Born::of(dir)
        {
            let entries = layer_entries(&*self.lower, lower, cookie)?;
            let next = match entries.last() {
                Some(last) => Some(last.next),
                None => upper.is_some().then_some(UPPER),
            };
            let seen = entries.into_iter().filter(|entry| self.stays(state, lower, upper, &entry.name));
            return Ok((seen.map(|entry| DirEntry { ino: entry.ino << 1, ..entry }).collect(), next));
        }
        let Some(upper) = upper else { return Err(Errno::ENOTDIR) };
        let entries = layer_entries(&*self.upper, upper, cookie & !UPPER)?;
        let next = entries.last().map(|last| last.next | UPPER);
        let seen = entries.into_iter().filter_map(|entry| self.upper_entry(state, dir, upper, entry));
        Ok((seen.collect(), next))
    }

    /// Whether a lower name still stands for the same node, copied up or not.
    fn stays(&self, state: &State, lower: NodeId, upper: Option<NodeId>, name: &[u8]) -> bool {
        if !state.is_covered(lower, name) {
            return true;
        }
        let here = upper.and_then(|upper| self.upper.lookup(upper, name).ok()).and_then(|node| state.original(node));
        here.is_some() && here == self.lower.lookup(lower, name).ok()
    }

    /// An entry of the upper layer, unless it is shown in the lower one's place.
    fn upper_entry(&self, state: &State, dir: NodeId, upper: NodeId, entry: DirEntry) -> Option<DirEntry> {
        let original = self.upper.lookup(upper, &entry.name).ok().and_then(|node| state.original(node));
        if let Born::Lower(lower) = Born::of(dir) {
            let below = self.lower.lookup(lower, &entry.name).ok();
            if below.is_some() && (below == original || !state.is_covered(lower, &entry.name)) {
                return None;
            }
        }
        let ino = match original.and_then(|lower| state.copy(lower)) {
            Some(copy) => copy.ino << 1,
            None => entry.ino << 1 | 1,
        };
        Some(DirEntry { next: entry.next | UPPER, ino, ..entry })
    }
}

fn layer_entries(fs: &dyn Filesystem, dir: NodeId, cookie: u64) -> Result<Vec<DirEntry>> {
    let mut entries = Vec::new();
    fs.read_dir(dir, cookie, &mut |entry| {
        entries.push(entry);
        entries.len() < BATCH
    })?;
    Ok(entries)
}

/// The names and types in a directory of one layer.
pub fn all_entries(fs: &dyn Filesystem, dir: NodeId) -> Result<Vec<(Vec<u8>, FileType)>> {
    let mut entries = Vec::new();
    fs.read_dir(dir, 0, &mut |entry| {
        entries.push((entry.name, entry.kind));
        true
    })?;
    Ok(entries)
}

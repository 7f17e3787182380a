//! What a run changed: its net effect, by content, in time proportional to the changes.
//!
//! The namespace tells the journal of every change before it is made; the journal keeps how things were before their
//! first one. Nothing is kept of what is as it was again, so that a loop which makes and removes names costs nothing.
//!
//! * `record`: what is kept, and when
//! * `net`: the comparison at the end
//! * `paths`: what things are called for that
//! * `take_back`: making a tree again what it was

mod net;
mod paths;
mod record;
mod take_back;
#[cfg(test)]
mod tests;

pub(crate) use record::{Touch, Watch};
pub use take_back::Past;

use crate::namespace::Mount;
use crate::{Content, NodeId, Vfs};
use parking_lot::Mutex;
use record::Record;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The net effect of a run. All paths are absolute and the lists are sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Paths that exist now and did not at the start.
    pub created: Vec<Vec<u8>>,
    /// Files whose bytes (or links whose targets) are others now.
    pub modified: Vec<Vec<u8>>,
    pub deleted: Vec<Vec<u8>>,
    /// From the path at the start to the path now; neither is among `created` or `deleted`.
    pub renamed: Vec<(Vec<u8>, Vec<u8>)>,
    /// Paths whose mode or owner is another now.
    pub mode_changed: Vec<Vec<u8>>,
    /// Changes that are in none of the lists, because their paths are longer than any call takes (`PATH_MAX`) or all
    /// paths together longer than 64 MiB.
    pub untold: u64,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }
}

/// Remembers how things were before their first change since [`begin`](Journal::begin). Starts switched off.
#[derive(Default)]
pub struct Journal {
    /// The number of the run that is recorded; 0 when none is. Never used twice.
    run: AtomicU64,
    record: Mutex<Record>,
}

impl Journal {
    /// From now on; forgets what was before.
    pub fn begin(&self) {
        static RUNS: AtomicU64 = AtomicU64::new(1);
        let mut record = self.record.lock();
        *record = Record::default();
        self.run.store(RUNS.fetch_add(1, Relaxed), Relaxed);
    }

    /// Stops recording and forgets.
    pub fn stop(&self) {
        let mut record = self.record.lock();
        *record = Record::default();
        self.run.store(0, Relaxed);
    }

    pub fn is_on(&self) -> bool {
        self.run() != 0
    }

    /// The net effect since `begin`; recording goes on.
    pub fn changes(&self, vfs: &Vfs) -> Changes {
        if !self.is_on() {
            return Changes::default();
        }
        let mounts = vfs.table();
        net::changes(&self.record.lock(), &mounts).0
    }

    /// The same, and what the files held that were modified or deleted.
    pub fn changes_with_contents(&self, vfs: &Vfs) -> (Changes, BTreeMap<Vec<u8>, Content>) {
        if !self.is_on() {
            return Default::default();
        }
        let mounts = vfs.table();
        net::changes(&self.record.lock(), &mounts)
    }

    /// How many things are remembered.
    #[cfg(test)]
    fn kept(&self) -> usize {
        let record = self.record.lock();
        record.names.len() + record.nodes.len() + record.born.len()
    }

    pub(crate) fn run(&self) -> u64 {
        self.run.load(Relaxed)
    }

    /// Recording names of a mount: hold it until the change is made, so that no other comes between.
    pub(crate) fn watch<'a>(&'a self, mount: &'a Arc<Mount>) -> Option<Watch<'a>> {
        (self.is_on() && mount.options.journal).then(|| Watch::new(self.record.lock(), mount))
    }

    /// Before a node's bytes or attributes change.
    pub(crate) fn touch(&self, mount: &Arc<Mount>, node: NodeId, what: Touch) {
        if self.is_on() && mount.options.journal {
            record::touch(&self.record, mount, node, what);
        }
    }
}

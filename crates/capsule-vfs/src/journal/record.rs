//! What is kept: names, nodes, and what was born.
//!
//! Everything that changes a thing records it first; who finds it recorded leaves it. So what is recorded is always
//! from before the first change, though several threads may be at it.

use crate::namespace::Mount;
use crate::{Content, NodeId};
use capsule_abi::fs::{FileType, Stat};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A node of a mount.
pub type Node = (u32, NodeId);

/// What a name led to; none when it was free.
pub type Entry = Option<(NodeId, FileType)>;

#[derive(Default)]
pub struct Record {
    /// What names were at the start, by directory; only those that are something else now (or were meanwhile).
    pub names: HashMap<Node, HashMap<Vec<u8>, Entry>>,
    /// Nodes that were there at the start and were touched.
    pub nodes: HashMap<Node, Before>,
    /// Nodes made in this run that still have a name.
    pub born: HashSet<Node>,
}

/// A node before its first change.
pub struct Before {
    pub stat: Stat,
    /// A file's bytes; none as long as only its attributes were changed.
    pub content: Option<Content>,
    /// A symlink's target.
    pub target: Option<Vec<u8>>,
}

/// What is about to change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    Attributes,
    Content,
}

/// The journal while a name changes.
pub struct Watch<'a> {
    record: MutexGuard<'a, Record>,
    mount: &'a Arc<Mount>,
}

impl<'a> Watch<'a> {
    pub fn new(record: MutexGuard<'a, Record>, mount: &'a Arc<Mount>) -> Watch<'a> {
        Watch { record, mount }
    }

    fn key(&self, node: NodeId) -> Node {
        (self.mount.id, node)
    }

    fn now(&self, dir: NodeId, name: &[u8]) -> Entry {
        self.mount.fs.lookup_access(dir, name).ok().map(|(node, access)| (node, access.kind))
    }

    /// Before a name changes.
    pub fn slot(&mut self, dir: NodeId, name: &[u8]) {
        let key = self.key(dir);
        if !self.record.names.get(&key).is_some_and(|names| names.contains_key(name)) {
            let now = self.now(dir, name);
            self.record.names.entry(key).or_default().insert(name.to_vec(), now);
        }
    }

    /// After it did (or did not): what is as it was is forgotten.
    pub fn settle(&mut self, dir: NodeId, name: &[u8]) {
        let (key, now) = (self.key(dir), self.now(dir, name));
        let Some(names) = self.record.names.get_mut(&key) else { return };
        let same = names.get(name).is_some_and(|before| before.map(|(node, _)| node) == now.map(|(node, _)| node));
        if same {
            names.remove(name);
            if names.is_empty() {
                self.record.names.remove(&key);
            }
        }
    }

    pub fn born(&mut self, node: NodeId) {
        let key = self.key(node);
        self.record.born.insert(key);
    }

    /// Before the node at a name loses it for good: it may be gone afterwards. Names stand still while this is held, so
    /// that this is the node it happens to, whatever the caller found before.
    pub fn losing(&mut self, dir: NodeId, name: &[u8]) -> Option<NodeId> {
        let node = self.mount.fs.lookup(dir, name).ok()?;
        let key = self.key(node);
        if self.record.wants(key, Touch::Content)
            && let Some(before) = before(self.mount, node, Touch::Content)
        {
            self.record.keep(key, before);
        }
        Some(node)
    }

    /// After it did.
    pub fn lost(&mut self, node: Option<NodeId>) {
        if let Some(node) = node
            && self.mount.fs.stat(node).map_or(true, |stat| stat.nlink == 0)
        {
            let key = self.key(node);
            self.record.born.remove(&key);
        }
    }
}

impl Record {
    fn wants(&self, node: Node, what: Touch) -> bool {
        if self.born.contains(&node) {
            return false;
        }
        match self.nodes.get(&node) {
            None => true,
            Some(before) => what == Touch::Content && before.content.is_none() && before.stat.kind == FileType::Regular,
        }
    }

    fn keep(&mut self, node: Node, before: Before) {
        match self.nodes.get_mut(&node) {
            None => {
                self.nodes.insert(node, before);
            }
            Some(known) => known.content = known.content.take().or(before.content),
        }
    }
}

/// Before a node's bytes or attributes change. Bytes are taken without the lock: a host file is read for that.
pub fn touch(record: &Mutex<Record>, mount: &Arc<Mount>, node: NodeId, what: Touch) {
    let key = (mount.id, node);
    if !record.lock().wants(key, what) {
        return;
    }
    // A node without a name is nobody's change.
    if let Some(before) = before(mount, node, what).filter(|before| before.stat.nlink > 0) {
        let mut record = record.lock();
        if record.wants(key, what) {
            record.keep(key, before);
        }
    }
}

fn before(mount: &Mount, node: NodeId, what: Touch) -> Option<Before> {
    let stat = mount.fs.stat(node).ok()?;
    let content = match (stat.kind, what) {
        (FileType::Regular, Touch::Content) => mount.fs.content(node).ok(),
        _ => None,
    };
    let target = if stat.kind == FileType::Symlink { mount.fs.read_link(node).ok() } else { None };
    Some(Before { stat, content, target })
}

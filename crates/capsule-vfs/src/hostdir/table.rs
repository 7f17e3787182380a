//! What each [`NodeId`](crate::NodeId) stands for: the names it was found by and the host's identity of it. Nothing here
//! is trusted: every use opens the name anew and compares the identity.

use capsule_abi::fs::FileType;
use rustix::fd::OwnedFd;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Nodes nobody needs are forgotten beyond this many: a walk over a huge folder must not fill the host's memory.
const LIMIT: usize = 65_536;
/// How many old nodes one new node may look at to find one to forget; keeps the work for each lookup bounded.
const SWEEP: usize = 8;

pub type Name = Arc<[u8]>;

/// Device, inode number and type: what the host says a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    pub dev: u64,
    pub ino: u64,
    pub kind: FileType,
}

/// The descriptors of a pinned node.
#[derive(Default)]
pub struct Held {
    pub reader: Option<Arc<OwnedFd>>,
    pub writer: Option<Arc<OwnedFd>>,
    /// `O_PATH`: where the host lets us neither read nor write, and for what is not a regular file.
    pub path: Option<Arc<OwnedFd>>,
    /// Where a directory is being listed: some host filesystems keep cookies stable only for one opening.
    pub listing: Option<Arc<parking_lot::Mutex<OwnedFd>>>,
}

impl Held {
    pub fn any(&self) -> Option<&Arc<OwnedFd>> {
        self.reader.as_ref().or(self.writer.as_ref()).or(self.path.as_ref())
    }
}

pub struct Node {
    pub identity: Identity,
    names: Vec<(u64, Name)>,
    /// The directory it is or was last in.
    pub parent: u64,
    /// Of a directory: the names below it that are in the table.
    entries: HashMap<Name, u64>,
    pub pins: u32,
    pub held: Held,
    /// Changed through us: the journal may remember its number, so it is not forgotten.
    pub touched: bool,
    /// Looked up since the last sweep.
    recent: bool,
    /// Bytes of host blocks it had before it was first changed; not charged.
    pub base: Option<u64>,
    pub charged_bytes: u64,
    pub charged_names: u32,
}

/// What a node that left the table was charged with.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Refund {
    pub bytes: u64,
    pub names: u64,
}

impl std::ops::AddAssign for Refund {
    fn add_assign(&mut self, other: Refund) {
        self.bytes += other.bytes;
        self.names += other.names;
    }
}

pub struct Table {
    nodes: HashMap<u64, Node>,
    by_host: HashMap<(u64, u64), u64>,
    /// Nodes in the order they came, for forgetting; may name nodes that are gone.
    queue: VecDeque<u64>,
    /// Numbers are never used twice.
    next: u64,
    limit: usize,
    /// The descriptor of the file made last, until it is pinned: a file made with mode 0444 is written through it.
    pub made: Option<(u64, Arc<OwnedFd>)>,
}

pub const ROOT: u64 = 1;

impl Table {
    pub fn new(root: Identity) -> Table {
        let mut table = Table {
            nodes: HashMap::new(),
            by_host: HashMap::new(),
            queue: VecDeque::new(),
            next: ROOT,
            limit: LIMIT,
            made: None,
        };
        table.insert(root);
        table
    }

    pub fn get(&self, id: u64) -> Option<&Node> {
        self.nodes.get(&id)
    }

    pub fn get_mut(&mut self, id: u64) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    fn insert(&mut self, identity: Identity) -> u64 {
        let id = self.next;
        self.next += 1;
        let node = Node {
            identity,
            names: Vec::new(),
            parent: ROOT,
            entries: HashMap::new(),
            pins: 0,
            held: Held::default(),
            touched: id == ROOT,
            recent: true,
            base: None,
            charged_bytes: 0,
            charged_names: 0,
        };
        self.nodes.insert(id, node);
        self.by_host.insert((identity.dev, identity.ino), id);
        self.queue.push_back(id);
        id
    }

    /// The node at a name, as the host just told; what was thought to be there before is corrected.
    pub fn bind(&mut self, dir: u64, name: &[u8], identity: Identity) -> (u64, Refund) {
        let mut refund = Refund::default();
        let before = self.nodes.get(&dir).and_then(|d| d.entries.get(name)).copied();
        if let Some(id) = before {
            if let Some(node) = self.nodes.get_mut(&id)
                && node.identity == identity
            {
                node.recent = true;
                return (id, refund);
            }
            refund += self.unbind(dir, name);
        }
        let id = match self.by_host.get(&(identity.dev, identity.ino)).copied() {
            Some(id) if self.nodes.get(&id).is_some_and(|node| node.identity == identity) => id,
            // The inode number now belongs to something of another type: what had it is gone.
            Some(id) => {
                refund += self.forget_names(id);
                self.insert(identity)
            }
            None => self.insert(identity),
        };
        // A directory has one name: it was moved by somebody on the host.
        if identity.kind == FileType::Directory {
            self.drop_names(id);
        }
        if id != ROOT && self.nodes.contains_key(&dir) {
            let name: Name = name.into();
            if let Some(parent) = self.nodes.get_mut(&dir) {
                parent.entries.insert(name.clone(), id);
            }
            if let Some(node) = self.nodes.get_mut(&id) {
                node.recent = true;
                node.parent = dir;
                node.names.push((dir, name));
            }
        }
        self.sweep(id);
        (id, refund)
    }

    /// The name is not there any more. A node without names and pins leaves the table.
    pub fn unbind(&mut self, dir: u64, name: &[u8]) -> Refund {
        let Some(id) = self.nodes.get_mut(&dir).and_then(|d| d.entries.remove(name)) else {
            return Refund::default();
        };
        let Some(node) = self.nodes.get_mut(&id) else { return Refund::default() };
        node.names.retain(|(d, n)| *d != dir || **n != *name);
        let mut refund = Refund::default();
        if node.charged_names > 0 {
            node.charged_names -= 1;
            refund.names = 1;
        }
        refund += self.leave_if_unused(id);
        refund
    }

    /// A rename that succeeded: the node keeps its number, what is below it too.
    pub fn moved(&mut self, dir: u64, name: &[u8], to_dir: u64, to_name: &[u8]) -> Refund {
        let refund = self.unbind(to_dir, to_name);
        let Some(id) = self.nodes.get_mut(&dir).and_then(|d| d.entries.remove(name)) else { return refund };
        self.put(id, (dir, name), (to_dir, to_name));
        refund
    }

    /// Two names were exchanged.
    pub fn exchanged(&mut self, dir: u64, name: &[u8], to_dir: u64, to_name: &[u8]) {
        let a = self.nodes.get_mut(&dir).and_then(|d| d.entries.remove(name));
        let b = self.nodes.get_mut(&to_dir).and_then(|d| d.entries.remove(to_name));
        if let Some(a) = a {
            self.put(a, (dir, name), (to_dir, to_name));
        }
        if let Some(b) = b {
            self.put(b, (to_dir, to_name), (dir, name));
        }
    }

    fn put(&mut self, id: u64, from: (u64, &[u8]), to: (u64, &[u8])) {
        let name: Name = to.1.into();
        if let Some(dir) = self.nodes.get_mut(&to.0) {
            dir.entries.insert(name.clone(), id);
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            node.names.retain(|(d, n)| *d != from.0 || **n != *from.1);
            node.parent = to.0;
            node.names.push((to.0, name));
        }
    }

    pub fn names(&self, id: u64) -> &[(u64, Name)] {
        self.nodes.get(&id).map_or(&[], |node| &node.names)
    }

    /// The ways from the root to a node, one for each name; the root's own is empty.
    pub fn ways(&self, id: u64) -> Vec<Vec<Name>> {
        if id == ROOT {
            return vec![Vec::new()];
        }
        self.names(id).iter().filter_map(|(dir, name)| self.way(*dir, name.clone())).collect()
    }

    fn way(&self, mut dir: u64, name: Name) -> Option<Vec<Name>> {
        let mut way = vec![name];
        while dir != ROOT {
            // A host that moves folders about could make us see a loop: no way is longer than the table.
            if way.len() > self.nodes.len() {
                return None;
            }
            let (parent, name) = self.nodes.get(&dir)?.names.first()?;
            way.push(name.clone());
            dir = *parent;
        }
        way.reverse();
        Some(way)
    }

    pub fn pin(&mut self, id: u64, held: Held) -> bool {
        let Some(node) = self.nodes.get_mut(&id) else { return false };
        if node.pins == 0 {
            node.held = held;
        }
        node.pins += 1;
        true
    }

    pub fn unpin(&mut self, id: u64) -> Refund {
        let Some(node) = self.nodes.get_mut(&id) else { return Refund::default() };
        node.pins = node.pins.saturating_sub(1);
        if node.pins > 0 {
            return Refund::default();
        }
        node.held = Held::default();
        self.leave_if_unused(id)
    }

    /// All names of a node are gone.
    fn forget_names(&mut self, id: u64) -> Refund {
        self.drop_names(id);
        self.leave_if_unused(id)
    }

    fn drop_names(&mut self, id: u64) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        for (dir, name) in std::mem::take(&mut node.names) {
            if let Some(parent) = self.nodes.get_mut(&dir) {
                parent.entries.remove(&name);
            }
        }
    }

    /// Removes a node that has neither name nor pin, and what was below it: that has lost its way to the root.
    fn leave_if_unused(&mut self, id: u64) -> Refund {
        let mut refund = Refund::default();
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let unused = |node: &Node| node.names.is_empty() && node.pins == 0;
            if id == ROOT || !self.nodes.get(&id).is_some_and(unused) {
                continue;
            }
            let Some(node) = self.nodes.remove(&id) else { continue };
            refund += Refund { bytes: node.charged_bytes, names: node.charged_names.into() };
            let key = (node.identity.dev, node.identity.ino);
            if self.by_host.get(&key) == Some(&id) {
                self.by_host.remove(&key);
            }
            for (name, child) in node.entries {
                if let Some(below) = self.nodes.get_mut(&child) {
                    below.names.retain(|(d, n)| *d != id || *n != name);
                    todo.push(child);
                }
            }
        }
        refund
    }

    /// Forgets nodes that came long ago and that nobody needs, except `keep`.
    fn sweep(&mut self, keep: u64) {
        let mut looked = 0;
        while self.nodes.len() > self.limit && looked < SWEEP {
            looked += 1;
            let Some(id) = self.queue.pop_front() else { return };
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            let needed = node.pins > 0 || node.touched || !node.entries.is_empty() || id == keep;
            if needed || std::mem::take(&mut node.recent) {
                self.queue.push_back(id);
                continue;
            }
            self.forget_names(id);
        }
        // Numbers of nodes that left otherwise pile up in the queue: weed them out when they are the most.
        if self.queue.len() > 2 * self.nodes.len() + 1024 {
            let nodes = &self.nodes;
            self.queue.retain(|id| nodes.contains_key(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(ino: u64, kind: FileType) -> Identity {
        Identity { dev: 1, ino, kind }
    }

    fn table() -> Table {
        Table::new(identity(1, FileType::Directory))
    }

    #[test]
    fn a_number_is_never_used_twice() {
        let mut table = table();
        let (a, _) = table.bind(ROOT, b"a", identity(5, FileType::Regular));
        table.unbind(ROOT, b"a");
        let (b, _) = table.bind(ROOT, b"b", identity(5, FileType::Regular));
        assert_ne!(a, b);
        assert!(table.get(a).is_none());
    }

    #[test]
    fn a_replaced_name_is_a_new_node_and_the_charge_comes_back() {
        let mut table = table();
        let (a, _) = table.bind(ROOT, b"a", identity(5, FileType::Regular));
        table.get_mut(a).unwrap().charged_bytes = 7;
        let (b, refund) = table.bind(ROOT, b"a", identity(6, FileType::Regular));
        assert_ne!(a, b);
        assert_eq!(refund, Refund { bytes: 7, names: 0 });
    }

    #[test]
    fn the_table_stays_bounded_and_keeps_what_is_needed() {
        let mut table = table();
        table.limit = 100;
        let (dir, _) = table.bind(ROOT, b"d", identity(2, FileType::Directory));
        let (pinned, _) = table.bind(dir, b"p", identity(3, FileType::Regular));
        assert!(table.pin(pinned, Held::default()));
        for ino in 10..10_000 {
            table.bind(dir, ino.to_string().as_bytes(), identity(ino, FileType::Regular));
        }
        assert!(table.nodes.len() <= 101, "{}", table.nodes.len());
        assert!(table.queue.len() <= 2 * table.nodes.len() + 1024);
        assert_eq!(table.ways(pinned), [vec![Name::from(&b"d"[..]), Name::from(&b"p"[..])]]);
    }

    #[test]
    fn a_loop_made_by_host_moves_has_no_way() {
        let mut table = table();
        let (a, _) = table.bind(ROOT, b"a", identity(2, FileType::Directory));
        let (b, _) = table.bind(a, b"b", identity(3, FileType::Directory));
        table.bind(b, b"a", identity(2, FileType::Directory));
        assert!(table.ways(a).is_empty());
        assert!(table.ways(b).is_empty());
    }
}

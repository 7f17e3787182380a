//! What differs between a tree and an earlier copy of it, by path, in time proportional to the differences.

use super::inode::{Body, Inode};
use super::table::{Slot, Table, id_of};
use super::{MemoryFs, Tree};
use crate::{Changes, NodeId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The longest path that is told.
const LONGEST: usize = 1 << 16;

impl MemoryFs {
    /// What has changed since a copy was taken of this tree: files by content, at their paths. What was moved is gone from
    /// the one path and new at the other; what is inside a folder that was moved is not told.
    pub fn changes_since(&self, before: &MemoryFs) -> Changes {
        let (then, now) = (before.tree.read(), self.tree.read());
        let mut paths = BTreeSet::new();
        for (number, old, new) in now.table.differences(&then.table) {
            for (tree, slot) in [(&then, old), (&now, new)] {
                if let Some(inode) = &slot.inode {
                    paths.extend(tree.paths(id_of(number, slot.generation), inode, self.root));
                }
            }
        }
        let mut changes = Changes::default();
        for path in paths {
            let (old, new) = (then.find(self.root, &path), now.find(self.root, &path));
            let list = match (old, new) {
                (None, Some(_)) => &mut changes.created,
                (Some(_), None) => &mut changes.deleted,
                (Some(old), Some(new)) => match (&old.body, &new.body) {
                    (Body::File(a), Body::File(b)) if a != b => &mut changes.modified,
                    (Body::Symlink(a), Body::Symlink(b)) if a != b => &mut changes.modified,
                    _ if old.kind() != new.kind() => {
                        changes.deleted.push(path.clone());
                        &mut changes.created
                    }
                    _ if (old.mode, old.uid, old.gid) != (new.mode, new.uid, new.gid) => &mut changes.mode_changed,
                    _ => continue,
                },
                (None, None) => continue,
            };
            list.push(path);
        }
        changes
    }
}

/// What a node costs the host beside its bytes, roughly.
const NODE: u64 = 512;

impl MemoryFs {
    /// How much of the host's memory this tree holds that a later copy of it does not.
    pub fn held_beside(&self, later: &MemoryFs) -> u64 {
        let (then, now) = (self.tree.read(), later.tree.read());
        let differing = now.table.differences(&then.table).filter_map(|(_, old, new)| Some((old.inode.as_ref()?, new)));
        let cost = |(old, new): (&Arc<Inode>, &Slot)| match &old.body {
            Body::File(data) => {
                let now = new.inode.as_ref().and_then(|inode| inode.data().ok());
                let (own, _) = data.differences(now);
                NODE + own.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>().min(data.cost())
            }
            Body::Symlink(target) => NODE + target.len() as u64,
            Body::Directory(_) | Body::Fifo => NODE,
        };
        differing.map(cost).sum()
    }
}

impl Tree {
    /// The absolute paths of a node.
    fn paths<'a>(&'a self, id: NodeId, inode: &'a Inode, root: NodeId) -> impl Iterator<Item = Vec<u8>> + 'a {
        let own = (id == root).then(|| b"/".to_vec());
        let names = inode.names.iter().filter_map(move |(dir, name)| path(&self.table, root, *dir, name.bytes()));
        own.into_iter().chain(names)
    }

    fn find(&self, root: NodeId, path: &[u8]) -> Option<&Inode> {
        let mut node = root;
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            node = self.table.get(node).ok()?.directory().ok()?.get(name)?;
        }
        self.table.get(node).ok()
    }
}

fn path(table: &Table, root: NodeId, mut dir: NodeId, name: &[u8]) -> Option<Vec<u8>> {
    let mut names = vec![name];
    let mut len = name.len() + 1;
    while dir != root {
        let (parent, name) = table.get(dir).ok()?.names.first()?;
        len += name.bytes().len() + 1;
        if len > LONGEST {
            return None;
        }
        names.push(name.bytes());
        dir = *parent;
    }
    let mut path = Vec::with_capacity(len);
    for name in names.iter().rev() {
        path.push(b'/');
        path.extend_from_slice(name);
    }
    Some(path)
}

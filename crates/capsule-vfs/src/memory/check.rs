//! Whether a table that was read from somewhere is a tree: every name leads to a node that knows it, every node but the
//! root has a name, and everything hangs on the root.

use super::inode::{Body, Inode, LINK_MAX};
use super::table::Table;
use crate::NodeId;
use capsule_abi::fs::NAME_MAX;
use std::collections::{HashMap, HashSet};

pub fn is_tree(table: &Table, root: NodeId) -> bool {
    let mut entries: HashMap<NodeId, usize> = HashMap::new();
    let mut seen = HashSet::from([root]);
    let mut to_visit = vec![root];
    if !table.get(root).is_ok_and(|inode| inode.names.is_empty() && inode.directory().is_ok_and(|d| d.parent == root)) {
        return false;
    }
    while let Some(dir) = to_visit.pop() {
        let Ok(directory) = table.get(dir).and_then(Inode::directory) else { return false };
        let mut folders = 0;
        for (_, name, node) in directory.entries(0) {
            let Ok(inode) = table.get(node) else { return false };
            *entries.entry(node).or_default() += 1;
            let new = seen.insert(node);
            if !good_name(name.bytes()) {
                return false;
            }
            if let Body::Directory(below) = &inode.body {
                if !new || below.parent != dir {
                    return false;
                }
                folders += 1;
                to_visit.push(node);
            }
        }
        if table.get(dir).map(|inode| inode.nlink) != Ok(2 + folders) {
            return false;
        }
    }
    let knows_its_names = |(id, inode): (NodeId, &Inode)| {
        let leads_here = |(dir, name): &(NodeId, super::directory::Name)| {
            table.get(*dir).and_then(Inode::directory).is_ok_and(|d| d.get(name.bytes()) == Some(id))
        };
        let distinct: HashSet<_> = inode.names.iter().map(|(dir, name)| (*dir, name.bytes())).collect();
        let count = entries.get(&id).copied().unwrap_or(0);
        seen.contains(&id)
            && inode.names.len() == count
            && distinct.len() == count
            && inode.names.iter().all(leads_here)
            && (inode.is_directory() || inode.nlink as usize == count && inode.nlink <= LINK_MAX)
    };
    table.nodes().all(knows_its_names)
}

fn good_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= NAME_MAX
        && name != b"."
        && name != b".."
        && !name.iter().any(|&byte| byte == b'/' || byte == 0)
}

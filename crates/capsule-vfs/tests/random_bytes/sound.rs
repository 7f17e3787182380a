//! What holds for every tree at every moment.

use capsule_abi::fs::{FileType, PATH_MAX};
use capsule_vfs::{Caller, Changes, Content, Credentials, Filesystem, NodeId, Place, Vfs};
use std::collections::{BTreeMap, HashMap};

/// What is at a path: kind, mode, owner, links, size and the first bytes.
pub type Seen = (FileType, u32, u32, u32, u64, Vec<u8>);

struct Node {
    path: Vec<u8>,
    id: NodeId,
    parent: NodeId,
    name: Vec<u8>,
}

/// Every node below the root, by walking.
fn nodes(fs: &dyn Filesystem) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    let mut pending = vec![(Vec::new(), fs.root())];
    while let Some((path, dir)) = pending.pop() {
        let mut entries = Vec::new();
        fs.read_dir(dir, 0, &mut |entry| {
            entries.push(entry);
            true
        })
        .expect("a directory lists");
        let mut names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), entries.len(), "a name is listed once");
        for entry in entries {
            let (id, stat) = fs.lookup_stat(dir, &entry.name).expect("what is listed is there");
            assert_eq!((stat.ino, stat.kind), (entry.ino, entry.kind));
            assert_eq!(fs.stat(id).expect("what is found is there"), stat);
            let path = [&path[..], b"/", &entry.name].concat();
            if entry.kind == FileType::Directory {
                assert_eq!(fs.parent(id), Ok(dir));
                pending.push((path.clone(), id));
            }
            found.push(Node { path, id, parent: dir, name: entry.name });
        }
    }
    found
}

/// Checks a tree; what it holds.
pub fn tree(fs: &dyn Filesystem) -> BTreeMap<Vec<u8>, Seen> {
    let nodes = nodes(fs);
    let mut names: HashMap<NodeId, Vec<(NodeId, Vec<u8>)>> = HashMap::new();
    let mut directories: HashMap<NodeId, u32> = HashMap::new();
    for node in &nodes {
        names.entry(node.id).or_default().push((node.parent, node.name.clone()));
        if fs.stat(node.id).expect("it is there").kind == FileType::Directory {
            *directories.entry(node.parent).or_default() += 1;
        }
    }
    let mut seen = BTreeMap::new();
    for node in nodes {
        let stat = fs.stat(node.id).expect("it is there");
        let mut told = fs.names(node.id);
        let mut found = names[&node.id].clone();
        told.sort();
        found.sort();
        assert_eq!(told, found, "the names a node tells are those that lead to it");
        let links = match stat.kind {
            FileType::Directory => 2 + directories.get(&node.id).copied().unwrap_or(0),
            _ => found.len() as u32,
        };
        assert_eq!(stat.nlink, links, "{:?}", String::from_utf8_lossy(&node.path));
        let mut bytes = vec![0; 64];
        match stat.kind {
            FileType::Regular => {
                let n = fs.read(node.id, 0, &mut bytes).expect("a file reads");
                assert_eq!(n as u64, stat.size.min(64));
                bytes.truncate(n);
            }
            FileType::Symlink => bytes = fs.read_link(node.id).expect("a link has a target"),
            _ => bytes.clear(),
        }
        seen.insert(node.path, (stat.kind, stat.mode, stat.uid, stat.nlink, stat.size, bytes));
    }
    seen
}

/// What a tree in memory should have been charged: the bytes of each file and link once, and every name.
pub fn cost(fs: &dyn Filesystem) -> (u64, u64) {
    let nodes = nodes(fs);
    let names = nodes.len() as u64;
    let distinct: HashMap<NodeId, Node> = nodes.into_iter().map(|node| (node.id, node)).collect();
    let bytes = distinct.into_keys().map(|id| match fs.stat(id).expect("it is there").kind {
        FileType::Regular => match fs.content(id) {
            Ok(Content::Shared(data)) => data.cost(),
            _ => panic!("a file in memory shares its bytes"),
        },
        FileType::Symlink => fs.read_link(id).expect("a link has a target").len() as u64,
        _ => 0,
    });
    (bytes.sum(), names)
}

pub fn remove_everything(fs: &dyn Filesystem) {
    let mut nodes = nodes(fs);
    // What is in a directory comes before it.
    nodes.sort_by_key(|node| std::cmp::Reverse(node.path.len()));
    for node in nodes {
        let removed = match fs.stat(node.id).expect("it is there").kind {
            FileType::Directory => fs.remove_dir(node.parent, &node.name),
            _ => fs.unlink(node.parent, &node.name),
        };
        assert_eq!(removed, Ok(()));
    }
}

fn root(vfs: &Vfs) -> Caller {
    Caller { credentials: Credentials::default(), umask: 0, cwd: vfs.root(), pid: 1 }
}

/// A node's path leads to it.
pub fn leads_back(vfs: &Vfs, path: &[u8], place: Place, nlink: u32) {
    if nlink > 0 && path.len() < PATH_MAX {
        assert_eq!(vfs.resolve(&root(vfs), None, path, false), Ok(place), "{:?}", String::from_utf8_lossy(path));
    }
}

/// What the journal says exists does, and the other way round.
pub fn changes(vfs: &Vfs, changes: &Changes) {
    let exists = |path: &[u8]| vfs.stat(&root(vfs), None, path, false).is_ok();
    let now = changes.renamed.iter().map(|(_, to)| to);
    for path in changes.created.iter().chain(&changes.modified).chain(&changes.mode_changed).chain(now) {
        assert!(exists(path), "told as there: {:?}", String::from_utf8_lossy(path));
    }
    for path in &changes.deleted {
        let taken = changes.created.contains(path) || changes.renamed.iter().any(|(_, to)| to == path);
        assert!(taken || !exists(path), "told as gone: {:?}", String::from_utf8_lossy(path));
    }
}

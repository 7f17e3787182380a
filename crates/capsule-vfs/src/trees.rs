//! Whole trees: copying one, clearing one, comparing two. For folders of the host; trees in memory are copied in one step.

use crate::filesystem::same_content;
use crate::{Attributes, Changes, Errno, Filesystem, NewNode, NodeId, NodeKind, Result};
use capsule_abi::fs::{FileType, SetTime, Stat};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Bytes copied at a time.
const BLOCK: usize = 256 << 10;

type Entries = BTreeMap<Vec<u8>, (NodeId, Stat)>;

fn entries(fs: &dyn Filesystem, dir: NodeId) -> Result<Entries> {
    let mut names = Vec::new();
    fs.read_dir(dir, 0, &mut |entry| {
        names.push(entry.name);
        true
    })?;
    let mut entries = Entries::new();
    for name in names {
        match fs.lookup_stat(dir, &name) {
            Ok(found) => drop(entries.insert(name, found)),
            // Gone since: the folder is the host's too.
            Err(Errno::ENOENT | Errno::ESTALE) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// Copies everything in one tree into another, which is empty. Files, folders and links, with their modes and times; what
/// else there is on a host (devices, sockets) is left out.
pub fn copy(from: &dyn Filesystem, to: &dyn Filesystem) -> Result<()> {
    let mut folders = vec![(from.root(), to.root())];
    let mut links: HashMap<NodeId, NodeId> = HashMap::new();
    let mut times = Vec::new();
    let mut block = vec![0; BLOCK];
    while let Some((dir, new_dir)) = folders.pop() {
        for (name, (node, stat)) in entries(from, dir)? {
            if let Some(&known) = links.get(&node) {
                to.link(known, new_dir, &name)?;
                continue;
            }
            let kind = match stat.kind {
                FileType::Directory => NodeKind::Directory,
                FileType::Symlink => NodeKind::Symlink(from.read_link(node)?),
                FileType::Regular => NodeKind::Regular,
                _ => continue,
            };
            let mode = if stat.kind == FileType::Directory { stat.mode | 0o700 } else { stat.mode };
            let new = to.create(new_dir, &name, &NewNode { kind, mode, uid: 0, gid: 0 })?;
            match stat.kind {
                FileType::Directory => folders.push((node, new)),
                FileType::Regular => {
                    copy_bytes((from, node, stat.size), (to, new), &mut block)?;
                    if stat.nlink > 1 {
                        links.insert(node, new);
                    }
                }
                _ => continue,
            }
            times.push((new, stat));
        }
    }
    // At the end: making names in a folder changes its time.
    for (node, stat) in times.into_iter().rev() {
        let mtime = SetTime::At(stat.mtime);
        to.set_attributes(node, &Attributes { mode: Some(stat.mode), mtime, ..Attributes::default() })?;
    }
    Ok(())
}

fn copy_bytes(
    (from, node, size): (&dyn Filesystem, NodeId, u64),
    (to, new): (&dyn Filesystem, NodeId),
    block: &mut [u8],
) -> Result<()> {
    to.pin(new)?;
    let copied = (|| {
        let mut offset = 0;
        while let Some(data) = from.next_data(node, offset)?.filter(|data| *data < size) {
            let n = from.read(node, data, block)?;
            let mut done = 0;
            while done < n {
                done += to.write(new, data + done as u64, &block[done..n])?;
            }
            if n == 0 {
                break;
            }
            offset = data + n as u64;
        }
        to.set_attributes(new, &Attributes { size: Some(size), ..Attributes::default() })
    })();
    to.unpin(new);
    copied
}

/// Removes everything in a directory. Every directory is listed once, and removed when what was in it is.
pub fn clear(fs: &dyn Filesystem, dir: NodeId) -> Result<()> {
    let mut found = vec![(dir, Vec::new(), dir)];
    let mut next = 0;
    while let Some(&(_, _, dir)) = found.get(next) {
        for (name, (node, stat)) in entries(fs, dir)? {
            match stat.kind {
                FileType::Directory => found.push((dir, name, node)),
                _ => fs.unlink(dir, &name)?,
            }
        }
        next += 1;
    }
    // What is inside was found later.
    found.iter().skip(1).rev().try_for_each(|(dir, name, _)| fs.remove_dir(*dir, name))
}

/// Whether a tree holds nothing.
pub fn is_empty(fs: &dyn Filesystem) -> Result<bool> {
    let mut empty = true;
    fs.read_dir(fs.root(), 0, &mut |_| {
        empty = false;
        false
    })?;
    Ok(empty)
}

/// How one tree differs from what it was, by path and content; `prefix` stands before every path.
pub fn changes(before: &Arc<dyn Filesystem>, now: &Arc<dyn Filesystem>, prefix: &[u8]) -> Result<Changes> {
    let mut changes = Changes::default();
    let mut folders = vec![(prefix.to_vec(), Some(before.root()), Some(now.root()))];
    while let Some((path, old_dir, new_dir)) = folders.pop() {
        let list =
            |fs: &Arc<dyn Filesystem>, dir: Option<NodeId>| dir.map_or(Ok(Entries::new()), |d| entries(&**fs, d));
        let (old, new) = (list(before, old_dir)?, list(now, new_dir)?);
        let names: HashSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        for name in names {
            let path = [&path, &b"/"[..], name].concat();
            let (old, new) = (old.get(name), new.get(name));
            let kind = |entry: Option<&(NodeId, Stat)>| entry.map(|(_, stat)| stat.kind);
            let folder = |entry: Option<&(NodeId, Stat)>| {
                entry.filter(|(_, stat)| stat.kind == FileType::Directory).map(|(node, _)| *node)
            };
            if folder(old).is_some() || folder(new).is_some() {
                folders.push((path.clone(), folder(old), folder(new)));
            }
            match (old, new) {
                (Some((a, _)), Some((b, _))) if kind(old) == kind(new) => {
                    let same = match kind(new) {
                        Some(FileType::Regular) => same_content(now, *b, &before.content(*a)?)?,
                        Some(FileType::Symlink) => before.read_link(*a)? == now.read_link(*b)?,
                        _ => true,
                    };
                    if !same {
                        changes.modified.push(path);
                    }
                }
                (old, new) => {
                    if old.is_some() {
                        changes.deleted.push(path.clone());
                    }
                    if new.is_some() {
                        changes.created.push(path);
                    }
                }
            }
        }
    }
    for list in [&mut changes.created, &mut changes.modified, &mut changes.deleted] {
        list.sort();
    }
    Ok(changes)
}

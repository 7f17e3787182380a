//! The comparison at the end of a run: from what names and nodes were to what they are.
//!
//! Everything is told at the paths of now. A directory that was moved is one `renamed` pair, and what changed inside it
//! is told where it is now; a directory that is gone is told under what its nearest living parent is called now. Files
//! are compared by path: what replaced a file is a modification of it, or nothing when the bytes are the same.

use super::Changes;
use super::paths::{Known, Path, Paths};
use super::record::{Before, Entry, Node, Record};
use crate::filesystem::same_content;
use crate::namespace::Mounts;
use crate::{Content, Filesystem, NodeId};
use capsule_abi::fs::{FileType, Stat};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A path whose name changed.
struct Item {
    mount: u32,
    before: Entry,
    after: Entry,
    /// What it was called at the start, when the directory it is in was called otherwise.
    start: Option<Path>,
}

/// With what the files held that were modified or deleted, by path.
pub fn changes(record: &Record, mounts: &Mounts) -> (Changes, BTreeMap<Vec<u8>, Content>) {
    let mut net = Net {
        record,
        mounts,
        paths: Paths::new(record, mounts),
        items: BTreeMap::new(),
        lost: HashMap::new(),
        got: HashMap::new(),
        compared: HashSet::new(),
        old: HashMap::new(),
        created: Vec::new(),
        modified: Vec::new(),
        deleted: Vec::new(),
        renamed: Vec::new(),
        mode_changed: Vec::new(),
        untold: 0,
    };
    net.collect();
    net.compare_names();
    net.pair_renames();
    net.compare_nodes();
    net.finish()
}

struct Net<'a> {
    record: &'a Record,
    mounts: &'a Mounts,
    paths: Paths<'a>,
    items: BTreeMap<Path, Item>,
    /// Names that nodes lost and got, by node: renames, when both are there.
    lost: HashMap<Node, Vec<Path>>,
    got: HashMap<Node, Vec<Path>>,
    /// Paths compared as paths: the node's own changes say nothing there.
    compared: HashSet<Path>,
    /// What was at paths that changed.
    old: HashMap<Path, Node>,
    created: Vec<Path>,
    modified: Vec<Path>,
    deleted: Vec<Path>,
    renamed: Vec<(Path, Path)>,
    mode_changed: Vec<Path>,
    untold: u64,
}

impl<'a> Net<'a> {
    fn fs(&self, mount: u32) -> Option<&'a Arc<dyn Filesystem>> {
        self.mounts.get(mount).ok().map(|mount| &mount.fs)
    }

    fn stat(&self, (mount, node): Node) -> Option<Stat> {
        self.fs(mount)?.stat(node).ok()
    }

    /// Whether a node still has a name.
    fn lives(&self, (mount, node): Node) -> bool {
        self.fs(mount).is_some_and(|fs| !fs.names(node).is_empty())
    }

    /// Whether anything is at a path now, links not followed.
    fn exists(&self, path: &[u8]) -> bool {
        let mut place = self.mounts.root();
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            let Ok(mount) = self.mounts.get(place.mount) else { return false };
            let Ok(node) = mount.fs.lookup(place.node, name) else { return false };
            place = self.mounts.down(mount.place(node));
        }
        true
    }

    /// All names that changed, by path. Those of directories that are there come first: where a removed directory's
    /// name was taken by another one, the path is compared across the two.
    fn collect(&mut self) {
        let record = self.record;
        // In the order the directories were made, so that what does not fit the budget is always the same.
        let mut dirs: Vec<_> = record.names.iter().collect();
        dirs.sort_by_key(|(dir, _)| **dir);
        let mut gone = Vec::new();
        for (&(mount, dir), names) in dirs {
            let (path, lives) = match self.paths.now_or_last((mount, dir)) {
                (Known::Path(path), lives) => (path, lives),
                (Known::Gone, _) => continue,
                (Known::TooLong, _) => {
                    self.untold += names.len() as u64;
                    continue;
                }
            };
            let start = match self.paths.start((mount, dir)) {
                Known::Path(start) if start != path && !record.born.contains(&(mount, dir)) => Some(start),
                _ => None,
            };
            let mut names: Vec<_> = names.iter().collect();
            names.sort_by_key(|(name, _)| *name);
            for (name, &before) in names {
                let start = start.as_ref().and_then(|start| self.paths.join(start, name));
                let Some(path) = self.paths.join(&path, name) else {
                    self.untold += 1;
                    continue;
                };
                if lives {
                    let after = self.fs(mount).and_then(|fs| fs.lookup_access(dir, name).ok());
                    let after = after.map(|(node, access)| (node, access.kind));
                    self.items.insert(path, Item { mount, before, after, start });
                } else {
                    gone.push((path, Item { mount, before, after: None, start }));
                }
            }
        }
        for (path, item) in gone {
            if let Some(known) = self.items.get_mut(&path) {
                known.before = known.before.or(item.before);
            } else if !self.exists(&path) {
                // Else: what is there came unchanged with a directory that was moved here, and is told by that.
                self.items.insert(path, item);
            }
        }
    }

    fn compare_names(&mut self) {
        let items = std::mem::take(&mut self.items);
        for (path, item) in &items {
            self.compare_item(path, item);
        }
        self.items = items;
    }

    fn compare_item(&mut self, path: &Path, item: &Item) {
        let node = |entry: Entry| entry.map(|(node, kind)| ((item.mount, node), kind));
        let (before, after) = (node(item.before), node(item.after));
        if before.map(|(node, _)| node) == after.map(|(node, _)| node) {
            return;
        }
        if let Some((old, FileType::Regular)) = before {
            self.old.insert(path.clone(), old);
        }
        match (before, after) {
            (Some((old, a)), Some((new, b))) if a == b && a != FileType::Directory => {
                self.compared.insert(path.clone());
                self.compare_files(path, old, new, a);
                return;
            }
            (Some((old, FileType::Directory)), Some((new, FileType::Directory)))
                if !self.lives(old) && self.record.born.contains(&new) =>
            {
                self.compared.insert(path.clone());
                self.compare_modes(path, self.before_stat(old), self.stat(new));
                return;
            }
            _ => {}
        }
        // A directory that only moved leaves its path free, and takes it from nobody, as far as files are concerned.
        let is_dir = |entry: Option<(Node, FileType)>| matches!(entry, Some((_, FileType::Directory)));
        let moved_away = is_dir(before) && before.is_some_and(|(old, _)| self.lives(old));
        let moved_here = is_dir(after) && after.is_some_and(|(new, _)| !self.record.born.contains(&new));
        match before {
            Some((old, FileType::Directory)) if moved_away => self.lost.entry(old).or_default().push(path.clone()),
            Some((_, FileType::Directory)) if moved_here => {}
            Some((old, kind)) if kind != FileType::Directory && (after.is_none() || moved_here) => {
                self.lost.entry(old).or_default().push(path.clone());
            }
            Some(_) => {
                self.deleted.push(path.clone());
            }
            None => {}
        }
        match after {
            Some((new, _)) if moved_here => self.got.entry(new).or_default().push(path.clone()),
            Some((new, _)) if !self.record.born.contains(&new) && (before.is_none() || moved_away) => {
                self.got.entry(new).or_default().push(path.clone());
            }
            Some(_) => {
                self.compared.insert(path.clone());
                self.created.push(path.clone());
            }
            None => {}
        }
    }

    /// A node that lost one name and got another was renamed.
    fn pair_renames(&mut self) {
        let (mut lost, got) = (std::mem::take(&mut self.lost), std::mem::take(&mut self.got));
        for (node, paths) in got {
            // Both lists are in the paths' order.
            let mut from = lost.remove(&node).unwrap_or_default().into_iter();
            for to in paths {
                match from.next() {
                    Some(from) if from == to => {}
                    Some(from) => {
                        let start = self.items.get(&from).and_then(|item| item.start.clone());
                        let from = start.filter(|start| *start != to).unwrap_or(from);
                        self.renamed.push((from, to));
                    }
                    None => {
                        self.compared.insert(to.clone());
                        self.created.push(to);
                    }
                }
            }
            self.deleted.extend(from);
        }
        // Moved to where nothing is recorded cannot be; a file whose other names stayed has just lost this one.
        self.deleted.extend(lost.into_values().flatten());
    }

    fn before_stat(&self, node: Node) -> Option<Stat> {
        self.record.nodes.get(&node).map(|before| before.stat).or_else(|| self.stat(node))
    }

    fn before_content(&self, (mount, node): Node) -> Option<Content> {
        let kept = self.record.nodes.get(&(mount, node)).and_then(|before| before.content.clone());
        kept.or_else(|| self.fs(mount)?.content(node).ok())
    }

    fn before_target(&self, (mount, node): Node) -> Option<Vec<u8>> {
        let kept = self.record.nodes.get(&(mount, node)).and_then(|before| before.target.clone());
        kept.or_else(|| self.fs(mount)?.read_link(node).ok())
    }

    /// One file in the place of another.
    fn compare_files(&mut self, path: &Path, old: Node, new: Node, kind: FileType) {
        let Some(fs) = self.fs(new.0) else { return };
        let same = match kind {
            FileType::Regular => self.before_content(old).is_some_and(|old| holds(fs, new.1, &old)),
            FileType::Symlink => self.before_target(old) == fs.read_link(new.1).ok(),
            _ => true,
        };
        if !same {
            self.modified.push(path.clone());
        }
        self.compare_modes(path, self.before_stat(old), self.stat(new));
    }

    fn compare_modes(&mut self, path: &Path, old: Option<Stat>, new: Option<Stat>) {
        let owned = |stat: Stat| (stat.mode, stat.uid, stat.gid);
        if old.map(owned) != new.map(owned) {
            self.mode_changed.push(path.clone());
        }
    }

    /// Nodes that stayed what they are, though other bytes or another mode may be in them.
    fn compare_nodes(&mut self) {
        let record = self.record;
        let mut nodes: Vec<_> = record.nodes.iter().collect();
        nodes.sort_by_key(|(node, _)| **node);
        for (&(mount, node), before) in nodes {
            let Some(fs) = self.fs(mount) else { continue };
            let names = fs.names(node);
            let is_root = self.mounts.get(mount).is_ok_and(|mount| mount.root == node);
            if names.is_empty() && !is_root {
                continue;
            }
            let modified = is_modified(fs, node, before);
            let stat = fs.stat(node).ok();
            let mut paths: Vec<Path> = Vec::new();
            for (dir, name) in &names {
                match self.paths.now((mount, *dir)) {
                    Known::Path(dir) => match self.paths.join(&dir, name) {
                        Some(path) => paths.push(path),
                        None => self.untold += 1,
                    },
                    Known::TooLong => self.untold += 1,
                    Known::Gone => {}
                }
            }
            if is_root && let Known::Path(path) = self.paths.now((mount, node)) {
                paths.push(path);
            }
            for path in paths {
                if self.compared.contains(&path) {
                    continue;
                }
                self.compare_modes(&path, Some(before.stat), stat);
                if modified {
                    self.old.insert(path.clone(), (mount, node));
                    self.modified.push(path);
                }
            }
        }
    }

    fn finish(self) -> (Changes, BTreeMap<Vec<u8>, Content>) {
        let changed = self.modified.iter().chain(&self.deleted);
        let content = |path: &Path| Some((path.to_vec(), self.before_content(*self.old.get(path)?)?));
        let contents = changed.filter_map(content).collect();
        let list = |paths: Vec<Path>| sorted(paths).into_iter().map(|path| path.to_vec()).collect();
        let pair = |(from, to): (Path, Path)| (from.to_vec(), to.to_vec());
        let changes = Changes {
            created: list(self.created),
            modified: list(self.modified),
            deleted: list(self.deleted),
            renamed: sorted(self.renamed).into_iter().map(pair).collect(),
            mode_changed: list(self.mode_changed),
            untold: self.untold,
        };
        (changes, contents)
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

fn is_modified(fs: &Arc<dyn Filesystem>, node: NodeId, before: &Before) -> bool {
    before.content.as_ref().is_some_and(|content| !holds(fs, node, content))
}

/// What cannot be compared counts as changed.
fn holds(fs: &Arc<dyn Filesystem>, node: NodeId, content: &Content) -> bool {
    same_content(fs, node, content).unwrap_or(false)
}

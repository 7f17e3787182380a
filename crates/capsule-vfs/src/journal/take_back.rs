//! Making a tree again what it was, from what the journal remembers of it: for host folders, of which no copies are kept.
//!
//! First everything is checked, then every node that is at a name which was not its own is moved aside; then every name
//! gets the node it had, made anew where that is gone; what is left aside was born in the run, and is removed. Nodes keep
//! their identity as far as the run has left them alive.

use super::Journal;
use super::record::{Before, Entry, Record};
use crate::{Attributes, Content, Errno, Filesystem, NewNode, NodeId, NodeKind, Result};
use capsule_abi::fs::{FileType, SetTime};
use std::collections::HashMap;

/// Where things are put aside. Nobody looks for them there, and it is gone at the end.
const ASIDE: &[u8] = b".capsule-undo";

/// What some mounts were before a run.
pub struct Past {
    record: Record,
}

impl Journal {
    /// What is remembered of these mounts; the journal stops and forgets.
    pub fn take(&self, mounts: &[u32]) -> Past {
        let mut record = std::mem::take(&mut *self.record.lock());
        self.run.store(0, std::sync::atomic::Ordering::Relaxed);
        record.names.retain(|(mount, _), _| mounts.contains(mount));
        record.nodes.retain(|(mount, _), _| mounts.contains(mount));
        record.born.retain(|(mount, _)| mounts.contains(mount));
        Past { record }
    }
}

impl Past {
    /// Nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.record.names.is_empty() && self.record.nodes.is_empty()
    }

    /// How many bytes of files are kept in memory for it.
    pub fn bytes(&self) -> u64 {
        let kept = self.record.nodes.values().map(|before| match &before.content {
            Some(Content::Shared(data)) => data.size(),
            _ => 0,
        });
        kept.sum()
    }

    /// Whether everything that was changed can be made what it was; the name of a file that cannot.
    pub fn check(&self, mount: u32, fs: &dyn Filesystem) -> Result<(), Vec<u8>> {
        for (&(_, node), before) in self.record.nodes.iter().filter(|((m, _), _)| *m == mount) {
            let needs_bytes = before.stat.kind == FileType::Regular
                && (before.content.is_some() || !lives(fs, node) && self.had_name(mount, node));
            if needs_bytes && !matches!(before.content, Some(Content::Shared(_))) {
                return Err(self.name_of(mount, node, fs));
            }
        }
        Ok(())
    }

    fn had_name(&self, mount: u32, node: NodeId) -> bool {
        let of_mount = self.record.names.iter().filter(|((m, _), _)| *m == mount);
        of_mount.flat_map(|(_, names)| names.values()).any(|entry| entry.is_some_and(|(n, _)| n == node))
    }

    fn name_of(&self, mount: u32, node: NodeId, fs: &dyn Filesystem) -> Vec<u8> {
        let of_mount = self.record.names.iter().filter(|((m, _), _)| *m == mount);
        let mut names = of_mount.flat_map(|(_, names)| names);
        let was = names.find(|(_, entry)| entry.is_some_and(|(n, _)| n == node)).map(|(name, _)| name.clone());
        was.or_else(|| fs.names(node).pop().map(|(_, name)| name)).unwrap_or_default()
    }

    /// Makes the tree of a mount what it was.
    pub fn take_back(&self, mount: u32, fs: &dyn Filesystem) -> Result<()> {
        let mut work = TakeBack {
            fs,
            nodes: self.record.nodes.iter().filter(|((m, _), _)| *m == mount).map(|((_, n), b)| (*n, b)).collect(),
            slots: Vec::new(),
            anew: HashMap::new(),
            aside: None,
            count: 0,
        };
        for (&(_, dir), names) in self.record.names.iter().filter(|((m, _), _)| *m == mount) {
            work.slots.extend(names.iter().map(|(name, entry)| (dir, name.as_slice(), *entry)));
        }
        work.slots.sort_by_key(|(dir, name, _)| (*dir, *name));
        work.put_aside()?;
        work.put_back()?;
        work.restore_nodes()?;
        work.clean_up()
    }
}

struct TakeBack<'a> {
    fs: &'a dyn Filesystem,
    nodes: HashMap<NodeId, &'a Before>,
    slots: Vec<(NodeId, &'a [u8], Entry)>,
    /// Nodes that were gone and are made anew.
    anew: HashMap<NodeId, NodeId>,
    aside: Option<NodeId>,
    count: u64,
}

impl TakeBack<'_> {
    fn put_aside(&mut self) -> Result<()> {
        for (dir, name, before) in self.slots.clone() {
            let Ok(now) = self.fs.lookup(dir, name) else { continue };
            if before.map(|(node, _)| node) == Some(now) {
                continue;
            }
            let aside = match self.aside {
                Some(aside) => aside,
                None => {
                    let new = NewNode { kind: NodeKind::Directory, mode: 0o700, uid: 0, gid: 0 };
                    let made = self.fs.create(self.fs.root(), ASIDE, &new)?;
                    *self.aside.insert(made)
                }
            };
            self.count += 1;
            self.fs.rename(dir, name, aside, self.count.to_string().as_bytes(), 0)?;
        }
        Ok(())
    }

    /// Names in directories that are themselves to be made come after those.
    fn put_back(&mut self) -> Result<()> {
        let mut waiting: Vec<_> = self.slots.clone();
        waiting.retain(|(.., before)| before.is_some());
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for (dir, name, entry) in waiting {
                let dir_now = self.anew.get(&dir).copied().unwrap_or(dir);
                match entry {
                    Some((node, kind)) if self.is_there(dir_now) => self.put(dir_now, name, node, kind)?,
                    _ => later.push((dir, name, entry)),
                }
            }
            if later.len() == before {
                // Names of directories that had none at the start: nobody's.
                break;
            }
            waiting = later;
        }
        Ok(())
    }

    fn is_there(&self, dir: NodeId) -> bool {
        dir == self.fs.root() || lives(self.fs, dir)
    }

    fn put(&mut self, dir: NodeId, name: &[u8], node: NodeId, kind: FileType) -> Result<()> {
        let node = self.anew.get(&node).copied().unwrap_or(node);
        if self.fs.lookup(dir, name) == Ok(node) {
            return Ok(());
        }
        let names = self.fs.names(node);
        if let Some((aside, from)) = names.iter().find(|(at, _)| Some(*at) == self.aside) {
            return self.fs.rename(*aside, from, dir, name, 0);
        }
        if !names.is_empty() {
            return self.fs.link(node, dir, name);
        }
        let before = self.nodes.get(&node).ok_or(Errno::ESTALE)?;
        let kind = match kind {
            FileType::Directory => NodeKind::Directory,
            FileType::Symlink => NodeKind::Symlink(before.target.clone().ok_or(Errno::ESTALE)?),
            _ => NodeKind::Regular,
        };
        let made = self.fs.create(dir, name, &NewNode { kind, mode: before.stat.mode, uid: 0, gid: 0 })?;
        self.anew.insert(node, made);
        Ok(())
    }

    /// Bytes, modes and times.
    fn restore_nodes(&mut self) -> Result<()> {
        for (&node, before) in &self.nodes {
            let now = self.anew.get(&node).copied().unwrap_or(node);
            if !self.is_there(now) {
                continue;
            }
            if let (FileType::Regular, Some(Content::Shared(data))) = (before.stat.kind, &before.content) {
                self.write(now, data)?;
            }
            if before.stat.kind != FileType::Symlink {
                let mtime = SetTime::At(before.stat.mtime);
                let attributes = Attributes { mode: Some(before.stat.mode), mtime, ..Attributes::default() };
                self.fs.set_attributes(now, &attributes)?;
            }
        }
        Ok(())
    }

    fn write(&self, node: NodeId, data: &crate::memory::FileData) -> Result<()> {
        self.fs.set_attributes(node, &Attributes { size: Some(0), ..Attributes::default() })?;
        let mut block = vec![0; crate::digest::BLOCK];
        let mut offset = 0;
        while offset < data.size() {
            let n = data.read(offset, &mut block);
            let mut done = 0;
            while done < n {
                done += self.fs.write(node, offset + done as u64, &block[done..n])?;
            }
            offset += n as u64;
        }
        Ok(())
    }

    fn clean_up(&mut self) -> Result<()> {
        let Some(aside) = self.aside else { return Ok(()) };
        crate::trees::clear(self.fs, aside)?;
        self.fs.remove_dir(self.fs.root(), ASIDE)
    }
}

fn lives(fs: &dyn Filesystem, node: NodeId) -> bool {
    !fs.names(node).is_empty()
}

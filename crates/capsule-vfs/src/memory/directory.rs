//! A directory: names in order, and in the order they came, so that reading it may go on where it stopped.

use crate::NodeId;
use equivalent::{Comparable, Equivalent};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use std::cmp::Ordering;
use std::sync::Arc;

/// A file name, shared by the directory's two maps and the node. In no order anybody sees: by the first eight bytes as a
/// number, then by the rest; most comparisons are done with the first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    first: u64,
    bytes: Arc<[u8]>,
}

/// A name that is looked for.
struct Wanted<'a> {
    first: u64,
    bytes: &'a [u8],
}

fn first(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().fold(0, |first, &byte| first << 8 | u64::from(byte)),
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Name {
        Name { first: first(bytes), bytes: bytes.into() }
    }
}

impl Name {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl<'a> Wanted<'a> {
    fn new(bytes: &'a [u8]) -> Wanted<'a> {
        Wanted { first: first(bytes), bytes }
    }
}

impl Equivalent<Name> for Wanted<'_> {
    fn equivalent(&self, name: &Name) -> bool {
        self.first == name.first && *self.bytes == *name.bytes
    }
}

impl Comparable<Name> for Wanted<'_> {
    #[inline]
    fn compare(&self, name: &Name) -> Ordering {
        self.first.cmp(&name.first).then_with(|| self.bytes.cmp(&name.bytes))
    }
}

#[derive(Clone)]
pub struct Directory {
    /// Stays once the directory is removed: `..` of a removed working directory still leads somewhere, as on Linux.
    pub parent: NodeId,
    by_name: OrdMap<Name, (u64, NodeId)>,
    by_number: OrdMap<u64, (Name, NodeId)>,
    next: u64,
}

impl Directory {
    pub fn new(parent: NodeId) -> Directory {
        Directory { parent, by_name: OrdMap::new(), by_number: OrdMap::new(), next: 1 }
    }

    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub fn get(&self, name: &[u8]) -> Option<NodeId> {
        self.by_name.get(&Wanted::new(name)).map(|&(_, node)| node)
    }

    /// A name that is not there yet.
    pub fn insert(&mut self, name: Name, node: NodeId) {
        let number = self.next;
        self.next += 1;
        self.by_number.insert(number, (name.clone(), node));
        self.by_name.insert(name, (number, node));
    }

    /// A name that is there now leads to another node; readers of the directory see it once.
    pub fn replace(&mut self, name: &[u8], node: NodeId) {
        if let Some(entry) = self.by_name.get_mut(&Wanted::new(name)) {
            entry.1 = node;
            if let Some(numbered) = self.by_number.get_mut(&entry.0) {
                numbered.1 = node;
            }
        }
    }

    pub fn remove(&mut self, name: &[u8]) {
        if let Some((number, _)) = self.by_name.remove(&Wanted::new(name)) {
            self.by_number.remove(&number);
        }
    }

    /// Entries numbered `cookie` or later, with their numbers.
    pub fn entries(&self, cookie: u64) -> impl Iterator<Item = (u64, &Name, NodeId)> {
        self.by_number.range(cookie..).map(|(&number, (name, node))| (number, name, *node))
    }

    /// The number the next name will get.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Entries that are new (or lead elsewhere now), and the numbers of those that are gone. What the two directories share
    /// is not looked at.
    pub fn differences<'a>(&'a self, before: Option<&'a Directory>) -> (Vec<(u64, &'a Name, NodeId)>, Vec<u64>) {
        let Some(before) = before else { return (self.entries(0).collect(), Vec::new()) };
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        for item in before.by_number.diff(&self.by_number) {
            match item {
                DiffItem::Add(number, (name, node)) | DiffItem::Update { new: (number, (name, node)), .. } => {
                    new.push((*number, name, *node));
                }
                DiffItem::Remove(number, _) => gone.push(*number),
            }
        }
        (new, gone)
    }

    /// The directory with other entries; none when a name is there twice or a number is too large.
    pub fn patched(&self, parent: NodeId, next: u64, new: Vec<(u64, Name, NodeId)>, gone: &[u64]) -> Option<Directory> {
        let mut directory = Directory { parent, next, ..self.clone() };
        for number in gone {
            let (name, _) = directory.by_number.remove(number)?;
            directory.by_name.remove(&name);
        }
        for (number, name, node) in new {
            if let Some((old, _)) = directory.by_number.insert(number, (name.clone(), node)) {
                directory.by_name.remove(&old);
            }
            if directory.by_name.insert(name, (number, node)).is_some() || number >= next {
                return None;
            }
        }
        (directory.by_name.len() == directory.by_number.len()).then_some(directory)
    }
}

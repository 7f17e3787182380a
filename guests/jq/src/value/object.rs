//! Objects: entries in the order they came, an index when there are many.

use super::{Text, Value, bury};
use std::rc::Rc;

/// Up to this many entries a search from the start is faster than a hash.
const UNINDEXED: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Object {
    entries: Vec<(Text, Value)>,
    /// Where each key is, by its hash, with open addressing; empty up to [`UNINDEXED`] entries. A power of two of slots.
    index: Vec<u32>,
}

/// A slot of the index that points nowhere.
const FREE: u32 = u32::MAX;

/// FNV-1a over words: quick for the short keys objects have.
fn hash(key: &str) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ key.len() as u64;
    let mut chunks = key.as_bytes().chunks_exact(8);
    let mut mix = |word: u64| hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    for chunk in &mut chunks {
        mix(chunk.iter().fold(0, |word, &b| word << 8 | u64::from(b)));
    }
    mix(chunks.remainder().iter().fold(0, |word, &b| word << 8 | u64::from(b)));
    (hash ^ hash >> 32) as usize
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.entries.iter().any(|e| e.1.is_container()) {
            bury(std::mem::take(&mut self.entries).into_iter().map(|e| e.1));
        }
    }
}

impl Object {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entries(&self) -> &[(Text, Value)] {
        &self.entries
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.entries.iter_mut().map(|e| &mut e.1)
    }

    fn position(&self, key: &str) -> Option<usize> {
        if self.entries.len() <= UNINDEXED {
            return self.entries.iter().position(|e| e.0.as_str() == key);
        }
        let mask = self.index.len() - 1;
        let mut slot = hash(key) & mask;
        loop {
            let at = self.index[slot];
            if at == FREE {
                return None;
            }
            if self.entries[at as usize].0.as_str() == key {
                return Some(at as usize);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn enter(&mut self, at: usize) {
        let mask = self.index.len() - 1;
        let mut slot = hash(&self.entries[at].0) & mask;
        while self.index[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.index[slot] = at as u32;
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// The value of a key, null when it was not there before.
    pub fn slot(&mut self, key: &Text) -> &mut Value {
        let at = self.position(key).unwrap_or_else(|| {
            self.push(key.clone(), Value::Null);
            self.entries.len() - 1
        });
        &mut self.entries[at].1
    }

    pub fn insert(&mut self, key: Text, value: Value) {
        match self.position(&key) {
            Some(at) => self.entries[at].1 = value,
            None => self.push(key, value),
        }
    }

    fn push(&mut self, key: Text, value: Value) {
        self.entries.push((key, value));
        let len = self.entries.len();
        if len > UNINDEXED {
            if len * 2 > self.index.len() {
                self.reindex();
            } else {
                self.enter(len - 1);
            }
        }
    }

    fn reindex(&mut self) {
        self.index.clear();
        if self.entries.len() > UNINDEXED {
            self.index.resize((self.entries.len() * 4).next_power_of_two(), FREE);
            (0..self.entries.len()).for_each(|at| self.enter(at));
        }
    }

    /// Takes these keys out.
    pub fn remove(&mut self, keys: &[&str]) {
        match keys {
            [key] => {
                let Some(at) = self.position(key) else { return };
                self.entries.remove(at);
            }
            _ => {
                let out: std::collections::HashSet<&str> = keys.iter().copied().collect();
                self.entries.retain(|e| !out.contains(e.0.as_str()));
            }
        }
        self.reindex();
    }

    /// The entries in the order of their keys.
    pub fn sorted(&self) -> Vec<(&Text, &Value)> {
        let mut all: Vec<_> = self.entries.iter().map(|e| (&e.0, &e.1)).collect();
        all.sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        all
    }
}

impl FromIterator<(Text, Value)> for Object {
    fn from_iter<T: IntoIterator<Item = (Text, Value)>>(entries: T) -> Object {
        let mut object = Object::default();
        for (key, value) in entries {
            object.insert(key, value);
        }
        object
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Object {
    fn from(entries: [(&str, Value); N]) -> Object {
        entries.into_iter().map(|(key, value)| (Rc::new(key.to_owned()), value)).collect()
    }
}

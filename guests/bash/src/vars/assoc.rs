//! Associative arrays. Scripts print their keys in the order bash's hash table has them, so this is that order: by bucket
//! of the FNV hash, newest first within one.

use crate::names::FastMap;

/// Buckets of a new table in bash.
const BUCKETS: u32 = 1024;

#[derive(Clone, Debug, Default)]
pub struct AssocArray {
    entries: FastMap<Box<[u8]>, Entry>,
    next: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    value: Vec<u8>,
    /// When the key was added.
    age: u64,
}

/// bash's `hash_string`.
fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |h: u32, &b| h.wrapping_mul(16_777_619) ^ u32::from(b))
}

impl AssocArray {
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(|entry| entry.value.as_slice())
    }

    pub fn set(&mut self, key: &[u8], value: Vec<u8>) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.value = value;
            return;
        }
        self.next += 1;
        self.entries.insert(key.into(), Entry { value, age: self.next });
    }

    pub fn remove(&mut self, key: &[u8]) {
        self.entries.remove(key);
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Oldest first: set in this order again, they iterate as now.
    pub fn by_age(&self) -> Vec<(&[u8], &[u8])> {
        let mut list: Vec<(&[u8], &Entry)> = self.entries.iter().map(|(key, entry)| (&**key, entry)).collect();
        list.sort_unstable_by_key(|(_, entry)| entry.age);
        list.into_iter().map(|(key, entry)| (key, entry.value.as_slice())).collect()
    }

    /// In bash's order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        // A table of more than two entries a bucket grows four times; order within buckets turns then, which nobody sees.
        let mut buckets = BUCKETS;
        while self.entries.len() as u64 > u64::from(buckets) * 2 {
            buckets *= 4;
        }
        let mut list: Vec<(&[u8], &Entry)> = self.entries.iter().map(|(key, entry)| (&**key, entry)).collect();
        list.sort_by_key(|(key, entry)| (hash(key) & (buckets - 1), std::cmp::Reverse(entry.age)));
        list.into_iter().map(|(key, entry)| (key, entry.value.as_slice()))
    }
}

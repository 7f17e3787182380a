//! Associative arrays: a list of the small whole numbers, and a hash table over other entries in the order they were
//! made. A loop has gawk's order.

mod dense;
mod layers;

use super::number;
use super::value::{Small, Text, Value};
use dense::{Dense, Spot};
use layers::Layers;
use std::cell::RefCell;
use std::rc::Rc;

pub type ArrayRef = Rc<RefCell<Array>>;

/// A subscript. A string that is written as a whole number is that number, so that `a[1]` and `a["1"]` meet.
#[derive(Clone, Debug)]
pub enum Key {
    Int(i64),
    Small(Small),
    Long(Rc<Text>),
}

impl Key {
    pub fn from_bytes(bytes: &[u8]) -> Key {
        Key::of(&Value::string(bytes), b"")
    }

    /// The key a value is; a number that is not whole is shown under `format`.
    #[inline]
    pub fn of(value: &Value, format: &[u8]) -> Key {
        match value {
            Value::Num(n) => {
                let whole = *n as i64;
                if whole as f64 == *n && whole.unsigned_abs() < 1 << 53 {
                    return Key::Int(whole);
                }
                let mut text = Vec::new();
                number::append(*n, format, &mut text);
                Key::from_bytes(&text)
            }
            Value::Small(small) => match number::canonical_int(small.bytes()) {
                Some(n) => Key::Int(n),
                None => Key::Small(*small),
            },
            Value::Str(text) | Value::Regex(text) => match number::canonical_int(&text.bytes) {
                Some(n) => Key::Int(n),
                None => Key::Long(text.clone()),
            },
            Value::Bool(b) => Key::Int((*b).into()),
            _ => Key::of(&Value::string(b""), b""),
        }
    }

    /// As the value a loop gets.
    pub fn value(&self) -> Value {
        match self {
            Key::Int(n) => {
                let mut text = Vec::with_capacity(20);
                number::append_int(*n, &mut text);
                Value::string(&text)
            }
            Key::Small(small) => Value::Small(*small).into_string(),
            Key::Long(text) => Value::Str(text.clone()).into_string(),
        }
    }

    pub fn append(&self, out: &mut Vec<u8>) {
        match self {
            Key::Int(n) => number::append_int(*n, out),
            Key::Small(small) => out.extend_from_slice(small.bytes()),
            Key::Long(text) => out.extend_from_slice(&text.bytes),
        }
    }

    pub fn text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(&mut out);
        out
    }

    /// The text of one that is not a number.
    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Key::Int(_) => None,
            Key::Small(small) => Some(small.bytes()),
            Key::Long(text) => Some(&text.bytes),
        }
    }

    /// As one of the numbers that gawk has special tables for.
    #[inline]
    fn number(&self) -> Option<i32> {
        match self {
            Key::Int(n) => i32::try_from(*n).ok(),
            _ => None,
        }
    }

    /// Where it would stand in the list.
    #[inline]
    fn spot(&self) -> Option<Spot> {
        self.number().and_then(|n| u32::try_from(n).ok()).map(Spot::of)
    }

    #[inline]
    fn hash(&self) -> u32 {
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = match self {
            Key::Int(n) => (*n as u64).wrapping_mul(MIX),
            _ => {
                let bytes = self.bytes().unwrap_or_default();
                let mut hash = (bytes.len() as u64).wrapping_mul(MIX);
                let mut chunks = bytes.chunks_exact(8);
                for chunk in &mut chunks {
                    let word = chunk.try_into().map_or(0, u64::from_le_bytes);
                    hash = (hash.rotate_left(23) ^ word).wrapping_mul(MIX);
                }
                let mut last = 0u64;
                for &b in chunks.remainder() {
                    last = last << 8 | u64::from(b);
                }
                (hash.rotate_left(23) ^ last).wrapping_mul(MIX)
            }
        };
        (mixed >> 32) as u32
    }
}

impl PartialEq for Key {
    #[inline]
    fn eq(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Int(a), Key::Int(b)) => a == b,
            (Key::Int(_), _) | (_, Key::Int(_)) => false,
            _ => self.bytes() == other.bytes(),
        }
    }
}

#[derive(Debug)]
struct Entry {
    key: Key,
    value: Value,
    hash: u32,
    live: bool,
}

/// What an array stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    #[default]
    Plain,
    /// The variables by name.
    Symbols,
    /// The functions by name: may not be changed.
    Functions,
}

#[derive(Debug, Default)]
pub struct Array {
    list: Dense,
    entries: Vec<Entry>,
    /// Entry numbers plus one by hash, 0 where none is. Empty while the entries are few enough to look through.
    table: Vec<u32>,
    /// How many entries there are without those that were deleted.
    live: usize,
    layers: Layers,
    pub kind: Kind,
    /// How many arrays it is inside of: freeing goes as deep.
    pub depth: usize,
    /// The variable or `a["x"]` it is known by, for messages.
    pub name: String,
}

/// A table place whose entry was deleted.
const GONE: u32 = u32::MAX;
/// So few entries are looked through without a table.
const FEW: usize = 8;

impl Array {
    pub fn shared(name: &str) -> ArrayRef {
        let mut array = Array::default();
        name.clone_into(&mut array.name);
        Rc::new(RefCell::new(array))
    }

    pub fn len(&self) -> usize {
        self.list.len() + self.live
    }

    /// What gawk keeps such an array in.
    pub fn kind_name(&self) -> &'static str {
        self.layers.name()
    }

    #[inline]
    fn find(&self, key: &Key, hash: u32) -> Option<usize> {
        if self.table.is_empty() {
            return self.entries.iter().position(|e| e.hash == hash && e.live && e.key == *key);
        }
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.table[at] {
                0 => return None,
                GONE => {}
                n => {
                    let entry = &self.entries[n as usize - 1];
                    if entry.hash == hash && entry.key == *key {
                        return Some(n as usize - 1);
                    }
                }
            }
            at = (at + 1) & mask;
        }
    }

    pub fn get(&self, key: &Key) -> Option<&Value> {
        if self.layers.list
            && let Some(spot) = key.spot()
            && let Some(value) = self.list.get(spot)
        {
            return Some(value);
        }
        if self.live == 0 {
            return None;
        }
        self.find(key, key.hash()).map(|i| &self.entries[i].value)
    }

    pub fn contains(&self, key: &Key) -> bool {
        self.get(key).is_some()
    }

    /// The element, made when it is not there.
    #[inline]
    pub fn entry(&mut self, key: Key) -> &mut Value {
        if (self.layers.list || self.live == 0)
            && let Some(spot) = key.spot()
            && (self.list.get(spot).is_some() || self.belongs_in_list(&key))
        {
            self.layers.list = true;
            return self.list.at(spot);
        }
        let hash = key.hash();
        let at = match self.find(&key, hash) {
            Some(at) => at,
            None => self.add(key, hash),
        };
        &mut self.entries[at].value
    }

    /// Whether a small number that is not in the list should be: it is not among the others, and leaves no large hole.
    fn belongs_in_list(&self, key: &Key) -> bool {
        let Key::Int(n) = key else { return false };
        (self.live == 0 || self.find(key, key.hash()).is_none()) && self.list.takes(*n as u32)
    }

    pub fn set(&mut self, key: Key, value: Value) {
        *self.entry(key) = value;
    }

    fn add(&mut self, key: Key, hash: u32) -> usize {
        let number = key.number();
        self.entries.push(Entry { key, value: Value::Untyped, hash, live: true });
        self.live += 1;
        let count = self.entries.len();
        self.layers.add(number, count - 1);
        if self.table.is_empty() && count <= FEW {
            return count - 1;
        }
        if count * 4 > self.table.len() * 3 {
            self.rebuild();
        } else {
            self.place(count - 1);
        }
        self.entries.len() - 1
    }

    fn place(&mut self, entry: usize) {
        let mask = self.table.len() - 1;
        let mut at = self.entries[entry].hash as usize & mask;
        while self.table[at] != 0 && self.table[at] != GONE {
            at = (at + 1) & mask;
        }
        self.table[at] = entry as u32 + 1;
    }

    /// Drops what was deleted, and makes the table as large as the rest needs.
    fn rebuild(&mut self) {
        if self.live < self.entries.len() {
            let entries = &self.entries;
            self.layers.moved(|at| entries[..at].iter().filter(|e| e.live).count());
            self.entries.retain(|e| e.live);
        }
        let size = (self.entries.len() * 2).next_power_of_two().max(2 * FEW);
        self.table.clear();
        self.table.resize(size, 0);
        for entry in 0..self.entries.len() {
            self.place(entry);
        }
    }

    pub fn remove(&mut self, key: &Key) -> bool {
        if self.layers.list
            && let Some(spot) = key.spot()
            && self.list.remove(spot)
        {
            // What else there is goes on as an array without a list.
            self.layers.list = self.list.len() > 0;
            return true;
        }
        if self.live == 0 {
            return false;
        }
        let Some(at) = self.find(key, key.hash()) else { return false };
        self.layers.remove(key.number());
        self.live -= 1;
        if self.live == 0 {
            self.entries.clear();
            self.table.clear();
            return true;
        }
        if self.table.is_empty() {
            self.entries.remove(at);
            return true;
        }
        let mask = self.table.len() - 1;
        let mut slot = self.entries[at].hash as usize & mask;
        while self.table[slot] != at as u32 + 1 {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = GONE;
        let entry = &mut self.entries[at];
        entry.live = false;
        entry.value = Value::Unset;
        true
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.entries.clear();
        self.table.clear();
        self.live = 0;
        self.layers = Layers::default();
    }

    /// Keys and values in the order of a loop.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &Value)> {
        let others = self.order().into_iter().map(|at| &self.entries[at]);
        let others = others.map(|entry| (entry.key.clone(), &entry.value));
        others.chain(self.list.iter().map(|(n, value)| (Key::Int(n.into()), value)))
    }

    /// Keys and values in the order they were made, but for those of the list.
    pub fn by_age(&self) -> impl Iterator<Item = (Key, &Value)> {
        let others = self.entries.iter().filter(|e| e.live).map(|e| (e.key.clone(), &e.value));
        others.chain(self.list.iter().map(|(n, value)| (Key::Int(n.into()), value)))
    }

    /// The entries outside of the list: texts, then numbers.
    fn order(&self) -> Vec<usize> {
        if self.live == 0 {
            return Vec::new();
        }
        let mut text = Vec::new();
        let texts = self.entries.iter().enumerate().filter(|(_, e)| e.live && !self.layers.is_number(e.key.number()));
        let mut order = self.layers.order(texts.map(|(at, entry)| {
            let hash = match entry.key.bytes() {
                Some(bytes) => layers::hash(bytes),
                None => {
                    text.clear();
                    entry.key.append(&mut text);
                    layers::hash(&text)
                }
            };
            (at, hash)
        }));
        order.extend(self.layers.numbers().filter_map(|n| {
            let key = Key::Int(n.into());
            self.find(&key, key.hash())
        }));
        order
    }
}

/// Arrays inside of arrays are freed one after the other: they may be nested deeper than the stack is.
impl Drop for Array {
    fn drop(&mut self) {
        let mut inner = Vec::new();
        take_arrays(self, &mut inner);
        while let Some(array) = inner.pop() {
            if let Ok(array) = Rc::try_unwrap(array) {
                take_arrays(&mut array.into_inner(), &mut inner);
            }
        }
    }
}

fn take_arrays(array: &mut Array, into: &mut Vec<ArrayRef>) {
    for value in array.entries.iter_mut().map(|entry| &mut entry.value).chain(array.list.values_mut()) {
        if matches!(value, Value::Array(_) | Value::Lazy(_)) {
            match std::mem::replace(value, Value::Unset) {
                Value::Array(array) => into.push(array),
                Value::Lazy(cell) => into.extend(Rc::try_unwrap(cell).ok().and_then(|cell| cell.into_inner().array())),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many() {
        let mut array = Array::default();
        for i in 0..1000 {
            array.set(Key::Int(i), Value::Num(i as f64));
            array.set(Key::from_bytes(format!("key number {i}").as_bytes()), Value::Num(-i as f64));
        }
        for i in (0..1000).step_by(2) {
            assert!(array.remove(&Key::from_bytes(format!("{i}").as_bytes())));
        }
        assert_eq!(array.len(), 1500);
        for i in 0..1000 {
            assert_eq!(array.contains(&Key::Int(i)), i % 2 == 1);
            let key = Key::from_bytes(format!("key number {i}").as_bytes());
            assert_eq!(array.get(&key).map(Value::number), Some(-i as f64));
        }
        assert_eq!(array.iter().count(), 1500);
    }
}

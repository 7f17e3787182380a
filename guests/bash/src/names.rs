//! Names of variables, interned: a name is a small number, so a variable is found by indexing.
//!
//! The table only grows. That is right for a shell: names come from the script's text, and a slot costs a few bytes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// A fast hash without a random seed (the FNV of bash would do as well; this one takes eight bytes a turn).
#[derive(Default)]
pub struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
        let mut tail = bytes.len() as u64;
        for &b in chunks.remainder() {
            tail = tail << 8 | u64::from(b);
        }
        self.add(tail);
    }

    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

struct Table {
    by_text: FastMap<&'static [u8], u32>,
    texts: Vec<&'static [u8]>,
}

/// Names that are asked for at every command, in the order of their numbers.
const KNOWN: &[&[u8]] = &[b"_", b"FUNCNEST"];

impl Default for Table {
    fn default() -> Table {
        Table { by_text: KNOWN.iter().copied().zip(0..).collect(), texts: KNOWN.to_vec() }
    }
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Name {
    pub const LAST_ARGUMENT: Name = Name(0);
    pub const FUNCNEST: Name = Name(1);

    pub fn new(text: &[u8]) -> Name {
        TABLE.with_borrow_mut(|table| {
            if let Some(&id) = table.by_text.get(text) {
                return Name(id);
            }
            let kept: &'static [u8] = Box::leak(text.to_vec().into_boxed_slice());
            let id = table.texts.len() as u32;
            table.texts.push(kept);
            table.by_text.insert(kept, id);
            Name(id)
        })
    }

    /// The name, if anything ever had it: asking for a variable must not make its name immortal.
    pub fn find(text: &[u8]) -> Option<Name> {
        TABLE.with_borrow(|table| table.by_text.get(text).map(|&id| Name(id)))
    }

    pub fn bytes(self) -> &'static [u8] {
        TABLE.with_borrow(|table| table.texts[self.0 as usize])
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn from_index(index: usize) -> Name {
        Name(index as u32)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.bytes()))
    }
}

/// Whether `text` is a name: a letter or underscore, then letters, digits and underscores.
pub fn is_name(text: &[u8]) -> bool {
    match text.first() {
        Some(&b) => is_name_start(b) && text.iter().all(|&b| is_name_byte(b)),
        None => false,
    }
}

pub fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

pub fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

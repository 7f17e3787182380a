//! Names of variables, interned: a name is a small number, so a variable is found by indexing.
//!
//! The table only grows. That is right for a shell: names come from the script's text, and a slot costs a few bytes.

use std::cell::{Cell, RefCell};
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
        let mut rest = bytes;
        while let Some((word, more)) = rest.split_first_chunk() {
            self.add(u64::from_le_bytes(*word));
            rest = more;
        }
        // The length is hashed too, so the two halves may overlap.
        let tail = match (rest.first_chunk(), rest.last_chunk()) {
            (Some(low), Some(high)) => u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << 32,
            _ => rest.iter().fold(0, |tail, &b| tail << 8 | u64::from(b)),
        };
        self.add(tail);
    }

    /// The length, which comes before the bytes of a slice.
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    /// A product's low bits know nothing of the high bits of what was multiplied, where names differ (`key1`, `key2`), and
    /// the table looks at the low ones: fold, multiply, fold.
    fn finish(&self) -> u64 {
        let folded = (self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        folded ^ folded >> 40
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

/// How many names most shells end with at most.
const USUAL: usize = 200;

/// Names every shell has, in the order of their numbers: found without a look into the table.
macro_rules! known {
    ($($name:ident $text:literal)*) => {
        const KNOWN: &[&[u8]] = &[$($text),*];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name),* }

        impl Name {
            $(pub const $name: Name = Name(Number::$name as u32);)*
        }
    };
}

known! {
    LAST_ARGUMENT b"_"
    FUNCNEST b"FUNCNEST"
    RANDOM b"RANDOM"
    SRANDOM b"SRANDOM"
    SECONDS b"SECONDS"
    LINENO b"LINENO"
    EPOCHSECONDS b"EPOCHSECONDS"
    EPOCHREALTIME b"EPOCHREALTIME"
    BASHPID b"BASHPID"
    BASH_COMMAND b"BASH_COMMAND"
    BASH_SUBSHELL b"BASH_SUBSHELL"
    FUNCNAME b"FUNCNAME"
    BASH_SOURCE b"BASH_SOURCE"
    BASH_LINENO b"BASH_LINENO"
    BASH_ARGC b"BASH_ARGC"
    BASH_ARGV b"BASH_ARGV"
    DIRSTACK b"DIRSTACK"
    GROUPS b"GROUPS"
    PIPESTATUS b"PIPESTATUS"
    BASH_ALIASES b"BASH_ALIASES"
    BASH_CMDS b"BASH_CMDS"
    BASH_ARGV0 b"BASH_ARGV0"
    SHELLOPTS b"SHELLOPTS"
    BASHOPTS b"BASHOPTS"
    HISTCMD b"HISTCMD"
    IFS b"IFS"
    PATH b"PATH"
    LC_ALL b"LC_ALL"
    LC_CTYPE b"LC_CTYPE"
    LC_COLLATE b"LC_COLLATE"
    LC_MESSAGES b"LC_MESSAGES"
    LC_NUMERIC b"LC_NUMERIC"
    LC_TIME b"LC_TIME"
    LANG b"LANG"
    OPTIND b"OPTIND"
    POSIXLY_CORRECT b"POSIXLY_CORRECT"
    GLOBIGNORE b"GLOBIGNORE"
}

impl Default for Table {
    fn default() -> Table {
        // Room for a usual environment and a few variables of a script: growing means hashing all of them again.
        let (mut by_text, mut texts) = (FastMap::default(), Vec::with_capacity(USUAL));
        by_text.reserve(USUAL);
        by_text.extend(KNOWN.iter().copied().zip(0..));
        texts.extend_from_slice(KNOWN);
        Table { by_text, texts }
    }
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
    /// Whether any script has named BASH_COMMAND.
    static COMMAND_NAMED: Cell<bool> = const { Cell::new(false) };
}

/// Whether somebody may want to know BASH_COMMAND, which costs every command something.
pub fn command_named() -> bool {
    COMMAND_NAMED.get()
}

impl Name {
    pub fn new(text: &[u8]) -> Name {
        TABLE.with_borrow_mut(|table| {
            if let Some(&id) = table.by_text.get(text) {
                if id == Name::BASH_COMMAND.0 {
                    COMMAND_NAMED.set(true);
                }
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

#[cfg(test)]
mod tests {
    use super::FastHasher;
    use std::collections::HashSet;
    use std::hash::{Hash, Hasher};

    /// A table finds its bucket by the low bits.
    #[test]
    fn keys_that_differ_at_the_end_spread() {
        for prefix in ["", "k", "key_", "a_longer_key_"] {
            let low = |i: u32| {
                let mut hasher = FastHasher::default();
                format!("{prefix}{i}").as_bytes().hash(&mut hasher);
                hasher.finish() & 0xfff
            };
            let buckets: HashSet<u64> = (0..4096).map(low).collect();
            assert!(buckets.len() > 2400, "{prefix}: {} of 4096", buckets.len());
        }
    }
}

//! A number for every line: the same for lines that count as the same.

use super::text::{Ignore, Space, Text, canonical};
use std::borrow::Cow;
use std::ops::Range;

/// The numbers of these lines of two texts.
pub fn classes(
    a: &Text,
    lines_a: Range<usize>,
    b: &Text,
    lines_b: Range<usize>,
    ignore: &Ignore,
) -> (Vec<u32>, Vec<u32>) {
    let mut known = Known::new(lines_a.len().max(lines_b.len()));
    let x: Vec<u32> = lines_a.map(|line| known.number(key(a, line, ignore))).collect();
    let y = follow(&x, lines_b.map(|line| key(b, line, ignore)), &mut known);
    (x, y)
}

/// The numbers of the second text's lines. Most of them stand behind the same line as in the first text, so that one
/// comparison finds them.
fn follow<'a>(x: &[u32], keys: impl Iterator<Item = Cow<'a, [u8]>>, known: &mut Known<'a>) -> Vec<u32> {
    // Where each class is first seen in the first text.
    let mut first = Vec::with_capacity(known.keys.len());
    for (at, &class) in x.iter().enumerate() {
        if class as usize == first.len() {
            first.push(at);
        }
    }
    let mut expected = 0;
    let one = |key: Cow<'a, [u8]>| {
        if let Some(&class) = x.get(expected)
            && same(&known.keys[class as usize], &key)
        {
            expected += 1;
            return class;
        }
        let class = known.number(key);
        expected = first.get(class as usize).map_or(expected, |&at| at) + 1;
        class
    };
    keys.map(one).collect()
}

/// What tells a line from others: its bytes with the newline, where that counts.
fn key<'a>(text: &'a Text, line: usize, ignore: &Ignore) -> Cow<'a, [u8]> {
    if ignore.space == Space::Counts && !ignore.case {
        return Cow::Borrowed(if ignore.missing_newline { text.content(line) } else { text.line(line) });
    }
    let mut key = canonical(text.content(line), ignore);
    // Where blanks do not count, a newline is one.
    if text.ends_early(line) && !ignore.missing_newline && ignore.space < Space::Trailing {
        key.to_mut().push(b'\n');
    }
    key
}

/// The lines seen so far, found by their hash.
struct Known<'a> {
    keys: Vec<Cow<'a, [u8]>>,
    /// Half a hash, whose upper bits say where the search begins, above the number and one; 0 is free.
    slots: Vec<u64>,
    /// How many of the hash's upper bits that is.
    bits: u32,
}

impl<'a> Known<'a> {
    fn new(lines: usize) -> Known<'a> {
        let bits = (lines.max(8) * 2).next_power_of_two().ilog2().min(MOST_BITS);
        Known { keys: Vec::with_capacity(lines), slots: vec![0; 1 << bits], bits }
    }

    fn number(&mut self, key: Cow<'a, [u8]>) -> u32 {
        let half = hash(&key) >> 32;
        let mut at = self.start(half);
        while self.slots[at] != 0 {
            if self.slots[at] >> 32 == half {
                let class = self.slots[at] as u32 - 1;
                if same(&self.keys[class as usize], &key) {
                    return class;
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let class = self.keys.len() as u32;
        self.slots[at] = half << 32 | u64::from(class + 1);
        self.keys.push(key);
        if self.keys.len() > self.slots.len() / 4 * 3 && self.bits < MOST_BITS {
            self.grow();
        }
        class
    }

    fn start(&self, half: u64) -> usize {
        (half >> (32 - self.bits)) as usize
    }

    fn grow(&mut self) {
        self.bits += 1;
        let old = std::mem::replace(&mut self.slots, vec![0; 1 << self.bits]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = self.start(slot >> 32);
            while self.slots[at] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

/// More lines than this do not fit into the memory of a guest.
const MOST_BITS: u32 = 30;

/// Multiplies words together: lines are many and short, and nobody chooses them to collide within one's own diff.
fn hash(line: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let mut hash = line.len() as u64;
    let (words, rest) = line.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let last = match line.last_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    hash = mix(hash, last);
    mix(hash, hash >> 32)
}

/// Whether two texts have the same bytes: by words, as a guest's memcmp takes single bytes.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let ((blocks_a, a), (blocks_b, b)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let differ = |x: &[[u8; 8]], y: &[[u8; 8]]| {
        x.iter().zip(y).fold(0, |all, (x, y)| all | u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y)) != 0
    };
    if blocks_a.iter().zip(blocks_b).any(|(x, y)| differ(x.as_chunks().0, y.as_chunks().0)) {
        return false;
    }
    let ((words_a, a), (words_b, b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    !differ(words_a, words_b) && a.iter().zip(b).all(|(x, y)| x == y)
}

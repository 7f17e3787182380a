//! Lines, and when two of them are the same.

use capsule_sys::{Result, read_to_end};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// A file's content and where its lines begin.
#[derive(Clone, Default)]
pub struct Text {
    pub bytes: Vec<u8>,
    /// One more than there are lines.
    starts: Vec<usize>,
    /// The last line has no newline.
    pub incomplete: bool,
}

/// Which blanks do not count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug, Default)]
pub enum Space {
    #[default]
    Counts,
    TabExpansion,
    Trailing,
    TabAndTrailing,
    Amount,
    All,
}

/// What is not looked at when lines are compared.
#[derive(Clone, Copy, Default)]
pub struct Ignore {
    pub space: Space,
    pub case: bool,
    pub tab_size: usize,
    /// A last line without a newline is the same as one with it.
    pub missing_newline: bool,
}

/// How much of a file tells whether it is text: one block of a file system, as for GNU.
const SNIFFED: usize = 4096;

impl Text {
    pub fn read(fd: i32) -> Result<Text> {
        Ok(Text::new(read_to_end(fd)?))
    }

    pub fn new(bytes: Vec<u8>) -> Text {
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 2);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', &bytes).map(|i| i + 1));
        let incomplete = bytes.last().is_some_and(|&b| b != b'\n');
        if incomplete {
            starts.push(bytes.len());
        }
        Text { bytes, starts, incomplete }
    }

    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A line, with its newline.
    pub fn line(&self, number: usize) -> &[u8] {
        &self.bytes[self.starts[number]..self.starts[number + 1]]
    }

    /// A line without its newline.
    pub fn content(&self, number: usize) -> &[u8] {
        let line = self.line(number);
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// Whether this line has no newline.
    pub fn ends_early(&self, number: usize) -> bool {
        self.incomplete && number + 1 == self.len()
    }

    /// Bytes that no text has among its first ones.
    pub fn is_binary(&self) -> bool {
        memchr::memchr(0, &self.bytes[..self.bytes.len().min(SNIFFED)]).is_some()
    }

    /// Carriage returns before newlines are taken away.
    pub fn strip_carriage_returns(&mut self) {
        if memchr::memmem::find(&self.bytes, b"\r\n").is_none() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for number in 0..self.len() {
            match self.line(number).strip_suffix(b"\r\n") {
                Some(line) => {
                    bytes.extend_from_slice(line);
                    bytes.push(b'\n');
                }
                None => bytes.extend_from_slice(self.line(number)),
            }
        }
        *self = Text::new(bytes);
    }
}

/// Multiplies words together: lines are many and short, and nobody chooses them to collide within one's own diff.
#[derive(Default)]
pub struct LineHasher(u64);

impl Hasher for LineHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        let mut word = [0; 8];
        let rest = chunks.remainder();
        word[..rest.len()].copy_from_slice(rest);
        self.write_u64(u64::from_le_bytes(word) ^ (rest.len() as u64) << 56);
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Known<'a> = HashMap<(Cow<'a, [u8]>, bool), u32, BuildHasherDefault<LineHasher>>;

/// A number for every one of these lines: the same for those that count as the same.
pub fn classes(
    a: &Text,
    lines_a: Range<usize>,
    b: &Text,
    lines_b: Range<usize>,
    ignore: &Ignore,
) -> (Vec<u32>, Vec<u32>) {
    let mut known = Known::default();
    (number(a, lines_a, ignore, &mut known), number(b, lines_b, ignore, &mut known))
}

fn number<'a>(text: &'a Text, lines: Range<usize>, ignore: &Ignore, known: &mut Known<'a>) -> Vec<u32> {
    let one = |line: usize| {
        // Where blanks do not count, a newline is one.
        let early = text.ends_early(line) && !ignore.missing_newline && ignore.space < Space::Trailing;
        let next = known.len() as u32;
        *known.entry((canonical(text.content(line), ignore), early)).or_insert(next)
    };
    lines.map(one).collect()
}

/// A line as it is compared.
pub fn canonical<'a>(line: &'a [u8], ignore: &Ignore) -> Cow<'a, [u8]> {
    if ignore.space == Space::Counts {
        return match ignore.case {
            true => Cow::Owned(lower(line)),
            false => Cow::Borrowed(line),
        };
    }
    let blank = |b: &u8| b.is_ascii_whitespace() || *b == 11;
    let trimmed = || &line[..line.iter().rposition(|b| !blank(b)).map_or(0, |i| i + 1)];
    let text = match ignore.space {
        Space::Counts => line.to_vec(),
        Space::All => line.iter().copied().filter(|b| !blank(b)).collect(),
        Space::Amount => {
            let mut text = Vec::with_capacity(line.len());
            for &byte in trimmed() {
                if !blank(&byte) {
                    text.push(byte);
                } else if text.last() != Some(&b' ') {
                    text.push(b' ');
                }
            }
            text
        }
        Space::Trailing => trimmed().to_vec(),
        Space::TabExpansion => expand(line, ignore.tab_size),
        Space::TabAndTrailing => expand(trimmed(), ignore.tab_size),
    };
    Cow::Owned(if ignore.case { lower(&text) } else { text })
}

fn lower(line: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(line) {
        Ok(text) if !text.is_ascii() && crate::quote::is_utf8() => text.to_lowercase().into_bytes(),
        _ => line.to_ascii_lowercase(),
    }
}

/// Tabs as the blanks they stand for.
pub fn expand(line: &[u8], tab_size: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(line.len());
    let mut column = 0;
    for &byte in line {
        match byte {
            b'\t' => {
                let blanks = tab_size.max(1) - column % tab_size.max(1);
                text.resize(text.len() + blanks, b' ');
                column += blanks;
            }
            8 => {
                text.push(byte);
                column = column.saturating_sub(1);
            }
            b'\r' => {
                text.push(byte);
                column = 0;
            }
            _ => {
                text.push(byte);
                column += 1;
            }
        }
    }
    text
}

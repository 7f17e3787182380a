//! Lines, and when two of them are the same.

use capsule_sys::{Result, read_to_end};
use std::borrow::Cow;

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

/// Whether there are bytes that no text has among the first ones.
pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(SNIFFED)]).is_some()
}

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

    /// How many lines end within the first `bytes` bytes, with their newlines.
    pub fn lines_within(&self, bytes: usize) -> usize {
        self.starts.partition_point(|&start| start <= bytes).saturating_sub(1)
    }

    /// How many lines begin within the last `bytes` bytes, with a byte before them there.
    pub fn lines_behind(&self, bytes: usize) -> usize {
        let begin = self.bytes.len() - bytes;
        self.len() - self.starts[..self.len()].partition_point(|&start| start <= begin)
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

    pub fn is_binary(&self) -> bool {
        is_binary(&self.bytes)
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

//! Counting block by block. The common cases go by 64 bytes a turn; the rest is decoded.

use super::{Columns, Counts};
use crate::width::width;

pub struct Counter {
    counts: Counts,
    /// Only newlines and bytes are asked for, or also characters that are bytes.
    simple: bool,
    utf8: bool,
    chars: bool,
    words: bool,
    longest: bool,
    in_word: bool,
    /// Where in the line we are.
    column: u64,
    /// The beginning of a character that the last block ended in.
    partial: Vec<u8>,
}

impl Counter {
    pub fn new(show: &Columns, utf8: bool) -> Counter {
        Counter {
            counts: Counts::default(),
            simple: !(show.words || show.longest),
            utf8,
            chars: show.chars,
            words: show.words,
            longest: show.longest,
            in_word: false,
            column: 0,
            partial: Vec::new(),
        }
    }

    pub fn feed(&mut self, block: &[u8]) {
        self.counts.bytes += block.len() as u64;
        if self.simple && !(self.chars && self.utf8) {
            self.counts.lines += memchr::memchr_iter(b'\n', block).count() as u64;
            self.counts.chars += block.len() as u64;
            return;
        }
        if self.longest {
            return self.by_lines(block);
        }
        let mut rest = block;
        while !rest.is_empty() {
            if self.partial.is_empty() && (!self.utf8 || rest[0] < 128) {
                let n = self.plain(rest);
                rest = &rest[n..];
            }
            // A chunk with something unusual is decoded, up to a size that lets plain text be plain again soon.
            let n = rest.len().min(64);
            self.decode(&rest[..n]);
            rest = &rest[n..];
        }
    }

    /// Lines of printable ASCII are as wide as they are long.
    fn by_lines(&mut self, block: &[u8]) {
        let mut rest = block;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
            let (line, behind) = rest.split_at(end);
            rest = behind;
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let plain =
                !self.words && self.partial.is_empty() && text.iter().fold(true, |p, b| p & (32..127).contains(b));
            if !plain {
                self.decode(line);
                continue;
            }
            self.counts.chars += line.len() as u64;
            self.column += text.len() as u64;
            if text.len() < line.len() {
                self.character('\n');
            }
        }
    }

    /// Counts chunks of 64 bytes that hold nothing but printable ASCII and white space; how many bytes.
    fn plain(&mut self, block: &[u8]) -> usize {
        let mut done = 0;
        for chunk in block.chunks_exact(64) {
            let (mut space, mut newlines, mut odd) = (0u64, 0u64, false);
            for (i, &b) in chunk.iter().enumerate() {
                let white = b == b' ' || b.wrapping_sub(9) < 5;
                space |= u64::from(white) << i;
                newlines |= u64::from(b == b'\n') << i;
                odd |= !white && !(33..127).contains(&b);
            }
            if odd {
                break;
            }
            let text = !space;
            let starts = text & !(text << 1 | u64::from(self.in_word));
            self.counts.words += u64::from(starts.count_ones());
            self.counts.lines += u64::from(newlines.count_ones());
            self.counts.chars += 64;
            self.in_word = text >> 63 != 0;
            done += 64;
        }
        done
    }

    fn decode(&mut self, block: &[u8]) {
        if !self.utf8 {
            self.counts.chars += block.len() as u64;
            for &b in block {
                self.character(if b.is_ascii() { b.into() } else { '\0' });
            }
            return;
        }
        let joined;
        let mut bytes = block;
        if !self.partial.is_empty() {
            self.partial.extend_from_slice(block);
            joined = core::mem::take(&mut self.partial);
            bytes = &joined;
        }
        let mut seen = 0;
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                self.counts.chars += 1;
                self.character(c);
            }
            seen += chunk.valid().len() + chunk.invalid().len();
            // An unfinished character at the very end may be finished by the next block.
            let unfinished = chunk.invalid();
            if seen == bytes.len() && is_beginning(unfinished) {
                self.partial = unfinished.to_vec();
            }
        }
    }

    fn character(&mut self, c: char) {
        let space = match c {
            '\n' | '\r' | '\x0c' => {
                self.counts.lines += u64::from(c == '\n');
                self.counts.longest = self.counts.longest.max(self.column);
                self.column = 0;
                true
            }
            '\t' => {
                self.column += 8 - self.column % 8;
                true
            }
            ' ' => {
                self.column += 1;
                true
            }
            '\x0b' => true,
            c if c.is_control() => return,
            c => {
                self.column += width(c) as u64;
                c.is_whitespace() || matches!(c, '\u{2060}')
            }
        };
        if self.words {
            self.counts.words += u64::from(!space && !self.in_word);
            self.in_word = !space;
        }
    }

    pub fn finish(mut self) -> Counts {
        self.counts.longest = self.counts.longest.max(self.column);
        self.counts
    }
}

/// Whether these bytes could be the beginning of a longer UTF-8 character.
fn is_beginning(bytes: &[u8]) -> bool {
    let need = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return false,
    };
    bytes.len() < need
}

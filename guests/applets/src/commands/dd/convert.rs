//! `conv=`: what happens to bytes between reading and writing.

use super::ebcdic::{TO_ASCII, TO_EBCDIC, TO_IBM};

pub struct Converter {
    /// Every byte through this table.
    table: Option<[u8; 256]>,
    swab: bool,
    /// The odd byte that waits for its partner.
    odd: Option<u8>,
    block: bool,
    unblock: bool,
    cbs: usize,
    column: usize,
    /// Blanks that may turn out to be the end of a record.
    pending: usize,
    truncated: u64,
}

impl Converter {
    pub fn new(names: &[&str], cbs: usize) -> Converter {
        let has = |name| names.contains(&name);
        let mut table: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut used = false;
        let mut through = |change: &dyn Fn(u8) -> u8| {
            table.iter_mut().for_each(|b| *b = change(*b));
            used = true;
        };
        // ASCII is reached before letters change, EBCDIC after.
        if has("ascii") {
            through(&|b| TO_ASCII[usize::from(b)]);
        }
        if has("lcase") {
            through(&|b| b.to_ascii_lowercase());
        }
        if has("ucase") {
            through(&|b| b.to_ascii_uppercase());
        }
        if has("ebcdic") {
            through(&|b| TO_EBCDIC[usize::from(b)]);
        }
        if has("ibm") {
            through(&|b| TO_IBM[usize::from(b)]);
        }
        Converter {
            table: used.then_some(table),
            swab: has("swab"),
            odd: None,
            // Records have no size without cbs.
            block: cbs > 0 && (has("block") || has("ebcdic") || has("ibm")),
            unblock: cbs > 0 && (has("unblock") || has("ascii")),
            cbs,
            column: 0,
            pending: 0,
            truncated: 0,
        }
    }

    pub fn is_plain(&self) -> bool {
        self.table.is_none() && !self.swab && !self.block && !self.unblock
    }

    pub fn truncated(&self) -> u64 {
        self.truncated
    }

    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.is_plain() {
            return out.extend_from_slice(bytes);
        }
        let mut bytes = bytes.to_vec();
        if self.swab {
            if let Some(odd) = self.odd.take() {
                bytes.insert(0, odd);
            }
            if bytes.len() % 2 == 1 {
                self.odd = bytes.pop();
            }
            bytes.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
        }
        self.records(&bytes, out);
    }

    fn records(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        // Line ends and blanks are those of ASCII: before letters become EBCDIC's, after they were.
        let before = self.table.filter(|_| !self.block);
        let after = self.table.filter(|_| self.block);
        let start = out.len();
        for &byte in bytes {
            let byte = before.map_or(byte, |t| t[usize::from(byte)]);
            if self.block {
                self.block_byte(byte, out);
            } else if self.unblock {
                self.unblock_byte(byte, out);
            } else {
                out.push(byte);
            }
        }
        if let Some(table) = after {
            out[start..].iter_mut().for_each(|b| *b = table[usize::from(*b)]);
        }
    }

    /// A line becomes a record of `cbs` bytes.
    fn block_byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == b'\n' {
            out.extend(std::iter::repeat_n(b' ', self.cbs.saturating_sub(self.column)));
            self.column = 0;
            return;
        }
        if self.column == self.cbs {
            self.truncated += 1;
        } else if self.column < self.cbs {
            out.push(byte);
        }
        self.column += 1;
    }

    /// A record of `cbs` bytes becomes a line.
    fn unblock_byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.column == self.cbs {
            self.column = 0;
            self.pending = 0;
            out.push(b'\n');
        }
        self.column += 1;
        if byte == b' ' {
            self.pending += 1;
        } else {
            out.extend(std::iter::repeat_n(b' ', std::mem::take(&mut self.pending)));
            out.push(byte);
        }
    }

    /// What is still open.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if let Some(odd) = self.odd.take() {
            self.records(&[odd], out);
        }
        if self.block && self.column > 0 {
            let blank = self.table.map_or(b' ', |t| t[usize::from(b' ')]);
            out.extend(std::iter::repeat_n(blank, self.cbs.saturating_sub(self.column)));
        }
        if self.unblock && self.column > 0 {
            out.push(b'\n');
        }
    }
}

/// `445 kB`: three digits and a decimal unit.
pub fn rate(bytes: f64) -> String {
    let (mut value, mut unit) = (bytes / 1000.0, 0);
    while value >= 1000.0 && unit < 5 {
        value /= 1000.0;
        unit += 1;
    }
    let unit = ["kB", "MB", "GB", "TB", "PB", "EB"][unit];
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

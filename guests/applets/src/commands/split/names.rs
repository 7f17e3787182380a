//! Names of pieces: a prefix, a suffix that counts, and what was added.

use crate::quote::locale;
use crate::{Exit, number, report};

pub struct Names {
    pub prefix: Vec<u8>,
    pub length: Option<usize>,
    pub additional: Vec<u8>,
    letters: &'static [u8],
    /// Where numbers begin, as it was written.
    from: Option<Vec<u8>>,
    /// The letters of the next suffix, as numbers.
    next: Vec<usize>,
    started: bool,
}

const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

impl Default for Names {
    fn default() -> Names {
        Names {
            prefix: b"x".to_vec(),
            length: None,
            additional: Vec::new(),
            letters: ALPHABET,
            from: None,
            next: Vec::new(),
            started: false,
        }
    }
}

impl Names {
    /// Digits instead of letters, from a number on.
    pub fn start(&mut self, from: Option<&[u8]>, letters: &'static [u8]) -> Result<(), Exit> {
        self.letters = letters;
        if let Some(text) = from.filter(|text| !text.is_empty()) {
            if !text.iter().all(|b| letters.contains(b)) {
                let hex = if letters.len() == 16 { "hexadecimal" } else { "numerical" };
                let text = format!("{}: invalid start value for {hex} suffix", locale(text));
                return Err(report::usage(1, text));
            }
            let zeros = text.iter().take_while(|b| **b == b'0').count().min(text.len() - 1);
            self.from = Some(text[zeros..].to_vec());
        }
        Ok(())
    }

    /// Long enough for so many files.
    pub fn fit(&mut self, count: u64) -> Result<(), Exit> {
        let mut last = count - 1;
        if let Some(from) = self.from.as_ref().filter(|_| self.letters.len() == 10) {
            // A start below the count is counted on from; a larger one is only a start.
            if let Ok(from) = number::unsigned(from, b"")
                && from < count
            {
                last = last.saturating_add(from);
            }
        }
        let mut needed = 1;
        while last >= self.letters.len() as u64 {
            last /= self.letters.len() as u64;
            needed += 1;
        }
        if let Some(length) = self.length.filter(|l| *l > 0) {
            if length < needed {
                let text = format!("the suffix length needs to be at least {needed}");
                return Err(report::die(1, text));
            }
            return Ok(());
        }
        self.length = Some(needed.max(2));
        Ok(())
    }

    /// Whether the first suffix has room.
    pub fn check(&self) -> Result<(), Exit> {
        let length = self.length.filter(|l| *l > 0).unwrap_or(2);
        match &self.from {
            Some(from) if from.len() > length => {
                Err(report::usage(1, "numerical suffix start value is too large for the suffix length"))
            }
            _ => Ok(()),
        }
    }

    /// The next name; none when the suffixes are used up.
    pub fn next(&mut self) -> Result<Vec<u8>, Exit> {
        // A length that was not asked for grows when it is used up.
        let grows = self.length.is_none_or(|l| l == 0) && self.from.is_none();
        let exhausted = || report::die(1, "output file suffixes exhausted");
        if !self.started {
            self.started = true;
            let length = self.length.filter(|l| *l > 0).unwrap_or(2);
            self.next = vec![0; length];
            if let Some(from) = &self.from {
                for (place, byte) in self.next.iter_mut().rev().zip(from.iter().rev()) {
                    *place = self.letters.iter().position(|l| l == byte).unwrap_or(0);
                }
            }
        } else {
            let radix = self.letters.len();
            let at = self.next.iter().rposition(|d| *d + 1 < radix).ok_or_else(exhausted)?;
            self.next[at] += 1;
            self.next[at + 1..].fill(0);
            // Names that begin with the last letter are longer: `xyz` is followed by `xzaaa`.
            if grows && at == 0 && self.next[0] + 1 == radix {
                self.prefix.push(self.letters[radix - 1]);
                self.next = vec![0; self.next.len() + 1];
            }
        }
        let mut name = self.prefix.clone();
        name.extend(self.next.iter().map(|d| self.letters[*d]));
        name.extend_from_slice(&self.additional);
        Ok(name)
    }
}

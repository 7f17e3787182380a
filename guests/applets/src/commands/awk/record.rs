//! The record and its fields. Fields are found when they are asked for, and the record is put together again when one
//! was changed and the whole is asked for.

use super::number;
use super::split::{Range, Splitter, unquote};
use super::value::{self, Value};

pub struct Record {
    text: Vec<u8>,
    /// The text no longer is what the fields are.
    stale: bool,
    ranges: Vec<Range>,
    /// Where splitting goes on; none when all fields are known.
    scan: Option<usize>,
    /// Fields that were given a value; as long as the fields, or empty.
    given: Vec<Option<Value>>,
    /// The value of `$0`, where it was given one or asked for.
    whole: Option<Value>,
    splitter: Splitter,
    pub utf8: bool,
    pub ofs: Vec<u8>,
    pub convfmt: Vec<u8>,
    /// Where a rebuilt record is made.
    spare: Vec<u8>,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            text: Vec::new(),
            stale: false,
            ranges: Vec::new(),
            scan: None,
            given: Vec::new(),
            whole: Some(Value::Absent),
            splitter: Splitter::Blank,
            utf8: false,
            ofs: b" ".to_vec(),
            convfmt: b"%.6g".to_vec(),
            spare: Vec::new(),
        }
    }
}

impl Record {
    fn fresh(&mut self) -> &mut Vec<u8> {
        self.ranges.clear();
        self.given.clear();
        self.stale = false;
        self.whole = None;
        self.scan = Some(0);
        self.text.clear();
        &mut self.text
    }

    /// A record that was read elsewhere; the old one's buffer is given back for the next.
    pub fn take(&mut self, text: &mut Vec<u8>) {
        self.fresh();
        std::mem::swap(&mut self.text, text);
    }

    pub fn set(&mut self, text: &[u8]) {
        self.fresh().extend_from_slice(text);
    }

    /// `$0` is given a value.
    pub fn assign(&mut self, text: &[u8], value: Value) {
        self.set(text);
        self.whole = Some(value);
    }

    /// Another way to split, from the next record on.
    pub fn set_splitter(&mut self, splitter: Splitter) {
        self.split(usize::MAX);
        self.splitter = splitter;
    }

    #[inline]
    fn split(&mut self, wanted: usize) {
        if self.ranges.len() >= wanted {
            return;
        }
        let Some(scan) = self.scan else { return };
        self.scan = self.splitter.split(&self.text, self.utf8, scan, wanted, &mut self.ranges);
        if self.scan.is_none() && matches!(self.splitter, Splitter::Csv) {
            for at in 0..self.ranges.len() {
                let (start, end) = self.ranges[at];
                if let Some(plain) = unquote(&self.text[start as usize..end as usize]) {
                    self.given.resize(self.ranges.len(), None);
                    self.given[at] = Some(Value::input(&plain));
                }
            }
        }
    }

    pub fn nf(&mut self) -> usize {
        self.split(usize::MAX);
        self.ranges.len()
    }

    pub fn text(&mut self) -> &[u8] {
        if self.stale {
            self.rebuild();
        }
        &self.text
    }

    fn rebuild(&mut self) {
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        for i in 0..self.ranges.len() {
            if i > 0 {
                text.extend_from_slice(&self.ofs);
            }
            let start = text.len();
            match self.given.get(i) {
                Some(Some(value)) => value::append(value, &self.convfmt, &mut text),
                _ => {
                    let (from, to) = self.ranges[i];
                    text.extend_from_slice(&self.text[from as usize..to as usize]);
                }
            }
            self.ranges[i] = (start as u32, text.len() as u32);
        }
        self.spare = std::mem::replace(&mut self.text, text);
        self.stale = false;
    }

    /// The bytes of a field that was not given a value.
    fn plain(&self, n: usize) -> Option<&[u8]> {
        if !self.given.is_empty() && self.given.get(n - 1).is_some_and(Option::is_some) {
            return None;
        }
        let (start, end) = *self.ranges.get(n - 1)?;
        self.text.get(start as usize..end as usize)
    }

    pub fn get(&mut self, n: usize) -> Value {
        if n == 0 {
            if !self.stale
                && let Some(whole) = &self.whole
            {
                return whole.clone();
            }
            // Kept: who asks once may ask for every character of it.
            let whole = Value::input(self.text());
            self.whole = Some(whole.clone());
            return whole;
        }
        self.split(n);
        if n > self.ranges.len() {
            return Value::Absent;
        }
        match self.plain(n) {
            Some(bytes) => Value::input(bytes),
            None => self.given[n - 1].clone().unwrap_or(Value::Absent),
        }
    }

    #[inline]
    pub fn number(&mut self, n: usize) -> f64 {
        if n == 0 {
            return number::prefix(self.text());
        }
        self.split(n);
        if n > self.ranges.len() {
            return 0.0;
        }
        match self.plain(n) {
            Some(bytes) => number::prefix(bytes),
            None => self.given[n - 1].as_ref().map_or(0.0, Value::number),
        }
    }

    #[inline]
    pub fn append(&mut self, n: usize, out: &mut Vec<u8>) {
        if n == 0 {
            out.extend_from_slice(self.text());
            return;
        }
        self.split(n);
        if n > self.ranges.len() {
            return;
        }
        match self.plain(n) {
            Some(bytes) => out.extend_from_slice(bytes),
            None => {
                if let Some(value) = &self.given[n - 1] {
                    value::append(value, &self.convfmt, out);
                }
            }
        }
    }

    pub fn set_field(&mut self, n: usize, value: Value) {
        self.split(usize::MAX);
        if n > self.ranges.len() {
            self.grow(n);
        }
        self.given.resize(self.ranges.len(), None);
        self.given[n - 1] = Some(value);
        self.stale = true;
        self.whole = None;
    }

    /// A field that may be given a value: it is there from then on, and the record is as it was.
    pub fn reach(&mut self, n: usize) {
        self.split(n);
        if n > self.ranges.len() {
            self.split(usize::MAX);
            self.grow(n);
        }
    }

    fn grow(&mut self, n: usize) {
        self.given.resize(self.ranges.len(), None);
        while self.ranges.len() < n {
            self.ranges.push((0, 0));
            self.given.push(Some(Value::Absent));
        }
    }

    pub fn set_nf(&mut self, n: usize) {
        self.split(usize::MAX);
        if n > self.ranges.len() {
            self.grow(n);
        } else {
            self.ranges.truncate(n);
            self.given.truncate(n);
        }
        self.stale = true;
        self.whole = None;
    }
}

//! Lines in memory, up to a limit; sorted, they are the result or a run that is merged later.

use super::compare::Record;
use super::share::Share;
use super::{Sorter, TROUBLE};
use crate::input::Input;
use crate::{Exit, quote, report};
use capsule_sys::{Errno, Out, fstat};

/// What a line costs beside its bytes.
const RECORD: usize = size_of::<Record>();

#[derive(Default)]
pub struct Chunk {
    text: Vec<u8>,
    records: Vec<Record>,
    /// Where the line begins that is not complete.
    open: usize,
}

pub fn cannot_read(name: &[u8], e: Errno) -> Exit {
    failed("cannot read", name, e)
}

pub fn failed(what: &str, name: &[u8], e: Errno) -> Exit {
    report::die(TROUBLE, format_args!("{what}: {}: {e}", quote::name(name)))
}

impl Chunk {
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Reads a file to its end; `spill` is called with a sorted chunk whenever the limit is reached.
    pub fn read(
        &mut self,
        sorter: &Sorter,
        name: &[u8],
        memory: &Share,
        spill: &mut dyn FnMut(&Chunk) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        let mut input = Input::open(name).map_err(|e| cannot_read(name, e))?;
        fstat(input.fd()).map_err(|e| failed("stat failed", name, e))?;
        loop {
            let block = input.stream.fill().map_err(|e| failed("read failed", name, e))?;
            if block.is_empty() {
                break;
            }
            let before = self.text.len();
            if before + block.len() >= EDGE {
                return Err(report::die(TROUBLE, "a line is too long"));
            }
            self.text.try_reserve(block.len()).map_err(|_| report::die(TROUBLE, "memory exhausted"))?;
            self.text.extend_from_slice(block);
            let n = block.len();
            input.stream.consume(n);
            self.split(sorter, before);
            if memory.is_used_up(self.text.len() + self.records.len() * RECORD) && !self.is_empty() {
                self.sort(sorter);
                spill(self)?;
                self.text.drain(..self.open);
                self.records.clear();
                self.open = 0;
            }
        }
        // The last line of each file ends, even if the file does not say so.
        if self.open < self.text.len() {
            let before = self.text.len();
            self.text.push(sorter.end);
            self.split(sorter, before);
        }
        Ok(())
    }

    /// Records of the lines that end behind a place.
    fn split(&mut self, sorter: &Sorter, from: usize) {
        for at in memchr::memchr_iter(sorter.end, &self.text[from..]) {
            let end = from + at;
            self.records.push(sorter.record(&self.text, self.open, end));
            self.open = end + 1;
        }
    }

    pub fn sort(&mut self, sorter: &Sorter) {
        let text = &self.text;
        if sorter.keys.is_empty() {
            // Equal lines cannot be told apart: they need not keep their order.
            self.records.sort_unstable_by(|a, b| sorter.compare((text, a), (text, b)));
        } else {
            sort_by_keys(sorter, text, &mut self.records, 0);
        }
    }

    /// The lines in their order, each but once when that is asked.
    pub fn write(&self, sorter: &Sorter, out: &mut Out) {
        let mut before: Option<&Record> = None;
        for record in &self.records {
            if sorter.unique && before.is_some_and(|b| sorter.by_keys((&self.text, b), (&self.text, record)).is_eq()) {
                continue;
            }
            before = Some(record);
            sorter.put(record.line(&self.text), out);
        }
    }
}

/// Keys that are sorted by one after the other; those behind are looked for at every comparison.
const MOST_LEVELS: usize = 8;

/// Sorts by a key, and lines where it is equal by the next: so a line looks for its next key once, and only if it matters.
fn sort_by_keys(sorter: &Sorter, text: &[u8], records: &mut [Record], level: usize) {
    if level + 1 == sorter.keys.len().min(MOST_LEVELS) {
        let order = |a: &Record, b: &Record| sorter.compare_from(level, (text, a), (text, b));
        // What is equal keeps its order.
        return records.sort_unstable_by(|a, b| order(a, b).then_with(|| a.start().cmp(&b.start())));
    }
    let order = |a: &Record, b: &Record| sorter.by_key(level, (text, a), (text, b));
    records.sort_unstable_by(order);
    for group in records.chunk_by_mut(|a, b| order(a, b).is_eq()).filter(|group| group.len() > 1) {
        group.iter_mut().for_each(|record| sorter.find_key(record, text, level + 1));
        sort_by_keys(sorter, text, group, level + 1);
        if sorter.unique {
            // They are compared by their first key once more.
            group.iter_mut().for_each(|record| sorter.find_key(record, text, 0));
        }
    }
}

/// Records count bytes in 32 bits.
const EDGE: usize = i32::MAX as usize;

//! The lines of an input that are selected, with the lines around them: what `grep` and `rg` have in common. A buffer is
//! searched at a time; lines are looked at where something was found.

use capsule_sys::{Errno, read};

/// What is read at once; a binary input is told from the first such block.
const BLOCK: usize = 96 * 1024;

/// What is to be done with lines.
#[derive(Clone, Copy)]
pub struct Plan {
    pub before: Option<u64>,
    pub after: Option<u64>,
    /// Lines without a match are selected.
    pub invert: bool,
    /// So many lines are selected at most.
    pub max: u64,
    /// What ends a line.
    pub end: u8,
    /// Lines are counted, not printed.
    pub silent: bool,
    /// One selected line is enough.
    pub first: bool,
    /// The numbers of lines are wanted.
    pub numbers: bool,
    pub binary: Binary,
    /// More may come while the input is read: what was found must not wait for it.
    pub waits: bool,
}

/// What a zero byte means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// Nothing.
    Text,
    /// No lines are printed any more; one selected is enough, unless they are counted.
    Tell,
    /// No line is selected.
    NoMatch,
    /// The input ends.
    Stop,
}

/// Where a line is in its input.
#[derive(Clone, Copy)]
pub struct Place {
    pub number: u64,
    pub offset: u64,
}

/// Who finds lines and prints them.
pub trait Sink {
    /// The first line from `from` on that matches: its start, and the place behind its end. `text` ends with the end of
    /// a line.
    fn find(&mut self, text: &[u8], from: usize) -> Option<(usize, usize)>;
    /// A line with its end; false when it is not printed since it is no text.
    fn line(&mut self, line: &[u8], place: Place, selected: bool) -> bool;
    /// Between groups of lines that do not follow each other.
    fn separate(&mut self);
    fn flush(&mut self);
    /// Output does not work any more, or a search was given up.
    fn stopped(&self) -> bool;
}

/// What became of an input.
#[derive(Clone, Copy, Default)]
pub struct Found {
    pub selected: u64,
    /// No more lines were wanted.
    pub full: bool,
    /// The place behind the last line selected.
    pub after: u64,
    /// The first zero byte of an input that is binary, and whether lines were selected from there on.
    pub binary: Option<u64>,
    pub binary_selected: bool,
    /// A line was not printed since it is no text.
    pub unprinted: bool,
    /// What was read.
    pub bytes: u64,
}

/// Buffers that are used again for the next input, and whether anything was printed for one before.
#[derive(Default)]
pub struct Searcher {
    buffer: Vec<u8>,
    printed: bool,
}

/// One input.
struct Input<'a, S> {
    plan: Plan,
    sink: &'a mut S,
    printed: &'a mut bool,
    found: Found,
    left: u64,
    /// Where in the input the buffer starts, and how much is in it.
    base: u64,
    filled: usize,
    /// Up to here lines are counted, and how many there are.
    counted: usize,
    lines: u64,
    /// Up to here it is printed, if it is.
    shown: Option<usize>,
    /// Lines of context that are still to be printed.
    pending: u64,
}

impl Searcher {
    /// Searches what is open; it is read from an offset that is `base`.
    pub fn search<S: Sink>(&mut self, fd: i32, base: u64, plan: Plan, sink: &mut S) -> Result<Found, Errno> {
        let mut input = Input {
            plan,
            sink,
            printed: &mut self.printed,
            found: Found::default(),
            left: plan.max,
            base,
            filled: 0,
            counted: 0,
            lines: 0,
            shown: None,
            pending: 0,
        };
        input.blocks(fd, &mut self.buffer)?;
        input.found.full = input.left == 0;
        Ok(input.found)
    }

    /// Something is printed in another way: the next group is separated from it.
    pub fn set_printed(&mut self) {
        self.printed = true;
    }
}

impl<S: Sink> Input<'_, S> {
    fn blocks(&mut self, fd: i32, buffer: &mut Vec<u8>) -> Result<(), Errno> {
        // Where the lines begin that were not searched yet.
        let mut from = 0;
        let mut selected_before = 0;
        loop {
            if buffer.len() < self.filled + BLOCK {
                buffer.resize(self.filled + BLOCK, 0);
            }
            let block = self.filled;
            if self.plan.waits {
                self.sink.flush();
            }
            let n = loop {
                match read(fd, &mut buffer[block..block + BLOCK]) {
                    Err(Errno::EINTR) => {}
                    other => break other?,
                }
            };
            self.found.bytes += n as u64;
            let mut filled = block + n;
            if self.plan.end != 0 && self.plan.binary != Binary::Text {
                if self.found.binary.is_none()
                    && let Some(zero) = memchr::memchr(0, &buffer[block..filled])
                {
                    self.found.binary = Some(self.base + (block + zero) as u64);
                    match self.plan.binary {
                        Binary::NoMatch => {
                            self.found.selected = 0;
                            return Ok(());
                        }
                        Binary::Stop => {
                            self.found.binary_selected = self.found.selected > 0;
                            return Ok(());
                        }
                        _ => selected_before = self.found.selected,
                    }
                    if !self.plan.silent || self.plan.first {
                        (self.plan.first, self.plan.silent) = (true, true);
                    }
                }
                if self.found.binary.is_some() {
                    buffer[block..filled].iter_mut().filter(|b| **b == 0).for_each(|b| *b = b'\n');
                }
            }
            let ended = n == 0;
            if ended && filled > from && buffer[filled - 1] != self.plan.end {
                // The last line gets its end.
                if buffer.len() == filled {
                    buffer.push(0);
                }
                buffer[filled] = self.plan.end;
                filled += 1;
            }
            self.filled = filled;
            // What was there before has no end of a line.
            let new = from.max(block.min(filled));
            if let Some(to) = memchr::memrchr(self.plan.end, &buffer[new..filled]).map(|i| new + i + 1) {
                let on = self.lines(&buffer[..to], from);
                self.trail(&buffer[..to], to);
                // Context may be in what is not read yet.
                if !on && (self.pending == 0 || self.plan.silent) {
                    break;
                }
                from = to;
            }
            if ended || self.left == 0 && (self.pending == 0 || self.plan.silent) || self.sink.stopped() {
                break;
            }
            from = self.keep(buffer, from);
        }
        self.found.binary_selected = self.found.binary.is_some() && self.found.selected > selected_before;
        Ok(())
    }

    /// Moves what is still needed to the start of the buffer; where the unsearched lines are then.
    fn keep(&mut self, buffer: &mut [u8], from: usize) -> usize {
        let mut start = from;
        let least = self.shown.unwrap_or(0);
        if !self.plan.silent {
            start = self.lines_before(buffer, from, least);
        }
        let start = start.max(least.min(from));
        self.count_to(buffer, start);
        buffer.copy_within(start..self.filled, 0);
        self.filled -= start;
        self.counted -= start;
        self.base += start as u64;
        // A place before the buffer is one that no line of it touches.
        self.shown = self.shown.map(|shown| shown.wrapping_sub(start)).filter(|shown| *shown == 0);
        from - start
    }

    /// Where the lines of context before a place begin, not before `least`.
    fn lines_before(&self, text: &[u8], at: usize, least: usize) -> usize {
        let mut start = at;
        for _ in 0..self.plan.before.unwrap_or(0) {
            if start <= least {
                break;
            }
            start = memchr::memrchr(self.plan.end, &text[..start - 1]).map_or(0, |i| i + 1);
        }
        start
    }

    /// Goes through whole lines; false when no more are wanted.
    fn lines(&mut self, text: &[u8], from: usize) -> bool {
        let mut at = from;
        while at < text.len() && self.left > 0 {
            let found = self.sink.find(text, at);
            if !self.plan.invert {
                let Some((start, end)) = found else { return true };
                if !self.select(text, start, end) {
                    return false;
                }
                at = end;
                continue;
            }
            let (stop, next) = found.unwrap_or((text.len(), text.len()));
            if self.plan.silent && !self.plan.first {
                // Only counted.
                let n = memchr::memchr_iter(self.plan.end, &text[at..stop]).count() as u64;
                if n <= self.left {
                    self.found.selected += n;
                    self.left -= n;
                    if n > 0 {
                        self.found.after = self.base + stop as u64;
                    }
                    at = next;
                    continue;
                }
            }
            while at < stop {
                let end = self.line_end(text, at);
                if !self.select(text, at, end) {
                    return false;
                }
                at = end;
            }
            at = next;
        }
        self.left > 0
    }

    fn line_end(&self, text: &[u8], at: usize) -> usize {
        memchr::memchr(self.plan.end, &text[at..]).map_or(text.len(), |i| at + i + 1)
    }

    /// A line is selected; whether more are wanted.
    fn select(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        self.found.selected += 1;
        self.left -= 1;
        self.found.after = self.base + end as u64;
        if self.plan.first {
            return false;
        }
        if self.plan.silent {
            // Who counts what is in lines wants to see them.
            let place = Place { number: 0, offset: self.base + start as u64 };
            self.sink.line(&text[start..end], place, true);
        } else {
            self.trail(text, start);
            self.lead(text, start);
            self.print(text, start, end, true);
            self.pending = self.plan.after.unwrap_or(0);
        }
        self.left > 0
    }

    /// The lines before, and what separates groups.
    fn lead(&mut self, text: &[u8], start: usize) {
        let at = self.lines_before(text, start, self.shown.unwrap_or(0));
        let context = self.plan.before.is_some() || self.plan.after.is_some();
        if context && *self.printed && self.shown != Some(at) {
            self.sink.separate();
        }
        self.context(text, at, start, u64::MAX);
    }

    /// The lines after the last one selected, up to a place.
    fn trail(&mut self, text: &[u8], to: usize) {
        if let Some(at) = self.shown {
            self.pending -= self.context(text, at, to, self.pending);
        }
    }

    /// Lines of context, so many at most; how many there were.
    fn context(&mut self, text: &[u8], from: usize, to: usize, most: u64) -> u64 {
        let (mut at, mut count) = (from, 0);
        while at < to && count < most {
            let end = self.line_end(text, at);
            self.print(text, at, end, false);
            count += 1;
            at = end;
        }
        count
    }

    fn print(&mut self, text: &[u8], start: usize, end: usize, selected: bool) {
        self.shown = Some(end);
        self.count_to(text, start);
        let place = Place { number: self.lines + 1, offset: self.base + start as u64 };
        if self.sink.line(&text[start..end], place, selected) {
            *self.printed = true;
        } else {
            self.found.unprinted = true;
        }
    }

    fn count_to(&mut self, text: &[u8], to: usize) {
        if self.plan.numbers && to > self.counted {
            self.lines += memchr::memchr_iter(self.plan.end, &text[self.counted..to]).count() as u64;
        }
        self.counted = self.counted.max(to);
    }
}

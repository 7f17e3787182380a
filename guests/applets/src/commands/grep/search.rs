//! One input: its lines are found a buffer at a time.

use super::options::{Asked, Binary, Names};
use super::patterns::Matcher;
use super::print::{CONTEXT, Place, Printer, SELECTED};
use crate::{quote, report};
use capsule_sys::{Errno, Out, STDIN, Seek, Stat, read, seek};

/// What is read at once; a binary file is told from the first such block.
const BLOCK: usize = 96 * 1024;

pub struct Search<'a> {
    pub asked: &'a Asked,
    pub printer: Printer<'a>,
    pub out: &'a mut Out,
    /// What standard output is, where that can be an input too.
    pub output: Option<Stat>,
    pub matcher: &'a Matcher,
    buffer: Vec<u8>,
    /// Something was printed before, in any file: groups are separated.
    printed: bool,
}

/// The state of one input.
struct File<'n> {
    name: &'n [u8],
    /// What is read of it, and where in it the buffer starts.
    base: u64,
    filled: usize,
    /// Up to here lines are counted, and how many there are.
    counted: usize,
    lines: u64,
    /// Up to here it is printed, if it is.
    shown: Option<usize>,
    /// Lines of context that are still to be printed.
    pending: u64,
    selected: u64,
    left: u64,
    /// Lines are not printed, as they are not asked for or the file is binary.
    silent: bool,
    /// One selected line is enough.
    first: bool,
    binary: bool,
    /// A line was not printed since it is no text.
    unprinted: bool,
    /// The place behind the last line selected.
    after: u64,
}

impl<'a> Search<'a> {
    pub fn new(asked: &'a Asked, matcher: &'a Matcher, out: &'a mut Out) -> Search<'a> {
        let only_text = asked.binary != Binary::Text && quote::is_utf8();
        let printer = Printer { asked, matcher, with_name: false, width: 0, only_text };
        Search { asked, printer, out, output: None, matcher, buffer: Vec::new(), printed: false }
    }

    /// Searches what is open; the number of lines selected.
    pub fn input(&mut self, fd: i32, name: &[u8]) -> Result<u64, Errno> {
        let asked = self.asked;
        let first = asked.quiet || asked.names != Names::None;
        let start = if fd == STDIN { seek(fd, Seek::Current(0)).ok() } else { None };
        let mut file = File {
            name,
            base: start.unwrap_or(0),
            filled: 0,
            counted: 0,
            lines: 0,
            shown: None,
            pending: 0,
            selected: 0,
            left: asked.max,
            silent: first || asked.count,
            first,
            binary: false,
            unprinted: false,
            after: 0,
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.blocks(fd, &mut file, &mut buffer);
        self.buffer = buffer;
        result?;
        // Who reads on finds what was not asked for.
        if let Some(start) = start
            && file.left == 0
            && !asked.quiet
        {
            let _ = seek(fd, Seek::Start(start.max(file.after)));
        }
        let quiet = first || asked.count;
        if !quiet && (file.unprinted || file.binary && file.selected > 0) {
            let _ = self.out.flush();
            report::error(format_args!("{}: binary file matches", String::from_utf8_lossy(name)));
        }
        Ok(file.selected)
    }

    fn blocks(&mut self, fd: i32, file: &mut File<'_>, buffer: &mut Vec<u8>) -> Result<(), Errno> {
        let asked = self.asked;
        // Where the lines begin that were not searched yet.
        let mut from = 0;
        let mut printed_before_binary = 0;
        loop {
            if buffer.len() < file.filled + BLOCK {
                buffer.resize(file.filled + BLOCK, 0);
            }
            let block = file.filled;
            let n = loop {
                match read(fd, &mut buffer[block..block + BLOCK]) {
                    Err(Errno::EINTR) => {}
                    other => break other?,
                }
            };
            let mut filled = block + n;
            if asked.end != 0 && asked.binary != Binary::Text {
                if !file.binary && memchr::memchr(0, &buffer[block..filled]).is_some() {
                    if asked.binary == Binary::NoMatch {
                        file.selected = 0;
                        return Ok(());
                    }
                    file.binary = true;
                    printed_before_binary = file.selected;
                    if !asked.count {
                        (file.first, file.silent) = (true, true);
                    }
                }
                if file.binary {
                    buffer[block..filled].iter_mut().filter(|b| **b == 0).for_each(|b| *b = b'\n');
                }
            }
            let ended = n == 0;
            if ended && filled > from && buffer[filled - 1] != asked.end {
                // The last line gets its end.
                if buffer.len() == filled {
                    buffer.push(0);
                }
                buffer[filled] = asked.end;
                filled += 1;
            }
            file.filled = filled;
            let to = memchr::memrchr(asked.end, &buffer[from.max(block.min(filled))..filled])
                .map(|i| from.max(block.min(filled)) + i + 1);
            if let Some(to) = to {
                let on = self.lines(file, &buffer[..to], from);
                if !on {
                    self.trail(file, &buffer[..to], to);
                    // Context may be in what is not read yet.
                    if file.pending == 0 || file.silent {
                        break;
                    }
                }
                from = to;
                self.trail(file, &buffer[..to], to);
            }
            if ended {
                break;
            }
            if file.left == 0 && (file.pending == 0 || file.silent) {
                break;
            }
            from = self.keep(file, buffer, from);
            if self.out.error().is_some() {
                break;
            }
        }
        // What came before the first zero byte was printed: that is no match of a binary file.
        if file.binary && !asked.count && file.selected == printed_before_binary {
            file.binary = false;
        }
        Ok(())
    }

    /// Moves what is still needed to the start of the buffer; where the unsearched lines are then.
    fn keep(&mut self, file: &mut File<'_>, buffer: &mut [u8], from: usize) -> usize {
        let mut start = from;
        let least = file.shown.unwrap_or(0);
        if !file.silent {
            for _ in 0..self.asked.before.unwrap_or(0) {
                if start <= least {
                    break;
                }
                start = memchr::memrchr(self.asked.end, &buffer[..start - 1]).map_or(0, |i| i + 1);
            }
        }
        let start = start.max(least.min(from));
        self.count_to(file, buffer, start);
        buffer.copy_within(start..file.filled, 0);
        file.filled -= start;
        file.counted -= start;
        file.base += start as u64;
        // A place before the buffer is one that no line of it touches.
        file.shown = file.shown.map(|shown| shown.wrapping_sub(start)).filter(|shown| *shown == 0);
        from - start
    }

    /// Goes through whole lines; false when no more are wanted.
    fn lines(&mut self, file: &mut File<'_>, text: &[u8], from: usize) -> bool {
        let mut at = from;
        while at < text.len() && file.left > 0 {
            let found = self.matcher.line(text, at);
            if !self.asked.invert {
                let Some((start, end)) = found else { return true };
                if !self.select(file, text, start, end) {
                    return false;
                }
                at = end;
                continue;
            }
            let (stop, next) = found.unwrap_or((text.len(), text.len()));
            if file.silent && !file.first {
                // Only counted.
                let n = memchr::memchr_iter(self.asked.end, &text[at..stop]).count() as u64;
                if n <= file.left {
                    file.selected += n;
                    file.left -= n;
                    if n > 0 {
                        file.after = file.base + stop as u64;
                    }
                    at = next;
                    continue;
                }
            }
            while at < stop {
                let end = memchr::memchr(self.asked.end, &text[at..]).map_or(text.len(), |i| at + i + 1);
                if !self.select(file, text, at, end) {
                    return false;
                }
                at = end;
            }
            at = next;
        }
        file.left > 0
    }

    /// A line is selected; whether more are wanted.
    fn select(&mut self, file: &mut File<'_>, text: &[u8], start: usize, end: usize) -> bool {
        file.selected += 1;
        file.left -= 1;
        file.after = file.base + end as u64;
        if file.first {
            return false;
        }
        if !file.silent {
            self.trail(file, text, start);
            self.lead(file, text, start);
            self.print(file, text, start, end, SELECTED);
            file.pending = self.asked.after.unwrap_or(0);
        }
        file.left > 0
    }

    /// The lines before, and what separates groups.
    fn lead(&mut self, file: &mut File<'_>, text: &[u8], start: usize) {
        let least = file.shown.unwrap_or(0);
        let mut at = start;
        for _ in 0..self.asked.before.unwrap_or(0) {
            if at <= least {
                break;
            }
            at = memchr::memrchr(self.asked.end, &text[..at - 1]).map_or(0, |i| i + 1);
        }
        let context = self.asked.before.is_some() || self.asked.after.is_some();
        if context
            && self.printed
            && file.shown != Some(at)
            && let Some(separator) = &self.asked.separator
        {
            self.printer.separator(separator, self.out);
            self.out.byte(b'\n');
        }
        self.context(file, text, at, start);
    }

    /// The lines after the last one selected, up to a place.
    fn trail(&mut self, file: &mut File<'_>, text: &[u8], to: usize) {
        let Some(mut at) = file.shown else { return };
        while file.pending > 0 && at < to {
            let end = memchr::memchr(self.asked.end, &text[at..]).map_or(text.len(), |i| at + i + 1);
            self.print(file, text, at, end, CONTEXT);
            file.pending -= 1;
            at = end;
        }
    }

    fn context(&mut self, file: &mut File<'_>, text: &[u8], from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let end = memchr::memchr(self.asked.end, &text[at..]).map_or(text.len(), |i| at + i + 1);
            self.print(file, text, at, end, CONTEXT);
            at = end;
        }
    }

    fn print(&mut self, file: &mut File<'_>, text: &[u8], start: usize, end: usize, separator: u8) {
        file.shown = Some(end);
        let line = &text[start..end];
        if self.asked.numbers {
            self.count_to(file, text, start);
        }
        let place = Place { name: file.name, number: file.lines + 1, offset: file.base + start as u64 };
        if self.printer.line(line, &place, separator, self.out) {
            self.printed = true;
        } else {
            file.unprinted = true;
        }
    }

    fn count_to(&self, file: &mut File<'_>, text: &[u8], to: usize) {
        if self.asked.numbers && to > file.counted {
            file.lines += memchr::memchr_iter(self.asked.end, &text[file.counted..to]).count() as u64;
        }
        file.counted = file.counted.max(to);
    }
}

//! One input.

use super::options::{Asked, Names};
use super::patterns::Matcher;
use super::print::{CONTEXT, Printer, SELECTED};
use crate::lines::{Binary, Place, Plan, Searcher, Sink};
use crate::{quote, report};
use capsule_sys::{Errno, Out, STDIN, Seek, Stat, seek};

pub struct Search<'a> {
    pub asked: &'a Asked,
    pub printer: Printer<'a>,
    pub out: &'a mut Out,
    /// What standard output is, where that can be an input too.
    pub output: Option<Stat>,
    /// More may come while the input is read.
    pub waits: bool,
    pub matcher: &'a Matcher,
    searcher: Searcher,
}

/// An input and where its lines go.
struct Lines<'s, 'a> {
    printer: &'s Printer<'a>,
    out: &'s mut Out,
    name: &'s [u8],
    /// Lines are counted, not printed.
    count: bool,
}

impl Sink for Lines<'_, '_> {
    fn find(&mut self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        self.printer.matcher.line(text, from)
    }

    fn line(&mut self, line: &[u8], place: Place, selected: bool) -> bool {
        self.count || self.printer.line(line, self.name, place, if selected { SELECTED } else { CONTEXT }, self.out)
    }

    fn separate(&mut self) {
        if let Some(separator) = &self.printer.asked.separator {
            self.printer.separator(separator, self.out);
            self.out.byte(b'\n');
        }
    }

    fn flush(&mut self) {
        let _ = self.out.flush();
    }

    fn stopped(&self) -> bool {
        self.out.error().is_some() || self.printer.matcher.failed.get()
    }
}

impl<'a> Search<'a> {
    pub fn new(asked: &'a Asked, matcher: &'a Matcher, out: &'a mut Out) -> Search<'a> {
        let only_text = asked.binary != Binary::Text && quote::is_utf8();
        let printer = Printer { asked, matcher, with_name: false, width: 0, only_text };
        Search { asked, printer, out, output: None, waits: false, matcher, searcher: Searcher::default() }
    }

    /// Searches what is open; the number of lines selected.
    pub fn input(&mut self, fd: i32, name: &[u8]) -> Result<u64, Errno> {
        let asked = self.asked;
        let first = asked.quiet || asked.names != Names::None;
        let start = if fd == STDIN { seek(fd, Seek::Current(0)).ok() } else { None };
        let plan = Plan {
            before: asked.before,
            after: asked.after,
            invert: asked.invert,
            max: asked.max,
            end: asked.end,
            silent: first || asked.count,
            first,
            numbers: asked.numbers,
            binary: asked.binary,
            waits: self.waits,
        };
        let mut lines = Lines { printer: &self.printer, out: self.out, name, count: asked.count };
        let found = self.searcher.search(fd, start.unwrap_or(0), plan, &mut lines)?;
        // Who reads on finds what was not asked for.
        if let Some(start) = start
            && found.full
            && !asked.quiet
        {
            let _ = seek(fd, Seek::Start(start.max(found.after)));
        }
        if !plan.silent && (found.unprinted || found.binary_selected) {
            self.searcher.set_printed();
            let _ = self.out.flush();
            report::error(format_args!("{}: binary file matches", String::from_utf8_lossy(name)));
        }
        Ok(found.selected)
    }
}

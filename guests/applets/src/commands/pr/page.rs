//! Pages: lines gathered into rows of cells, with a header and a footer around them.

use super::paper::Paper;
use super::source::{Got, Source, State};
use super::{Layout, Settings, Unprintable};
use crate::calendar::{Moment, Zone};
use crate::{Exit, report};
use capsule_sys::{Out, getenv, now};

/// Lines of the header and of the footer.
pub const HEADER: usize = 5;
pub const FOOTER: usize = 5;

pub struct Printer<'a> {
    s: Settings,
    sources: Vec<Source>,
    paper: Paper<'a>,
    page: u64,
    number: i64,
    /// Columns of a number with what separates it from the text.
    number_width: usize,
    column_width: usize,
    body: usize,
    date: Vec<u8>,
    title: Vec<u8>,
    header_due: bool,
    form_feed_due: bool,
}

/// A line, with its number when it has one.
struct Cell {
    text: Vec<u8>,
    number: Option<i64>,
    /// Only a place for the row's number: the file has no more lines.
    missing: bool,
}

impl<'a> Printer<'a> {
    pub fn new(s: Settings, sources: Vec<Source>, name: &[u8], out: &'a mut Out) -> Result<Printer<'a>, Exit> {
        let number_width = match s.numbers {
            Some((b'\t', digits)) => (digits / 8 + 1) * 8,
            Some((_, digits)) => digits + 1,
            None => 0,
        };
        let numbers = if s.layout == Layout::Parallel { number_width } else { 0 };
        let separators = (s.columns - 1).saturating_mul(s.separator.as_ref().map_or(0, Vec::len));
        let useful = s.width.saturating_sub(numbers).saturating_sub(separators);
        let column_width = useful / s.columns;
        if column_width < 1 {
            return Err(report::die(1, "page width too narrow"));
        }
        let mut body = if s.extremities { s.length - HEADER - FOOTER } else { s.length };
        if s.double {
            body = (body / 2).max(1);
        }
        let posix = getenv(b"POSIXLY_CORRECT").is_some();
        let default: &[u8] = if posix { b"%b %e %H:%M %Y" } else { b"%Y-%m-%d %H:%M" };
        let time = if s.layout == Layout::Parallel { now() } else { sources[0].time };
        let moment = Moment::new(time.sec, time.nsec, &Zone::local());
        let date = moment.format(s.date_format.as_deref().unwrap_or(default));
        let own = if s.layout == Layout::Parallel || name == b"-" { b"" } else { name };
        let title = s.header.clone().unwrap_or_else(|| own.to_vec());
        let number = s.first_number.unwrap_or(1);
        let tabs = s.output_tabs;
        Ok(Printer {
            s,
            sources,
            paper: Paper::new(out, tabs),
            page: 1,
            number,
            number_width,
            column_width,
            body,
            date,
            title,
            header_due: false,
            form_feed_due: false,
        })
    }

    /// Whether every file could be read to its end; tells of those that could not.
    pub fn all_read(&self) -> bool {
        let failed = self.sources.iter().filter_map(|source| Some((&source.name, source.error?)));
        failed.map(|(name, e)| report::fault(crate::quote::input(name), e)).count() == 0
    }

    /// All pages; whether the first one wanted was there.
    pub fn run(&mut self) -> bool {
        self.paper.silent = true;
        while self.page < self.s.first_page {
            let page = self.page;
            let more = self.print_page() && self.sources.iter().any(|s| matches!(s.state, State::Open | State::Hold));
            if !more {
                let first = self.s.first_page;
                report::error(format_args!("starting page number {first} exceeds page count {page}"));
                return true;
            }
        }
        self.paper.silent = false;
        if let Some(first) = self.s.first_number {
            self.number = first;
        }
        while self.page <= self.s.last_page && !self.paper.broken() && self.print_page() {}
        true
    }

    fn any_open(&self) -> bool {
        self.sources.iter().any(|s| s.state == State::Open)
    }

    fn print_page(&mut self) -> bool {
        for source in &mut self.sources {
            if source.state == State::Hold {
                source.state = State::Open;
            }
        }
        if !self.any_open() {
            return false;
        }
        self.header_due = self.s.extremities;
        self.form_feed_due = false;
        let mut left = self.body * if self.s.double { 2 } else { 1 };
        let mut used = false;
        if self.s.layout == Layout::Down && self.s.columns > 1 {
            let rows = self.gather();
            let last = rows.len().wrapping_sub(1);
            for (i, row) in rows.iter().enumerate() {
                used = true;
                self.row(row);
                let done = i == last && !self.any_open() && !self.s.extremities;
                self.end_row(&mut left, !done);
            }
            if !used && self.form_feed_due && self.header_due {
                used = true;
                self.header();
            } else if !used {
                // Nothing at all: the end was reached.
                return self.close_page(used, left);
            }
        } else {
            while left > 0 && self.any_open() {
                let (row, form_feed) = self.read_row();
                if row.iter().any(Option::is_some) {
                    used = true;
                    self.row(&row);
                    let goes_on = self.sources.iter().any(|s| s.state != State::Closed);
                    self.end_row(&mut left, goes_on);
                } else if form_feed && self.header_due {
                    used = true;
                    self.header();
                    self.paper.raw(b"\n");
                    left -= 1;
                }
            }
        }
        if left == 0 {
            for source in &mut self.sources {
                source.full_page = source.state == State::Open;
            }
        }
        self.close_page(used, left)
    }

    fn close_page(&mut self, used: bool, left: usize) -> bool {
        if used && self.s.extremities {
            if self.s.form_feed {
                self.paper.raw(b"\x0c");
            } else {
                self.paper.raw(&vec![b'\n'; left + FOOTER]);
            }
        } else if self.s.keep_form_feeds && self.form_feed_due {
            self.paper.raw(b"\x0c");
        }
        // A page without a line is none, unless a form feed made it.
        if used || self.form_feed_due || self.any_open() {
            self.page += 1;
        }
        true
    }

    fn end_row(&mut self, left: &mut usize, goes_on: bool) {
        self.paper.raw(b"\n");
        *left -= 1;
        if self.s.double && *left > 0 && goes_on {
            self.paper.raw(b"\n");
            *left -= 1;
        }
    }

    fn take_number(&mut self) -> Option<i64> {
        self.s.numbers?;
        let number = self.number;
        self.number = self.number.wrapping_add(1);
        Some(number)
    }

    /// The cells of one row, and whether a form feed came instead of one.
    fn read_row(&mut self) -> (Vec<Option<Cell>>, bool) {
        let mut row: Vec<Option<Cell>> = Vec::new();
        let mut form_feed = false;
        let parallel = self.s.layout == Layout::Parallel;
        for column in 0..self.s.columns {
            let source = &mut self.sources[if parallel { column } else { 0 }];
            let got = if source.state == State::Open { source.next() } else { Got::End };
            let held = source.state == State::Hold;
            self.form_feed_due |= held;
            row.push(match got {
                Got::Line(text) => {
                    let number = if parallel { None } else { self.take_number() };
                    Some(Cell { text, number, missing: false })
                }
                Got::FormFeed => {
                    form_feed = true;
                    None
                }
                Got::End => None,
            });
        }
        if parallel && row.iter().any(Option::is_some) {
            let number = self.take_number();
            // The number is that of the row, whether the first file has a line or not.
            match &mut row[0] {
                Some(cell) => cell.number = number,
                missing => *missing = number.map(|n| Cell { text: Vec::new(), number: Some(n), missing: true }),
            }
        }
        (row, form_feed)
    }

    /// A page's lines, downwards, in columns as equal as can be.
    fn gather(&mut self) -> Vec<Vec<Option<Cell>>> {
        let mut cells = Vec::new();
        while cells.len() < self.body * self.s.columns && self.sources[0].state == State::Open {
            if let Got::Line(text) = self.sources[0].next() {
                let number = self.take_number();
                cells.push(Cell { text, number, missing: false });
            }
        }
        self.form_feed_due |= self.sources[0].state == State::Hold;
        let (count, columns) = (cells.len(), self.s.columns);
        let mut rows: Vec<Vec<Option<Cell>>> = Vec::new();
        let mut cells = cells.into_iter();
        for column in 0..columns {
            let lines = count / columns + usize::from(column < count % columns);
            for (line, cell) in cells.by_ref().take(lines).enumerate() {
                if rows.len() <= line {
                    rows.push(Vec::new());
                }
                rows[line].push(Some(cell));
            }
        }
        rows
    }

    fn header(&mut self) {
        self.header_due = false;
        let margin = vec![b' '; self.s.margin];
        let page = format!("Page {}", self.page).into_bytes();
        let free = self.s.width.saturating_sub(self.date.len() + self.title.len() + page.len());
        let blanks = |n: usize| vec![b' '; n.max(1)];
        let parts = [margin.clone(), b"\n\n".to_vec(), margin, self.date.clone(), blanks(free / 2), self.title.clone()]
            .concat();
        let parts = [parts, blanks(free - free / 2), page, b"\n\n\n".to_vec()].concat();
        self.paper.raw(&parts);
    }

    fn row(&mut self, row: &[Option<Cell>]) {
        if self.header_due {
            self.header();
        }
        self.paper.start();
        let separator = self.s.separator.clone().unwrap_or_default();
        let parallel = self.s.layout == Layout::Parallel;
        let mut start = self.s.margin;
        let mut waiting = 0;
        for (column, cell) in row.iter().enumerate() {
            // Files that have ended leave their place empty; columns that have ended end the line.
            if cell.is_some() || parallel {
                if self.s.truncate || column == 0 {
                    self.paper.pad_to(start.saturating_sub(if column > 0 { separator.len() } else { 0 }));
                }
                match waiting {
                    0 => self.paper.flush_blanks(),
                    n => (0..n).for_each(|_| self.paper.separator(&separator)),
                }
                waiting = 0;
            }
            if let Some(cell) = cell {
                self.cell(cell);
                if cell.missing && !self.s.truncate {
                    self.paper.drop_blanks();
                }
            }
            waiting += usize::from(self.s.columns > 1);
            start += self.column_width + separator.len();
            if parallel && column == 0 {
                start += self.number_width;
            }
        }
    }

    fn cell(&mut self, cell: &Cell) {
        if self.is_plain(&cell.text) {
            return self.plain_cell(cell);
        }
        let mut at = 0;
        let mut text = cell.text.iter();
        let mut shown = Vec::new();
        // The first character is measured before the number takes its place.
        let first = text.next().map(|byte| self.show(*byte, &mut at, &mut shown));
        if let Some(number) = cell.number {
            self.write_number(number);
            if self.s.truncate && self.s.layout != Layout::Parallel {
                at += self.number_width;
            }
        }
        let too_far = |p: &Self, at: usize| p.s.truncate && at > p.column_width;
        if first.is_some() {
            if too_far(self, at) {
                return;
            }
            for &byte in &shown {
                self.paper.byte(byte);
            }
        }
        for &byte in text {
            shown.clear();
            self.show(byte, &mut at, &mut shown);
            if too_far(self, at) {
                return;
            }
            for &byte in &shown {
                self.paper.byte(byte);
            }
        }
    }

    /// Each byte is shown as it is, and is one column wide.
    fn is_plain(&self, text: &[u8]) -> bool {
        let special = self.s.expand.map_or(b'\t', |(tab, _)| tab);
        text.iter().fold(true, |plain, b| plain & ((32..127).contains(b) & (*b != special)))
    }

    fn plain_cell(&mut self, cell: &Cell) {
        let mut room = if self.s.truncate { self.column_width } else { usize::MAX };
        if let Some(number) = cell.number {
            self.write_number(number);
            if self.s.truncate && self.s.layout != Layout::Parallel {
                room = room.saturating_sub(self.number_width);
            }
        }
        self.paper.text(&cell.text[..cell.text.len().min(room)]);
    }

    /// How a byte looks at this position of its line.
    fn show(&self, byte: u8, at: &mut usize, to: &mut Vec<u8>) {
        let (tab, every) = self.s.expand.unwrap_or((b'\t', 8));
        let octal = |to: &mut Vec<u8>| to.extend(format!("\\{byte:03o}").bytes());
        let width: isize = if byte == tab || byte == b'\t' {
            let every = if byte == tab { every } else { 8 };
            let width = every - *at % every;
            if self.s.expand.is_some() {
                to.resize(to.len() + width, b' ')
            } else {
                to.push(byte)
            }
            width as isize
        } else if (32..127).contains(&byte) {
            to.push(byte);
            1
        } else {
            match self.s.unprintable {
                Unprintable::Octal => {
                    octal(to);
                    4
                }
                Unprintable::Hat if byte < 128 => {
                    to.extend([b'^', byte ^ 0o100]);
                    2
                }
                Unprintable::Hat => {
                    octal(to);
                    4
                }
                // A backspace at the start of a line goes nowhere.
                Unprintable::AsIs if byte == b'\x08' && *at == 0 => 0,
                Unprintable::AsIs => {
                    to.push(byte);
                    -isize::from(byte == b'\x08')
                }
            }
        };
        *at = at.saturating_add_signed(width);
    }

    fn write_number(&mut self, number: i64) {
        let Some((separator, digits)) = self.s.numbers else { return };
        let text = number.to_string();
        // Only the last digits, when there is no room for all.
        let kept = &text[text.len().saturating_sub(digits)..];
        for byte in crate::pad::right(kept, digits).bytes() {
            self.paper.byte(byte);
        }
        if separator != b'\t' {
            self.paper.byte(separator);
        } else if self.s.columns > 1 {
            (digits..self.number_width).for_each(|_| self.paper.byte(b' '));
        } else {
            self.paper.tab();
        }
    }
}

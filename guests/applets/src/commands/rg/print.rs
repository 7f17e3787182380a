//! Lines of output: headings, numbers, columns, colors, replacements.

use super::json;
use super::options::{Asked, Mode};
use super::pattern::Matcher;
use crate::lines::{Place, Sink};
use crate::number::push_decimal;
use capsule_sys::Out;

/// What was found in all files.
#[derive(Default)]
pub struct Totals {
    pub matches: u64,
    pub lines: u64,
    pub files: u64,
    pub searched: u64,
    pub printed: u64,
    pub bytes: u64,
    /// Of the files in which something was found.
    pub json: json::Stats,
}

/// Prints for one input.
pub struct Printer<'a> {
    pub asked: &'a Asked,
    pub matcher: &'a Matcher,
    pub out: &'a mut Out,
    pub totals: &'a mut Totals,
    /// As it is shown.
    pub path: Vec<u8>,
    pub with_name: bool,
    /// Lines of this input are out already.
    pub begun: bool,
    /// Matches of this input, where they are counted.
    pub matches: u64,
    /// Lines that match, where others are printed too.
    pub matched: u64,
    /// What is told under `--json`.
    pub held: Option<json::Held>,
    pub stats: json::Stats,
}

const PLAIN: &[u8] = b"\x1b[0m";

impl Sink for Printer<'_> {
    fn find(&mut self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        if self.asked.passthru {
            let end = if self.asked.null_data { 0 } else { b'\n' };
            return Some((from, memchr::memchr(end, &text[from..]).map_or(text.len(), |i| from + i + 1)));
        }
        self.matcher.line(text, from)
    }

    fn line(&mut self, line: &[u8], place: Place, selected: bool) -> bool {
        let mut selected = selected;
        if self.asked.passthru {
            selected = self.matcher.find(&line[..line.len() - 1], 0).is_some();
            self.matched += u64::from(selected);
        }
        self.lines(line, place, selected);
        true
    }

    fn separate(&mut self) {
        if self.asked.json {
            return;
        }
        // Between files there is an empty line already.
        if self.asked.heading && !self.begun && self.with_name {
            return;
        }
        if let Some(separator) = &self.asked.separator {
            self.put(separator);
            self.put(b"\n");
        }
    }

    fn flush(&mut self) {
        let _ = self.out.flush();
    }

    fn stopped(&self) -> bool {
        self.out.error().is_some() || self.matcher.failed.get()
    }
}

impl Printer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.totals.printed += bytes.len() as u64;
        self.out.write(bytes);
    }

    fn colored(&mut self, color: &[u8], bytes: &[u8]) {
        if self.asked.color && !color.is_empty() {
            self.put(color);
            self.put(bytes);
            self.put(PLAIN);
        } else {
            self.put(bytes);
        }
    }

    /// The name of the input, as it is shown.
    pub fn name(&mut self) {
        let (path, asked) = (std::mem::take(&mut self.path), self.asked);
        self.colored(&asked.colors.path, &path);
        self.path = path;
    }

    /// What ends a name that stands alone, or comes before a number.
    pub fn after_name(&mut self, separator: &[u8]) {
        if self.asked.null { self.put(b"\0") } else { self.put(separator) }
    }

    /// What is before a line: its file, number, column and offset.
    fn head(&mut self, number: u64, column: Option<usize>, offset: u64, selected: bool) {
        let asked = self.asked;
        let separator = if selected { &asked.match_separator } else { &asked.context_separator };
        if self.with_name && !self.asked.heading {
            self.name();
            self.after_name(separator);
        }
        if self.asked.numbers {
            let mut digits = Vec::with_capacity(20);
            push_decimal(&mut digits, number);
            self.colored(&asked.colors.line, &digits);
            self.put(separator);
        }
        if self.asked.column
            && let Some(column) = column
        {
            self.colored(&asked.colors.column, (column + 1).to_string().as_bytes());
            self.put(separator);
        }
        if self.asked.byte_offset {
            self.colored(&asked.colors.column, offset.to_string().as_bytes());
            self.put(separator);
        }
    }

    /// The name above the lines of a file.
    fn begin(&mut self, first: bool) {
        if !self.asked.heading || !self.with_name {
            return;
        }
        if !first {
            self.put(b"\n");
        }
        self.name();
        self.after_name(b"\n");
    }

    /// One line, or several that a match goes over, each with its end.
    pub fn lines(&mut self, text: &[u8], place: Place, selected: bool) {
        let asked = self.asked;
        let matching = selected && !asked.invert;
        let wants_matches = asked.color
            || asked.column
            || asked.replace.is_some()
            || asked.only_matching
            || asked.vimgrep
            || asked.stats
            || asked.json
            || asked.mode == Mode::CountMatches;
        let mut spans = Vec::new();
        if matching && wants_matches {
            // The end of the last line is no part of it.
            let end = text.len() - 1;
            let end = if asked.crlf && text[..end].ends_with(b"\r") { end - 1 } else { end };
            self.matcher.each(&text[..end], |start, end| spans.push((start, end)));
        }
        self.totals.matches += spans.len() as u64;
        self.totals.lines += u64::from(selected);
        self.matches += spans.len() as u64;
        if asked.json {
            return self.json_lines(text, place, selected, spans);
        }
        if asked.mode != Mode::Lines {
            return;
        }
        if !self.begun {
            self.begin(self.totals.printed == 0);
            self.begun = true;
        }
        if matching && asked.only_matching {
            let mut replaced = Vec::new();
            for &(start, end) in &spans {
                let body = match &asked.replace {
                    None => &text[start..end],
                    Some(replacement) => {
                        replaced.clear();
                        self.matcher.expand(replacement, &text[..text.len() - 1], start, &mut replaced);
                        &replaced
                    }
                };
                self.one(body, text, (start, end), place, &[(0, body.len())]);
            }
            return self.settle();
        }
        if matching && asked.vimgrep {
            for &span in &spans {
                self.one(&text[..text.len() - 1], text, span, place, &[span]);
            }
            return self.settle();
        }
        let column = spans.first().map(|span| span.0);
        match &asked.replace {
            Some(replacement) if matching => {
                let (body, marked) = self.replaced(replacement, text, &spans);
                self.block(&body, place, column, selected, &marked, spans.len());
            }
            _ => self.block(&text[..text.len() - 1], place, column, selected, &spans, spans.len()),
        }
        self.settle();
    }

    fn settle(&mut self) {
        if self.asked.line_buffered {
            let _ = self.out.flush();
        }
    }

    /// A match by itself: its own place.
    fn one(&mut self, body: &[u8], text: &[u8], (start, _): (usize, usize), place: Place, marked: &[(usize, usize)]) {
        let line_start = memchr::memrchr(b'\n', &text[..start]).map_or(0, |i| i + 1);
        let before = memchr::memchr_iter(b'\n', &text[..start]).count() as u64;
        let whole = self.asked.vimgrep && !self.asked.only_matching;
        let number = if whole { place.number } else { place.number + before };
        let offset = place.offset + if whole { 0 } else { start as u64 };
        let place = Place { number, offset };
        self.block(body, place, Some(start - line_start), true, marked, 1);
    }

    /// The text with its matches replaced, and where they are then.
    fn replaced(&self, replacement: &[u8], text: &[u8], spans: &[(usize, usize)]) -> (Vec<u8>, Vec<(usize, usize)>) {
        let text = &text[..text.len() - 1];
        let (mut body, mut marked, mut at) = (Vec::new(), Vec::new(), 0);
        for &(start, end) in spans {
            body.extend_from_slice(&text[at..start]);
            let from = body.len();
            self.matcher.expand(replacement, text, start, &mut body);
            marked.push((from, body.len()));
            at = end;
        }
        body.extend_from_slice(&text[at..]);
        (body, marked)
    }

    /// Text of one or more lines, without its last end.
    fn block(
        &mut self,
        body: &[u8],
        place: Place,
        column: Option<usize>,
        selected: bool,
        marked: &[(usize, usize)],
        matches: usize,
    ) {
        let end: u8 = if self.asked.null_data { 0 } else { b'\n' };
        let mut at = 0;
        let mut number = place.number;
        loop {
            let stop = memchr::memchr(end, &body[at..]).map_or(body.len(), |i| at + i);
            self.head(number, column, place.offset + at as u64, selected);
            let mut from = at;
            if self.asked.trim {
                from += body[at..stop].iter().take_while(|b| b.is_ascii_whitespace()).count();
            }
            // The end of a line counts, where lines are shown.
            let length = stop - from + usize::from(!self.asked.only_matching);
            if self.asked.max_columns.is_some_and(|most| length as u64 > most) {
                self.too_long(&body[from..stop], selected, matches);
            } else {
                self.marked(body, from, stop, marked);
            }
            if self.asked.crlf && self.asked.only_matching {
                self.put(b"\r");
            }
            self.put(&[end]);
            if stop == body.len() {
                return;
            }
            at = stop + 1;
            number += 1;
        }
    }

    fn marked(&mut self, body: &[u8], from: usize, to: usize, marked: &[(usize, usize)]) {
        let mut at = from;
        let asked = self.asked;
        if asked.color {
            for &(start, end) in marked {
                let (start, end) = (start.clamp(at, to), end.clamp(at, to));
                if start < end {
                    self.put(&body[at..start]);
                    self.colored(&asked.colors.matched, &body[start..end]);
                    at = end;
                }
            }
        }
        self.put(&body[at..to]);
    }

    fn too_long(&mut self, line: &[u8], selected: bool, matches: usize) {
        let most = self.asked.max_columns.unwrap_or(0) as usize;
        if self.asked.preview {
            // Not in the middle of a character.
            let mut end = most.min(line.len());
            while end > 0 && line.get(end).is_some_and(|b| b & 0xc0 == 0x80) {
                end -= 1;
            }
            self.put(&line[..end]);
            self.put(b" [... omitted end of long line]");
        } else if !selected {
            self.put(b"[Omitted long context line]");
        } else if matches == 0 || self.asked.only_matching {
            self.put(b"[Omitted long matching line]");
        } else {
            self.put(format!("[Omitted long line with {matches} matches]").as_bytes());
        }
    }
}

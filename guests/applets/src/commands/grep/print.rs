//! Lines of output: what is before them, and colors.

use super::options::Asked;
use super::patterns::Matcher;
use crate::lines::Place;
use crate::report;
use capsule_sys::{Out, getenv};

/// How parts are marked, as `GREP_COLORS` tells it.
pub struct Colors {
    selected_match: Vec<u8>,
    context_match: Vec<u8>,
    selected_line: Vec<u8>,
    context_line: Vec<u8>,
    file: Vec<u8>,
    number: Vec<u8>,
    offset: Vec<u8>,
    separator: Vec<u8>,
    /// The colors of lines change places when lines without a match are selected.
    reverse: bool,
    /// Do not clear to the end of the line.
    no_clear: bool,
}

impl Colors {
    pub fn from_environment() -> Colors {
        let mut colors = Colors {
            selected_match: b"01;31".to_vec(),
            context_match: b"01;31".to_vec(),
            selected_line: Vec::new(),
            context_line: Vec::new(),
            file: b"35".to_vec(),
            number: b"32".to_vec(),
            offset: b"32".to_vec(),
            separator: b"36".to_vec(),
            reverse: false,
            no_clear: false,
        };
        let old = getenv(b"GREP_COLOR").filter(|color| !color.is_empty() && is_color(color));
        if let Some(color) = &old {
            colors.both(color);
        }
        for capability in getenv(b"GREP_COLORS").unwrap_or_default().split(|b| *b == b':') {
            if !colors.set(capability) {
                // What follows a capability that is none is left alone.
                break;
            }
        }
        if let Some(color) = old
            && colors.selected_match == color
        {
            let shown = String::from_utf8_lossy(&color);
            report::error(format_args!("warning: GREP_COLOR='{shown}' is deprecated; use GREP_COLORS='mt={shown}'"));
        }
        colors
    }

    fn both(&mut self, color: &[u8]) {
        self.selected_match = color.to_vec();
        self.context_match = color.to_vec();
    }

    fn set(&mut self, capability: &[u8]) -> bool {
        let mut parts = capability.splitn(2, |b| *b == b'=');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next());
        let Some(value) = value else {
            match name {
                b"rv" => self.reverse = true,
                b"ne" => self.no_clear = true,
                _ => {}
            }
            return true;
        };
        if !is_color(value) {
            return false;
        }
        let field = match name {
            b"mt" => {
                self.both(value);
                return true;
            }
            b"ms" => &mut self.selected_match,
            b"mc" => &mut self.context_match,
            b"sl" => &mut self.selected_line,
            b"cx" => &mut self.context_line,
            b"fn" => &mut self.file,
            b"ln" => &mut self.number,
            b"bn" => &mut self.offset,
            b"se" => &mut self.separator,
            _ => return true,
        };
        *field = value.to_vec();
        true
    }

    fn start(&self, color: &[u8], out: &mut Out) {
        if !color.is_empty() {
            out.write(b"\x1b[");
            out.write(color);
            out.write(if self.no_clear { b"m" } else { b"m\x1b[K" });
        }
    }

    fn end(&self, color: &[u8], out: &mut Out) {
        if !color.is_empty() {
            out.write(if self.no_clear { b"\x1b[m" } else { b"\x1b[m\x1b[K" });
        }
    }
}

fn is_color(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_digit() || *b == b';')
}

/// What a line is printed for: it separates the parts before it.
pub const SELECTED: u8 = b':';
pub const CONTEXT: u8 = b'-';

/// Prints for one input.
pub struct Printer<'a> {
    pub asked: &'a Asked,
    pub matcher: &'a Matcher,
    pub with_name: bool,
    /// How wide numbers are with tabs that line up.
    pub width: usize,
    /// What is not UTF-8 is not printed.
    pub only_text: bool,
}

impl Printer<'_> {
    pub fn colored(&self, text: &[u8], color: impl Fn(&Colors) -> &Vec<u8>, out: &mut Out) {
        match &self.asked.colors {
            Some(colors) => {
                let color = color(colors);
                colors.start(color, out);
                out.write(text);
                colors.end(color, out);
            }
            None => out.write(text),
        }
    }

    pub fn name(&self, name: &[u8], out: &mut Out) {
        self.colored(name, |c| &c.file, out);
    }

    pub fn separator(&self, text: &[u8], out: &mut Out) {
        self.colored(text, |c| &c.separator, out);
    }

    /// The end of a name: a zero byte, or what separates it.
    pub fn after_name(&self, separator: u8, out: &mut Out) {
        if self.asked.null { out.byte(0) } else { self.separator(&[separator], out) }
    }

    fn head(&self, name: &[u8], place: Place, separator: u8, empty: bool, out: &mut Out) {
        let mut any = false;
        if self.with_name {
            self.name(name, out);
            any = !self.asked.null;
            if self.asked.null {
                out.byte(0);
            }
        }
        let width = if self.asked.tab { self.width } else { 0 };
        let mut number = |n: u64, color: fn(&Colors) -> &Vec<u8>, out: &mut Out| {
            if any {
                self.separator(&[separator], out);
            }
            self.colored(Digits::new(n).padded(width), color, out);
            any = true;
        };
        if self.asked.numbers {
            number(place.number, |c| &c.number, out);
        }
        if self.asked.offsets {
            number(place.offset, |c| &c.offset, out);
        }
        if any {
            self.separator(&[separator], out);
        }
        // The line begins at a stop, if there is anything in it.
        if self.asked.tab && !empty && (any || self.with_name) {
            out.byte(b'\t');
        }
    }

    /// One line with its end; false when it is no text.
    pub fn line(&self, line: &[u8], name: &[u8], place: Place, separator: u8, out: &mut Out) -> bool {
        let asked = self.asked;
        let matching = (separator == SELECTED) != asked.invert;
        let body = &line[..line.len() - 1];
        if asked.only_matching {
            return !matching || self.matches(body, name, place, separator, out);
        }
        if self.only_text && !is_text(body) {
            return false;
        }
        self.head(name, place, separator, body.is_empty(), out);
        match &asked.colors {
            Some(colors) => self.colored_line(colors, line, separator, matching, out),
            None => out.write(line),
        }
        if asked.line_buffered {
            let _ = out.flush();
        }
        true
    }

    /// Each match on a line of its own; not those that are empty.
    fn matches(&self, body: &[u8], name: &[u8], place: Place, separator: u8, out: &mut Out) -> bool {
        let mut at = 0;
        while let Some((start, end)) = self.matcher.find(body, at) {
            if start == body.len() {
                break;
            }
            at = end;
            if start == end {
                at = start + 1;
                continue;
            }
            if self.only_text && !is_text(&body[start..end]) {
                return false;
            }
            let place = Place { number: place.number, offset: place.offset + start as u64 };
            self.head(name, place, separator, false, out);
            let selected = separator == SELECTED;
            let text = &body[start..end];
            self.colored(text, |c| if selected { &c.selected_match } else { &c.context_match }, out);
            out.byte(self.asked.end);
            if self.asked.line_buffered {
                let _ = out.flush();
            }
        }
        true
    }

    fn colored_line(&self, colors: &Colors, line: &[u8], separator: u8, matching: bool, out: &mut Out) {
        let swap = self.asked.invert && colors.reverse;
        let (line_color, match_color) = if (separator == SELECTED) != swap {
            (&colors.selected_line, &colors.selected_match)
        } else {
            (&colors.context_line, &colors.context_match)
        };
        let body = &line[..line.len() - 1];
        let mut at = 0;
        if matching && !match_color.is_empty() {
            let mut from = 0;
            while let Some((start, end)) = self.matcher.find(body, from) {
                if start == body.len() {
                    break;
                }
                if start == end {
                    from = start + 1;
                    continue;
                }
                colors.start(line_color, out);
                out.write(&body[at..start]);
                colors.start(match_color, out);
                out.write(&body[start..end]);
                colors.end(match_color, out);
                (at, from) = (end, end);
            }
        }
        if at < body.len() {
            colors.start(line_color, out);
            out.write(&body[at..]);
            colors.end(line_color, out);
        }
        out.write(&line[body.len()..]);
    }
}

/// Whether it is UTF-8; that ASCII is needs no more than a look at each byte.
fn is_text(text: &[u8]) -> bool {
    text.is_ascii() || std::str::from_utf8(text).is_ok()
}

/// A number in decimal, without a heap.
struct Digits {
    text: [u8; 24],
    at: usize,
}

impl Digits {
    fn new(mut n: u64) -> Digits {
        let mut digits = Digits { text: [b' '; 24], at: 24 };
        loop {
            digits.at -= 1;
            digits.text[digits.at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                return digits;
            }
        }
    }

    fn padded(&self, least: usize) -> &[u8] {
        let start = self.at.min(24 - least.min(20));
        &self.text[start..]
    }
}

//! How a text falls into fields.

use super::chars;
use capsule_regex::Regex;
use std::rc::Rc;

#[derive(Clone)]
pub enum Splitter {
    /// Runs of blanks, none at the ends.
    Blank,
    /// Every occurrence of a byte; a newline too when records are paragraphs.
    Byte(u8, bool),
    /// Every character.
    Each,
    Regex(Rc<Regex>),
    /// Columns: what is skipped before each and how wide it is.
    Widths(Vec<(usize, usize)>, bool),
    /// What the fields are, not what is between them.
    Pattern(Rc<Regex>),
    Csv,
}

pub type Range = (u32, u32);

fn blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n')
}

impl Splitter {
    /// Goes on from `scan` until there are `wanted` fields or the text ends; where it stopped, none at the end.
    pub fn split(&self, text: &[u8], utf8: bool, scan: usize, wanted: usize, fields: &mut Vec<Range>) -> Option<usize> {
        let mut at = scan;
        match self {
            Splitter::Blank => {
                while fields.len() < wanted {
                    while at < text.len() && blank(text[at]) {
                        at += 1;
                    }
                    if at == text.len() {
                        return None;
                    }
                    let start = at;
                    while at < text.len() && !blank(text[at]) {
                        at += 1;
                    }
                    fields.push((start as u32, at as u32));
                }
                Some(at)
            }
            Splitter::Byte(byte, paragraph) => {
                if text.is_empty() {
                    return None;
                }
                while fields.len() < wanted {
                    let rest = &text[at..];
                    let end = if *paragraph {
                        memchr::memchr2(*byte, b'\n', rest)
                    } else if rest.len() < 24 {
                        rest.iter().position(|b| b == byte)
                    } else {
                        memchr::memchr(*byte, rest)
                    };
                    match end {
                        Some(n) => {
                            fields.push((at as u32, (at + n) as u32));
                            at += n + 1;
                        }
                        None => {
                            fields.push((at as u32, text.len() as u32));
                            return None;
                        }
                    }
                }
                Some(at)
            }
            _ => {
                self.split_all(text, utf8, fields);
                None
            }
        }
    }

    fn split_all(&self, text: &[u8], utf8: bool, fields: &mut Vec<Range>) {
        match self {
            Splitter::Each => {
                let mut at = 0;
                while at < text.len() {
                    let n = chars::length_at(text, at, utf8);
                    fields.push((at as u32, (at + n) as u32));
                    at += n;
                }
            }
            Splitter::Regex(regex) => by_regex(regex, text, utf8, fields),
            Splitter::Pattern(regex) => by_pattern(regex, text, utf8, fields),
            Splitter::Widths(widths, rest) => by_widths(widths, *rest, text, utf8, fields),
            Splitter::Csv => by_commas(text, fields),
            Splitter::Blank | Splitter::Byte(..) => {}
        }
    }

    pub fn all(&self, text: &[u8], utf8: bool) -> Vec<Range> {
        let mut fields = Vec::new();
        self.split(text, utf8, 0, usize::MAX, &mut fields);
        fields
    }
}

/// Where matches are the separators; empty matches separate nothing.
fn by_regex(regex: &Regex, text: &[u8], utf8: bool, fields: &mut Vec<Range>) {
    if text.is_empty() {
        return;
    }
    let (mut field, mut scan) = (0, 0);
    while scan < text.len() {
        match regex.find_at(text, scan, false) {
            None => break,
            Some((start, end)) if start == end => {
                if start >= text.len() {
                    break;
                }
                scan = start + chars::length_at(text, start, utf8);
            }
            Some((start, end)) => {
                fields.push((field as u32, start as u32));
                (field, scan) = (end, end);
            }
        }
    }
    fields.push((field as u32, text.len() as u32));
}

fn by_pattern(regex: &Regex, text: &[u8], utf8: bool, fields: &mut Vec<Range>) {
    let mut scan = 0;
    // Where the last field ended; an empty one cannot follow it at once.
    let mut last = None;
    while scan <= text.len() {
        let Some((start, end)) = regex.find_at(text, scan, false) else { break };
        if start < end {
            fields.push((start as u32, end as u32));
            last = Some(end);
            scan = end;
            continue;
        }
        if last != Some(start) {
            if start == text.len() && fields.is_empty() {
                break;
            }
            fields.push((start as u32, start as u32));
        }
        if start >= text.len() {
            break;
        }
        last = None;
        scan = start + chars::length_at(text, start, utf8);
    }
}

fn by_widths(widths: &[(usize, usize)], rest: bool, text: &[u8], utf8: bool, fields: &mut Vec<Range>) {
    let mut at = 0;
    for (skip, width) in widths {
        at = chars::advance(text, at, *skip, utf8);
        if at >= text.len() {
            return;
        }
        let end = chars::advance(text, at, *width, utf8);
        fields.push((at as u32, end as u32));
        at = end;
    }
    if rest && at < text.len() {
        fields.push((at as u32, text.len() as u32));
    }
}

/// Comma separated values; quotes are taken off by [`unquote`].
fn by_commas(text: &[u8], fields: &mut Vec<Range>) {
    if text.is_empty() {
        return;
    }
    let (mut start, mut quoted) = (0, false);
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                fields.push((start as u32, i as u32));
                start = i + 1;
            }
            _ => {}
        }
    }
    fields.push((start as u32, text.len() as u32));
}

/// A field of comma separated values without its quotes; none when it has none.
pub fn unquote(field: &[u8]) -> Option<Vec<u8>> {
    let body = field.strip_prefix(b"\"")?;
    let body = body.strip_suffix(b"\"").unwrap_or(body);
    let mut out = Vec::with_capacity(body.len());
    let mut at = 0;
    while at < body.len() {
        out.push(body[at]);
        at += if body[at..].starts_with(b"\"\"") { 2 } else { 1 };
    }
    Some(out)
}

//! Normal, context and unified output.

use super::files::Side;
use super::style::{Paint, Painter};
use crate::compare::{Change, Text};
use capsule_regex::Regex;

/// `3`, `3,5`: a range of lines counted from 1, empty ones as the line before them.
pub fn range(start: usize, count: usize) -> String {
    match count {
        0 => start.to_string(),
        1 => (start + 1).to_string(),
        _ => format!("{},{}", start + 1, start + count),
    }
}

pub fn normal(painter: &mut Painter, a: &Text, b: &Text, change: &Change) {
    let letter = match (change.deleted, change.inserted) {
        (0, _) => 'a',
        (_, 0) => 'd',
        _ => 'c',
    };
    let text = format!("{}{letter}{}", range(change.a, change.deleted), range(change.b, change.inserted));
    painter.whole(Paint::Range, text.as_bytes());
    for line in change.a..change.a + change.deleted {
        painter.line(Paint::Deleted, b"< ", a, line);
    }
    if letter == 'c' {
        painter.out.write(b"---\n");
    }
    for line in change.b..change.b + change.inserted {
        painter.line(Paint::Added, b"> ", b, line);
    }
}

/// Changes so near that their context meets.
pub fn groups(changes: &[(Change, bool)], context: usize) -> Vec<&[(Change, bool)]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for at in 1..=changes.len() {
        let near = at < changes.len() && {
            let (before, next) = (&changes[at - 1].0, &changes[at]);
            // What may be left out is joined only when it is within the context itself.
            let reach = if next.1 || changes[at - 1].1 { context } else { 2 * context + 1 };
            next.0.a - (before.a + before.deleted) < reach
        };
        if !near {
            groups.push(&changes[start..at]);
            start = at;
        }
    }
    groups
}

/// The lines a group covers with its context: starts and ends in both texts.
struct Span {
    a: (usize, usize),
    b: (usize, usize),
}

fn span(group: &[(Change, bool)], a: &Text, b: &Text, context: usize) -> Option<Span> {
    let (first, last) = (group.first()?.0, group.last()?.0);
    let before = context.min(first.a).min(first.b);
    let (end_a, end_b) = (last.a + last.deleted, last.b + last.inserted);
    let after = context.min(a.len() - end_a).min(b.len() - end_b);
    Some(Span { a: (first.a - before, end_a + after), b: (first.b - before, end_b + after) })
}

/// The names above a file's changes.
pub fn header(painter: &mut Painter, marks: [&str; 2], sides: [&Side; 2]) {
    for (mark, side) in marks.iter().zip(sides) {
        let text = [mark.as_bytes(), b" ", &side.header(marks[0] == "---")].concat();
        painter.whole(Paint::Header, &text);
    }
}

/// The last line before a hunk that looks like the start of a function.
pub struct Functions {
    searched: usize,
    found: Option<usize>,
}

impl Functions {
    pub fn new() -> Functions {
        Functions { searched: 0, found: None }
    }

    fn at(&mut self, text: &Text, line: usize, patterns: &[Regex]) -> Vec<u8> {
        if patterns.is_empty() {
            return Vec::new();
        }
        let found = (self.searched..line).rev().find(|&n| patterns.iter().any(|p| p.is_match(text.content(n))));
        self.searched = line;
        self.found = found.or(self.found);
        let Some(found) = self.found else { return Vec::new() };
        let content = text.content(found).trim_ascii_start();
        [b" ", content[..content.len().min(40)].trim_ascii_end()].concat()
    }
}

pub fn unified(painter: &mut Painter, a: &Text, b: &Text, group: &[(Change, bool)], functions: &mut Functions) {
    let Some(span) = span(group, a, b, painter.settings.context) else { return };
    let numbers = |(start, end): (usize, usize)| match end - start {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        n => format!("{},{n}", start + 1),
    };
    let function = functions.at(a, span.a.0, &painter.settings.function);
    let ranges = format!("@@ -{} +{} @@", numbers(span.a), numbers(span.b));
    painter.start(Paint::Range);
    painter.out.write(ranges.as_bytes());
    painter.end(Paint::Range);
    painter.out.write(&function);
    painter.out.byte(b'\n');
    let mut at = span.a.0;
    for (change, _) in group {
        while at < change.a {
            painter.line(Paint::Plain, b" ", a, at);
            at += 1;
        }
        for line in change.a..change.a + change.deleted {
            painter.line(Paint::Deleted, b"-", a, line);
        }
        for line in change.b..change.b + change.inserted {
            painter.line(Paint::Added, b"+", b, line);
        }
        at = change.a + change.deleted;
    }
    while at < span.a.1 {
        painter.line(Paint::Plain, b" ", a, at);
        at += 1;
    }
}

pub fn context(painter: &mut Painter, a: &Text, b: &Text, group: &[(Change, bool)], functions: &mut Functions) {
    let Some(span) = span(group, a, b, painter.settings.context) else { return };
    let numbers = |(start, end): (usize, usize)| match end - start {
        0 => start.to_string(),
        1 => (start + 1).to_string(),
        _ => format!("{},{end}", start + 1),
    };
    let function = functions.at(a, span.a.0, &painter.settings.function);
    painter.out.write(b"***************");
    painter.out.write(&function);
    painter.out.byte(b'\n');
    painter.whole(Paint::Range, format!("*** {} ****", numbers(span.a)).as_bytes());
    if group.iter().any(|(c, _)| c.deleted > 0) {
        let parts: Vec<_> = group.iter().map(|(c, _)| (c.a, c.deleted, c.inserted)).collect();
        half(painter, a, span.a, &parts, b"- ", Paint::Deleted);
    }
    painter.whole(Paint::Range, format!("--- {} ----", numbers(span.b)).as_bytes());
    if group.iter().any(|(c, _)| c.inserted > 0) {
        let parts: Vec<_> = group.iter().map(|(c, _)| (c.b, c.inserted, c.deleted)).collect();
        half(painter, b, span.b, &parts, b"+ ", Paint::Added);
    }
}

/// One file's side of a context hunk: where, how many lines, and how many the other file has there.
fn half(
    painter: &mut Painter,
    text: &Text,
    (start, end): (usize, usize),
    parts: &[(usize, usize, usize)],
    mark: &[u8],
    paint: Paint,
) {
    let mut at = start;
    for &(first, count, elsewhere) in parts {
        while at < first {
            painter.line(paint, b"  ", text, at);
            at += 1;
        }
        let (mark, paint) = if elsewhere > 0 { (b"! ".as_slice(), paint) } else { (mark, paint) };
        while at < first + count {
            painter.line(paint, mark, text, at);
            at += 1;
        }
    }
    while at < end {
        painter.line(paint, b"  ", text, at);
        at += 1;
    }
}

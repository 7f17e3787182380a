//! One of the two files: its lines, split into fields, and whether they are in order.

use super::Joiner;
use crate::input::Input;
use crate::{Exit, quote, report};
use std::cmp::Ordering;

#[derive(Clone, Default)]
pub struct Line {
    text: Vec<u8>,
    /// Where each field begins and ends.
    pub fields: Vec<(usize, usize)>,
}

impl Line {
    /// Becomes the same as another, in the room it has.
    pub fn copy(&mut self, other: &Line) {
        self.text.clone_from(&other.text);
        self.fields.clone_from(&other.fields);
    }

    /// A field; empty when there is none.
    pub fn key(&self, n: usize) -> &[u8] {
        self.fields.get(n).map_or(b"", |(from, to)| &self.text[*from..*to])
    }
}

pub struct Side {
    input: Input,
    name: Vec<u8>,
    number: usize,
    count: u64,
    check: Option<bool>,
    pub line: Option<Line>,
    /// The line before, for the order.
    pub before: Option<Line>,
    /// Its disorder was told.
    pub told: bool,
}

impl Side {
    pub fn new(input: Input, name: &[u8], number: usize, check: Option<bool>) -> Side {
        Side { input, name: name.to_vec(), number, count: 0, check, line: None, before: None, told: false }
    }

    /// Reads the next line. Order matters once a line of either file has found no partner.
    pub fn advance(&mut self, join: &Joiner<'_>) -> Result<(), Exit> {
        // The room of the line before the last is used for the next.
        let mut line = match self.line.take() {
            Some(line) => self.before.replace(line).unwrap_or_default(),
            None => Line::default(),
        };
        line.text.clear();
        let found = self.input.stream.read_until(join.end, &mut line.text);
        if !found.map_err(|e| report::die(1, format_args!("read error: {e}")))? {
            return Ok(());
        }
        self.count += 1;
        if line.text.last() == Some(&join.end) {
            line.text.pop();
        }
        split(&line.text, join.separator, &mut line.fields);
        let wanted = self.check.unwrap_or(join.seen_unpaired) && !self.told;
        if wanted && let Some(before) = &self.before {
            let key = join.keys[self.number];
            if join.compare(before.key(key), line.key(key)) == Ordering::Greater {
                let shown = quote::raw(&line.text);
                let text = format!("{}:{}: is not sorted: {shown}", quote::name(&self.name), self.count);
                report::error(text);
                self.told = true;
                if self.check == Some(true) {
                    return Err(Exit(1));
                }
            }
        }
        self.line = Some(line);
        Ok(())
    }
}

fn split(text: &[u8], separator: Option<u8>, fields: &mut Vec<(usize, usize)>) {
    fields.clear();
    if let Some(byte) = separator {
        // A newline as separator makes the line one field.
        let mut start = 0;
        for end in memchr::memchr_iter(byte, text).filter(|_| byte != b'\n') {
            fields.push((start, end));
            start = end + 1;
        }
        return fields.push((start, text.len()));
    }
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
    let mut at = text.iter().take_while(|b| blank(b)).count();
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|b| !blank(b)).count();
        fields.push((at, end));
        at = end + text[end..].iter().take_while(|b| blank(b)).count();
        // Blanks at the end are followed by one more field, an empty one.
        if at == text.len() && at > end {
            fields.push((at, at));
        }
    }
}

//! Which lines a command is for.

use super::{Done, Editor, Stop};
use capsule_regex::{Options, Regex, Syntax};
use std::rc::Rc;

/// Addresses as they were given.
pub struct Range {
    pub first: usize,
    pub last: usize,
    /// How many were given: 0, 1 or 2.
    pub given: usize,
}

/// A command line and how far it is read.
pub struct Cursor<'a> {
    pub text: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub fn next(&mut self) -> Option<u8> {
        let b = self.peek();
        self.at += usize::from(b.is_some());
        b
    }

    pub fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut value = 0usize;
        while let Some(d @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(usize::from(d - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    /// Text up to the delimiter; escapes stay, but one of the delimiter itself is taken off.
    pub fn until(&mut self, delimiter: u8) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(b) = self.next() {
            if b == delimiter {
                self.at -= 1;
                break;
            }
            if b == b'\\' {
                match self.next() {
                    Some(next) if next == delimiter => out.push(next),
                    Some(next) => out.extend_from_slice(&[b'\\', next]),
                    None => out.push(b'\\'),
                }
                continue;
            }
            out.push(b);
            // A delimiter inside of brackets is one of the set.
            if b == b'[' {
                let rest = self.rest();
                let skip = usize::from(rest.first() == Some(&b'^'));
                let skip = skip + usize::from(rest.get(skip) == Some(&b']'));
                if let Some(end) = rest.iter().skip(skip).position(|b| *b == b']') {
                    out.extend_from_slice(&rest[..skip + end]);
                    self.at += skip + end;
                }
            }
        }
        out
    }
}

impl Editor {
    /// A pattern with both of its delimiters gone; an `I` right behind it means either case.
    pub fn searched(&mut self, cursor: &mut Cursor, delimiter: u8) -> Done<Rc<Regex>> {
        let start = cursor.at;
        cursor.until(delimiter);
        let ignore_case = cursor.text.get(cursor.at + 1) == Some(&b'I');
        cursor.at = start;
        let regex = self.pattern(cursor, delimiter, ignore_case)?;
        if cursor.peek() == Some(delimiter) {
            cursor.at += 1 + usize::from(ignore_case);
        }
        Ok(regex)
    }

    /// A pattern up to its delimiter; an empty one is the last one again.
    pub fn pattern(&mut self, cursor: &mut Cursor, delimiter: u8, ignore_case: bool) -> Done<Rc<Regex>> {
        let source = cursor.until(delimiter);
        if source.is_empty() {
            return self.last_regex.clone().ok_or(Stop::Wrong("No previous pattern"));
        }
        let options = Options { syntax: self.syntax, utf8: crate::quote::is_utf8(), ignore_case, ..Options::default() };
        debug_assert!(matches!(options.syntax, Syntax::Basic | Syntax::Extended));
        let regex = Regex::new(&source, &options).map_err(|why| Stop::Wrong(why.message))?;
        let regex = Rc::new(regex);
        self.last_regex = Some(regex.clone());
        Ok(regex)
    }

    fn search(&mut self, cursor: &mut Cursor, forward: bool) -> Done<usize> {
        let delimiter = if forward { b'/' } else { b'?' };
        let regex = self.searched(cursor, delimiter)?;
        let count = self.now.lines.len();
        for step in 1..=count {
            let at = if forward {
                (self.now.current + step - 1) % count + 1
            } else {
                (self.now.current + 2 * count - step - 1) % count + 1
            };
            if regex.is_match(&self.now.lines[at - 1]) {
                return Ok(at);
            }
        }
        Err(Stop::Wrong("No match"))
    }

    /// One address with what is added to it; none when there is none.
    fn address(&mut self, cursor: &mut Cursor) -> Done<Option<usize>> {
        cursor.blanks();
        let mut value: Option<i64> = match cursor.peek() {
            Some(b'0'..=b'9') => cursor.number().map(|n| n.min(1 << 30) as i64),
            Some(b'.') => {
                cursor.at += 1;
                Some(self.now.current as i64)
            }
            Some(b'$') => {
                cursor.at += 1;
                Some(self.now.lines.len() as i64)
            }
            Some(mark @ (b'/' | b'?')) => {
                cursor.at += 1;
                Some(self.search(cursor, mark == b'/')? as i64)
            }
            Some(b'\'') => {
                cursor.at += 1;
                let name = cursor.next().filter(u8::is_ascii_lowercase).ok_or(Stop::Wrong("Invalid mark character"))?;
                let line = self.now.marks[usize::from(name - b'a')].clone();
                let found = line.and_then(|line| self.now.lines.iter().position(|l| Rc::ptr_eq(l, &line)));
                Some(found.ok_or(Stop::Wrong("Invalid address"))? as i64 + 1)
            }
            _ => None,
        };
        loop {
            cursor.blanks();
            match cursor.peek() {
                Some(sign @ (b'+' | b'-')) => {
                    cursor.at += 1;
                    cursor.blanks();
                    let by = cursor.number().unwrap_or(1).min(1 << 30) as i64;
                    let base = value.unwrap_or(self.now.current as i64);
                    value = Some(if sign == b'+' { base + by } else { base - by });
                }
                Some(b'0'..=b'9') if value.is_some() => {
                    value = value.map(|v| v + cursor.number().unwrap_or(0).min(1 << 30) as i64);
                }
                _ => break,
            }
        }
        match value {
            None => Ok(None),
            Some(n) => match usize::try_from(n) {
                Ok(n) if n <= self.now.lines.len() => Ok(Some(n)),
                _ => Err(Stop::Wrong("Invalid address")),
            },
        }
    }

    pub fn range(&mut self, cursor: &mut Cursor) -> Done<Range> {
        let start = self.now.current;
        let mut range = Range { first: start, last: start, given: 0 };
        loop {
            let found = self.address(cursor)?;
            if let Some(n) = found {
                range.first = if range.given == 0 { n } else { range.last };
                range.last = n;
                range.given = (range.given + 1).min(2);
            }
            cursor.blanks();
            match cursor.peek() {
                Some(mark @ (b',' | b';' | b'%')) => {
                    cursor.at += 1;
                    if range.given == 0 {
                        // Alone it stands for everything, or for everything from here.
                        range.last = if mark == b';' { self.now.current } else { 1.min(self.now.lines.len()) };
                        range.given = 1;
                        let next = self.address(cursor)?;
                        range.first = range.last;
                        range.last = next.unwrap_or(self.now.lines.len());
                        range.given = 2;
                    } else {
                        if mark == b';' {
                            self.now.current = range.last;
                        }
                        let next = self.address(cursor)?;
                        range.first = range.last;
                        range.last = next.unwrap_or(range.last);
                        range.given = 2;
                    }
                }
                _ => break,
            }
        }
        if range.given == 1 {
            range.first = range.last;
        }
        if range.first > range.last {
            return Err(Stop::Wrong("Invalid address"));
        }
        Ok(range)
    }
}

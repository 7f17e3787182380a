//! The fields of a word while it is being expanded: splitting happens as text arrives.

use crate::shell::{Ifs, Shell, Shopt};
use std::rc::Rc;

#[derive(Default, Debug)]
pub struct Field {
    pub text: Vec<u8>,
    /// What of `text` was quoted.
    quoted: Ranges,
    /// An unquoted pattern character is in it.
    pub glob: bool,
}

/// Ranges of a text, ascending. Nearly always it is one, and that one needs no memory of its own.
#[derive(Default, Debug)]
struct Ranges {
    /// Empty when there is none.
    first: (usize, usize),
    more: Vec<(usize, usize)>,
}

impl Ranges {
    /// Adds a range that is not empty, behind all others.
    fn add(&mut self, start: usize, end: usize) {
        let last = self.more.last_mut().unwrap_or(&mut self.first);
        if last.1 == 0 {
            *last = (start, end);
        } else if last.1 == start {
            last.1 = end;
        } else {
            self.more.push((start, end));
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl Field {
    /// With quoted text escaped, for matching.
    pub fn pattern(&self) -> Vec<u8> {
        self.escaped(|b| {
            matches!(
                b,
                b'*' | b'?'
                    | b'['
                    | b']'
                    | b'\\'
                    | b'('
                    | b')'
                    | b'|'
                    | b'!'
                    | b'@'
                    | b'+'
                    | b'-'
                    | b'^'
                    | b':'
                    | b'.'
                    | b'='
            )
        })
    }

    /// What was quoted is escaped, but not inside brackets: there a backslash is a character like any other.
    pub fn regex(&self) -> Vec<u8> {
        const SPECIAL: &[u8] = b".[]{}()\\*+?^$|";
        let mut out = Vec::with_capacity(self.text.len() + 8);
        let mut bracket = Brackets::default();
        let mut at = 0;
        for (start, end) in self.quoted.iter() {
            self.text[at..start].iter().for_each(|&b| bracket.see(b));
            out.extend_from_slice(&self.text[at..start]);
            for &b in &self.text[start..end] {
                if SPECIAL.contains(&b) && !bracket.is_open() {
                    out.push(b'\\');
                }
                out.push(b);
            }
            at = end;
        }
        out.extend_from_slice(&self.text[at..]);
        out
    }

    fn escaped(&self, special: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len() + 8);
        let mut at = 0;
        for (start, end) in self.quoted.iter() {
            out.extend_from_slice(&self.text[at..start]);
            for &b in &self.text[start..end] {
                if special(b) {
                    out.push(b'\\');
                }
                out.push(b);
            }
            at = end;
        }
        out.extend_from_slice(&self.text[at..]);
        out
    }
}

/// Whether the text of a regular expression so far has opened a bracket.
#[derive(Default)]
struct Brackets {
    /// How many bytes of it there are, 0 outside.
    len: usize,
    escaped: bool,
}

impl Brackets {
    fn is_open(&self) -> bool {
        self.len > 0
    }

    fn see(&mut self, b: u8) {
        match (self.len, b) {
            (0, b'[') if !self.escaped => self.len = 1,
            (0, _) => {}
            // `[^` begins as `[` does, and a `]` right behind it is a character.
            (1, b'^') => {}
            (2.., b']') => self.len = 0,
            _ => self.len += 1,
        }
        self.escaped = b == b'\\' && !self.escaped && self.len == 0;
    }
}

pub struct Fields {
    done: Vec<Field>,
    current: Field,
    /// The current field exists, even when it is empty.
    started: bool,
    /// The field before was ended by IFS white space: a separator that follows belongs to it.
    after_blank: bool,
    splitting: bool,
    extglob: bool,
    /// The value of an assignment: tildes after colons count.
    pub in_assignment: bool,
    /// An empty `$@` was seen in the quotes being expanded.
    empty_list: bool,
    ifs: Rc<Ifs>,
}

impl Fields {
    pub fn split(shell: &Shell) -> Fields {
        Fields {
            done: Vec::new(),
            current: Field::default(),
            started: false,
            after_blank: false,
            splitting: true,
            extglob: shell.options.shopt(Shopt::Extglob),
            empty_list: false,
            in_assignment: false,
            ifs: Rc::clone(&shell.ifs),
        }
    }

    /// One field; lists are joined.
    pub fn joined(shell: &Shell) -> Fields {
        Fields { splitting: false, ..Fields::split(shell) }
    }

    pub fn is_splitting(&self) -> bool {
        self.splitting
    }

    pub fn finish(mut self) -> Vec<Field> {
        if self.started {
            self.done.push(self.current);
        }
        self.done
    }

    pub fn finish_one(self) -> Field {
        self.current
    }

    pub fn start(&mut self) {
        self.started = true;
        self.after_blank = false;
    }

    /// Unquoted text of the script itself.
    pub fn literal(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.start();
        self.note_glob(text);
        self.current.text.extend_from_slice(text);
    }

    fn note_glob(&mut self, text: &[u8]) {
        if self.splitting && !self.current.glob {
            self.current.glob = memchr::memchr3(b'*', b'?', b'[', text).is_some()
                || self.extglob && memchr::memchr(b'(', text).is_some()
                || memchr::memchr(b'\\', text).is_some();
        }
    }

    pub fn quoted(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.start();
        let start = self.current.text.len();
        self.current.text.extend_from_slice(text);
        self.current.quoted.add(start, self.current.text.len());
    }

    /// What an expansion gave.
    pub fn put(&mut self, text: &[u8], quoted: bool) {
        if quoted { self.quoted(text) } else { self.expanded(text) }
    }

    /// The result of an unquoted expansion: split.
    pub fn expanded(&mut self, text: &[u8]) {
        if !self.splitting {
            if !text.is_empty() {
                self.start();
                self.current.text.extend_from_slice(text);
            }
            return;
        }
        let ifs = Rc::clone(&self.ifs);
        let mut at = 0;
        while at < text.len() {
            let run = text[at..].iter().position(|&b| ifs.kinds[usize::from(b)] != 0).unwrap_or(text.len() - at);
            if run > 0 {
                self.start();
                self.note_glob(&text[at..at + run]);
                self.current.text.extend_from_slice(&text[at..at + run]);
                at += run;
            }
            if let Some(&b) = text.get(at) {
                match ifs.kinds[usize::from(b)] {
                    1 => self.blank(),
                    2 => self.separator(),
                    _ => match ifs.wide.iter().find(|wide| text[at..].starts_with(wide)) {
                        Some(wide) => {
                            self.separator();
                            at += wide.len() - 1;
                        }
                        None => {
                            self.start();
                            self.current.text.push(b);
                        }
                    },
                }
                at += 1;
            }
        }
    }

    /// IFS white space.
    fn blank(&mut self) {
        if self.started {
            self.end_field();
            self.after_blank = true;
        }
    }

    /// An IFS character that is not white space.
    fn separator(&mut self) {
        if self.started {
            self.end_field();
        } else if self.after_blank {
            self.after_blank = false;
        } else {
            self.done.push(Field::default());
        }
    }

    fn end_field(&mut self) {
        self.done.push(std::mem::take(&mut self.current));
        self.started = false;
        self.after_blank = false;
    }

    /// A list, as `@` or `*` makes it.
    pub fn list<'a>(&mut self, items: impl ExactSizeIterator<Item = &'a [u8]>, star: bool, quoted: bool) {
        let count = items.len();
        if count == 0 {
            self.empty_list |= !star || !quoted;
            return;
        }
        let ifs = Rc::clone(&self.ifs);
        for (i, item) in items.enumerate() {
            if i > 0 {
                match (star, quoted, self.splitting) {
                    (true, true, _) => self.quoted(&ifs.first),
                    (true, false, false) => self.expanded(&ifs.first),
                    (false, _, false) => self.put(b" ", quoted),
                    (false, true, true) => self.end_field(),
                    (_, false, true) => match ifs.first.first() {
                        Some(&b) if ifs.kinds[usize::from(b)] == 2 => self.separator(),
                        _ => self.blank(),
                    },
                }
            }
            self.put(item, quoted);
            if quoted && !star {
                self.start();
            }
        }
    }

    pub fn mark(&mut self) -> (usize, usize, bool) {
        let outer = std::mem::replace(&mut self.empty_list, false);
        (self.done.len(), self.current.text.len(), outer)
    }

    /// The end of double quotes: they make a field even of nothing, unless all they held was an empty `$@`.
    pub fn end_quotes(&mut self, mark: (usize, usize, bool), nothing: bool) {
        let unchanged = self.done.len() == mark.0 && self.current.text.len() == mark.1;
        if !(unchanged && (self.empty_list || nothing)) {
            self.start();
        }
        self.empty_list |= mark.2;
    }
}

impl Field {
    /// The text cut at unquoted `&` (None), `\&` being an ampersand.
    pub fn ampersands(&self) -> Vec<Option<Vec<u8>>> {
        let mut pieces = Vec::new();
        let mut text = Vec::new();
        let mut at = 0;
        while at < self.text.len() {
            let b = self.text[at];
            let quoted = self.quoted.iter().any(|(start, end)| start <= at && at < end);
            if b == b'&' && !quoted {
                pieces.push(Some(std::mem::take(&mut text)));
                pieces.push(None);
            } else if b == b'\\' && !quoted && matches!(self.text.get(at + 1), Some(b'&' | b'\\')) {
                at += 1;
                text.push(self.text[at]);
            } else {
                text.push(b);
            }
            at += 1;
        }
        pieces.push(Some(text));
        pieces
    }
}

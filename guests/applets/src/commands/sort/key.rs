//! Keys: where in a line they are, and how they compare.

use super::TROUBLE;
use crate::quote::locale;
use crate::{Exit, report};
use std::ops::Range;

/// How two keys are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Order {
    #[default]
    Text,
    Numeric,
    General,
    Human,
    Month,
    Version,
    Random,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Flags {
    pub order: Order,
    pub start_blanks: bool,
    pub end_blanks: bool,
    pub dictionary: bool,
    pub printable: bool,
    pub fold: bool,
    pub reverse: bool,
    /// The ordering letters that were given, for the message about those that do not go together.
    letters: u32,
}

impl Flags {
    /// One option letter; false when it is none.
    pub fn set(&mut self, letter: u8) -> bool {
        match letter {
            b'b' => (self.start_blanks, self.end_blanks) = (true, true),
            b'd' => self.dictionary = true,
            b'i' => self.printable = true,
            b'f' => self.fold = true,
            b'r' => self.reverse = true,
            b'g' => self.order = Order::General,
            b'h' => self.order = Order::Human,
            b'M' => self.order = Order::Month,
            b'n' => self.order = Order::Numeric,
            b'R' => self.order = Order::Random,
            b'V' => self.order = Order::Version,
            _ => return false,
        }
        if let Some(bit) = b"dfghiMnRV".iter().position(|l| *l == letter) {
            self.letters |= 1 << bit;
        }
        true
    }

    /// Nothing said: the global options hold.
    pub fn inherits(&self) -> bool {
        self.letters == 0 && !self.reverse && !self.start_blanks && !self.end_blanks
    }

    /// Text is not compared byte by byte as it is.
    pub fn changes(&self) -> bool {
        self.fold || self.dictionary || self.printable
    }

    /// Orders that contradict each other are refused.
    pub fn check(&self) -> Result<(), Exit> {
        let has =
            |letter: u8| b"dfghiMnRV".iter().position(|l| *l == letter).is_some_and(|b| self.letters >> b & 1 != 0);
        let orders = [b'g', b'h', b'M', b'n'].iter().filter(|l| has(**l)).count();
        let texts = has(b'V') || has(b'R') || has(b'd') || has(b'i');
        if orders > 1 || (orders == 1 && texts) {
            let shown: String = b"dfghiMnRV".iter().filter(|l| has(**l)).map(|l| *l as char).collect();
            return Err(report::die(TROUBLE, format_args!("options '-{shown}' are incompatible")));
        }
        Ok(())
    }
}

/// From a field and a character of it to another; counted from zero.
#[derive(Clone, Debug)]
pub struct Key {
    start: (usize, usize),
    /// A field and a character behind the end; character 0 is the end of the field.
    end: Option<(usize, usize)>,
    pub flags: Flags,
}

impl Key {
    pub fn whole(flags: Flags) -> Key {
        Key { start: (0, 0), end: None, flags }
    }

    pub fn is_whole(&self) -> bool {
        self.start == (0, 0) && self.end.is_none()
    }

    pub fn spans_fields(&self) -> bool {
        self.end.is_none_or(|end| end.0 > self.start.0)
    }

    pub fn parse(text: &[u8]) -> Result<Key, Exit> {
        let bad =
            |what: &str| report::die(TROUBLE, format_args!("{what}: invalid field specification {}", locale(text)));
        let mut rest = text;
        let mut flags = Flags::default();
        let field = number(&mut rest).ok_or_else(|| invalid_number(text, "at field start"))?;
        if field == 0 {
            return Err(bad("field number is zero"));
        }
        let mut start = (field - 1, 0);
        if let Some(more) = rest.strip_prefix(b".") {
            rest = more;
            let c = number(&mut rest).ok_or_else(|| invalid_number(rest, "after '.'"))?;
            if c == 0 {
                return Err(bad("character offset is zero"));
            }
            start.1 = c - 1;
        }
        letters(&mut rest, &mut flags, |flags| flags.start_blanks = true);
        let mut end = None;
        if let Some(more) = rest.strip_prefix(b",") {
            rest = more;
            let field = number(&mut rest).ok_or_else(|| invalid_number(rest, "after ','"))?;
            if field == 0 {
                return Err(bad("field number is zero"));
            }
            let mut c = 0;
            if let Some(more) = rest.strip_prefix(b".") {
                rest = more;
                c = number(&mut rest).ok_or_else(|| invalid_number(rest, "after '.'"))?;
            }
            end = Some((field - 1, c));
            letters(&mut rest, &mut flags, |flags| flags.end_blanks = true);
        }
        if !rest.is_empty() {
            return Err(bad("stray character in field spec"));
        }
        Ok(Key { start, end, flags })
    }

    /// The part of a line this key is.
    pub fn of(&self, line: &[u8], separator: Option<u8>) -> Range<usize> {
        let begin = self.begin(line, separator);
        let limit = self.limit(line, separator);
        begin..limit.max(begin)
    }

    fn begin(&self, line: &[u8], separator: Option<u8>) -> usize {
        let mut at = 0;
        for _ in 0..self.start.0 {
            if at >= line.len() {
                break;
            }
            at = match separator {
                Some(byte) => at + memchr::memchr(byte, &line[at..]).map_or(line.len() - at, |i| i + 1),
                None => blank_field(line, at),
            };
        }
        if self.flags.start_blanks {
            at += line[at.min(line.len())..].iter().take_while(|b| blank(b)).count();
        }
        (at + self.start.1).min(line.len())
    }

    fn limit(&self, line: &[u8], separator: Option<u8>) -> usize {
        let Some((field, chars)) = self.end else { return line.len() };
        // Without a character the end is that of the field.
        let fields = field + usize::from(chars == 0);
        let mut at = 0;
        for i in 0..fields {
            if at >= line.len() {
                break;
            }
            at = match separator {
                Some(byte) => {
                    let end = at + memchr::memchr(byte, &line[at..]).unwrap_or(line.len() - at);
                    // Behind the separator, but not behind that of the last field.
                    if end < line.len() && (i + 1 < fields || chars > 0) { end + 1 } else { end }
                }
                None => blank_field(line, at),
            };
        }
        if chars > 0 {
            if self.flags.end_blanks {
                at += line[at.min(line.len())..].iter().take_while(|b| blank(b)).count();
            }
            at += chars;
        }
        at.min(line.len())
    }
}

/// Behind a field that begins with its blanks.
fn blank_field(line: &[u8], at: usize) -> usize {
    let blanks = line[at..].iter().take_while(|b| blank(b)).count();
    at + blanks + line[at + blanks..].iter().take_while(|b| !blank(b)).count()
}

pub fn blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

fn letters(rest: &mut &[u8], flags: &mut Flags, blanks: fn(&mut Flags)) {
    while let Some(&letter) = rest.first() {
        if letter == b'b' {
            blanks(flags);
        } else if !flags.set(letter) {
            break;
        }
        *rest = &rest[1..];
    }
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, more) = rest.split_at(n);
    if n == 0 {
        return None;
    }
    *rest = more;
    // More than any line has is as good as the largest number.
    Some(std::str::from_utf8(digits).ok()?.parse().unwrap_or(usize::MAX / 4))
}

fn invalid_number(text: &[u8], place: &str) -> Exit {
    report::die(TROUBLE, format_args!("invalid number {place}: invalid count at start of {}", locale(text)))
}

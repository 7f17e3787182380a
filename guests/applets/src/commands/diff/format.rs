//! Output by format strings: `--line-format`, `--old-group-format` and the rest, and `-D`.

use super::once;
use crate::Exit;
use crate::compare::{Change, Text};
use capsule_sys::Out;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    OldLine,
    NewLine,
    SameLine,
    OldGroup,
    NewGroup,
    SameGroup,
    ChangedGroup,
}

#[derive(Default)]
pub struct Formats {
    lines: [Option<Vec<u8>>; 3],
    groups: [Option<Vec<u8>>; 4],
}

const OLD: usize = 0;
const NEW: usize = 1;
const SAME: usize = 2;
const CHANGED: usize = 3;

/// How deep `%(…?…:…)` nests.
const DEEPEST: usize = 50;

impl Formats {
    pub fn set(&mut self, slot: Slot, text: &[u8], option: &str) -> Result<(), Exit> {
        let place = match slot {
            Slot::OldLine => &mut self.lines[OLD],
            Slot::NewLine => &mut self.lines[NEW],
            Slot::SameLine => &mut self.lines[SAME],
            Slot::OldGroup => &mut self.groups[OLD],
            Slot::NewGroup => &mut self.groups[NEW],
            Slot::SameGroup => &mut self.groups[SAME],
            Slot::ChangedGroup => &mut self.groups[CHANGED],
        };
        once(place, text.to_vec(), option, text)
    }

    /// `-D NAME`.
    pub fn ifdef(&mut self, name: &[u8]) -> Result<(), Exit> {
        let name = String::from_utf8_lossy(name).replace('%', "%%");
        let texts = [
            format!("#ifndef {name}\n%<#endif /* ! {name} */\n"),
            format!("#ifdef {name}\n%>#endif /* {name} */\n"),
            "%=".to_owned(),
            format!("#ifndef {name}\n%<#else /* {name} */\n%>#endif /* {name} */\n"),
        ];
        for (group, text) in self.groups.iter_mut().zip(texts) {
            once(group, text.clone().into_bytes(), "-D", text.as_bytes())?;
        }
        Ok(())
    }

    /// Fills in what was not given: a format for changes stands for those of one side too, and the other way round.
    pub fn finish(&mut self) {
        let changed = self.groups[CHANGED].clone();
        let old = self.groups[OLD].get_or_insert_with(|| changed.clone().unwrap_or_else(|| b"%<".to_vec())).clone();
        let new = self.groups[NEW].get_or_insert_with(|| changed.unwrap_or_else(|| b"%>".to_vec()));
        let both = [&old, new.as_slice()].concat();
        self.groups[CHANGED].get_or_insert(both);
    }

    fn line(&self, which: usize) -> &[u8] {
        self.lines[which].as_deref().unwrap_or(b"%l\n")
    }

    fn group(&self, which: usize) -> &[u8] {
        self.groups[which].as_deref().unwrap_or(b"%=")
    }
}

/// A group of lines of both texts: first and behind the last, from 0.
struct Group<'a> {
    formats: &'a Formats,
    a: &'a Text,
    b: &'a Text,
    x: (usize, usize),
    y: (usize, usize),
    /// An unchanged group's lines are the same in both.
    same: bool,
}

pub fn print(formats: &Formats, out: &mut Out, a: &Text, b: &Text, changes: &[(Change, bool)]) {
    let (mut i, mut j) = (0, 0);
    let unchanged = |out: &mut Out, x: (usize, usize), y: (usize, usize)| {
        if x.0 < x.1 || y.0 < y.1 {
            Group { formats, a, b, x, y, same: true }.print(out, formats.group(SAME), None, true, DEEPEST);
        }
    };
    for (change, ignorable) in changes {
        if *ignorable {
            continue;
        }
        unchanged(out, (i, change.a), (j, change.b));
        (i, j) = (change.a + change.deleted, change.b + change.inserted);
        let which = match (change.deleted, change.inserted) {
            (0, _) => NEW,
            (_, 0) => OLD,
            _ => CHANGED,
        };
        let group = Group { formats, a, b, x: (change.a, i), y: (change.b, j), same: false };
        group.print(out, formats.group(which), None, true, DEEPEST);
    }
    unchanged(out, (i, a.len()), (j, b.len()));
}

impl Group<'_> {
    /// Prints by a format as far as `end`, or passes over it where nothing is `shown`; what is behind that.
    fn print<'f>(&self, out: &mut Out, format: &'f [u8], end: Option<u8>, shown: bool, depth: usize) -> &'f [u8] {
        let mut rest = format;
        while let Some((&byte, more)) = rest.split_first() {
            rest = more;
            if Some(byte) == end {
                break;
            }
            let directive = if byte == b'%' { self.directive(out, more, shown, depth) } else { None };
            match directive {
                Some(after) => rest = after,
                None if shown => out.byte(byte),
                None => {}
            }
        }
        rest
    }

    /// What is behind a `%`; the rest of the format, or none where it means nothing.
    fn directive<'f>(&self, out: &mut Out, format: &'f [u8], shown: bool, depth: usize) -> Option<&'f [u8]> {
        let (&letter, after) = format.split_first()?;
        match letter {
            b'(' if depth > 0 => {
                let (holds, parts) = self.condition(after)?;
                let otherwise = self.print(out, parts, Some(b':'), shown && holds, depth - 1);
                return Some(self.print(out, otherwise, Some(b')'), shown && !holds, depth - 1));
            }
            b'%' | b'<' | b'=' | b'>' if !shown => {}
            b'%' => out.byte(b'%'),
            b'<' => self.lines(out, self.a, self.x, OLD),
            b'=' => self.lines(out, self.a, self.x, SAME),
            b'>' => self.lines(out, self.b, self.y, NEW),
            b'c' => {
                let (value, used) = character(after)?;
                if shown {
                    out.byte(value);
                }
                return Some(&after[used..]);
            }
            _ => {
                let (text, used) = number(format, |letter| self.value(letter))?;
                if shown {
                    out.write(text.as_bytes());
                }
                return Some(&format[used..]);
            }
        }
        Some(after)
    }

    fn lines(&self, out: &mut Out, text: &Text, range: (usize, usize), which: usize) {
        let format = self.formats.line(if self.same { SAME } else { which });
        for number in range.0..range.1 {
            line(out, format, text, number);
        }
    }

    /// A letter of a group: small ones are the first file's.
    fn value(&self, letter: u8) -> Option<i64> {
        let (start, end) = if letter.is_ascii_lowercase() { self.x } else { self.y };
        let (start, end) = (start as i64, end as i64);
        Some(match letter.to_ascii_lowercase() {
            b'e' => start,
            b'f' => start + 1,
            b'l' => end,
            b'm' => end + 1,
            b'n' => end - start,
            _ => return None,
        })
    }

    /// `A=B?`, which stands before `THEN:ELSE)`: whether it holds, and what is behind it.
    fn condition<'f>(&self, text: &'f [u8]) -> Option<(bool, &'f [u8])> {
        let operand = |text: &[u8]| -> Option<(i64, usize)> {
            let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits > 0 {
                return Some((std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?, digits));
            }
            Some((self.value(*text.first()?)?, 1))
        };
        let (left, n) = operand(text)?;
        let mut at = n;
        if text.get(at) != Some(&b'=') {
            return None;
        }
        let (right, n) = operand(&text[at + 1..])?;
        at += 1 + n;
        if text.get(at) != Some(&b'?') {
            return None;
        }
        Some((left == right, &text[at + 1..]))
    }
}

/// `'C'` or `'\OOO'`.
fn character(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\'', b'\\', rest @ ..] => {
            let digits = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = rest[..digits].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
            (digits > 0 && rest.get(digits) == Some(&b'\'')).then_some((value as u8, digits + 3))
        }
        [b'\'', byte, b'\'', ..] => Some((*byte, 3)),
        _ => None,
    }
}

/// `[-][WIDTH][.PREC]{doxX}LETTER`
fn number(text: &[u8], value: impl Fn(u8) -> Option<i64>) -> Option<(String, usize)> {
    let mut at = 0;
    let left = text.first() == Some(&b'-');
    at += usize::from(left);
    let digits = |at: usize| text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let size = |range: std::ops::Range<usize>| -> usize {
        std::str::from_utf8(&text[range]).ok().and_then(|t| t.parse().ok()).unwrap_or(0).min(4096)
    };
    let n = digits(at);
    let width = size(at..at + n);
    at += n;
    let mut precision = 0;
    if text.get(at) == Some(&b'.') {
        let n = digits(at + 1);
        precision = size(at + 1..at + 1 + n);
        at += 1 + n;
    }
    let kind = *text.get(at)?;
    let value = value(*text.get(at + 1)?)?;
    let digits = match kind {
        b'd' => format!("{value}"),
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => return None,
    };
    let digits = crate::pad::zeros(&digits, precision);
    let text = if left { crate::pad::left(&digits, width) } else { crate::pad::right(&digits, width) };
    Some((text, at + 2))
}

fn line(out: &mut Out, format: &[u8], text: &Text, line: usize) {
    let mut rest = format;
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        if byte != b'%' {
            out.byte(byte);
            continue;
        }
        let used = match rest.first() {
            Some(b'%') => {
                out.byte(b'%');
                1
            }
            Some(b'l') => {
                out.write(text.content(line));
                1
            }
            Some(b'L') => {
                out.write(text.line(line));
                1
            }
            Some(b'c') => match character(&rest[1..]) {
                Some((value, used)) => {
                    out.byte(value);
                    used + 1
                }
                None => {
                    out.byte(b'%');
                    0
                }
            },
            _ => match number(rest, |letter| (letter == b'n').then_some(line as i64 + 1)) {
                Some((text, used)) => {
                    out.write(text.as_bytes());
                    used
                }
                None => {
                    out.byte(b'%');
                    0
                }
            },
        };
        rest = &rest[used..];
    }
}

//! Output by format strings: `--line-format`, `--old-group-format` and the rest, and `-D`.

use crate::compare::{Change, Text};
use capsule_sys::Out;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    AllLines,
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
    pub fn set(&mut self, slot: Slot, text: &[u8]) {
        let text = Some(text.to_vec());
        match slot {
            Slot::AllLines => self.lines = [text.clone(), text.clone(), text],
            Slot::OldLine => self.lines[OLD] = text,
            Slot::NewLine => self.lines[NEW] = text,
            Slot::SameLine => self.lines[SAME] = text,
            Slot::OldGroup => self.groups[OLD] = text,
            Slot::NewGroup => self.groups[NEW] = text,
            Slot::SameGroup => self.groups[SAME] = text,
            Slot::ChangedGroup => self.groups[CHANGED] = text,
        }
    }

    /// `-D NAME`.
    pub fn ifdef(&mut self, name: &[u8]) {
        let name = String::from_utf8_lossy(name).replace('%', "%%");
        let texts = [
            format!("#ifndef {name}\n%<#endif /* ! {name} */\n"),
            format!("#ifdef {name}\n%>#endif /* {name} */\n"),
            "%=".to_owned(),
            format!("#ifndef {name}\n%<#else /* {name} */\n%>#endif /* {name} */\n"),
        ];
        for (group, text) in self.groups.iter_mut().zip(texts) {
            group.get_or_insert(text.into_bytes());
        }
    }

    /// Fills in what was not given.
    pub fn finish(&mut self) {
        let old = self.groups[OLD].clone().unwrap_or_else(|| b"%<".to_vec());
        let new = self.groups[NEW].clone().unwrap_or_else(|| b"%>".to_vec());
        self.groups[CHANGED].get_or_insert([old, new].concat());
    }

    fn line(&self, which: usize) -> &[u8] {
        self.lines[which].as_deref().unwrap_or(b"%l\n")
    }

    fn group(&self, which: usize) -> &[u8] {
        let usual: &[u8] = match which {
            OLD => b"%<",
            NEW => b"%>",
            _ => b"%=",
        };
        self.groups[which].as_deref().unwrap_or(usual)
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
            Group { formats, a, b, x, y, same: true }.print(out, formats.group(SAME), DEEPEST);
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
        group.print(out, formats.group(which), DEEPEST);
    }
    unchanged(out, (i, a.len()), (j, b.len()));
}

impl Group<'_> {
    fn print(&self, out: &mut Out, format: &[u8], depth: usize) {
        let mut rest = format;
        while let Some((&byte, more)) = rest.split_first() {
            rest = more;
            if byte != b'%' {
                out.byte(byte);
                continue;
            }
            let Some((&letter, after)) = rest.split_first() else {
                out.byte(b'%');
                break;
            };
            match letter {
                b'%' => out.byte(b'%'),
                b'<' => self.lines(out, self.a, self.x, OLD),
                b'=' => self.lines(out, self.a, self.x, SAME),
                b'>' => self.lines(out, self.b, self.y, NEW),
                b'(' if depth > 0 => match self.condition(after) {
                    Some((chosen, used)) => {
                        self.print(out, chosen, depth - 1);
                        rest = &after[used..];
                        continue;
                    }
                    None => {
                        out.byte(b'%');
                        continue;
                    }
                },
                b'c' => match character(after) {
                    Some((value, used)) => {
                        out.byte(value);
                        rest = &after[used..];
                        continue;
                    }
                    None => {
                        out.byte(b'%');
                        continue;
                    }
                },
                _ => match number(rest, |letter| self.value(letter)) {
                    Some((text, used)) => {
                        out.write(text.as_bytes());
                        rest = &rest[used..];
                        continue;
                    }
                    None => {
                        out.byte(b'%');
                        continue;
                    }
                },
            }
            rest = after;
        }
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

    /// `A=B?THEN:ELSE)`: the part that holds, and how long all of it is.
    fn condition<'f>(&self, text: &'f [u8]) -> Option<(&'f [u8], usize)> {
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
        let then_start = at + 1;
        let then_end = then_start + part_end(&text[then_start..], b':')?;
        let else_start = then_end + 1;
        let else_end = else_start + part_end(&text[else_start..], b')')?;
        let chosen = if left == right { &text[then_start..then_end] } else { &text[else_start..else_end] };
        Some((chosen, else_end + 1))
    }
}

/// Where a part of a condition ends, those inside it skipped.
fn part_end(text: &[u8], end: u8) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b'%', Some(b'(')) => {
                depth += 1;
                at += 1;
            }
            (b'%', Some(b'c')) if character(&text[at + 2..]).is_some() => {
                at += 1 + character(&text[at + 2..])?.1;
            }
            (b'%', Some(_)) => at += 1,
            (b')', _) if depth > 0 => depth -= 1,
            _ if byte == end && depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
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

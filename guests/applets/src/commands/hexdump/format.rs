//! Formats of `-e`: units of a count, a number of bytes and a text with conversions.

use crate::float::Conversion;
use crate::{Exit, report};
use capsule_sys::Out;

#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    /// Text without data.
    Text,
    Address(u8),
    /// The address behind the last byte, shown once at the end.
    EndAddress(u8),
    Integer(u8),
    Float(u8),
    Char,
    Escaped,
    Printable,
    Named,
    String,
}

/// Text, one conversion, text.
#[derive(Clone, Debug)]
struct Piece {
    before: Vec<u8>,
    what: What,
    c: Conversion,
    bytes: usize,
    after: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Unit {
    times: usize,
    /// The count was written, so it is not stretched.
    fixed: bool,
    pieces: Vec<Piece>,
}

impl Unit {
    fn size(&self) -> usize {
        self.pieces.iter().map(|p| p.bytes).sum()
    }
}

pub struct Format(Vec<Unit>);

impl Format {
    pub fn parse(text: &[u8]) -> Result<Format, Exit> {
        let bad = || report::die(1, format_args!("bad format {{{}}}", String::from_utf8_lossy(text)));
        let mut units = Vec::new();
        let mut rest = text.trim_ascii_start();
        let number = |rest: &mut &[u8]| -> Option<usize> {
            let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (digits, tail) = rest.split_at(n);
            *rest = tail.trim_ascii_start();
            std::str::from_utf8(digits).ok()?.parse().ok().filter(|n| *n <= 1 << 20)
        };
        while !rest.is_empty() {
            let times = if rest[0].is_ascii_digit() { Some(number(&mut rest).ok_or_else(bad)?) } else { None };
            let mut bytes = None;
            if let Some(tail) = rest.strip_prefix(b"/") {
                rest = tail.trim_ascii_start();
                bytes = Some(number(&mut rest).ok_or_else(bad)?);
            }
            let body = rest.strip_prefix(b"\"").ok_or_else(bad)?;
            let mut end = 0;
            while *body.get(end).ok_or_else(bad)? != b'"' {
                end += if body[end] == b'\\' { 2 } else { 1 };
            }
            let pieces = pieces(&unescape(&body[..end]), bytes)?;
            units.push(Unit { times: times.unwrap_or(1), fixed: times.is_some(), pieces });
            rest = body[end + 1..].trim_ascii_start();
        }
        Ok(Format(units))
    }

    /// Bytes that it shows.
    pub fn size(&self) -> usize {
        self.0.iter().map(|u| u.times * u.size()).sum()
    }

    /// The last unit without a count is repeated until a block is used up.
    pub fn fill(&mut self, block: usize) {
        let missing = block - self.size();
        if let Some(last) = self.0.last_mut()
            && !last.fixed
            && last.size() > 0
        {
            last.times += missing / last.size();
        }
    }

    pub fn show(&self, data: &[u8], at: u64, out: &mut Out) {
        let mut used = 0;
        for unit in &self.0 {
            if unit.pieces.iter().any(|p| matches!(p.what, What::EndAddress(_))) {
                return;
            }
            for round in 1..=unit.times {
                for (i, piece) in unit.pieces.iter().enumerate() {
                    let last = round == unit.times && unit.times > 1 && i + 1 == unit.pieces.len();
                    let here = data.get(used..).unwrap_or_default();
                    piece.show(&here[..here.len().min(piece.bytes)], at + used as u64, last, out);
                    used += piece.bytes;
                }
            }
        }
    }

    pub fn show_end(&self, end: u64, out: &mut Out) {
        for piece in self.0.iter().flat_map(|u| &u.pieces) {
            if let What::EndAddress(letter) = piece.what {
                out.write(&piece.before);
                out.write(integer(&piece.c, letter, end, 8).as_bytes());
                out.write(&piece.after);
            }
        }
    }
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let (mut plain, mut bytes) = (Vec::new(), text.iter());
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'a') => 7,
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'v') => 11,
                Some(b'0') => 0,
                Some(&other) => other,
                None => b'\\',
            },
            other => other,
        });
    }
    plain
}

fn pieces(text: &[u8], given: Option<usize>) -> Result<Vec<Piece>, Exit> {
    let bad = |what: &[u8]| report::die(1, format_args!("bad conversion character %{}", String::from_utf8_lossy(what)));
    let mut all: Vec<Piece> = Vec::new();
    let (mut before, mut rest) = (Vec::new(), text);
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'%' {
            before.push(byte);
            rest = tail;
            continue;
        }
        if tail.first() == Some(&b'%') {
            before.push(b'%');
            rest = &tail[1..];
            continue;
        }
        let mut c = Conversion::default();
        let mut at = 0;
        while let Some(&flag) = tail.get(at) {
            match flag {
                b'-' => c.minus = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternative = true,
                b'0' => c.zero = true,
                _ => break,
            }
            at += 1;
        }
        let number = |at: &mut usize| {
            let mut value = 0usize;
            while let Some(d) = tail.get(*at).filter(|b| b.is_ascii_digit()) {
                value = (value * 10 + usize::from(d - b'0')).min(4096);
                *at += 1;
            }
            value
        };
        c.width = number(&mut at);
        if tail.get(at) == Some(&b'.') {
            at += 1;
            c.precision = Some(number(&mut at));
        }
        let letters = &tail[at..];
        let (what, default, length) = match letters {
            [b'_', kind @ (b'a' | b'A'), radix @ (b'd' | b'o' | b'x'), ..] => {
                (if *kind == b'a' { What::Address(*radix) } else { What::EndAddress(*radix) }, 0, 3)
            }
            [b'_', b'c', ..] => (What::Escaped, 1, 2),
            [b'_', b'p', ..] => (What::Printable, 1, 2),
            [b'_', b'u', ..] => (What::Named, 1, 2),
            [b'c', ..] => (What::Char, 1, 1),
            [letter @ (b'd' | b'i' | b'o' | b'u' | b'x' | b'X'), ..] => (What::Integer(*letter), 4, 1),
            [letter @ (b'e' | b'E' | b'f' | b'g' | b'G'), ..] => (What::Float(*letter), 8, 1),
            [b's', ..] => (What::String, c.precision.unwrap_or(1), 1),
            _ => return Err(bad(&letters[..letters.len().min(2)])),
        };
        let allowed: &[usize] = match what {
            What::Integer(_) => &[1, 2, 4, 8],
            What::Float(_) => &[4, 8],
            What::Char | What::Escaped | What::Printable | What::Named => &[1],
            _ => &[],
        };
        let bytes = match given {
            Some(n) if default > 0 && what != What::String => {
                if !allowed.contains(&n) {
                    return Err(report::die(
                        1,
                        format_args!("bad byte count for conversion character {}", letters[length - 1] as char),
                    ));
                }
                n
            }
            Some(n) if what == What::String => n,
            _ => default,
        };
        all.push(Piece { before: std::mem::take(&mut before), what, c, bytes, after: Vec::new() });
        rest = &letters[length..];
    }
    match all.last_mut() {
        Some(last) => last.after = before,
        // Text that stands for some bytes steps over them.
        None => all.push(Piece {
            before,
            what: What::Text,
            c: Conversion::default(),
            bytes: given.unwrap_or(0),
            after: Vec::new(),
        }),
    }
    Ok(all)
}

fn integer(c: &Conversion, letter: u8, value: u64, bytes: usize) -> String {
    let bits = 8 * bytes.clamp(1, 8) as u32;
    let signed = (value << (64 - bits)) as i64 >> (64 - bits);
    let negative = matches!(letter, b'd' | b'i') && signed < 0;
    let digits = match letter {
        b'd' | b'i' => signed.unsigned_abs().to_string(),
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let digits = crate::pad::zeros(&digits, c.precision.unwrap_or(1));
    let mark = match (letter, c.alternative && value != 0) {
        (b'o', true) => "0",
        (b'x', true) => "0x",
        (b'X', true) => "0X",
        (b'd' | b'i', _) if negative => "-",
        (b'd' | b'i', _) if c.plus => "+",
        (b'd' | b'i', _) if c.space => " ",
        _ => "",
    };
    let zeros =
        if c.zero && !c.minus && c.precision.is_none() { c.width.saturating_sub(digits.len() + mark.len()) } else { 0 };
    padded(c, &format!("{mark}{}{digits}", "0".repeat(zeros)))
}

fn padded(c: &Conversion, text: &str) -> String {
    let width = c.width;
    if c.minus { crate::pad::left(text, width) } else { crate::pad::right(text, width) }
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so", "si", "dle",
    "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
];

impl Piece {
    fn show(&self, data: &[u8], at: u64, last: bool, out: &mut Out) {
        let mut text = self.before.clone();
        let c = &self.c;
        if data.is_empty() && self.bytes > 0 && self.what != What::Text {
            // No data: as wide as it would be.
            text.extend(std::iter::repeat_n(b' ', c.width));
        } else {
            let value = data.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
            let byte = data.first().copied().unwrap_or(0);
            let shown = match self.what {
                What::Text | What::EndAddress(_) => String::new(),
                What::Address(letter) => integer(c, letter, at, 8),
                What::Integer(letter) => integer(c, letter, value, self.bytes),
                What::Float(letter) => {
                    let number =
                        if self.bytes == 4 { f32::from_bits(value as u32).into() } else { f64::from_bits(value) };
                    Conversion { letter, ..c.clone() }.show(number)
                }
                What::Char => {
                    let blanks = vec![b' '; c.width.saturating_sub(1)];
                    text.extend(if c.minus {
                        [&[byte][..], &blanks].concat()
                    } else {
                        [&blanks, &[byte][..]].concat()
                    });
                    String::new()
                }
                What::Printable => {
                    padded(c, &if (32..127).contains(&byte) { char::from(byte) } else { '.' }.to_string())
                }
                What::Escaped => {
                    let name = match byte {
                        0 => "\\0".to_owned(),
                        7 => "\\a".to_owned(),
                        8 => "\\b".to_owned(),
                        9 => "\\t".to_owned(),
                        10 => "\\n".to_owned(),
                        11 => "\\v".to_owned(),
                        12 => "\\f".to_owned(),
                        13 => "\\r".to_owned(),
                        32..127 => char::from(byte).to_string(),
                        other => format!("{other:03o}"),
                    };
                    padded(c, &name)
                }
                What::Named => {
                    let name = match byte {
                        0..=31 => NAMES[usize::from(byte)].to_owned(),
                        127 => "del".to_owned(),
                        32..127 => char::from(byte).to_string(),
                        other => format!("{other:02x}"),
                    };
                    padded(c, &name)
                }
                What::String => {
                    let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
                    text.extend_from_slice(&data[..end]);
                    String::new()
                }
            };
            text.extend_from_slice(shown.as_bytes());
        }
        // The last of several has no blank behind it.
        let after = match self.after.split_last() {
            Some((blank, rest)) if last && blank.is_ascii_whitespace() => rest,
            _ => &self.after,
        };
        text.extend_from_slice(after);
        out.write(&text);
    }
}

//! Formats of `-e`: units of a count, a number of bytes and a text with conversions.

use crate::float::Conversion;
use crate::{Exit, report};

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
        let bad = || report::die(1, format_args!("bad format {{{}}}", crate::quote::raw(text)));
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

    /// Adds what a block looks like.
    pub fn show(&self, data: &[u8], at: u64, to: &mut Vec<u8>) {
        let mut used = 0;
        for unit in &self.0 {
            if unit.pieces.iter().any(|p| matches!(p.what, What::EndAddress(_))) {
                return;
            }
            for round in 1..=unit.times {
                for (i, piece) in unit.pieces.iter().enumerate() {
                    let last = round == unit.times && unit.times > 1 && i + 1 == unit.pieces.len();
                    let here = data.get(used..).unwrap_or_default();
                    piece.show(&here[..here.len().min(piece.bytes)], at + used as u64, last, to);
                    used += piece.bytes;
                }
            }
        }
    }

    pub fn show_end(&self, end: u64, to: &mut Vec<u8>) {
        for piece in self.0.iter().flat_map(|u| &u.pieces) {
            if let What::EndAddress(letter) = piece.what {
                to.extend_from_slice(&piece.before);
                integer(to, &piece.c, letter, end, 8);
                to.extend_from_slice(&piece.after);
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
    let bad = |what: &[u8]| report::die(1, format_args!("bad conversion character %{}", crate::quote::raw(what)));
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

/// Adds an integer, its sign or mark, zeros and blanks.
fn integer(to: &mut Vec<u8>, c: &Conversion, letter: u8, value: u64, bytes: usize) {
    let bits = 8 * bytes.clamp(1, 8) as u32;
    let signed = (value << (64 - bits)) as i64 >> (64 - bits);
    let negative = matches!(letter, b'd' | b'i') && signed < 0;
    // As many as the longest, an octal number of 64 bits, has.
    let mut room = [0; 22];
    let digits = match letter {
        b'd' | b'i' => digits(&mut room, signed.unsigned_abs(), 10, b'a'),
        b'o' => digits(&mut room, value, 8, b'a'),
        b'x' => digits(&mut room, value, 16, b'a'),
        b'X' => digits(&mut room, value, 16, b'A'),
        _ => digits(&mut room, value, 10, b'a'),
    };
    let mark: &[u8] = match (letter, c.alternative && value != 0) {
        (b'o', true) => b"0",
        (b'x', true) => b"0x",
        (b'X', true) => b"0X",
        (b'd' | b'i', _) if negative => b"-",
        (b'd' | b'i', _) if c.plus => b"+",
        (b'd' | b'i', _) if c.space => b" ",
        _ => b"",
    };
    let least = match c.precision {
        Some(precision) => precision,
        None if c.zero && !c.minus => c.width.saturating_sub(mark.len()),
        None => 0,
    };
    let start = to.len();
    to.extend_from_slice(mark);
    to.resize(to.len() + least.saturating_sub(digits.len()), b'0');
    to.extend_from_slice(digits);
    pad(to, c, start);
}

/// The digits of a number, at the end of the room for them.
fn digits(room: &mut [u8; 22], mut value: u64, radix: u64, ten: u8) -> &[u8] {
    let mut start = room.len();
    loop {
        start -= 1;
        let digit = (value % radix) as u8;
        room[start] = if digit < 10 { b'0' + digit } else { ten + digit - 10 };
        value /= radix;
        if value == 0 {
            return &room[start..];
        }
    }
}

/// Makes what was added since `start` as wide as was asked for.
fn pad(to: &mut Vec<u8>, c: &Conversion, start: usize) {
    let (length, missing) = (to.len() - start, c.width.saturating_sub(to.len() - start));
    to.resize(to.len() + missing, b' ');
    if missing > 0 && !c.minus {
        to.copy_within(start..start + length, start + missing);
        to[start..start + missing].fill(b' ');
    }
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so", "si", "dle",
    "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
];

impl Piece {
    fn show(&self, data: &[u8], at: u64, last: bool, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.before);
        let c = &self.c;
        if data.is_empty() && self.bytes > 0 && self.what != What::Text {
            // No data: as wide as it would be.
            to.resize(to.len() + c.width, b' ');
        } else {
            self.show_data(data, at, to);
        }
        // The last of several has no blank behind it.
        let after = match self.after.split_last() {
            Some((blank, rest)) if last && blank.is_ascii_whitespace() => rest,
            _ => &self.after,
        };
        to.extend_from_slice(after);
    }

    fn show_data(&self, data: &[u8], at: u64, to: &mut Vec<u8>) {
        let (c, start) = (&self.c, to.len());
        let value = || data.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        let byte = data.first().copied().unwrap_or(0);
        match self.what {
            What::Text | What::EndAddress(_) => {}
            What::Address(letter) => integer(to, c, letter, at, 8),
            What::Integer(letter) => integer(to, c, letter, value(), self.bytes),
            What::Float(letter) => {
                let bits = value();
                let number = if self.bytes == 4 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) };
                to.extend_from_slice(Conversion { letter, ..c.clone() }.show(number).as_bytes());
            }
            What::Char => to.push(byte),
            What::Printable => to.push(if (32..127).contains(&byte) { byte } else { b'.' }),
            What::Escaped => match byte {
                0 => to.extend_from_slice(b"\\0"),
                7..=13 => to.extend_from_slice(&[b'\\', b"abtnvfr"[usize::from(byte - 7)]]),
                32..127 => to.push(byte),
                other => to.extend_from_slice(format!("{other:03o}").as_bytes()),
            },
            What::Named => match byte {
                0..=31 => to.extend_from_slice(NAMES[usize::from(byte)].as_bytes()),
                127 => to.extend_from_slice(b"del"),
                32..127 => to.push(byte),
                other => to.extend_from_slice(format!("{other:02x}").as_bytes()),
            },
            What::String => {
                let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
                to.extend_from_slice(&data[..end]);
            }
        }
        if matches!(self.what, What::Char | What::Printable | What::Escaped | What::Named) {
            pad(to, c, start);
        }
    }
}

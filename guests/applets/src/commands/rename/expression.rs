//! The statements an expression is made of.

use super::assign::{self, Value};
use crate::quote;
use capsule_regex::{Groups, Perl, PerlOptions, Whole};

pub enum Statement {
    Substitute {
        pattern: Box<Perl>,
        replacement: Vec<Piece>,
        all: bool,
    },
    /// A byte that is in the table becomes another one, or nothing.
    Transliterate {
        table: Box<[Option<Change>; 256]>,
        squeeze: bool,
    },
    /// `$_ = VALUE`, or `$_ .= VALUE`.
    Assign {
        appends: bool,
        value: Value,
    },
    Literal {
        from: Vec<u8>,
        to: Vec<u8>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Change {
    To(u8),
    Delete,
}

/// A part of a replacement.
pub enum Piece {
    Text(Vec<u8>),
    Group(usize),
    Case(Case),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Lower,
    Upper,
    /// For the next character only.
    LowerNext,
    UpperNext,
    AsIs,
}

/// Whether a word is an expression and not a part of a name.
pub fn is_one(word: &[u8]) -> bool {
    let word = word.trim_ascii_start();
    if word.starts_with(b"$_") {
        return true;
    }
    let rest = word.strip_prefix(b"tr").or_else(|| word.strip_prefix(b"s")).or_else(|| word.strip_prefix(b"y"));
    rest.and_then(<[u8]>::first).is_some_and(u8::is_ascii_punctuation)
}

pub fn parse(code: &[u8]) -> Result<Vec<Statement>, String> {
    let mut statements = Vec::new();
    let mut rest = code.trim_ascii_start();
    while let Some(&first) = rest.first() {
        if first == b';' {
            rest = rest[1..].trim_ascii_start();
            continue;
        }
        if let Some(text) = rest.strip_prefix(b"$_") {
            let (appends, value, after) = assign::parse(text).ok_or_else(|| unknown(rest))?;
            statements.push(Statement::Assign { appends, value });
            rest = after.trim_ascii_start();
            if !rest.is_empty() && !rest.starts_with(b";") {
                return Err(unknown(rest));
            }
            continue;
        }
        let translates = rest.strip_prefix(b"y").or_else(|| rest.strip_prefix(b"tr"));
        let (statement, after) = match (translates, rest.strip_prefix(b"s")) {
            (Some(text), _) => transliteration(text)?,
            (None, Some(text)) => substitution(text)?,
            (None, None) => return Err(unknown(rest)),
        };
        statements.push(statement);
        rest = after.trim_ascii_start();
        if !rest.is_empty() && !rest.starts_with(b";") {
            return Err(unknown(rest));
        }
    }
    Ok(statements)
}

fn unknown(code: &[u8]) -> String {
    let code = String::from_utf8_lossy(code);
    format!("not understood: {code}\nan expression is s/PATTERN/REPLACEMENT/, y/FROM/TO/, tr/FROM/TO/ or $_ = VALUE")
}

/// The text up to a delimiter; a backslash before it is taken away.
fn part(text: &[u8], open: u8) -> Option<(Vec<u8>, &[u8])> {
    let close = closing(open);
    let (mut found, mut depth, mut at) = (Vec::new(), 0, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if text.get(at + 1).is_some_and(|&next| next == open || next == close) => {
                at += 1;
                // A brace stays quoted: in a pattern it would mean something else.
                if open != close {
                    found.push(b'\\');
                }
                found.push(text[at]);
            }
            b'\\' => {
                found.push(byte);
                at += 1;
                found.extend(text.get(at));
            }
            _ if byte == close && depth == 0 => return Some((found, &text[at + 1..])),
            _ => {
                if open != close {
                    depth += i32::from(byte == open) - i32::from(byte == close);
                }
                found.push(byte);
            }
        }
        at += 1;
    }
    None
}

fn closing(open: u8) -> u8 {
    match open {
        b'{' => b'}',
        b'(' => b')',
        b'[' => b']',
        b'<' => b'>',
        other => other,
    }
}

/// Two parts, the flags behind them, and what follows.
type Parts<'a> = (Vec<u8>, Vec<u8>, &'a [u8], &'a [u8]);

fn parts<'a>(text: &'a [u8], what: &str) -> Result<Parts<'a>, String> {
    let open = *text.first().filter(|b| b.is_ascii_punctuation()).ok_or_else(|| unknown(text))?;
    let (first, rest) = part(&text[1..], open).ok_or(format!("{what} pattern not terminated"))?;
    let (second, rest) = match open == closing(open) {
        true => part(rest, open),
        false => rest.trim_ascii_start().split_first().and_then(|(&open, rest)| part(rest, open)),
    }
    .ok_or(format!("{what} replacement not terminated"))?;
    let flags = rest.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(rest.len());
    Ok((first, second, &rest[..flags], &rest[flags..]))
}

fn substitution(text: &[u8]) -> Result<(Statement, &[u8]), String> {
    let (mut pattern, replacement, flags, rest) = parts(text, "Substitution")?;
    let mut options = PerlOptions { utf8: quote::is_utf8(), ..PerlOptions::default() };
    let (mut all, mut inline) = (false, Vec::new());
    for &flag in flags {
        match flag {
            b'g' => all = true,
            b'i' => options.ignore_case = true,
            b'm' => options.multi_line = true,
            b's' | b'x' => inline.push(flag),
            _ => return Err(format!("the flag {} of s/// is not supported", flag as char)),
        }
    }
    if !inline.is_empty() {
        pattern = [b"(?", inline.as_slice(), b")", &pattern].concat();
    }
    let pattern = Perl::new(&pattern, &options, Whole::No).map_err(|e| e.to_string())?;
    let replacement = pieces(&replacement)?;
    Ok((Statement::Substitute { pattern: Box::new(pattern), replacement, all }, rest))
}

fn pieces(text: &[u8]) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied();
        let (piece, used) = match (byte, next) {
            (b'$', Some(b'&')) => (Some(Piece::Group(0)), 2),
            (b'$', Some(b'0'..=b'9' | b'{')) => {
                let braced = next == Some(b'{');
                let from = at + 1 + usize::from(braced);
                let digits = text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
                let number = std::str::from_utf8(&text[from..from + digits]).ok().and_then(|n| n.parse().ok());
                let closed = !braced || text.get(from + digits) == Some(&b'}');
                let number = number.filter(|_| closed).ok_or("only $1, ${1} and $& are known in a replacement")?;
                (Some(Piece::Group(number)), 1 + digits + 2 * usize::from(braced))
            }
            (b'$', Some(c)) if c.is_ascii_alphabetic() || c == b'_' => {
                return Err("only $1, ${1} and $& are known in a replacement".to_owned());
            }
            (b'\\', Some(c @ b'1'..=b'9')) => (Some(Piece::Group(usize::from(c - b'0'))), 2),
            (b'\\', Some(c)) => {
                let case = match c {
                    b'L' => Some(Case::Lower),
                    b'U' => Some(Case::Upper),
                    b'l' => Some(Case::LowerNext),
                    b'u' => Some(Case::UpperNext),
                    b'E' => Some(Case::AsIs),
                    _ => None,
                };
                if case.is_none() {
                    plain.push(match c {
                        b'n' => b'\n',
                        b't' => b'\t',
                        other => other,
                    });
                }
                (case.map(Piece::Case), 2)
            }
            _ => {
                plain.push(byte);
                (None, 1)
            }
        };
        if let Some(piece) = piece {
            if !plain.is_empty() {
                found.push(Piece::Text(std::mem::take(&mut plain)));
            }
            found.push(piece);
        }
        at += used;
    }
    if !plain.is_empty() {
        found.push(Piece::Text(plain));
    }
    Ok(found)
}

fn transliteration(text: &[u8]) -> Result<(Statement, &[u8]), String> {
    let (from, to, flags, rest) = parts(text, "Transliteration")?;
    let flag = |wanted| flags.contains(&wanted);
    if let Some(&other) = flags.iter().find(|flag| !b"cds".contains(flag)) {
        return Err(format!("the flag {} of y/// is not supported", other as char));
    }
    if !from.is_ascii() || !to.is_ascii() {
        return Err("y/// knows ASCII characters only".to_owned());
    }
    let (mut from, to) = (set(&from)?, set(&to)?);
    if flag(b'c') {
        from = (0..=255).filter(|byte| !from.contains(byte)).collect();
    }
    let mut table = Box::new([None; 256]);
    for (i, &byte) in from.iter().enumerate() {
        let change = match (to.get(i), to.last()) {
            (Some(&new), _) => Change::To(new),
            (None, _) if flag(b'd') => Change::Delete,
            (None, Some(&last)) => Change::To(last),
            (None, None) => Change::To(byte),
        };
        // The first place counts.
        table[usize::from(byte)].get_or_insert(change);
    }
    Ok((Statement::Transliterate { table, squeeze: flag(b's') }, rest))
}

/// The characters of `a-z_\n`.
fn set(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain: Vec<(u8, bool)> = Vec::new();
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => (b'\n', true),
                Some(b't') => (b'\t', true),
                Some(other) => (other, true),
                None => (b'\\', true),
            },
            _ => (byte, false),
        });
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&(first, _)) = plain.get(at) {
        match (plain.get(at + 1), plain.get(at + 2)) {
            (Some((b'-', false)), Some(&(last, _))) => {
                if last < first {
                    let (first, last) = (first as char, last as char);
                    return Err(format!("Invalid range \"{first}-{last}\" in transliteration operator"));
                }
                found.extend(first..=last);
                at += 3;
            }
            _ => {
                found.push(first);
                at += 1;
            }
        }
    }
    Ok(found)
}

impl Statement {
    pub fn apply(&self, name: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Statement::Substitute { pattern, replacement, all } => substitute(name, pattern, replacement, *all),
            Statement::Transliterate { table, squeeze } => Ok(transliterate(name, table, *squeeze)),
            Statement::Assign { appends: true, value } => Ok([name, &value.of(name)].concat()),
            Statement::Assign { appends: false, value } => Ok(value.of(name)),
            Statement::Literal { from, to } => Ok(match memchr::memmem::find(name, from) {
                Some(at) => [&name[..at], to, &name[at + from.len()..]].concat(),
                None => name.to_vec(),
            }),
        }
    }
}

fn substitute(name: &[u8], pattern: &Perl, replacement: &[Piece], all: bool) -> Result<Vec<u8>, String> {
    let (mut new, mut from, mut copied) = (Vec::new(), 0, 0);
    let mut groups = Groups::new();
    while from <= name.len() {
        let found = pattern.captures_at(name, from, &mut groups);
        if !found.map_err(|_| "the pattern takes too many steps".to_owned())? {
            break;
        }
        let Some(Some((start, end))) = groups.first().copied() else { break };
        new.extend_from_slice(&name[copied..start]);
        replace(&mut new, name, replacement, &groups);
        copied = end;
        if !all || (start == end && end == name.len()) {
            break;
        }
        // An empty match lets one character pass.
        from = if end > start { end } else { end + capsule_regex::char_len(&name[end..], quote::is_utf8()) };
    }
    new.extend_from_slice(&name[copied.min(name.len())..]);
    Ok(new)
}

fn replace(new: &mut Vec<u8>, name: &[u8], replacement: &[Piece], groups: &Groups) {
    let (mut lasting, mut next) = (Case::AsIs, Case::AsIs);
    for piece in replacement {
        let text = match piece {
            Piece::Case(case @ (Case::LowerNext | Case::UpperNext)) => {
                next = *case;
                continue;
            }
            Piece::Case(case) => {
                (lasting, next) = (*case, if *case == Case::AsIs { Case::AsIs } else { next });
                continue;
            }
            Piece::Text(text) => text.as_slice(),
            Piece::Group(n) => groups.get(*n).copied().flatten().map_or(&b""[..], |(start, end)| &name[start..end]),
        };
        for chunk in text.utf8_chunks() {
            for c in chunk.valid().chars() {
                let case = std::mem::replace(&mut next, Case::AsIs);
                let case = if case == Case::AsIs { lasting } else { case };
                let changed: String = match case {
                    Case::Lower | Case::LowerNext => c.to_lowercase().collect(),
                    Case::Upper | Case::UpperNext => c.to_uppercase().collect(),
                    Case::AsIs => c.to_string(),
                };
                new.extend_from_slice(changed.as_bytes());
            }
            new.extend_from_slice(chunk.invalid());
        }
    }
}

fn transliterate(name: &[u8], table: &[Option<Change>; 256], squeeze: bool) -> Vec<u8> {
    let mut new = Vec::with_capacity(name.len());
    let mut last = None;
    for &byte in name {
        match table[usize::from(byte)] {
            None => {
                new.push(byte);
                last = None;
            }
            Some(Change::Delete) => {}
            Some(Change::To(_)) if squeeze && last == table[usize::from(byte)] => {}
            Some(change @ Change::To(to)) => {
                new.push(to);
                last = Some(change);
            }
        }
    }
    new
}

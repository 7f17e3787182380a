//! Brace expansion: one word to several, before anything else is looked at.

use super::ast::{Param, ParamName, ParamOp, Part, Word};
use super::word::finish;
use crate::names::{Name, is_name_byte};
use capsule_applets::pad;
use std::rc::Rc;

/// More words than this from one word is a bomb, not a script: the braces stay as they are.
const MAX_WORDS: usize = 1 << 22;

#[derive(Clone)]
enum Atom {
    /// An unquoted byte.
    Byte(u8),
    Other(Part),
}

/// None: nothing to expand.
pub fn expand_braces(word: &Word) -> Option<Vec<Word>> {
    let mut atoms = Vec::new();
    for part in &word.parts {
        match part {
            Part::Literal(text) => atoms.extend(text.iter().map(|&b| Atom::Byte(b))),
            part => atoms.push(Atom::Other(part.clone())),
        }
    }
    let words = expand(&atoms, 0)?;
    Some(words.into_iter().map(to_word).collect())
}

/// Braces are text to bash: `{$a,b}_c` gives `$a_c`, the variable `a_c`.
fn join_names(atoms: Vec<Atom>) -> Vec<Atom> {
    let mut out: Vec<Atom> = Vec::new();
    let mut atoms = atoms.into_iter().peekable();
    while let Some(atom) = atoms.next() {
        let Atom::Other(Part::Param(param)) = &atom else {
            out.push(atom);
            continue;
        };
        let bare = matches!(param.name, ParamName::Variable(_)) && param.raw.get(1) != Some(&b'{');
        if !bare {
            out.push(atom);
            continue;
        }
        let mut raw = param.raw.to_vec();
        let before = raw.len();
        while let Some(Atom::Byte(b)) = atoms.peek() {
            if !is_name_byte(*b) {
                break;
            }
            raw.push(*b);
            atoms.next();
        }
        if raw.len() == before {
            out.push(atom);
            continue;
        }
        let name = ParamName::Variable(Name::new(&raw[1..]));
        let longer =
            Param { name, subscript: None, indirect: false, length: false, op: ParamOp::None, raw: raw.into() };
        out.push(Atom::Other(Part::Param(Rc::new(longer))));
    }
    out
}

fn to_word(atoms: Vec<Atom>) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    let mut text = Vec::new();
    for atom in join_names(atoms) {
        match atom {
            Atom::Byte(b) => text.push(b),
            Atom::Other(part) => {
                if !text.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut text).into()));
                }
                parts.push(part);
            }
        }
    }
    if !text.is_empty() {
        parts.push(Part::Literal(text.into()));
    }
    let mut word = finish(parts, Box::default());
    word.braces = false;
    word
}

fn is(atom: &Atom, byte: u8) -> bool {
    matches!(atom, Atom::Byte(b) if *b == byte)
}

/// None when no brace expression is in it.
fn expand(atoms: &[Atom], depth: u32) -> Option<Vec<Vec<Atom>>> {
    if depth > 60 {
        return None;
    }
    let closes = closing_braces(atoms);
    let mut from = 0;
    loop {
        let open = from + atoms[from..].iter().position(|a| is(a, b'{'))?;
        let Some(Closed { close, commas, nested }) = closes[open] else {
            from = open + 1;
            continue;
        };
        // Known beforehand, so that many braces around one thing are not read again for each of them.
        if !commas && nested {
            from = open + 1;
            continue;
        }
        let commas = if commas { commas_between(atoms, open, close) } else { Vec::new() };
        let inner = &atoms[open + 1..close];
        let choices: Vec<Vec<Atom>> = if commas.is_empty() {
            match sequence(inner) {
                Some(items) => items,
                None => {
                    from = open + 1;
                    continue;
                }
            }
        } else {
            let mut choices = Vec::new();
            let mut start = open + 1;
            for end in commas.into_iter().chain([close]) {
                let piece = &atoms[start..end];
                match expand(piece, depth + 1) {
                    Some(words) => choices.extend(words),
                    None => choices.push(piece.to_vec()),
                }
                start = end + 1;
            }
            choices
        };
        let rest = &atoms[close + 1..];
        let tails = expand(rest, depth + 1).unwrap_or_else(|| vec![rest.to_vec()]);
        if choices.len().saturating_mul(tails.len()) > MAX_WORDS {
            return None;
        }
        let head = &atoms[..open];
        let mut words = Vec::with_capacity(choices.len() * tails.len());
        for choice in &choices {
            for tail in &tails {
                words.push([head, choice, tail].concat());
            }
        }
        return Some(words);
    }
}

/// A pair of braces: where it closes, whether commas of its own and other braces are in it.
#[derive(Clone, Copy)]
struct Closed {
    close: usize,
    commas: bool,
    nested: bool,
}

/// For each opening brace the pair it begins, in one pass.
fn closing_braces(atoms: &[Atom]) -> Vec<Option<Closed>> {
    let mut closes = vec![None; atoms.len()];
    let mut open: Vec<(usize, bool, bool)> = Vec::new();
    for (i, atom) in atoms.iter().enumerate() {
        match atom {
            Atom::Byte(b'{') => {
                if let Some(outer) = open.last_mut() {
                    outer.2 = true;
                }
                open.push((i, false, false));
            }
            Atom::Byte(b',') => {
                if let Some(inner) = open.last_mut() {
                    inner.1 = true;
                }
            }
            Atom::Byte(b'}') => {
                if let Some((at, commas, nested)) = open.pop() {
                    closes[at] = Some(Closed { close: i, commas, nested });
                }
            }
            _ => {}
        }
    }
    closes
}

/// The commas of this level.
fn commas_between(atoms: &[Atom], open: usize, close: usize) -> Vec<usize> {
    let mut depth = 0;
    let mut commas = Vec::new();
    for (i, atom) in atoms.iter().enumerate().take(close).skip(open + 1) {
        match atom {
            Atom::Byte(b'{') => depth += 1,
            Atom::Byte(b'}') => depth -= 1,
            Atom::Byte(b',') if depth == 0 => commas.push(i),
            _ => {}
        }
    }
    commas
}

/// `x..y` and `x..y..step` with numbers or single letters.
fn sequence(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let text: Option<Vec<u8>> = inner
        .iter()
        .map(|a| match a {
            Atom::Byte(b) => Some(*b),
            Atom::Other(_) => None,
        })
        .collect();
    let text = String::from_utf8(text?).ok()?;
    let mut pieces = text.split("..");
    let (first, last) = (pieces.next()?, pieces.next()?);
    let step: i64 = match pieces.next() {
        Some(step) => step.parse().ok()?,
        None => 1,
    };
    if pieces.next().is_some() {
        return None;
    }
    let letter = |s: &str| match s.as_bytes() {
        [b] if b.is_ascii_alphabetic() => Some(i64::from(*b)),
        _ => None,
    };
    let (start, end, width, letters) = match (letter(first), letter(last)) {
        (Some(start), Some(end)) => (start, end, 0, true),
        (None, None) => {
            let (start, end): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
            let padded = |s: &str| {
                let digits = s.trim_start_matches(['-', '+']);
                digits.len() > 1 && digits.starts_with('0')
            };
            let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
            (start, end, width, false)
        }
        _ => return None,
    };
    let step = step.checked_abs()?.max(1);
    let count = (i128::from(end) - i128::from(start)).unsigned_abs() / step as u128 + 1;
    if count > MAX_WORDS as u128 {
        return None;
    }
    let step = if start <= end { step } else { -step };
    let mut items = Vec::with_capacity(count as usize);
    let mut n = start;
    for _ in 0..count {
        let text = if letters { vec![n as u8] } else { padded(n, width).into_bytes() };
        // A backslash or quote between letters stays what it is: a byte.
        items.push(text.into_iter().map(Atom::Byte).collect());
        n = n.wrapping_add(step);
    }
    Some(items)
}

/// Zeros up to a width, which a user may write as long as they like.
fn padded(n: i64, width: usize) -> String {
    let (sign, digits) = (if n < 0 { "-" } else { "" }, n.unsigned_abs().to_string());
    format!("{sign}{}", pad::zeros(&digits, width.saturating_sub(sign.len())))
}

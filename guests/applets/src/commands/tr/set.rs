//! The strings of `tr`: what is in them, and the bytes they stand for.

use crate::glob::class;
use crate::quote::locale;
use crate::{Exit, number, report};

enum Item {
    Byte(u8),
    Range(u8, u8),
    Class(Vec<u8>),
    Equivalent(u8),
    /// A byte and how often; 0 fills up the set.
    Repeat(u8, u64),
}

pub struct Set(Vec<Item>);

/// A byte, and whether a backslash made it plain.
type Mark = (u8, bool);

pub fn parse(text: &[u8]) -> Result<Set, Exit> {
    let marks = unescape(text);
    let mut items = Vec::new();
    let mut i = 0;
    while i < marks.len() {
        if let Some((item, used)) = bracket(&marks[i..])? {
            items.push(item);
            i += used;
            continue;
        }
        let byte = marks[i].0;
        if marks.get(i + 1) == Some(&(b'-', false)) && i + 2 < marks.len() {
            let high = marks[i + 2].0;
            if high < byte {
                let shown = [shown(marks[i]), b"-".to_vec(), shown(marks[i + 2])].concat();
                let text = crate::quote::raw(&shown);
                let message = format!("range-endpoints of '{text}' are in reverse collating sequence order");
                return Err(report::die(1, message));
            }
            items.push(Item::Range(byte, high));
            i += 3;
            continue;
        }
        items.push(Item::Byte(byte));
        i += 1;
    }
    Ok(Set(items))
}

/// What fills up a set may stand only in the second string, and only once.
pub fn check_fills(first: &Set, second: Option<&Set>, translating: bool) -> Result<(), Exit> {
    let fills = |set: &Set| set.0.iter().filter(|item| matches!(item, Item::Repeat(_, 0))).count();
    let problem = match (fills(first), second.map_or(0, fills)) {
        (0, 0) => return Ok(()),
        (0, 1) if translating => return Ok(()),
        (0, 1) => "the [c*] construct may appear in string2 only when translating",
        (0, _) => "only one [c*] repeat construct may appear in string2",
        _ => "the [c*] repeat construct may not appear in string1",
    };
    Err(report::die(1, problem))
}

fn shown(mark: Mark) -> Vec<u8> {
    match mark.0 {
        b if b.is_ascii_graphic() || b == b' ' => vec![b],
        b => format!("\\{b:03o}").into_bytes(),
    }
}

fn unescape(text: &[u8]) -> Vec<Mark> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        if byte != b'\\' {
            all.push((byte, false));
            continue;
        }
        let Some((&next, more)) = rest.split_first() else {
            report::error("warning: an unescaped backslash at end of string is not portable");
            all.push((b'\\', false));
            break;
        };
        if (b'0'..=b'7').contains(&next) {
            let mut value = 0u32;
            let mut digits = 0;
            // A third digit that would go beyond a byte is left alone.
            while digits < 3
                && let Some(&d @ b'0'..=b'7') = rest.first()
                && value * 8 + u32::from(d - b'0') < 256
            {
                value = value * 8 + u32::from(d - b'0');
                rest = &rest[1..];
                digits += 1;
            }
            all.push((value as u8, true));
            continue;
        }
        rest = more;
        let byte = match next {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            other => other,
        };
        all.push((byte, true));
    }
    all
}

/// `[:class:]`, `[=c=]`, `[c*n]` at the start.
fn bracket(marks: &[Mark]) -> Result<Option<(Item, usize)>, Exit> {
    if marks.first() != Some(&(b'[', false)) || marks.len() < 3 {
        return Ok(None);
    }
    for kind in [b':', b'='] {
        if marks[1] != (kind, false) {
            continue;
        }
        let close = marks[2..].windows(2).position(|w| w[0] == (kind, false) && w[1] == (b']', false));
        let Some(length) = close else { continue };
        let name: Vec<u8> = marks[2..2 + length].iter().map(|m| m.0).collect();
        if kind == b':' {
            const CLASSES: [&[u8]; 12] = [
                b"alnum", b"alpha", b"blank", b"cntrl", b"digit", b"graph", b"lower", b"print", b"punct", b"space",
                b"upper", b"xdigit",
            ];
            if length == 0 {
                return Err(report::die(1, "missing character class name '[::]'"));
            }
            if !CLASSES.contains(&name.as_slice()) {
                // `[:*]` and the like may still be a repeat.
                if let Some(found) = repeat(marks)? {
                    return Ok(Some(found));
                }
                return Err(report::die(1, format_args!("invalid character class {}", locale(&name))));
            }
            return Ok(Some((Item::Class(name), length + 4)));
        }
        match name.as_slice() {
            [] => return Err(report::die(1, "missing equivalence class character '[==]'")),
            [byte] => return Ok(Some((Item::Equivalent(*byte), length + 4))),
            _ => {
                if let Some(found) = repeat(marks)? {
                    return Ok(Some(found));
                }
                let name = crate::quote::raw(&name);
                let text = format!("{name}: equivalence class operand must be a single character");
                return Err(report::die(1, text));
            }
        }
    }
    repeat(marks)
}

fn repeat(marks: &[Mark]) -> Result<Option<(Item, usize)>, Exit> {
    if marks.get(2) != Some(&(b'*', false)) {
        return Ok(None);
    }
    let Some(length) = marks[3..].iter().position(|m| *m == (b']', false)) else { return Ok(None) };
    let digits: Vec<u8> = marks[3..3 + length].iter().map(|m| m.0).collect();
    let bad = |digits: &[u8]| {
        let shown = locale(digits);
        report::die(1, format_args!("invalid repeat count {shown} in [c*n] construct"))
    };
    let count = if digits.first() == Some(&b'0') {
        // Octal.
        let text = crate::quote::raw(&digits);
        u64::from_str_radix(&text, 8).map_err(|_| bad(&digits))?
    } else if digits.is_empty() {
        0
    } else {
        number::unsigned(&digits, b"").map_err(|_| bad(&digits))?
    };
    Ok(Some((Item::Repeat(marks[1].0, count), length + 4)))
}

impl Set {
    /// The bytes in order. `fill` is how long the set is to be made by its `[c*]`.
    pub fn expand(&self, fill: Option<usize>, complement: bool) -> Result<Vec<u8>, Exit> {
        let fixed: u64 = self.0.iter().map(Item::length).sum();
        let mut all = Vec::new();
        for item in &self.0 {
            match item {
                Item::Byte(b) | Item::Equivalent(b) => all.push(*b),
                Item::Range(low, high) => all.extend(*low..=*high),
                Item::Class(name) => all.extend((0..=255u8).filter(|b| class(name, *b))),
                Item::Repeat(b, 0) => {
                    let missing = (fill.unwrap_or(0) as u64).saturating_sub(fixed);
                    all.resize(all.len() + missing as usize, *b);
                }
                // More than a set can need changes nothing.
                Item::Repeat(b, n) => all.resize(all.len() + (*n).min(1 << 16) as usize, *b),
            }
        }
        if complement {
            let mut inside = [false; 256];
            all.iter().for_each(|b| inside[usize::from(*b)] = true);
            all = (0..=255u8).filter(|b| !inside[usize::from(*b)]).collect();
        }
        Ok(all)
    }

    pub fn ends_in_class(&self) -> bool {
        matches!(self.0.last(), Some(Item::Class(_)))
    }
}

impl Set {
    /// Whether it has no two bytes.
    fn is_one_byte(&self) -> bool {
        let mut bytes = self.0.iter().map(|item| match *item {
            Item::Byte(b) | Item::Repeat(b, _) => Some(b),
            Item::Range(low, high) if low == high => Some(low),
            _ => None,
        });
        let first = bytes.next().flatten();
        first.is_some() && bytes.all(|byte| byte == first)
    }
}

impl Item {
    fn length(&self) -> u64 {
        match self {
            Item::Byte(_) | Item::Equivalent(_) => 1,
            Item::Range(low, high) => u64::from(high - low) + 1,
            Item::Class(name) => (0..=255u8).filter(|b| class(name, *b)).count() as u64,
            Item::Repeat(_, n) => *n,
        }
    }
}

/// In the second string only `[:upper:]` and `[:lower:]` may stand, and only against each other.
pub fn check_classes(first: &Set, second: &Set, complement: bool) -> Result<(), Exit> {
    let case = |name: &[u8]| name == b"upper" || name == b"lower";
    if second.0.iter().any(|item| matches!(item, Item::Equivalent(_))) {
        return Err(report::die(1, "[=c=] expressions may not appear in string2 when translating"));
    }
    if second.0.iter().any(|item| matches!(item, Item::Class(name) if !case(name))) {
        let text = "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'";
        return Err(report::die(1, text));
    }
    if complement && first.0.iter().any(|item| matches!(item, Item::Class(_))) && !second.is_one_byte() {
        let text = "when translating with complemented character classes,\nstring2 must map all characters in the domain to one";
        return Err(report::die(1, text));
    }
    let mut at = 0;
    for item in &second.0 {
        if let Item::Class(_) = item {
            let mut from = 0;
            let faces = first.0.iter().any(|other| {
                let here = from == at && matches!(other, Item::Class(name) if case(name));
                from += other.length();
                here
            });
            if !faces || complement {
                return Err(report::die(1, "misaligned [:upper:] and/or [:lower:] construct"));
            }
        }
        at += item.length();
    }
    Ok(())
}

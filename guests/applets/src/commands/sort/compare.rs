//! Lines with their keys found and their numbers read once, and how two of them compare.

use super::Sorter;
use super::key::{Key, Order, blank};
use std::cmp::Ordering;

pub struct Line<'a> {
    pub text: &'a [u8],
    keys: Vec<Value<'a>>,
}

/// A key's part of a line, ready to be compared.
enum Value<'a> {
    Text(&'a [u8]),
    /// With blanks, cases or odd characters taken out.
    Changed(Vec<u8>),
    /// Sign, digits before the point without zeros in front, digits behind it without zeros at the end.
    Number(bool, &'a [u8], &'a [u8]),
    /// The rank of a suffix, and a number.
    Human(i8, bool, &'a [u8], &'a [u8]),
    /// No number, NaN, number.
    General(u8, f64),
    Month(u8),
    Version(&'a [u8]),
    Random(u64, &'a [u8]),
}

impl Sorter {
    /// The lines of a text.
    pub fn lines<'a>(&self, all: &'a [u8]) -> Vec<Line<'a>> {
        let mut lines = Vec::new();
        let mut start = 0;
        let mut add = |text: &'a [u8]| {
            let keys = self.keys.iter().map(|key| self.value(key, key.of(text, self.separator))).collect();
            lines.push(Line { text, keys });
        };
        for end in memchr::memchr_iter(self.end, all) {
            add(&all[start..end]);
            start = end + 1;
        }
        if start < all.len() {
            add(&all[start..]);
        }
        lines
    }

    fn value<'a>(&self, key: &Key, text: &'a [u8]) -> Value<'a> {
        let flags = &key.flags;
        match flags.order {
            Order::Numeric => {
                let (negative, whole, behind, _) = decimal(text);
                Value::Number(negative, whole, behind)
            }
            Order::Human => {
                let (negative, whole, behind, rest) = decimal(text);
                let zero = whole.is_empty() && behind.is_empty();
                let rank =
                    rest.first().and_then(|b| b"KMGTPEZY".iter().position(|l| l == b || (*b == b'k' && *l == b'K')));
                let rank = if zero { 0 } else { rank.map_or(0, |r| r as i8 + 1) };
                Value::Human(if negative { -rank } else { rank }, negative, whole, behind)
            }
            Order::General => general(text),
            Order::Month => Value::Month(month(text)),
            Order::Random => Value::Random(self.hash(text), text),
            Order::Version if !flags.fold => Value::Version(text),
            _ if !(flags.fold || flags.dictionary || flags.printable) => Value::Text(text),
            _ => {
                let keep = |b: &u8| {
                    (!flags.dictionary || blank(b) || b.is_ascii_alphanumeric())
                        && (!flags.printable || (32..127).contains(b))
                };
                let fold = |b: u8| if flags.fold { b.to_ascii_uppercase() } else { b };
                Value::Changed(text.iter().copied().filter(keep).map(fold).collect())
            }
        }
    }

    /// FNV-1a from a seed that differs in every run: equal keys stay together.
    fn hash(&self, text: &[u8]) -> u64 {
        text.iter().fold(self.seed, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
    }

    pub fn by_keys(&self, a: &Line<'_>, b: &Line<'_>) -> Ordering {
        for (key, (a, b)) in self.keys.iter().zip(a.keys.iter().zip(&b.keys)) {
            let order = a.compare(b);
            if order != Ordering::Equal {
                return if key.flags.reverse { order.reverse() } else { order };
            }
        }
        if self.keys.is_empty() { a.text.cmp(b.text) } else { Ordering::Equal }
    }

    /// By the keys, then, unless that is turned off, by the whole line.
    pub fn compare(&self, a: &Line<'_>, b: &Line<'_>) -> Ordering {
        if self.keys.is_empty() {
            let order = a.text.cmp(b.text);
            return if self.global.reverse { order.reverse() } else { order };
        }
        let order = self.by_keys(a, b);
        if order != Ordering::Equal || self.stable {
            return order;
        }
        let order = a.text.cmp(b.text);
        if self.global.reverse { order.reverse() } else { order }
    }
}

impl Value<'_> {
    fn compare(&self, other: &Value<'_>) -> Ordering {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Changed(a), Value::Changed(b)) => a.cmp(b),
            (Value::Number(s, w, f), Value::Number(t, x, g)) => numbers((*s, w, f), (*t, x, g)),
            (Value::Human(r, s, w, f), Value::Human(q, t, x, g)) => {
                r.cmp(q).then_with(|| numbers((*s, w, f), (*t, x, g)))
            }
            (Value::General(k, a), Value::General(l, b)) => {
                k.cmp(l).then_with(|| a.partial_cmp(b).unwrap_or(Ordering::Equal))
            }
            (Value::Month(a), Value::Month(b)) => a.cmp(b),
            (Value::Version(a), Value::Version(b)) => crate::version::compare(a, b),
            (Value::Random(h, a), Value::Random(i, b)) => h.cmp(i).then_with(|| a.cmp(b)),
            // Both sides come from the same key.
            _ => Ordering::Equal,
        }
    }
}

type Decimal<'a> = (bool, &'a [u8], &'a [u8]);

fn numbers(a: Decimal<'_>, b: Decimal<'_>) -> Ordering {
    let zero = |n: &Decimal<'_>| n.1.is_empty() && n.2.is_empty();
    match (a.0 && !zero(&a), b.0 && !zero(&b)) {
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        _ => {}
    }
    let order = a.1.len().cmp(&b.1.len()).then_with(|| a.1.cmp(b.1)).then_with(|| a.2.cmp(b.2));
    if a.0 && !zero(&a) { order.reverse() } else { order }
}

/// The number at the start of a text, in its parts, and what follows it.
fn decimal(text: &[u8]) -> (bool, &[u8], &[u8], &[u8]) {
    let blanks = text.iter().take_while(|b| blank(b)).count();
    let mut rest = &text[blanks..];
    let negative = rest.first() == Some(&b'-');
    if negative {
        rest = &rest[1..];
    }
    let digits = |s: &[u8]| s.iter().take_while(|b| b.is_ascii_digit()).count();
    let (whole, mut rest) = rest.split_at(digits(rest));
    let mut behind: &[u8] = b"";
    if rest.first() == Some(&b'.') {
        (behind, rest) = rest[1..].split_at(digits(&rest[1..]));
    }
    let zeros = whole.iter().take_while(|b| **b == b'0').count();
    let end = behind.iter().rposition(|b| *b != b'0').map_or(0, |i| i + 1);
    (negative, &whole[zeros..], &behind[..end], rest)
}

/// As `strtold` reads it: the longest beginning that is a number.
fn general<'a>(text: &[u8]) -> Value<'a> {
    let blanks = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let rest = &text[blanks..];
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let body = &rest[sign..];
    let length =
        if body.len() >= 3 && (body[..3].eq_ignore_ascii_case(b"inf") || body[..3].eq_ignore_ascii_case(b"nan")) {
            3
        } else {
            let digits = |from: usize| body[from.min(body.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
            let mut n = digits(0);
            let mut any = n > 0;
            if body.get(n) == Some(&b'.') {
                let behind = digits(n + 1);
                any |= behind > 0;
                n += 1 + behind;
            }
            if any && matches!(body.get(n), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(body.get(n + 1), Some(b'+' | b'-')));
                let power = digits(n + 1 + sign);
                n += if power > 0 { 1 + sign + power } else { 0 };
            }
            if any { n } else { 0 }
        };
    let parsed = std::str::from_utf8(&rest[..sign + length]).ok().and_then(|t| t.parse::<f64>().ok());
    match parsed.filter(|_| length > 0) {
        None => Value::General(0, 0.0),
        Some(n) if n.is_nan() => Value::General(1, 0.0),
        Some(n) => Value::General(2, n),
    }
}

fn month(text: &[u8]) -> u8 {
    let blanks = text.iter().take_while(|b| blank(b)).count();
    let Some(name) = text[blanks..].get(..3) else { return 0 };
    const NAMES: [&[u8; 3]; 12] =
        [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];
    NAMES.iter().position(|n| name.eq_ignore_ascii_case(*n)).map_or(0, |i| i as u8 + 1)
}

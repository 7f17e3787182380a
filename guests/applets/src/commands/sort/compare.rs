//! How two lines compare. Each line has a number that decides most comparisons: the beginning of its first key in an
//! order-preserving form. Only where two such numbers are equal are keys looked at.

use super::Sorter;
use super::key::{Flags, Key, Order, blank};
use std::cmp::Ordering;

/// A line of a text, and where one of its keys is: the first, but while a chunk is sorted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record {
    start: u32,
    length: u32,
    key_start: u32,
    /// The highest bit says that [`Record::prefix`] is all there is to the key.
    key_length: u32,
    prefix: u64,
}

const EXACT: u32 = 1 << 31;

impl Record {
    pub fn line<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..][..self.length as usize]
    }

    fn key<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.key_start as usize..][..(self.key_length & !EXACT) as usize]
    }

    /// Lines come in the order of their starts.
    pub fn start(&self) -> u32 {
        self.start
    }
}

impl Sorter {
    /// The record of the line between two places of a text, with its first key.
    pub fn record(&self, text: &[u8], start: usize, end: usize) -> Record {
        let mut record = Record { start: start as u32, length: (end - start) as u32, ..Record::default() };
        self.find_key(&mut record, text, 0);
        record
    }

    /// Finds a key of a line; the line itself where there are none.
    pub fn find_key(&self, record: &mut Record, text: &[u8], level: usize) {
        let line = record.line(text);
        let (key, (prefix, exact)) = match self.keys.get(level) {
            Some(key) => {
                let place = key.of(line, self.separator);
                (place.clone(), self.prefix(&key.flags, &line[place]))
            }
            None => (0..line.len(), text_prefix(line.iter().copied())),
        };
        record.key_start = record.start + key.start as u32;
        record.key_length = (key.len() as u32 & !EXACT) | if exact { EXACT } else { 0 };
        record.prefix = prefix;
    }

    fn prefix(&self, flags: &Flags, key: &[u8]) -> (u64, bool) {
        match flags.order {
            Order::Numeric => Decimal::read(key).0.prefix(None),
            Order::Human => {
                let (number, rest) = Decimal::read(key);
                number.prefix(Some(human_rank(&number, rest)))
            }
            Order::General => (general(key), true),
            Order::Month => (month(key).into(), true),
            Order::Random => (self.hash(key), false),
            Order::Version => (0, false),
            Order::Text if flags.changes() => text_prefix(changed(flags, key)),
            Order::Text => text_prefix(key.iter().copied()),
        }
    }

    /// FNV-1a from a seed that differs in every run: equal keys stay together.
    fn hash(&self, text: &[u8]) -> u64 {
        text.iter().fold(self.seed, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
    }

    fn key_order(&self, key: &Key, a: &[u8], b: &[u8]) -> Ordering {
        let flags = &key.flags;
        match flags.order {
            Order::Numeric => Decimal::read(a).0.compare(&Decimal::read(b).0),
            Order::Human => {
                let ((a, a_rest), (b, b_rest)) = (Decimal::read(a), Decimal::read(b));
                let ranks = human_rank(&a, a_rest).cmp(&human_rank(&b, b_rest));
                ranks.then_with(|| a.compare(&b))
            }
            Order::General => general(a).cmp(&general(b)),
            Order::Month => month(a).cmp(&month(b)),
            Order::Random => self.hash(a).cmp(&self.hash(b)).then_with(|| a.cmp(b)),
            Order::Version if flags.fold => crate::version::compare(&a.to_ascii_uppercase(), &b.to_ascii_uppercase()),
            Order::Version => crate::version::compare(a, b),
            Order::Text if flags.changes() => changed(flags, a).cmp(changed(flags, b)),
            Order::Text => a.cmp(b),
        }
    }

    /// By the key that the records were made for.
    pub fn by_key(&self, level: usize, a: (&[u8], &Record), b: (&[u8], &Record)) -> Ordering {
        let prefixes = a.1.prefix.cmp(&b.1.prefix);
        let key = &self.keys[level];
        let exact = a.1.key_length & b.1.key_length & EXACT != 0;
        let order = if prefixes != Ordering::Equal || exact {
            prefixes
        } else {
            self.key_order(key, a.1.key(a.0), b.1.key(b.0))
        };
        if key.flags.reverse { order.reverse() } else { order }
    }

    /// By the keys from one on, which the records were made for.
    fn by_keys_from(&self, level: usize, a: (&[u8], &Record), b: (&[u8], &Record)) -> Ordering {
        let order = self.by_key(level, a, b);
        let others = &self.keys[level + 1..];
        if order != Ordering::Equal || others.is_empty() {
            return order;
        }
        let (a, b) = (a.1.line(a.0), b.1.line(b.0));
        for key in others {
            let (x, y) = (key.of(a, self.separator), key.of(b, self.separator));
            let order = self.key_order(key, &a[x], &b[y]);
            if order != Ordering::Equal {
                return if key.flags.reverse { order.reverse() } else { order };
            }
        }
        Ordering::Equal
    }

    /// By the keys alone; by whole lines where there are none.
    pub fn by_keys(&self, a: (&[u8], &Record), b: (&[u8], &Record)) -> Ordering {
        if !self.keys.is_empty() {
            return self.by_keys_from(0, a, b);
        }
        let order = a.1.prefix.cmp(&b.1.prefix).then_with(|| a.1.line(a.0).cmp(b.1.line(b.0)));
        if self.global.reverse { order.reverse() } else { order }
    }

    /// By the keys, then, unless that is turned off, by the whole line.
    pub fn compare(&self, a: (&[u8], &Record), b: (&[u8], &Record)) -> Ordering {
        let order = self.by_keys(a, b);
        if self.keys.is_empty() { order } else { order.then_with(|| self.last_resort(a, b)) }
    }

    /// As [`Sorter::compare`], for records made for a later key whose keys before are equal.
    pub fn compare_from(&self, level: usize, a: (&[u8], &Record), b: (&[u8], &Record)) -> Ordering {
        self.by_keys_from(level, a, b).then_with(|| self.last_resort(a, b))
    }

    fn last_resort(&self, a: (&[u8], &Record), b: (&[u8], &Record)) -> Ordering {
        if self.stable || self.unique {
            return Ordering::Equal;
        }
        let order = a.1.line(a.0).cmp(b.1.line(b.0));
        if self.global.reverse { order.reverse() } else { order }
    }
}

/// Seven bytes, then the length as far as they tell it.
fn text_prefix(bytes: impl Iterator<Item = u8>) -> (u64, bool) {
    let mut first = [0; 8];
    for (i, byte) in bytes.enumerate() {
        if i == 7 {
            first[7] = 8;
            break;
        }
        first[i] = byte;
        first[7] = i as u8 + 1;
    }
    (u64::from_be_bytes(first), first[7] < 8)
}

/// What `-d`, `-f` and `-i` leave of a key.
fn changed<'a>(flags: &'a Flags, key: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
    let keep = |b: &u8| {
        (!flags.dictionary || blank(b) || b.is_ascii_alphanumeric()) && (!flags.printable || (32..127).contains(b))
    };
    let fold = |b: u8| if flags.fold { b.to_ascii_uppercase() } else { b };
    key.iter().copied().filter(keep).map(fold)
}

/// Sign, digits before the point without zeros in front, digits behind it without zeros at the end.
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    behind: &'a [u8],
}

impl<'a> Decimal<'a> {
    /// The number at the start of a text, and what follows it.
    fn read(text: &'a [u8]) -> (Decimal<'a>, &'a [u8]) {
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
        let number = Decimal { negative, whole: &whole[zeros..], behind: &behind[..end] };
        let zero = number.is_zero();
        (Decimal { negative: negative && !zero, ..number }, rest)
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.behind.is_empty()
    }

    fn compare(&self, other: &Decimal<'_>) -> Ordering {
        let signs = other.negative.cmp(&self.negative);
        let sizes = self.whole.len().cmp(&other.whole.len());
        let magnitudes = sizes.then_with(|| self.whole.cmp(other.whole)).then_with(|| self.behind.cmp(other.behind));
        signs.then(if self.negative { magnitudes.reverse() } else { magnitudes })
    }

    /// A sign bit, the rank of a unit where there are units, how many digits are before the point, then digits.
    fn prefix(&self, rank: Option<i8>) -> (u64, bool) {
        let (room, head) = match rank {
            None => (14, 0),
            Some(rank) => (13, u64::from(rank.unsigned_abs()) << 59),
        };
        let mut value = head | (self.whole.len().min(127) as u64) << (4 * room);
        let digits = self.whole.iter().chain(self.behind);
        for (i, digit) in digits.take(room).enumerate() {
            value |= u64::from(digit - b'0') << (4 * (room - 1 - i));
        }
        let exact = self.whole.len() < 127 && self.whole.len() + self.behind.len() <= room;
        (if self.negative { !value & !(1 << 63) } else { value | 1 << 63 }, exact)
    }
}

/// The rank of a unit letter; negative for negative numbers.
fn human_rank(number: &Decimal<'_>, rest: &[u8]) -> i8 {
    let rank = rest.first().and_then(|b| b"KMGTPEZY".iter().position(|l| l == b || (*b == b'k' && *l == b'K')));
    let rank = if number.is_zero() { 0 } else { rank.map_or(0, |r| r as i8 + 1) };
    if number.negative { -rank } else { rank }
}

/// As `strtold` reads it: no number, NaN, then numbers, as integers in the same order.
fn general(text: &[u8]) -> u64 {
    let (value, used) = crate::float::parse(text);
    if used == 0 {
        return 0;
    }
    if value.is_nan() {
        // By their bytes, of which the sign is the last.
        return 1 + u64::from(text.trim_ascii_start().starts_with(b"-"));
    }
    // A negative zero is a zero.
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn month(text: &[u8]) -> u8 {
    let blanks = text.iter().take_while(|b| blank(b)).count();
    let Some(name) = text[blanks..].get(..3) else { return 0 };
    const NAMES: [&[u8; 3]; 12] =
        [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];
    NAMES.iter().position(|n| name.eq_ignore_ascii_case(*n)).map_or(0, |i| i as u8 + 1)
}

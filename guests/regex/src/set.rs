//! Sets of characters: bracket expressions, classes, folded letters.

use crate::error::{BAD_CLASS, Error};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// In the byte mode `low` and `high` are all of it. In the UTF-8 mode `low` are the ASCII characters, `chars` the others
/// in order, and `high` single bytes that are no characters.
#[derive(Clone, Default, Debug)]
pub struct Set {
    pub low: u128,
    pub high: u128,
    pub chars: Vec<(char, char)>,
}

impl Set {
    pub fn has_byte(&self, b: u8) -> bool {
        if b < 128 { self.low >> b & 1 == 1 } else { self.high >> (b - 128) & 1 == 1 }
    }

    pub fn has_char(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.low >> (c as u32) & 1 == 1;
        }
        let after = self.chars.partition_point(|range| range.0 <= c);
        after > 0 && c <= self.chars[after - 1].1
    }
}

/// Collects a [`Set`].
pub struct Builder {
    utf8: bool,
    class: ClassUnicode,
    bytes: [u128; 2],
}

impl Builder {
    pub fn new(utf8: bool) -> Builder {
        Builder { utf8, class: ClassUnicode::empty(), bytes: [0; 2] }
    }

    pub fn byte(&mut self, b: u8) {
        if self.utf8 && b < 128 {
            return self.chars(b.into(), b.into());
        }
        self.bytes[usize::from(b >> 7)] |= 1 << (b & 127);
    }

    pub fn chars(&mut self, from: char, to: char) {
        self.class.push(ClassUnicodeRange::new(from, to));
    }

    /// A named class of POSIX. Both cases are meant when case does not count.
    pub fn named(&mut self, name: &[u8], fold: bool) -> Result<(), Error> {
        if !self.utf8 {
            let test = ascii_class(name, fold).ok_or(BAD_CLASS)?;
            (0..128).filter(test).for_each(|b| self.byte(b));
            return Ok(());
        }
        // As the C library's C.UTF-8 has them.
        let pattern = match name {
            b"upper" | b"lower" if fold => r"[\p{Alphabetic}\p{Nd}--[0-9]]",
            b"alpha" => r"[\p{Alphabetic}\p{Nd}--[0-9]]",
            b"alnum" => r"[\p{Alphabetic}\p{Nd}]",
            b"upper" => r"\p{Uppercase}",
            b"lower" => r"\p{Lowercase}",
            b"digit" => "[0-9]",
            b"xdigit" => "[0-9A-Fa-f]",
            b"space" => r"[\t-\r \u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{2028}\u{2029}\u{205f}\u{3000}]",
            b"blank" => r"[\t \u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{205f}\u{3000}]",
            b"cntrl" => r"[\p{Cc}\u{2028}\u{2029}]",
            b"print" => r"[^\p{Cn}\p{Cc}\u{2028}\u{2029}]",
            b"graph" => r"[^\p{Cn}\p{Cc}\u{2028}\u{2029} \u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{205f}\u{3000}]",
            b"punct" => {
                r"[^\p{Cn}\p{Cc}\p{Alphabetic}\p{Nd}\u{2028}\u{2029} \u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{205f}\u{3000}]"
            }
            _ => return Err(BAD_CLASS),
        };
        self.class.union(&parsed(pattern));
        Ok(())
    }

    /// `\w`: letters, digits and the underscore.
    pub fn word(&mut self) {
        let alnum = self.named(b"alnum", false);
        debug_assert!(alnum.is_ok());
        self.byte(b'_');
    }

    /// Adds the other case of every letter.
    pub fn fold(&mut self) {
        if self.utf8 {
            // Fails only without its tables.
            let _ = self.class.try_case_fold_simple();
            return;
        }
        let letters = |from: u8| ((1u128 << 26) - 1) << from;
        let (upper, lower) = (self.bytes[0] & letters(b'A'), self.bytes[0] & letters(b'a'));
        self.bytes[0] |= upper << 32 | lower >> 32;
    }

    /// Everything else. What is no character is in neither.
    pub fn negate(&mut self) {
        self.class.negate();
        self.bytes = if self.utf8 { [0; 2] } else { self.bytes.map(|half| !half) };
    }

    pub fn remove(&mut self, b: u8) {
        if self.utf8 {
            let one = ClassUnicode::new([ClassUnicodeRange::new(b.into(), b.into())]);
            self.class.difference(&one);
        } else {
            self.bytes[usize::from(b >> 7)] &= !(1 << (b & 127));
        }
    }

    pub fn build(self) -> Set {
        let mut set = Set { low: self.bytes[0], high: self.bytes[1], chars: Vec::new() };
        for range in self.class.ranges() {
            let (mut from, to) = (range.start(), range.end());
            if from.is_ascii() {
                let last = (to as u32).min(127);
                (from as u32..=last).for_each(|c| set.low |= 1 << c);
                if to.is_ascii() {
                    continue;
                }
                from = '\u{80}';
            }
            set.chars.push((from, to));
        }
        set
    }
}

fn parsed(pattern: &str) -> ClassUnicode {
    match regex_syntax::parse(pattern).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => unreachable!("the patterns above are classes"),
    }
}

fn ascii_class(name: &[u8], fold: bool) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"upper" | b"lower" if fold => u8::is_ascii_alphabetic,
        b"alpha" => u8::is_ascii_alphabetic,
        b"digit" => u8::is_ascii_digit,
        b"alnum" => u8::is_ascii_alphanumeric,
        b"upper" => u8::is_ascii_uppercase,
        b"lower" => u8::is_ascii_lowercase,
        b"space" => |b| matches!(b, b'\t'..=b'\r' | b' '),
        b"blank" => |b| matches!(b, b'\t' | b' '),
        b"punct" => u8::is_ascii_punctuation,
        b"print" => |b| matches!(b, 32..127),
        b"graph" => u8::is_ascii_graphic,
        b"cntrl" => u8::is_ascii_control,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

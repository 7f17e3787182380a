//! Sets of characters: bracket expressions, classes, folded letters.

use crate::error::{BAD_CLASS, Error};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};
use std::cell::OnceCell;

/// In the byte mode `low` and `high` are all of it. In the UTF-8 mode `low` are the ASCII characters and `high` single
/// bytes that are no characters; the other characters are worked out when a text has some, since the classes of Unicode
/// are large and most texts need none of them.
#[derive(Clone, Debug)]
pub struct Set {
    pub low: u128,
    pub high: u128,
    recipe: Option<Recipe>,
    wide: OnceCell<ClassUnicode>,
}

#[derive(Clone, Default, Debug)]
struct Recipe {
    ranges: Vec<(char, char)>,
    /// Patterns of the classes named.
    names: Vec<&'static str>,
    fold: bool,
    negated: bool,
}

impl Set {
    pub fn has_byte(&self, b: u8) -> bool {
        if b < 128 { self.low >> b & 1 == 1 } else { self.high >> (b - 128) & 1 == 1 }
    }

    pub fn has_char(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.low >> (c as u32) & 1 == 1;
        }
        let ranges = self.wide().ranges();
        let after = ranges.partition_point(|range| range.start() <= c);
        after > 0 && c <= ranges[after - 1].end()
    }

    /// Whether there may be characters beyond ASCII in it.
    pub fn may_be_wide(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| {
            recipe.negated || !recipe.names.is_empty() || recipe.fold || recipe.ranges.iter().any(|r| r.1 > '\x7f')
        })
    }

    /// The characters that are not ASCII.
    pub fn wide(&self) -> &ClassUnicode {
        self.wide.get_or_init(|| {
            let Some(recipe) = &self.recipe else { return ClassUnicode::empty() };
            let mut class = recipe.resolve();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]));
            class
        })
    }
}

impl Recipe {
    fn resolve(&self) -> ClassUnicode {
        let mut class = ClassUnicode::new(self.ranges.iter().map(|r| ClassUnicodeRange::new(r.0, r.1)));
        for pattern in &self.names {
            class.union(&parsed(pattern));
        }
        if self.fold {
            // Fails only without its tables.
            let _ = class.try_case_fold_simple();
        }
        if self.negated {
            class.negate();
        }
        class
    }
}

/// Collects a [`Set`].
pub struct Builder {
    utf8: bool,
    /// All of the byte mode; the ASCII part and bytes that are no characters in the UTF-8 mode.
    bytes: [u128; 2],
    recipe: Recipe,
}

impl Builder {
    pub fn new(utf8: bool) -> Builder {
        Builder { utf8, bytes: [0; 2], recipe: Recipe::default() }
    }

    pub fn byte(&mut self, b: u8) {
        self.bytes[usize::from(b >> 7)] |= 1 << (b & 127);
        if self.utf8 && b < 128 {
            self.recipe.ranges.push((b.into(), b.into()));
        }
    }

    pub fn chars(&mut self, from: char, to: char) {
        self.recipe.ranges.push((from, to));
        if from.is_ascii() {
            (from as u32..=(to as u32).min(127)).for_each(|c| self.bytes[0] |= 1 << c);
        }
    }

    /// A named class of POSIX. Both cases are meant when case does not count.
    pub fn named(&mut self, name: &[u8], fold: bool) -> Result<(), Error> {
        let test = ascii_class(name, fold).ok_or(BAD_CLASS)?;
        (0..128).filter(test).for_each(|b| self.bytes[0] |= 1 << b);
        if self.utf8 {
            self.recipe.names.extend(wide_class(name, fold));
        }
        Ok(())
    }

    /// Characters of ASCII only.
    pub fn ascii(&mut self, test: impl Fn(&u8) -> bool) {
        (0..128).filter(test).for_each(|b| self.byte(b));
    }

    /// A named class of POSIX, with its ASCII characters only.
    pub fn ascii_named(&mut self, name: &[u8], fold: bool) -> Result<(), Error> {
        self.ascii(ascii_class(name, fold).ok_or(BAD_CLASS)?);
        Ok(())
    }

    /// A range of code points; those that are no characters of this mode are left out.
    pub fn codes(&mut self, from: u32, to: u32) {
        if !self.utf8 {
            (from..=to.min(255)).for_each(|b| self.byte(b as u8));
        } else {
            let (from, to) = (char::from_u32(from), char::from_u32(to));
            self.chars(from.unwrap_or('\u{e000}'), to.unwrap_or(char::MAX));
        }
    }

    pub fn classes(&mut self, class: &ClassUnicode) {
        for range in class.ranges() {
            self.codes(range.start() as u32, range.end() as u32);
        }
    }

    /// A class in the syntax of the tables.
    pub fn property(&mut self, pattern: &'static str) {
        let class = parsed(pattern);
        self.classes(&class);
    }

    /// All that another set has.
    pub fn union(&mut self, other: &Set) {
        self.bytes[0] |= other.low;
        self.bytes[1] |= other.high;
        self.recipe.ranges.extend(other.wide().ranges().iter().map(|range| (range.start(), range.end())));
    }

    /// `\w`: letters, digits and the underscore.
    pub fn word(&mut self) {
        let alnum = self.named(b"alnum", false);
        debug_assert!(alnum.is_ok());
        self.byte(b'_');
    }

    /// Adds the other case of every letter.
    pub fn fold(&mut self) {
        let letters = |from: u8| ((1u128 << 26) - 1) << from;
        let (upper, lower) = (self.bytes[0] & letters(b'A'), self.bytes[0] & letters(b'a'));
        self.bytes[0] |= upper << 32 | lower >> 32;
        self.recipe.fold = true;
        // Some characters beyond ASCII are other cases of ASCII letters.
        for range in &self.recipe.ranges {
            for (wide, letter) in [('\u{212a}', b'k'), ('\u{17f}', b's')] {
                if range.0 <= wide && wide <= range.1 {
                    self.bytes[0] |= 1 << letter | 1 << (letter - 32);
                }
            }
        }
    }

    /// Everything else. What is no character is in neither.
    pub fn negate(&mut self) {
        self.bytes[0] = !self.bytes[0];
        self.bytes[1] = if self.utf8 { 0 } else { !self.bytes[1] };
        self.recipe.negated = true;
    }

    pub fn remove(&mut self, b: u8) {
        self.bytes[usize::from(b >> 7)] &= !(1 << (b & 127));
    }

    pub fn build(self) -> Set {
        let recipe = self.utf8.then_some(self.recipe);
        Set { low: self.bytes[0], high: self.bytes[1], recipe, wide: OnceCell::new() }
    }
}

fn parsed(pattern: &str) -> ClassUnicode {
    match regex_syntax::parse(pattern).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => unreachable!("the patterns below are classes"),
    }
}

/// The characters beyond ASCII of a class, as the C library's C.UTF-8 has them.
fn wide_class(name: &[u8], fold: bool) -> Option<&'static str> {
    Some(match name {
        b"upper" | b"lower" if fold => r"[\p{Alphabetic}\p{Nd}]",
        b"alpha" | b"alnum" => r"[\p{Alphabetic}\p{Nd}]",
        b"upper" => r"\p{Uppercase}",
        b"lower" => r"\p{Lowercase}",
        b"space" => r"[\u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{2028}\u{2029}\u{205f}\u{3000}]",
        b"blank" => r"[\u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{205f}\u{3000}]",
        b"cntrl" => r"[\u{80}-\u{9f}\u{2028}\u{2029}]",
        b"print" => r"[^\p{Cn}\p{Cc}\u{2028}\u{2029}]",
        b"graph" => r"[^\p{Cn}\p{Cc}\u{2028}\u{2029}\u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{205f}\u{3000}]",
        b"punct" => {
            r"[^\p{Cn}\p{Cc}\p{Alphabetic}\p{Nd}\u{2028}\u{2029}\u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{205f}\u{3000}]"
        }
        _ => return None,
    })
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

//! Values: numbers, strings, strings that came from input and count as numbers when they look like one, arrays.

use super::array::ArrayRef;
use super::chars::{self, Index};
use super::number;
use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

/// What a short string may hold without an allocation: most fields and array keys are shorter.
pub const SMALL: usize = 13;

#[derive(Clone, Debug)]
pub enum Value {
    /// Never assigned; a variable may still become an array.
    Untyped,
    /// Untyped and handed to a function: whoever makes it an array makes it one for both.
    Lazy(Rc<RefCell<Lazy>>),
    /// The null value: what was looked at and never given a value.
    Unset,
    /// A field that is not there: unassigned, but a string.
    Absent,
    Num(f64),
    Bool(bool),
    Small(Small),
    Str(Rc<Text>),
    Regex(Rc<Text>),
    Array(ArrayRef),
}

/// What became of an untyped variable that two functions know.
#[derive(Clone, Debug, Default)]
pub enum Lazy {
    #[default]
    Untyped,
    Scalar,
    Array(ArrayRef),
}

impl Lazy {
    pub fn array(&self) -> Option<ArrayRef> {
        match self {
            Lazy::Array(array) => Some(array.clone()),
            _ => None,
        }
    }
}

/// A short string.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    len: u8,
    input: bool,
    bytes: [u8; SMALL],
}

/// A string with what is known of it as a number.
#[derive(Debug, Default)]
pub struct Text {
    pub bytes: Vec<u8>,
    /// It came from input.
    input: bool,
    look: Cell<Look>,
    number: Cell<f64>,
    chars: OnceCell<Index>,
}

/// What a look at a string as a number said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Look {
    #[default]
    Unknown,
    /// Only its beginning is a number, or nothing is.
    Text,
    Number,
}

impl Text {
    fn look(&self) -> Look {
        if self.look.get() == Look::Unknown {
            let (value, whole) = number::look(&self.bytes);
            self.number.set(value);
            self.look.set(if whole { Look::Number } else { Look::Text });
        }
        self.look.get()
    }
}

impl Text {
    /// More text behind it: no longer input, and the number is another.
    pub fn grow(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        self.input = false;
        self.look.set(Look::Unknown);
        self.chars.take();
    }

    /// Where its characters are, looked at once: programs go through long texts character by character.
    fn index(&self, utf8: bool) -> &Index {
        self.chars.get_or_init(|| Index::of(&self.bytes, utf8))
    }
}

impl Small {
    fn new(bytes: &[u8], input: bool) -> Small {
        let mut small = Small { len: bytes.len() as u8, input, bytes: [0; SMALL] };
        small.bytes[..bytes.len()].copy_from_slice(bytes);
        small
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// A value as what it is compared as.
pub enum Class {
    Number(f64),
    /// Compares as a number with numbers, as the empty string with strings.
    Null,
    /// Input that looks like a number: a number, but its text beside a string.
    Both(f64),
    Text,
}

impl Value {
    pub fn string(bytes: &[u8]) -> Value {
        Value::text(bytes, false)
    }

    /// From a field, a line, an operand: a number when it looks like one.
    pub fn input(bytes: &[u8]) -> Value {
        Value::text(bytes, true)
    }

    fn text(bytes: &[u8], input: bool) -> Value {
        if bytes.len() <= SMALL {
            return Value::Small(Small::new(bytes, input));
        }
        Value::Str(Rc::new(Text { bytes: bytes.to_vec(), input, ..Text::default() }))
    }

    pub fn owned(bytes: Vec<u8>) -> Value {
        if bytes.len() <= SMALL {
            return Value::string(&bytes);
        }
        Value::Str(Rc::new(Text { bytes, ..Text::default() }))
    }

    pub fn regex(source: Vec<u8>) -> Value {
        Value::Regex(Rc::new(Text { bytes: source, ..Text::default() }))
    }

    /// How many characters a string has; none for what must be converted first.
    pub fn chars(&self, utf8: bool) -> Option<usize> {
        match self {
            Value::Str(text) => Some(text.index(utf8).count(&text.bytes)),
            other => other.bytes().map(|bytes| chars::count(bytes, utf8)),
        }
    }

    /// The bytes of so many characters of a string, behind others; none for what must be converted first.
    pub fn part(&self, skip: usize, count: usize, utf8: bool) -> Option<&[u8]> {
        if let Value::Str(text) = self {
            let index = text.index(utf8);
            let from = index.offset(&text.bytes, skip);
            return text.bytes.get(from..index.offset(&text.bytes, skip.saturating_add(count)));
        }
        let bytes = self.bytes()?;
        let from = chars::advance(bytes, 0, skip, utf8);
        bytes.get(from..chars::advance(bytes, from, count, utf8))
    }

    /// The bytes of a string; none for what must be converted first.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Small(small) => Some(small.bytes()),
            Value::Str(text) | Value::Regex(text) => Some(&text.bytes),
            Value::Untyped | Value::Lazy(_) | Value::Unset | Value::Absent => Some(b""),
            _ => None,
        }
    }

    #[inline]
    pub fn number(&self) -> f64 {
        match self {
            Value::Num(n) => *n,
            Value::Small(small) => number::prefix(small.bytes()),
            Value::Str(text) | Value::Regex(text) => {
                text.look();
                text.number.get()
            }
            Value::Bool(b) => f64::from(u8::from(*b)),
            _ => 0.0,
        }
    }

    /// Whether it is a number to comparisons and tests: assigned as one, or input that looks like one.
    pub fn is_numeric(&self) -> bool {
        match self {
            Value::Num(_) | Value::Bool(_) => true,
            Value::Small(small) => small.input && number::look(small.bytes()).1,
            Value::Str(text) => text.input && text.look() == Look::Number,
            _ => false,
        }
    }

    #[inline]
    pub fn truth(&self) -> bool {
        match self {
            Value::Num(n) => *n != 0.0,
            Value::Bool(b) => *b,
            Value::Small(small) => match small.input {
                true => match number::look(small.bytes()) {
                    (n, true) => n != 0.0,
                    _ => small.len > 0,
                },
                false => small.len > 0,
            },
            Value::Str(text) => !(text.input && text.look() == Look::Number) || text.number.get() != 0.0,
            Value::Regex(text) => !text.bytes.is_empty(),
            _ => false,
        }
    }

    pub fn class(&self) -> Class {
        match self {
            Value::Num(n) => Class::Number(*n),
            Value::Bool(b) => Class::Number(f64::from(u8::from(*b))),
            Value::Small(small) => {
                if small.input
                    && let (n, true) = number::look(small.bytes())
                {
                    return Class::Both(n);
                }
                Class::Text
            }
            Value::Str(text) => {
                if text.input && text.look() == Look::Number {
                    return Class::Both(text.number.get());
                }
                Class::Text
            }
            Value::Regex(_) | Value::Absent => Class::Text,
            _ => Class::Null,
        }
    }

    pub fn is_untyped(&self) -> bool {
        match self {
            Value::Untyped => true,
            Value::Lazy(cell) => matches!(*cell.borrow(), Lazy::Untyped),
            _ => false,
        }
    }

    /// The array a variable is, also when it became one behind the caller's back.
    pub fn array(&self) -> Option<ArrayRef> {
        match self {
            Value::Array(array) => Some(array.clone()),
            Value::Lazy(cell) => cell.borrow().array(),
            _ => None,
        }
    }

    /// As `typeof` names it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Untyped => "untyped",
            Value::Lazy(cell) => match *cell.borrow() {
                Lazy::Array(_) => "array",
                Lazy::Untyped => "untyped",
                Lazy::Scalar => "unassigned",
            },
            Value::Unset | Value::Absent => "unassigned",
            Value::Num(_) => "number",
            Value::Bool(_) => "number|bool",
            Value::Small(Small { input: true, .. }) if self.is_numeric() => "strnum",
            Value::Str(text) if text.input && self.is_numeric() => "strnum",
            Value::Small(_) | Value::Str(_) => "string",
            Value::Regex(_) => "regexp",
            Value::Array(_) => "array",
        }
    }

    /// A plain string, no longer a number that it looks like.
    pub fn into_string(self) -> Value {
        match self {
            Value::Small(small) => Value::Small(Small { input: false, ..small }),
            Value::Str(text) if text.input => Value::string(&text.bytes),
            other => other,
        }
    }
}

/// Numbers with NaN above all others, as gawk sorts and compares them.
pub fn compare_numbers(a: f64, b: f64) -> Ordering {
    match a.partial_cmp(&b) {
        Some(order) => order,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

/// Appends the text of a value; numbers under `format` when they are not whole.
pub fn append(value: &Value, format: &[u8], out: &mut Vec<u8>) {
    match value {
        Value::Num(n) => number::append(*n, format, out),
        Value::Bool(b) => out.push(b'0' + u8::from(*b)),
        other => out.extend_from_slice(other.bytes().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bytes() {
        assert!(size_of::<Value>() <= 16);
    }

    #[test]
    fn input_counts_as_a_number() {
        assert!(Value::input(b" 12 ").is_numeric());
        assert!(!Value::string(b"12").is_numeric());
        assert!(!Value::input(b"0x1A").is_numeric());
        assert!(!Value::input(b"0.0").truth());
        assert!(Value::string(b"0").truth());
        assert_eq!(Value::input(b"a long text that is not a number").type_name(), "string");
        assert_eq!(Value::input(b"  1234567890123456789  ").type_name(), "strnum");
    }
}

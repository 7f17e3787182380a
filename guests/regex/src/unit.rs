//! What a pattern and a text are made of: characters, and bytes that are none.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Char(char),
    Byte(u8),
}

/// The unit at the start of a text that is not empty, and its length.
pub fn first(text: &[u8], utf8: bool) -> (Unit, usize) {
    let b = text[0];
    if !utf8 {
        return (Unit::Byte(b), 1);
    }
    if b < 128 {
        return (Unit::Char(b.into()), 1);
    }
    let (len, mut code) = match b {
        0xc2..=0xdf => (2, u32::from(b) & 31),
        0xe0..=0xef => (3, u32::from(b) & 15),
        0xf0..=0xf4 => (4, u32::from(b) & 7),
        _ => return (Unit::Byte(b), 1),
    };
    for i in 1..len {
        match text.get(i) {
            Some(next @ 0x80..=0xbf) => code = code << 6 | u32::from(next & 63),
            _ => return (Unit::Byte(b), 1),
        }
    }
    match char::from_u32(code) {
        Some(c) if c.len_utf8() == len => (Unit::Char(c), len),
        _ => (Unit::Byte(b), 1),
    }
}

/// The unit before a place that is not the start.
pub fn before(text: &[u8], at: usize, utf8: bool) -> Unit {
    if utf8 && text[at - 1] >= 128 {
        for len in 2..=4.min(at) {
            if let (Unit::Char(c), n) = first(&text[at - len..at], true)
                && n == len
            {
                return Unit::Char(c);
            }
        }
        return Unit::Byte(text[at - 1]);
    }
    first(&text[at - 1..], utf8).0
}

pub fn is_word(unit: Unit) -> bool {
    match unit {
        Unit::Char(c) => c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii() && c.is_alphanumeric(),
        Unit::Byte(b) => b == b'_' || b.is_ascii_alphanumeric(),
    }
}

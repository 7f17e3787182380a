//! `-t`: how the bytes of a line are shown.

use crate::extended::Extended;
use crate::float::{Conversion, Long, Magnitude};
use crate::quote::locale;
use crate::{Exit, report};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// `a`: names of control characters.
    Named,
    /// `c`: escapes.
    Char,
    Signed,
    Unsigned,
    Octal,
    Hex,
    Float,
}

#[derive(Clone, Debug)]
pub struct Format {
    pub kind: Kind,
    /// Bytes of one item.
    pub size: usize,
    /// Columns of one item.
    pub width: usize,
    /// Blanks of a whole line, to be spread over its items.
    pub padding: usize,
    /// `z`: printable characters at the end of the line.
    pub trailer: bool,
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so", "si", "dle",
    "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
];

impl Format {
    /// A string of formats, one behind the other.
    pub fn parse(text: &[u8], all: &mut Vec<Format>) -> Result<(), Exit> {
        let mut rest = text;
        while let Some(&letter) = rest.first() {
            rest = &rest[1..];
            let kind = match letter {
                b'a' => Kind::Named,
                b'c' => Kind::Char,
                b'd' => Kind::Signed,
                b'u' => Kind::Unsigned,
                b'o' => Kind::Octal,
                b'x' => Kind::Hex,
                b'f' => Kind::Float,
                other => {
                    let text =
                        format!("invalid character '{}' in type string {}", crate::quote::raw(&[other]), locale(text));
                    return Err(report::die(1, text));
                }
            };
            let size = match kind {
                Kind::Named | Kind::Char => 1,
                _ => item_size(&mut rest, kind == Kind::Float, text)?,
            };
            let trailer = rest.first() == Some(&b'z');
            rest = &rest[usize::from(trailer)..];
            let row = size.trailing_zeros() as usize;
            let width = match kind {
                Kind::Named | Kind::Char => 3,
                Kind::Signed => [4, 6, 11, 20][row],
                Kind::Unsigned => [3, 5, 10, 20][row],
                Kind::Octal => [3, 6, 11, 22][row],
                Kind::Hex => [2, 4, 8, 16][row],
                Kind::Float => [0, 0, 15, 24, 29][row],
            };
            all.push(Format { kind, size, width, padding: 0, trailer });
        }
        Ok(())
    }

    /// One item; `bytes` has its size, the lowest byte first.
    pub fn item(&self, bytes: &[u8]) -> String {
        let value = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        let bits = 8 * self.size as u32;
        match self.kind {
            Kind::Named => match value as u8 & 0x7f {
                127 => "del".to_owned(),
                c @ 0..=32 => NAMES[usize::from(c)].to_owned(),
                c => char::from(c).to_string(),
            },
            Kind::Char => match value as u8 {
                0 => "\\0".to_owned(),
                7 => "\\a".to_owned(),
                8 => "\\b".to_owned(),
                9 => "\\t".to_owned(),
                10 => "\\n".to_owned(),
                11 => "\\v".to_owned(),
                12 => "\\f".to_owned(),
                13 => "\\r".to_owned(),
                c @ 32..127 => char::from(c).to_string(),
                c => format!("{c:03o}"),
            },
            Kind::Signed => ((value << (64 - bits)) as i64 >> (64 - bits)).to_string(),
            Kind::Unsigned => value.to_string(),
            Kind::Octal => format!("{value:00$o}", self.width),
            Kind::Hex => format!("{value:00$x}", self.width),
            Kind::Float if self.size == 4 => {
                let value = f32::from_bits(value as u32);
                if value.is_nan() {
                    return not_a_number(value.is_sign_negative());
                }
                shortest(value.into(), value.is_normal(), 6, |text| text.parse() == Ok(value))
            }
            Kind::Float if self.size == 16 => long_double(bytes),
            Kind::Float => {
                let value = f64::from_bits(value);
                if value.is_nan() {
                    return not_a_number(value.is_sign_negative());
                }
                shortest(value, value.is_normal(), 15, |text| text.parse() == Ok(value))
            }
        }
    }
}

fn not_a_number(negative: bool) -> String {
    if negative { "-nan" } else { "nan" }.to_owned()
}

/// The fewest digits that read back as the same number.
fn shortest(value: f64, normal: bool, digits: usize, same: impl Fn(&str) -> bool) -> String {
    for precision in if normal { digits } else { 1 }..=17 {
        let c = Conversion { letter: b'g', precision: Some(precision), ..Conversion::default() };
        let text = c.show(value);
        if !value.is_finite() || same(&text) {
            return text;
        }
    }
    value.to_string()
}

/// The 80 bits of x86 in 16 bytes.
fn long_double(bytes: &[u8]) -> String {
    let mantissa = bytes[..8].iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    let top = u16::from_le_bytes([bytes[8], bytes[9]]);
    let (negative, stored) = (top >> 15 == 1, top & 0x7fff);
    let infinite = stored == 0x7fff && mantissa << 1 == 0;
    // Where the first bit of the mantissa is not set and should be, it is no number either.
    if stored > 0 && mantissa >> 63 == 0 || stored == 0x7fff && !infinite {
        return not_a_number(negative);
    }
    if infinite {
        return if negative { "-inf" } else { "inf" }.to_owned();
    }
    let magnitude = Extended::new(mantissa, i32::from(stored.max(1)) - SMALLEST_STORED);
    let sign = if negative { "-" } else { "" };
    for precision in if stored > 0 { 18 } else { 1 }..=21 {
        let c = Conversion { letter: b'g', precision: Some(precision), ..Conversion::default() };
        let text = c.show_long(Long::Finite(magnitude));
        if matches!(Long::parse(text.as_bytes()).0, Long::Finite(read) if as_stored(read) == as_stored(magnitude)) {
            return sign.to_owned() + &text;
        }
    }
    let c = Conversion { letter: b'g', precision: Some(21), ..Conversion::default() };
    sign.to_owned() + &c.show_long(Long::Finite(magnitude))
}

/// What is taken from a stored exponent for the power of two under the mantissa.
const SMALLEST_STORED: i32 = 16383 + 63;

/// As the 80 bits have it: below the smallest power a mantissa has fewer bits.
fn as_stored(number: Extended) -> (u64, i32) {
    let (mantissa, power) = number.parts();
    let smallest = 1 - SMALLEST_STORED;
    let drop = smallest.saturating_sub(power);
    if mantissa == 0 || drop <= 0 {
        return (mantissa, power);
    }
    let wide = u128::from(mantissa) << 1;
    let rounded = wide.checked_shr(drop as u32).unwrap_or(0).div_ceil(2);
    (rounded as u64, smallest)
}

fn item_size(rest: &mut &[u8], float: bool, whole: &[u8]) -> Result<usize, Exit> {
    let kind = if float { "floating point" } else { "integral" };
    let letter = match (rest.first(), float) {
        (Some(b'C'), false) => Some(1),
        (Some(b'S'), false) => Some(2),
        (Some(b'I'), false) | (Some(b'F'), true) => Some(4),
        (Some(b'L'), false) | (Some(b'D'), true) => Some(8),
        (Some(b'L'), true) => Some(16),
        _ => None,
    };
    let size = match letter {
        Some(size) => {
            *rest = &rest[1..];
            size
        }
        None => {
            let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (digits, behind) = rest.split_at(n);
            *rest = behind;
            match std::str::from_utf8(digits).unwrap_or_default() {
                "" if float => 8,
                "" => 4,
                digits => match digits.parse::<u64>() {
                    Ok(size) => size,
                    Err(_) => return Err(report::die(1, format_args!("invalid type string {}", locale(whole)))),
                },
            }
        }
    };
    let known: &[u64] = if float { &[4, 8, 16] } else { &[1, 2, 4, 8] };
    if !known.contains(&size) {
        let text =
            format!("invalid type string {};\nthis system doesn't provide a {size}-byte {kind} type", locale(whole));
        return Err(report::die(1, text));
    }
    Ok(size as usize)
}

//! Unit letters: reading numbers that have them and choosing one to write.

use super::format::Format;
use crate::extended::Extended;
use crate::float::Conversion;
use crate::quote::locale;
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq)]
pub enum Scale {
    None,
    Auto,
    Si,
    Iec,
    IecI,
}

pub const FROM: [(&str, Scale); 5] =
    [("none", Scale::None), ("auto", Scale::Auto), ("si", Scale::Si), ("iec", Scale::Iec), ("iec-i", Scale::IecI)];
pub const TO: [(&str, Scale); 4] =
    [("none", Scale::None), ("si", Scale::Si), ("iec", Scale::Iec), ("iec-i", Scale::IecI)];

#[derive(Clone, Copy, PartialEq)]
pub enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

pub const ROUNDS: [(&str, Round); 5] = [
    ("up", Round::Up),
    ("down", Round::Down),
    ("from-zero", Round::FromZero),
    ("towards-zero", Round::TowardsZero),
    ("nearest", Round::Nearest),
];

const LETTERS: &[u8] = b"KMGTPEZY";
/// Digits a `long double` keeps.
const EXACT_DIGITS: u32 = 18;
/// Digits up to 999Y.
const MOST_DIGITS: u32 = 27;

/// A number read.
pub struct Read {
    pub value: Extended,
    /// Digits behind the point, none behind a unit letter.
    pub precision: usize,
    /// More digits than are kept.
    pub lossy: bool,
}

/// Digits at the start of a text.
struct Digits {
    value: Extended,
    used: usize,
    lossy: bool,
}

fn digits(text: &[u8]) -> Result<Digits, ()> {
    let used = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let significant = text[..used].iter().skip_while(|b| **b == b'0').count() as u32;
    if significant > MOST_DIGITS {
        return Err(());
    }
    let exact = text[..used].iter().try_fold(0u64, |v, d| v.checked_mul(10)?.checked_add(u64::from(d - b'0')));
    let rounded =
        || text[..used].iter().fold(Extended::ZERO, |v, d| v * 10.into() + Extended::from(u64::from(d - b'0')));
    let value = exact.map_or_else(rounded, Extended::from);
    Ok(Digits { value, used, lossy: significant > EXACT_DIGITS })
}

impl Round {
    fn apply(self, value: Extended) -> Extended {
        match self {
            Round::Up if value.is_negative() => value.truncate(),
            Round::Down if !value.is_negative() => value.truncate(),
            Round::Up | Round::Down | Round::FromZero => value.grow(),
            Round::TowardsZero => value.truncate(),
            Round::Nearest => value.nearest(),
        }
    }
}

/// How often a number can be divided by ten until it is below that.
fn tens(value: Extended) -> u32 {
    // Whole numbers that rounding cannot bring to a power of ten need no dividing.
    const SURE: u64 = 10u64.pow(17);
    match value.abs().whole().filter(|whole| *whole < SURE) {
        Some(whole) => whole.checked_ilog10().unwrap_or(0),
        None => normalize(value, 10).1,
    }
}

/// How often a number can be divided until it is below the base, and what is left.
fn normalize(value: Extended, base: u64) -> (Extended, u32) {
    let (mut value, mut power, base) = (value, 0, Extended::from(base));
    while value.abs().compare(base) != Ordering::Less {
        value = value / base;
        power += 1;
    }
    (value, power)
}

impl Scale {
    fn base(self) -> u64 {
        if matches!(self, Scale::Iec | Scale::IecI) { 1024 } else { 1000 }
    }

    /// A whole text as a number.
    pub fn read(self, text: &[u8]) -> Result<Read, String> {
        let shown = || locale(text);
        let too_large = |()| format!("value too large to be converted: {}", shown());
        let (negative, body) = match text.strip_prefix(b"-") {
            Some(body) => (true, body),
            None => (false, text),
        };
        let whole = digits(body).map_err(too_large)?;
        let mut rest = &body[whole.used..];
        if whole.used == 0 && rest.first() != Some(&b'.') {
            return Err(format!("invalid number: {}", shown()));
        }
        let (mut value, mut precision, mut lossy) = (whole.value, 0, whole.lossy);
        if let Some(fraction) = rest.strip_prefix(b".") {
            let below = digits(fraction).map_err(too_large)?;
            if below.used == 0 {
                return Err(format!("invalid number: {}", shown()));
            }
            value = value + below.value / Extended::power(10, below.used as u32);
            (precision, lossy) = (below.used, lossy || below.lossy);
            rest = &fraction[below.used..];
        }
        let (mut base, mut power) = (self.base(), 0);
        if !rest.is_empty() {
            rest = rest.trim_ascii_start();
            let Some(found) = rest.first().and_then(|b| LETTERS.iter().position(|l| l == b)) else {
                return Err(format!("invalid suffix in input: {}", shown()));
            };
            if self == Scale::None {
                return Err(format!("rejecting suffix in input: {} (consider using --from)", shown()));
            }
            power = found as u32 + 1;
            precision = 0;
            rest = &rest[1..];
            if self == Scale::Auto
                && let Some(behind) = rest.strip_prefix(b"i")
            {
                base = 1024;
                rest = behind;
            }
        }
        if self == Scale::IecI {
            rest = rest
                .strip_prefix(b"i")
                .ok_or_else(|| format!("missing 'i' suffix in input: {} (e.g Ki/Mi/Gi)", shown()))?;
        }
        if !rest.is_empty() {
            return Err(format!("invalid suffix in input {}: {}", shown(), locale(rest)));
        }
        value = value * Extended::power(base, power);
        Ok(Read { value: if negative { -value } else { value }, precision, lossy })
    }

    pub fn show(self, value: Extended, precision: usize, format: &Format, round: Round) -> Result<String, String> {
        let precision = format.precision.unwrap_or(precision);
        let size = tens(value);
        let general = || Conversion { letter: b'g', ..Conversion::default() }.show(value.to_f64());
        if self == Scale::None && size as usize + precision > EXACT_DIGITS as usize {
            return Err(match precision {
                0 => format!("value too large to be printed: '{}' (consider using --to)", general()),
                p => format!("value/precision too large to be printed: '{}/{p}' (consider using --to)", general()),
            });
        }
        if size > MOST_DIGITS - 1 {
            return Err(format!("value too large to be printed: '{}' (cannot handle values > 999Y)", general()));
        }
        if self == Scale::None {
            let ten = Extended::power(10, precision as u32);
            return Ok(zeros((round.apply(value * ten) / ten).fixed(precision), "", format.zeros));
        }
        let base = self.base();
        let (mut value, mut power) = normalize(value, base);
        let below_ten = |value: Extended| value.abs().compare(10.into()) == Ordering::Less;
        let kept = match format.precision {
            Some(p) => (power * 3).min(p as u32),
            None => u32::from(below_ten(value)),
        };
        let ten = Extended::power(10, kept);
        value = round.apply(value * ten) / ten;
        if value.abs().compare(base.into()) != Ordering::Less {
            value = value / base.into();
            power += 1;
        }
        let point = usize::from(!value.is_zero() && below_ten(value) && power > 0);
        let mut letter = String::new();
        if power > 0 {
            letter.push(LETTERS.get(power as usize - 1).copied().unwrap_or(b'?').into());
            letter += if self == Scale::IecI { "i" } else { "" };
        }
        Ok(zeros(value.fixed(format.precision.unwrap_or(point)), &letter, format.zeros))
    }
}

/// Zeros behind the sign, up to the width; then the letter.
fn zeros(number: String, letter: &str, width: usize) -> String {
    let missing = "0".repeat(width.saturating_sub(number.len()));
    match number.strip_prefix('-') {
        Some(rest) => format!("-{missing}{rest}{letter}"),
        None => format!("{missing}{number}{letter}"),
    }
}

//! Decimal numbers of any length with the scales of bc and dc: how many digits behind the point a result has is part of
//! the language.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};
use std::cmp::Ordering;

/// More digits than this are refused: they would not fit anywhere.
pub const LONGEST: usize = 10_000_000;

/// `digits / 10^scale`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    digits: IBig,
    scale: usize,
}

fn ten(n: usize) -> IBig {
    IBig::from(UBig::from(10u8).pow(n))
}

impl Decimal {
    pub fn int(n: i64) -> Decimal {
        Decimal { digits: IBig::from(n), scale: 0 }
    }

    pub fn scale(&self) -> usize {
        self.scale
    }

    pub fn is_zero(&self) -> bool {
        self.digits == IBig::ZERO
    }

    pub fn is_negative(&self) -> bool {
        self.digits.sign() == Sign::Negative && !self.is_zero()
    }

    /// The digits and what they are divided by.
    fn raised(&self, scale: usize) -> IBig {
        &self.digits * ten(scale - self.scale)
    }

    /// With this scale: cut, or zeros behind.
    pub fn with_scale(&self, scale: usize) -> Decimal {
        let digits = if scale >= self.scale { self.raised(scale) } else { &self.digits / ten(self.scale - scale) };
        Decimal { digits, scale }
    }

    pub fn cut(self, scale: usize) -> Decimal {
        if self.scale > scale { self.with_scale(scale) } else { self }
    }

    pub fn neg(&self) -> Decimal {
        Decimal { digits: -&self.digits, scale: self.scale }
    }

    pub fn abs(&self) -> Decimal {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    pub fn add(&self, other: &Decimal) -> Decimal {
        let digits = match self.scale.cmp(&other.scale) {
            Ordering::Equal => &self.digits + &other.digits,
            Ordering::Less => self.raised(other.scale) + &other.digits,
            Ordering::Greater => &self.digits + other.raised(self.scale),
        };
        Decimal { digits, scale: self.scale.max(other.scale) }
    }

    pub fn sub(&self, other: &Decimal) -> Decimal {
        if self.scale == other.scale {
            return Decimal { digits: &self.digits - &other.digits, scale: self.scale };
        }
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Decimal, scale: usize) -> Decimal {
        let whole = Decimal { digits: &self.digits * &other.digits, scale: self.scale + other.scale };
        whole.cut(scale.max(self.scale).max(other.scale))
    }

    /// None for a division by zero.
    pub fn div(&self, other: &Decimal, scale: usize) -> Option<Decimal> {
        if other.is_zero() {
            return None;
        }
        let power = scale + other.scale;
        let digits = if power >= self.scale {
            &self.digits * ten(power - self.scale) / &other.digits
        } else {
            &self.digits / (&other.digits * ten(self.scale - power))
        };
        Some(Decimal { digits, scale })
    }

    /// What the division leaves.
    pub fn rem(&self, other: &Decimal, scale: usize) -> Option<Decimal> {
        let quotient = self.div(other, scale)?;
        let whole = Decimal { digits: &quotient.digits * &other.digits, scale: quotient.scale + other.scale };
        let scale = (scale + other.scale).max(self.scale);
        Some(self.sub(&whole).with_scale(scale))
    }

    /// A whole power; none when it is too large, or zero is divided by.
    pub fn pow(&self, exponent: i64, scale: usize) -> Option<Decimal> {
        let n = usize::try_from(exponent.unsigned_abs()).ok()?;
        let size = self.digits.clone().unsigned_abs_len();
        if size.checked_mul(n)? > LONGEST {
            return None;
        }
        let power = Decimal { digits: self.digits.pow(n), scale: self.scale * n };
        if exponent < 0 {
            return Decimal::int(1).div(&power, scale);
        }
        Some(power.cut(scale.max(self.scale)))
    }

    /// None for a negative number.
    pub fn sqrt(&self, scale: usize) -> Option<Decimal> {
        if self.is_negative() {
            return None;
        }
        let scale = scale.max(self.scale);
        let (_, magnitude) = self.raised(2 * scale).into_parts();
        Some(Decimal { digits: IBig::from(dashu_int::ops::SquareRoot::sqrt(&magnitude)), scale })
    }

    pub fn compare(&self, other: &Decimal) -> Ordering {
        if self.scale == other.scale {
            return self.digits.cmp(&other.digits);
        }
        let scale = self.scale.max(other.scale);
        self.raised(scale).cmp(&other.raised(scale))
    }

    /// The whole part, when it fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.with_scale(0).digits).ok()
    }

    /// How many digits there are.
    pub fn length(&self) -> usize {
        self.digits.clone().unsigned_abs_len().max(self.scale).max(1)
    }

    /// Digits of a base, with a point; what is behind the point gets as many decimal digits.
    /// `clamp`: a digit the base does not have counts as its largest.
    pub fn parse(text: &[u8], base: u32, clamp: bool) -> Decimal {
        // Numbers in a loop are read in every turn.
        if base == 10 && text.len() <= 18 && text.iter().all(u8::is_ascii_digit) {
            return Decimal::int(text.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')));
        }
        let (negative, text) = match text {
            [b'-' | b'_', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (whole, fraction) = match text.iter().position(|b| *b == b'.') {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, &text[..0]),
        };
        // One digit alone is what it says, whatever the base.
        let single = whole.len() + fraction.len() == 1;
        let value = |b: u8| {
            let d = char::from(b).to_digit(36).unwrap_or(0);
            if single || !clamp { d } else { d.min(base - 1) }
        };
        let collect = |text: &[u8]| {
            if base == 10 && text.len() > 1 && text.iter().all(u8::is_ascii_digit) {
                let text = std::str::from_utf8(text).unwrap_or("0");
                return text.parse().unwrap_or(IBig::ZERO);
            }
            text.iter().fold(IBig::ZERO, |n, &b| n * base + value(b))
        };
        let mut number = Decimal { digits: collect(whole), scale: 0 };
        if !fraction.is_empty() {
            let numerator = Decimal { digits: collect(fraction), scale: 0 };
            let divisor = Decimal { digits: IBig::from(UBig::from(base).pow(fraction.len())), scale: 0 };
            let part = numerator.div(&divisor, fraction.len()).unwrap_or_default();
            number = number.add(&part);
        }
        if negative { number.neg() } else { number }
    }

    /// As it is printed in a base. `leading`: a zero before the point.
    pub fn show(&self, base: u32, leading: bool) -> String {
        let negative = self.is_negative();
        let mut out = String::new();
        if negative {
            out.push('-');
        }
        let plain = self.abs();
        let whole = plain.with_scale(0);
        if base == 10 {
            let digits = plain.digits.to_string();
            if plain.scale == 0 {
                return out + &digits;
            }
            let digits = crate::pad::zeros(&digits, plain.scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - plain.scale);
            if plain.is_zero() {
                return "0".to_owned();
            }
            if whole != "0" || leading {
                out += whole;
            }
            return out + "." + fraction;
        }
        if plain.is_zero() {
            return "0".to_owned();
        }
        let digit = |d: u32, out: &mut String| {
            if base <= 16 {
                out.push(char::from_digit(d, 16).unwrap_or('0').to_ascii_uppercase());
            } else {
                let width = (base - 1).to_string().len();
                *out += &format!(" {d:0width$}");
            }
        };
        let mut digits = Vec::new();
        let mut rest = whole.digits.clone();
        let big = IBig::from(base);
        while rest != IBig::ZERO {
            let d = &rest % &big;
            digits.push(u32::try_from(d).unwrap_or(0));
            rest /= &big;
        }
        if digits.is_empty() && (plain.scale == 0 || leading) {
            digits.push(0);
        }
        digits.iter().rev().for_each(|d| digit(*d, &mut out));
        if plain.scale > 0 {
            out.push('.');
            let unit = ten(plain.scale);
            let mut fraction = plain.digits - whole.digits * &unit;
            // As many digits as hold the scale.
            let mut held = IBig::from(1u8);
            let mut first = true;
            while held.clone().unsigned_abs_len() <= plain.scale {
                fraction *= &big;
                let d = &fraction / &unit;
                fraction %= &unit;
                if base > 16 && first {
                    // No blank behind the point.
                    let width = (base - 1).to_string().len();
                    out += &format!("{:0width$}", u32::try_from(d).unwrap_or(0));
                } else {
                    digit(u32::try_from(d).unwrap_or(0), &mut out);
                }
                first = false;
                held *= &big;
            }
        }
        out
    }
}

/// How many decimal digits a number has.
trait Digits {
    fn unsigned_abs_len(self) -> usize;
}

impl Digits for IBig {
    fn unsigned_abs_len(self) -> usize {
        let (_, magnitude) = self.into_parts();
        if magnitude.bit_len() < 64 {
            return u64::try_from(magnitude).map_or(0, |n| n.checked_ilog10().map_or(0, |l| l as usize + 1));
        }
        magnitude.to_string().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Decimal {
        Decimal::parse(text.as_bytes(), 10, true)
    }

    #[test]
    fn scales() {
        assert_eq!(n("1").div(&n("3"), 5).map(|d| d.show(10, false)), Some(".33333".to_owned()));
        assert_eq!(n("-5").div(&n("2"), 0).map(|d| d.show(10, false)), Some("-2".to_owned()));
        assert_eq!(n("10").rem(&n("3"), 2).map(|d| d.show(10, false)), Some(".01".to_owned()));
        assert_eq!(n("2").sqrt(20).map(|d| d.show(10, false)), Some("1.41421356237309504880".to_owned()));
        assert_eq!(n("1.55").mul(&n("2.5"), 0).show(10, false), "3.87");
        assert_eq!(Decimal::parse(b"FF", 16, true).show(2, false), "11111111");
        assert_eq!(n("10.5").show(16, false), "A.8");
        assert_eq!(n("12345").show(100, false), " 01 23 45");
        assert_eq!(n("0.00").show(10, false), "0");
        assert_eq!(n("123.45").length(), 5);
    }
}

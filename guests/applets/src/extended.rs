//! Numbers with the 64-bit mantissa of an x86 `long double`, which GNU's tools count in. WebAssembly has no such type, and
//! with `f64` the last digits would differ.

use crate::float::Magnitude;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `mantissa * 2^exponent`, the mantissa's top bit set, or zero. Exponents do not overflow: no tool comes near.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extended {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Extended {
    pub const ZERO: Extended = Extended { negative: false, mantissa: 0, exponent: 0 };

    /// The nearest number to `mantissa * 2^exponent`; `sticky` says that a bit was lost below.
    fn round(negative: bool, mantissa: u128, exponent: i32, sticky: bool) -> Extended {
        if mantissa == 0 {
            return Extended { negative, ..Extended::ZERO };
        }
        let drop = 64 - mantissa.leading_zeros() as i32;
        if drop <= 0 {
            return Extended { negative, mantissa: (mantissa << -drop) as u64, exponent: exponent + drop };
        }
        let (half, rest) = (1u128 << (drop - 1), mantissa & ((1 << drop) - 1));
        let mut kept = mantissa >> drop;
        if rest > half || (rest == half && (sticky || kept & 1 == 1)) {
            kept += 1;
        }
        let carry = i32::from(kept >> 64 != 0);
        Extended { negative, mantissa: (kept >> carry) as u64, exponent: exponent + drop + carry }
    }

    /// `mantissa * 2^exponent`
    pub fn new(mantissa: u64, exponent: i32) -> Extended {
        Extended::round(false, mantissa.into(), exponent, false)
    }

    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub fn is_negative(self) -> bool {
        self.negative && !self.is_zero()
    }

    /// As `signbit`: also of a zero.
    pub fn has_minus(self) -> bool {
        self.negative
    }

    /// A number without a sign, where it is a whole one that fits.
    pub fn whole(self) -> Option<u64> {
        match self.exponent {
            _ if self.is_zero() => Some(0),
            0 => Some(self.mantissa),
            e @ -63..0 if self.mantissa.trailing_zeros() as i32 >= -e => Some(self.mantissa >> -e),
            _ => None,
        }
    }

    pub fn abs(self) -> Extended {
        Extended { negative: false, ..self }
    }

    fn magnitude(self, other: Extended) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => (self.exponent, self.mantissa).cmp(&(other.exponent, other.mantissa)),
        }
    }

    pub fn compare(self, other: Extended) -> Ordering {
        match (self.is_negative(), other.is_negative()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }

    pub fn power(base: u64, exponent: u32) -> Extended {
        let base = Extended::from(base);
        (0..exponent).fold(Extended::from(1), |value, _| value * base)
    }

    /// Towards zero.
    pub fn truncate(self) -> Extended {
        match self.exponent {
            0.. => self,
            e if e <= -64 => Extended::ZERO,
            e => Extended::round(self.negative, u128::from(self.mantissa >> -e), 0, false),
        }
    }

    /// Away from zero.
    pub fn grow(self) -> Extended {
        let whole = self.truncate();
        let one = Extended { negative: self.negative, ..Extended::from(1) };
        if whole.magnitude(self) == Ordering::Equal { whole } else { whole + one }
    }

    /// To the nearest, halves away from zero.
    pub fn nearest(self) -> Extended {
        let half = Extended { negative: self.negative, mantissa: 1 << 63, exponent: -64 };
        (self + half).truncate()
    }

    /// The number a text of decimal digits, with a point and a power of ten perhaps, stands for: the nearest there is.
    /// The sign is not read here.
    pub fn decimal(text: &[u8]) -> Option<Extended> {
        let (body, power) = match text.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(e) => (&text[..e], std::str::from_utf8(&text[e + 1..]).ok()?.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = match body.iter().position(|&b| b == b'.') {
            Some(point) => (&body[..point], &body[point + 1..]),
            None => (body, &[][..]),
        };
        let mut digits = Big::default();
        for digit in whole.iter().chain(fraction) {
            digits.scale(10, u32::from(digit.checked_sub(b'0').filter(|d| *d < 10)?));
        }
        let power = power.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        if power.unsigned_abs() > 5000 || digits.0.len() > 600 {
            return None;
        }
        let mut below = Big(vec![1]);
        for _ in 0..power.unsigned_abs() {
            (if power < 0 { &mut below } else { &mut digits }).scale(10, 0);
        }
        Some(digits.ratio(&below))
    }

    /// As `%.*Lf` shows it.
    pub fn fixed(self, precision: usize) -> String {
        let sign = if self.negative { "-" } else { "" };
        let mut big = Big(vec![self.mantissa as u32, (self.mantissa >> 32) as u32]);
        // value * 10^precision, as an integer and what is left of it.
        for _ in 0..precision {
            big.scale(10, 0);
        }
        if self.exponent >= 0 {
            big.shift_left(self.exponent as u32);
        } else {
            big.shift_right_rounded(self.exponent.unsigned_abs());
        }
        let mut digits = big.digits();
        if digits.len() <= precision {
            digits.insert_str(0, &"0".repeat(precision + 1 - digits.len()));
        }
        let point = digits.len() - precision;
        if precision == 0 {
            format!("{sign}{digits}")
        } else {
            format!("{sign}{}.{}", &digits[..point], &digits[point..])
        }
    }

    /// As Rust's `{:.*e}` of an `f64`, halves to even.
    pub fn scientific(self, precision: usize) -> String {
        // All digits there are: every bit below the point is one more.
        let behind = self.exponent.min(0).unsigned_abs() as usize;
        let exact = self.fixed(behind);
        let (sign, exact) = exact.strip_prefix('-').map_or(("", &exact[..]), |digits| ("-", digits));
        let mut digits: Vec<u8> = exact.bytes().filter(|b| *b != b'.').collect();
        let leading = digits.iter().take_while(|b| **b == b'0').count().min(digits.len() - 1);
        let mut power = if self.is_zero() { 0 } else { (digits.len() - behind - 1) as i32 - leading as i32 };
        digits.drain(..leading);
        let rest = digits.split_off((precision + 1).min(digits.len()));
        digits.resize(precision + 1, b'0');
        let odd = digits.last().is_some_and(|d| d % 2 == 1);
        let up = match rest.first() {
            Some(b'5') => odd || rest[1..].iter().any(|d| *d != b'0'),
            first => first > Some(&b'5'),
        };
        if up {
            let nines = digits.iter().rev().take_while(|d| **d == b'9').count();
            let at = digits.len() - nines;
            digits[at..].fill(b'0');
            match at.checked_sub(1) {
                Some(last) => digits[last] += 1,
                None => (digits[0], power) = (b'1', power + 1),
            }
        }
        let (first, fraction) = digits.split_at(1);
        let [first, fraction] = [first, fraction].map(String::from_utf8_lossy);
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{fraction}e{power}")
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        let value = self.mantissa as f64 * 2f64.powi(self.exponent.clamp(-1100, 1100));
        if self.negative { -value } else { value }
    }
}

impl Magnitude for Extended {
    fn fixed(self, precision: usize) -> String {
        Extended::fixed(self, precision)
    }

    fn scientific(self, precision: usize) -> String {
        Extended::scientific(self, precision)
    }

    fn parts(self) -> (u64, i32) {
        (self.mantissa, self.exponent)
    }
}

impl Neg for Extended {
    type Output = Extended;

    fn neg(self) -> Extended {
        Extended { negative: !self.negative, ..self }
    }
}

impl Mul for Extended {
    type Output = Extended;

    fn mul(self, other: Extended) -> Extended {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Extended::round(self.negative != other.negative, product, self.exponent + other.exponent, false)
    }
}

impl Div for Extended {
    type Output = Extended;

    /// Division by zero is zero: no caller divides by it.
    fn div(self, other: Extended) -> Extended {
        if other.is_zero() || self.is_zero() {
            return Extended::ZERO;
        }
        let numerator = u128::from(self.mantissa) << 64;
        let divisor = u128::from(other.mantissa);
        let (quotient, rest) = (numerator / divisor, numerator % divisor);
        // Two bits more than are kept.
        let (more, rest) = ((rest << 2) / divisor, (rest << 2) % divisor);
        let negative = self.negative != other.negative;
        Extended::round(negative, quotient << 2 | more, self.exponent - other.exponent - 66, rest != 0)
    }
}

impl Add for Extended {
    type Output = Extended;

    fn add(self, other: Extended) -> Extended {
        let (big, small) = if self.magnitude(other) == Ordering::Less { (other, self) } else { (self, other) };
        if small.is_zero() {
            return big;
        }
        // 62 bits below the larger one's last: what falls out only says that something was there.
        let shift = (big.exponent - small.exponent) as u32;
        let wide = u128::from(big.mantissa) << 62;
        let (low, lost) = if shift > 125 {
            (0, true)
        } else {
            let full = u128::from(small.mantissa) << 62;
            (full >> shift, full & ((1 << shift) - 1) != 0)
        };
        let sum = if big.negative == small.negative { wide + low } else { wide - low - u128::from(lost) };
        let result = Extended::round(big.negative, sum, big.exponent - 62, lost);
        if result.is_zero() { Extended::ZERO } else { result }
    }
}

impl Sub for Extended {
    type Output = Extended;

    fn sub(self, other: Extended) -> Extended {
        self + -other
    }
}

impl From<u64> for Extended {
    fn from(value: u64) -> Extended {
        Extended::round(false, value.into(), 0, false)
    }
}

/// Little-endian digits of 32 bits.
#[derive(Clone, Default)]
struct Big(Vec<u32>);

impl Big {
    fn scale(&mut self, factor: u32, mut add: u32) {
        for word in &mut self.0 {
            let wide = u64::from(*word) * u64::from(factor) + u64::from(add);
            (*word, add) = (wide as u32, (wide >> 32) as u32);
        }
        if add > 0 {
            self.0.push(add);
        }
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn bits(&self) -> u32 {
        self.0.last().map_or(0, |top| self.0.len() as u32 * 32 - top.leading_zeros())
    }

    fn bit(&self, at: u32) -> bool {
        self.0.get((at / 32) as usize).is_some_and(|word| word >> (at % 32) & 1 == 1)
    }

    fn shift_left(&mut self, bits: u32) {
        self.trim();
        let small = bits % 32;
        if small > 0 {
            self.scale(1 << small, 0);
        }
        if !self.0.is_empty() {
            self.0.splice(0..0, std::iter::repeat_n(0, (bits / 32) as usize));
        }
    }

    /// Halves to even.
    fn shift_right_rounded(&mut self, bits: u32) {
        let half = bits > 0 && self.bit(bits - 1);
        let below = (0..bits.saturating_sub(1)).any(|at| self.bit(at));
        let words = ((bits / 32) as usize).min(self.0.len());
        self.0.drain(..words);
        let small = bits % 32;
        if small > 0 {
            let mut carry = 0;
            for word in self.0.iter_mut().rev() {
                (*word, carry) = (*word >> small | carry, *word << (32 - small));
            }
        }
        self.trim();
        if half && (below || self.bit(0)) {
            if self.0.is_empty() {
                self.0.push(0);
            }
            let mut at = 0;
            loop {
                let (sum, over) = self.0[at].overflowing_add(1);
                self.0[at] = sum;
                if !over {
                    break;
                }
                at += 1;
                if at == self.0.len() {
                    self.0.push(0);
                }
            }
        }
    }

    fn digits(mut self) -> String {
        let mut groups = Vec::new();
        self.trim();
        while !self.0.is_empty() {
            let mut rest = 0u64;
            for word in self.0.iter_mut().rev() {
                let wide = rest << 32 | u64::from(*word);
                (*word, rest) = ((wide / 1_000_000_000) as u32, wide % 1_000_000_000);
            }
            groups.push(rest);
            self.trim();
        }
        let mut text = groups.pop().map_or("0".to_owned(), |first| first.to_string());
        for group in groups.iter().rev() {
            text += &format!("{group:09}");
        }
        text
    }

    fn at_least(&self, other: &Big) -> bool {
        let (a, b) = (self.bits(), other.bits());
        a > b || (a == b && self.0.iter().rev().ge(other.0.iter().rev()))
    }

    fn subtract(&mut self, other: &Big) {
        let mut borrow = 0;
        for (i, word) in self.0.iter_mut().enumerate() {
            let wide = i64::from(*word) - i64::from(other.0.get(i).copied().unwrap_or(0)) - borrow;
            (*word, borrow) = (wide as u32, i64::from(wide < 0));
        }
        self.trim();
    }

    /// The nearest number to `self / other`: long division, a bit at a time.
    fn ratio(mut self, other: &Big) -> Extended {
        self.trim();
        if self.0.is_empty() {
            return Extended::ZERO;
        }
        let exponent = self.bits() as i32 - other.bits() as i32 - 66;
        let mut other = other.clone();
        if exponent > 0 {
            other.shift_left(exponent as u32)
        } else {
            self.shift_left(exponent.unsigned_abs())
        }
        let mut quotient = 0u128;
        let mut divisor = other.clone();
        divisor.shift_left(67);
        for _ in 0..=67 {
            quotient <<= 1;
            if self.at_least(&divisor) {
                self.subtract(&divisor);
                quotient |= 1;
            }
            divisor.shift_right_rounded(1);
        }
        let rest = !self.0.is_empty();
        Extended::round(false, quotient << 1 | u128::from(rest), exponent - 1, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_long_double() {
        let n = |text: &str| Extended::decimal(text.as_bytes()).unwrap_or(Extended::ZERO);
        assert_eq!(n("0.1").fixed(25), "0.1000000000000000000013553");
        assert_eq!(n("12345.6789").fixed(2), "12345.68");
        assert_eq!(n("1e30").fixed(0), "1000000000000000000024696061952");
        assert_eq!((Extended::from(7) / Extended::from(3)).fixed(21), "2.333333333333333333261");
        assert_eq!((n("0.1") + n("0.2") - n("0.3")).fixed(22), "0.0000000000000000000000");
        assert_eq!(n("2.5").nearest().fixed(0), "3");
        assert_eq!(n("2.1").grow().fixed(0), "3");
        assert_eq!(n("2.9").truncate().fixed(1), "2.0");
        assert_eq!((n("18446744073709551615") * Extended::from(10)).fixed(0), "184467440737095516144");
        assert_eq!(n("0.5").fixed(0), "0");
        assert_eq!(n("1.5").fixed(0), "2");
    }
}

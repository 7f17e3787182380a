//! Numbers as text: doubles in jq's layout, and literals that keep the digits they were written with.

use std::cmp::Ordering;
use std::fmt::Write;

/// A decimal number as it was written.
#[derive(Clone, Debug)]
pub struct Literal {
    pub value: f64,
    negative: bool,
    /// Without zeros in front; empty is zero.
    digits: String,
    exponent: i64,
}

/// A number of JSON or of a program: its value, and its digits when the value alone would lose some.
pub enum Parsed {
    Plain(f64),
    Exact(Literal),
}

/// Reads `-12.5e3`. `None` when it is not a number.
pub fn parse(text: &[u8]) -> Option<Parsed> {
    let (negative, body) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let int = body.iter().take_while(|b| b.is_ascii_digit()).count();
    if int == body.len() && (1..=15).contains(&int) {
        let value = body.iter().fold(0u64, |n, b| n * 10 + u64::from(b - b'0')) as f64;
        // Zeros in front are dropped; minus zero is kept.
        return Some(Parsed::Plain(if negative { -value } else { value }));
    }
    let mut at = int;
    let mut fraction = 0;
    if body.get(at) == Some(&b'.') {
        fraction = body[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        at += 1 + fraction;
    }
    if int + fraction == 0 {
        return None;
    }
    let mut exponent = 0i64;
    let has_exponent = matches!(body.get(at), Some(b'e' | b'E'));
    if has_exponent {
        at += 1;
        let minus = body.get(at) == Some(&b'-');
        if matches!(body.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let digits = body[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        for b in &body[at..at + digits] {
            exponent = exponent.saturating_mul(10).saturating_add(i64::from(b - b'0'));
        }
        at += digits;
        if minus {
            exponent = -exponent;
        }
    }
    if at != body.len() {
        return None;
    }
    let mut value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    // Few digits, no zero at the end, not so small that a double is shown with an exponent: nothing is lost.
    let plain = !has_exponent
        && (1..=14).contains(&fraction)
        && int > 0
        && int + fraction <= 15
        && (int == 1 || body[0] != b'0')
        && body[body.len() - 1] != b'0'
        && !body.starts_with(b"0.0000");
    if plain {
        return Some(Parsed::Plain(value));
    }
    let digits: String = body[..int]
        .iter()
        .chain(if fraction > 0 { &body[int + 1..int + 1 + fraction] } else { &[] })
        .map(|&b| char::from(b))
        .skip_while(|&c| c == '0')
        .collect();
    let exponent = exponent.saturating_sub(fraction as i64);
    if digits.len() > PRECISION {
        value = rounded(&digits, exponent, negative).unwrap_or(value);
    }
    Some(Parsed::Exact(Literal { value, negative, digits, exponent }))
}

/// How many digits of a long number its value goes by.
const PRECISION: usize = 17;

/// The value of a long number: its first digits, rounded to even.
fn rounded(digits: &str, exponent: i64, negative: bool) -> Option<f64> {
    let (head, tail) = digits.split_at(PRECISION);
    let mut head: u64 = head.parse().ok()?;
    let up = match tail.as_bytes().first()? {
        b'5' if tail[1..].bytes().all(|b| b == b'0') => head % 2 == 1,
        first => *first >= b'5',
    };
    head += u64::from(up);
    let exponent = exponent.saturating_add(tail.len() as i64);
    let value: f64 = format!("{head}e{exponent}").parse().ok()?;
    Some(if negative { -value } else { value })
}

/// Numbers beyond are infinite for decimal arithmetic too.
const MAX_EXPONENT: i64 = 999_999_999;

impl Literal {
    /// Where the first digit stands: 0 for units.
    fn adjusted(&self) -> i64 {
        self.exponent.saturating_add(self.digits.len() as i64 - 1)
    }

    pub fn compare(&self, other: &Literal) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return if other.negative { Ordering::Greater } else { Ordering::Less },
            (false, true) => return if self.negative { Ordering::Less } else { Ordering::Greater },
            _ => {}
        }
        if self.negative != other.negative {
            return if self.negative { Ordering::Less } else { Ordering::Greater };
        }
        let trim = |digits: &str| digits.trim_end_matches('0').to_owned();
        let order = self.adjusted().cmp(&other.adjusted()).then_with(|| trim(&self.digits).cmp(&trim(&other.digits)));
        if self.negative { order.reverse() } else { order }
    }

    pub fn negated(&self) -> Literal {
        Literal { value: -self.value, negative: !self.negative && !self.digits.is_empty(), ..self.clone() }
    }

    /// The digits as written, in the scientific form decimal arithmetic has for them.
    pub fn write(&self, out: &mut Vec<u8>) {
        if (self.digits.is_empty() && self.exponent == 0) || self.adjusted() > MAX_EXPONENT {
            return write_number(self.value, out);
        }
        if self.negative {
            out.push(b'-');
        }
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        let adjusted = self.exponent.saturating_add(digits.len() as i64 - 1);
        if self.exponent <= 0 && adjusted >= -6 {
            let point = digits.len() as i64 + self.exponent;
            if self.exponent == 0 {
                out.extend_from_slice(digits.as_bytes());
            } else if point > 0 {
                let (int, fraction) = digits.as_bytes().split_at(point as usize);
                out.extend_from_slice(int);
                out.push(b'.');
                out.extend_from_slice(fraction);
            } else {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + (-point) as usize, b'0');
                out.extend_from_slice(digits.as_bytes());
            }
            return;
        }
        let (first, rest) = digits.as_bytes().split_at(1);
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        let sign = if adjusted < 0 { '-' } else { '+' };
        out.extend_from_slice(format!("E{sign}{}", adjusted.unsigned_abs()).as_bytes());
    }
}

/// A double with as few digits as tell it from its neighbours: `1`, `0.1`, `1e-05`, `1.5e+300`. Not a number is null.
pub fn write_number(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(b"null");
        return;
    }
    let value = value.clamp(f64::MIN, f64::MAX);
    if value == value.trunc() && value.abs() < 1e15 {
        if value == 0.0 && value.is_sign_negative() {
            out.push(b'-');
        }
        return write_integer(value as i64, out);
    }
    let mut text = String::new();
    let _ = write!(text, "{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: Vec<u8> = mantissa.bytes().filter(|&b| b != b'.').collect();
    // How many digits stand before the point.
    let point: i32 = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = digits.len() as i32;
    out.extend_from_slice(sign.as_bytes());
    if point <= -4 || point > count + 15 {
        out.push(digits[0]);
        if count > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        let e = point - 1;
        let sign = if e < 0 { '-' } else { '+' };
        out.extend_from_slice(format!("e{sign}{:02}", e.unsigned_abs()).as_bytes());
    } else if point <= 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + (-point) as usize, b'0');
        out.extend_from_slice(&digits);
    } else if point >= count {
        out.extend_from_slice(&digits);
        out.resize(out.len() + (point - count) as usize, b'0');
    } else {
        out.extend_from_slice(&digits[..point as usize]);
        out.push(b'.');
        out.extend_from_slice(&digits[point as usize..]);
    }
}

fn write_integer(value: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut left = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut out = Vec::new();
        match parse(text.as_bytes()).expect("a number") {
            Parsed::Plain(value) => write_number(value, &mut out),
            Parsed::Exact(literal) => literal.write(&mut out),
        }
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn literals_keep_their_digits() {
        for text in ["100000000000000000000000001", "1.000", "0.10", "-0", "3.14159265358979323846264338", "0.00001"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("1e1000"), "1E+1000");
        assert_eq!(shown("1e2"), "1E+2");
        assert_eq!(shown("100e-2"), "1.00");
        assert_eq!(shown("1.5"), "1.5");
    }

    #[test]
    fn doubles() {
        let show = |value: f64| {
            let mut out = Vec::new();
            write_number(value, &mut out);
            String::from_utf8(out).expect("text")
        };
        assert_eq!(show(1e17), "1e+17");
        assert_eq!(show(123456789012345680.0), "123456789012345680");
        assert_eq!(show(1e-5), "1e-05");
        assert_eq!(show(0.0001), "0.0001");
        assert_eq!(show(1.5e300), "1.5e+300");
        assert_eq!(show(f64::NAN), "null");
    }
}

//! Numbers from text and text from numbers.

use crate::float::{self, Conversion};
use std::io::Write;

/// The powers of ten a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// The number at the beginning.
#[inline]
pub fn prefix(text: &[u8]) -> f64 {
    scan(text).0
}

/// The number at the beginning, and whether the text is a number as a whole, blanks aside.
pub fn look(text: &[u8]) -> (f64, bool) {
    let (value, used) = scan(text);
    (value, used > 0 && text[used..].iter().all(|&b| is_blank(b)))
}

/// The number at the beginning and where it ends; 0 when there is none.
pub fn scan(text: &[u8]) -> (f64, usize) {
    let mut at = 0;
    while at < text.len() && is_blank(text[at]) {
        at += 1;
    }
    let start = at;
    let negative = match text.get(at) {
        Some(b'-') => {
            at += 1;
            true
        }
        Some(b'+') => {
            at += 1;
            false
        }
        _ => false,
    };
    let first = at;
    let mut mantissa = 0u64;
    let mut digits = 0;
    while let Some(d) = text.get(at).map(|b| b.wrapping_sub(b'0'))
        && d < 10
    {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(d.into());
        at += 1;
    }
    digits += at - first;
    let mut power = 0i32;
    if text.get(at) == Some(&b'.') {
        let point = at;
        at += 1;
        while let Some(d) = text.get(at).map(|b| b.wrapping_sub(b'0'))
            && d < 10
        {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(d.into());
            at += 1;
        }
        digits += at - point - 1;
        power -= (at - point - 1) as i32;
    }
    if digits == 0 {
        return magic(&text[start..]).map_or((0.0, 0), |n| (n, start + 4));
    }
    let mut plain = true;
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let count = text[(at + 1 + sign).min(text.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        if count > 0 {
            at += 1 + sign + count;
            plain = false;
        }
    }
    let value = if plain && digits <= 19 && mantissa < 1 << 53 && power >= -22 {
        mantissa as f64 / TENS[power.unsigned_abs() as usize]
    } else {
        // Digits, a point, a power: the standard library reads them all.
        std::str::from_utf8(&text[first..at]).ok().and_then(|t| t.parse().ok()).unwrap_or(0.0)
    };
    (if negative { -value } else { value }, at)
}

/// `+inf`, `-nan` and the like: gawk wants the sign.
fn magic(text: &[u8]) -> Option<f64> {
    let (sign, word) = text.split_first()?;
    let word = word.get(..3)?.to_ascii_lowercase();
    if word != b"inf" && word != b"nan" || text.get(4).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let value = if word == b"inf" { f64::INFINITY } else { f64::NAN };
    match sign {
        b'-' => Some(-value),
        b'+' => Some(value),
        _ => None,
    }
}

/// As `strtonum` reads: octal and hexadecimal where a 0 comes first, and nothing before it.
pub fn strtonum(text: &[u8]) -> f64 {
    if text.first() == Some(&b'0') { any_base(text) } else { prefix(text) }
}

/// As in a program's text: also octal and hexadecimal.
pub fn any_base(text: &[u8]) -> f64 {
    let body = text.trim_ascii_start();
    let (negative, body) = match body.first() {
        Some(b'-') => (true, &body[1..]),
        Some(b'+') => (false, &body[1..]),
        _ => (false, body),
    };
    let value = match body {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
            rest.iter().map_while(|&b| char::from(b).to_digit(16)).fold(0.0, |n, d| n * 16.0 + f64::from(d))
        }
        [b'0', rest @ ..] if is_octal(rest) => {
            rest.iter().map_while(|&b| char::from(b).to_digit(8)).fold(0.0, |n, d| n * 8.0 + f64::from(d))
        }
        _ => return prefix(text),
    };
    if negative { -value } else { value }
}

/// Digits below 8 and no point or power behind them.
fn is_octal(rest: &[u8]) -> bool {
    let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    n > 0 && rest[..n].iter().all(|b| *b < b'8') && !matches!(rest.get(n), Some(b'.' | b'e' | b'E'))
}

/// Appends a number: whole ones in full, others under the format.
#[inline]
pub fn append(n: f64, format: &[u8], out: &mut Vec<u8>) {
    let whole = n as i64;
    if whole as f64 == n && whole.unsigned_abs() < 1 << 53 {
        append_int(whole, out);
    } else {
        append_other(n, format, out);
    }
}

pub fn append_int(n: i64, out: &mut Vec<u8>) {
    let mut text = [0; 20];
    let mut at = text.len();
    let mut left = n.unsigned_abs();
    loop {
        at -= 1;
        text[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if n < 0 {
        at -= 1;
        text[at] = b'-';
    }
    out.extend_from_slice(&text[at..]);
}

/// Infinities, NaN, whole numbers beyond 2^53, and fractions.
fn append_other(n: f64, format: &[u8], out: &mut Vec<u8>) {
    if !n.is_finite() {
        out.extend_from_slice(special(n).as_bytes());
        return;
    }
    if n == n.trunc() {
        // A whole double is shown in full, whatever its size.
        let _ = write!(out, "{n:.0}");
        return;
    }
    if format == b"%.6g" {
        general6(n, out);
        return;
    }
    match format.strip_prefix(b"%").and_then(Conversion::parse) {
        Some((conversion, used)) if used + 1 == format.len() => {
            out.extend_from_slice(conversion.show(n).as_bytes());
        }
        // Text around it, or another conversion: printf's affair.
        _ => super::format::number_under(n, format, out),
    }
}

/// As gawk shows what is not finite: always with a sign.
pub fn special(n: f64) -> &'static str {
    match (n.is_nan(), n.is_sign_negative()) {
        (true, true) => "-nan",
        (true, false) => "+nan",
        (false, true) => "-inf",
        (false, false) => "+inf",
    }
}

/// `%.6g` without an allocation: the format of almost all output.
fn general6(n: f64, out: &mut Vec<u8>) {
    let size = n.abs();
    // Six digits before or behind the point: shift, round, and check that rounding is not a close call.
    if (1e-4..1e6).contains(&size) {
        let mut places = 5i32;
        let mut bound = 10.0;
        while size >= bound {
            places -= 1;
            bound *= 10.0;
        }
        if size < 1.0 {
            let mut low = 1.0;
            while size < low {
                places += 1;
                low /= 10.0;
            }
        }
        let scaled = size * TENS[places as usize];
        let rounded = scaled.round();
        if (100_000.0..999_999.5).contains(&scaled) && ((scaled - scaled.trunc()) - 0.5).abs() > 1e-6 {
            let mut digits = rounded as u64;
            let mut behind = places as usize;
            while behind > 0 && digits.is_multiple_of(10) {
                digits /= 10;
                behind -= 1;
            }
            if n < 0.0 {
                out.push(b'-');
            }
            let scale = 10u64.pow(behind as u32);
            append_int((digits / scale) as i64, out);
            if behind > 0 {
                out.push(b'.');
                let mut fraction = [b'0'; 12];
                let mut rest = digits % scale;
                for slot in fraction[..behind].iter_mut().rev() {
                    *slot = b'0' + (rest % 10) as u8;
                    rest /= 10;
                }
                out.extend_from_slice(&fraction[..behind]);
            }
            return;
        }
    }
    if n < 0.0 {
        out.push(b'-');
    }
    out.extend_from_slice(float::general(size, 6, false).as_bytes());
}

/// The whole number a key is when it is written as one: no plus, no zeros in front, at most 18 digits.
pub fn canonical_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || (digits[0] == b'0' && text.len() > 1) {
        return None;
    }
    let mut value = 0i64;
    for b in digits {
        let d = b.wrapping_sub(b'0');
        if d > 9 {
            return None;
        }
        value = value * 10 + i64::from(d);
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(n: f64) -> String {
        let mut out = Vec::new();
        append(n, b"%.6g", &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn shown() {
        for (n, want) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            (123456.789, "123457"),
            (999999.5, "1e+06"),
            (0.00012345678, "0.000123457"),
            (1e-5 / 3.0, "3.33333e-06"),
            (3.25159265, "3.25159"),
            (-2.5, "-2.5"),
            (1e300 * 1e10, "+inf"),
            (1e18, "1000000000000000000"),
            (9223372036854775808.0, "9223372036854775808"),
            (0.000099999999, "0.0001"),
            (-0.0, "0"),
        ] {
            assert_eq!(show(n), want);
        }
        // Against the plain way.
        let mut seed = 1u64;
        for _ in 0..100_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let n = (seed >> 11) as f64 / (1u64 << 53) as f64 * 10f64.powi((seed % 12) as i32 - 5);
            if n != n.trunc() {
                assert_eq!(show(n), float::general(n, 6, false));
            }
        }
    }

    #[test]
    fn read() {
        assert_eq!(scan(b" 12.5e2x"), (1250.0, 7));
        assert_eq!(scan(b"0x11"), (0.0, 1));
        assert_eq!(scan(b"."), (0.0, 0));
        assert_eq!(scan(b"1e+"), (1.0, 1));
        assert_eq!(scan(b"-.5"), (-0.5, 3));
        assert_eq!(scan(b"+inf").0, f64::INFINITY);
        assert_eq!(scan(b"inf").1, 0);
        assert_eq!(scan(b"12345678901234567890123").0, 12345678901234567890123.0);
        assert_eq!(any_base(b"0x1F"), 31.0);
        assert_eq!(any_base(b"017"), 15.0);
        assert_eq!(any_base(b"018"), 18.0);
        assert_eq!(canonical_int(b"0"), Some(0));
        assert_eq!(canonical_int(b"-0"), None);
        assert_eq!(canonical_int(b"01"), None);
    }
}

//! Integer constants.

use super::parse::ArithError;

/// A decimal number with an optional sign and nothing else, the common content of a variable.
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    let mut n = 0i64;
    for &b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        n = n * 10 + i64::from(b - b'0');
    }
    Some(if negative { -n } else { n })
}

/// A constant: decimal, `0` octal, `0x` hexadecimal, `base#digits` with digits 0-9 a-z A-Z @ _.
pub fn parse_constant(token: &[u8]) -> Result<i64, ArithError> {
    let error = |message: &'static str| ArithError { message, token: token.to_vec() };
    let (mut base, digits): (u64, &[u8]) = match token {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] => (8, rest),
        _ => (10, token),
    };
    let mut n = 0u64;
    let mut given = token.first() == Some(&b'0');
    for (i, &b) in digits.iter().enumerate() {
        let digit = match b {
            b'#' => {
                if given || !(2..=64).contains(&n) {
                    return Err(error(if given { "invalid number" } else { "invalid arithmetic base" }));
                }
                if i + 1 == digits.len() {
                    return Err(error("invalid integer constant"));
                }
                base = n;
                n = 0;
                given = true;
                continue;
            }
            b'0'..=b'9' => u64::from(b - b'0'),
            b'a'..=b'z' => u64::from(b - b'a') + 10,
            b'A'..=b'Z' if base <= 36 => u64::from(b - b'A') + 10,
            b'A'..=b'Z' => u64::from(b - b'A') + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return Err(error("invalid number")),
        };
        if digit >= base {
            return Err(error("value too great for base"));
        }
        n = n.wrapping_mul(base).wrapping_add(digit);
    }
    Ok(n as i64)
}

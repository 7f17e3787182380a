//! Numbers as GNU's tools read them: decimal, with suffixes.

use crate::quote::{plain, quoted};
use crate::{Exit, report};
use capsule_sys::Errno;

/// Why a number was not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    Invalid,
    /// Too large; counts as the largest number where a tool allows that.
    Overflow,
}

/// What coreutils say of the value of an option that is no number.
pub fn refuse(status: u8, option: &str, text: &[u8], bad: Bad) -> Exit {
    let value = plain(text);
    // Nothing stands behind a 0 that is refused.
    let digits = without_sign(text).first().is_some_and(u8::is_ascii_digit) && text != b"0";
    report::die(
        status,
        match bad {
            Bad::Overflow => format!("{option} argument {value} too large"),
            Bad::Invalid if digits => format!("invalid suffix in {option} argument {value}"),
            Bad::Invalid => format!("invalid {option} argument {value}"),
        },
    )
}

/// The letters of sizes: `K` and `KiB` are 1024, `kB` is 1000.
pub const SIZES: &[u8] = b"bkKmMGTPEZY0";

/// Reads a number with one of the given suffixes. `b` is 512, a `0` among them allows `B` and `iB` behind the letter,
/// `B` stands for 1024 and `c` for one where they are among the suffixes, `w` for two.
pub fn unsigned(text: &[u8], suffixes: &[u8]) -> Result<u64, Bad> {
    in_radix(without_sign(text), 10, suffixes)
}

/// The same, as C writes numbers: octal behind `0`, hexadecimal behind `0x`.
pub fn unsigned_as_c(text: &[u8], suffixes: &[u8]) -> Result<u64, Bad> {
    match without_sign(text) {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
            in_radix(rest, 16, suffixes)
        }
        text @ [b'0', ..] => in_radix(text, 8, suffixes),
        text => in_radix(text, 10, suffixes),
    }
}

fn without_sign(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    text.strip_prefix(b"+").unwrap_or(text)
}

fn in_radix(text: &[u8], radix: u32, suffixes: &[u8]) -> Result<u64, Bad> {
    let digit = |b: u8| char::from(b).to_digit(radix);
    let digits = text.iter().take_while(|b| digit(**b).is_some()).count();
    let (number, suffix) = text.split_at(digits);
    let mut overflow = false;
    let mut value = 0u64;
    for d in number.iter().filter_map(|&b| digit(b)) {
        match value.checked_mul(radix.into()).and_then(|v| v.checked_add(d.into())) {
            Some(v) => value = v,
            None => overflow = true,
        }
    }
    if digits == 0 {
        // A suffix alone counts as one of it.
        if suffix.is_empty() || suffixes.is_empty() || !suffixes.contains(&suffix[0]) {
            return Err(Bad::Invalid);
        }
        value = 1;
    }
    let factor = multiplier(suffix, suffixes)?;
    let product = factor.and_then(|f| value.checked_mul(f)).or(if value == 0 && !overflow { Some(0) } else { None });
    match product {
        Some(v) if !overflow => Ok(v),
        _ => Err(Bad::Overflow),
    }
}

/// What a suffix multiplies with; `None` inside when it is beyond 64 bits.
fn multiplier(suffix: &[u8], allowed: &[u8]) -> Result<Option<u64>, Bad> {
    let Some((&letter, rest)) = suffix.split_first() else { return Ok(Some(1)) };
    if !allowed.contains(&letter) || letter == b'0' {
        return Err(Bad::Invalid);
    }
    let base: u64 = match rest {
        b"" => 1024,
        b"iB" if allowed.contains(&b'0') => 1024,
        b"B" if allowed.contains(&b'0') => 1000,
        _ => return Err(Bad::Invalid),
    };
    let power = match letter {
        b'b' if rest.is_empty() => return Ok(Some(512)),
        b'B' if rest.is_empty() => return Ok(Some(1024)),
        b'c' if rest.is_empty() => return Ok(Some(1)),
        b'w' if rest.is_empty() => return Ok(Some(2)),
        b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        b'g' | b'G' => 3,
        b't' | b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => return Err(Bad::Invalid),
    };
    Ok(base.checked_pow(power))
}

/// A signed number with the same suffixes.
pub fn signed(text: &[u8], suffixes: &[u8]) -> Result<i64, Bad> {
    let trimmed = text.trim_ascii_start();
    match trimmed.strip_prefix(b"-") {
        Some(rest) if rest.first().is_some_and(u8::is_ascii_digit) => {
            let value = unsigned(rest, suffixes)?;
            if value > 1 << 63 { Err(Bad::Overflow) } else { Ok((value as i64).wrapping_neg()) }
        }
        Some(_) => Err(Bad::Invalid),
        None => i64::try_from(unsigned(trimmed, suffixes)?).map_err(|_| Bad::Overflow),
    }
}

/// `NAME: invalid number of lines: '5x'`, with the reason when it is too large.
pub fn complain(status: u8, what: &str, text: &[u8], bad: Bad) -> Exit {
    match bad {
        Bad::Invalid => report::die(status, format_args!("{what}: {}", crate::quote::locale(text))),
        Bad::Overflow => {
            report::die(status, format_args!("{what}: {}: {}", crate::quote::locale(text), Errno::EOVERFLOW))
        }
    }
}

/// As [`complain`], with the name quoted for the shell.
pub fn complain_quoted(status: u8, what: &str, text: &[u8]) -> Exit {
    report::die(status, format_args!("{what}: {}", quoted(text)))
}

/// Adds a number behind blanks that make it this wide.
pub fn push_padded(to: &mut Vec<u8>, value: u64, width: usize) {
    let start = to.len();
    push_decimal(to, value);
    let (length, missing) = (to.len() - start, width.saturating_sub(to.len() - start));
    if missing > 0 {
        to.resize(to.len() + missing, b' ');
        to.copy_within(start..start + length, start + missing);
        to[start..start + missing].fill(b' ');
    }
}

/// Appends a number's decimal digits.
pub fn push_decimal(to: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    to.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes() {
        assert_eq!(unsigned(b"12", SIZES), Ok(12));
        assert_eq!(unsigned(b"2K", SIZES), Ok(2048));
        assert_eq!(unsigned(b"2kB", SIZES), Ok(2000));
        assert_eq!(unsigned(b"2KiB", SIZES), Ok(2048));
        assert_eq!(unsigned(b"1b", SIZES), Ok(512));
        assert_eq!(unsigned(b"1x", SIZES), Err(Bad::Invalid));
        assert_eq!(unsigned(b"", SIZES), Err(Bad::Invalid));
        assert_eq!(unsigned(b"99999999999999999999", SIZES), Err(Bad::Overflow));
        assert_eq!(unsigned(b"1Y", SIZES), Err(Bad::Overflow));
        assert_eq!(signed(b"-3", SIZES), Ok(-3));
        assert_eq!(signed(b"--3", SIZES), Err(Bad::Invalid));
    }
}

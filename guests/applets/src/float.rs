//! Floating-point numbers as C's `printf` shows them: `%f %e %g %a` with flags, width and precision.

use crate::extended::Extended;
use crate::pad;

/// A finite number that is not negative, as the conversions need it.
pub trait Magnitude: Copy {
    /// With exactly this many digits behind the point.
    fn fixed(self, precision: usize) -> String;
    /// `d.ddde-5`: with this many digits behind the point.
    fn scientific(self, precision: usize) -> String;
    /// The number is the mantissa, whose top bit is set unless it is 0, times this power of two.
    fn parts(self) -> (u64, i32);
}

impl Magnitude for f64 {
    fn fixed(self, precision: usize) -> String {
        quick_fixed(self, precision).unwrap_or_else(|| format!("{self:.precision$}"))
    }

    fn scientific(self, precision: usize) -> String {
        format!("{self:.precision$e}")
    }

    fn parts(self) -> (u64, i32) {
        let bits = self.to_bits();
        let stored = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, power) = if stored == 0 { (fraction, -1074) } else { (fraction | 1 << 52, stored - 1075) };
        let shift = mantissa.leading_zeros() % 64;
        (mantissa << shift, power - shift as i32)
    }
}

/// `%f` of numbers that are neither huge nor wanted in detail, as nearly all are: their digits are an exact product,
/// shifted and rounded to the even one of two that are as near.
fn quick_fixed(value: f64, precision: usize) -> Option<String> {
    const MOST: usize = 9;
    if precision > MOST || value >= 4e9 {
        return None;
    }
    let (mantissa, power) = value.parts();
    let unit = 10u64.pow(precision as u32);
    let product = u128::from(mantissa) * u128::from(unit);
    // The mantissa has its top bit set, so the power of a number below 2^32 is negative; a tiny one is nothing.
    let shift = u32::try_from(-power).ok()?;
    let scaled = match product.checked_shr(shift) {
        Some(whole) => {
            let rest = product & ((1 << shift) - 1);
            let half = (1u128 << shift) >> 1;
            whole + u128::from(rest > half || (rest == half && whole & 1 == 1))
        }
        None => 0,
    };
    let scaled = u64::try_from(scaled).ok()?;
    let mut text = Vec::with_capacity(24);
    crate::number::push_decimal(&mut text, scaled / unit);
    if precision > 0 {
        text.push(b'.');
        let start = text.len();
        text.resize(start + precision, b'0');
        let mut behind = scaled % unit;
        for digit in text[start..].iter_mut().rev() {
            *digit += (behind % 10) as u8;
            behind /= 10;
        }
    }
    String::from_utf8(text).ok()
}

/// What `strtold` reads: a `long double`, or an infinity or a NaN, which [`Extended`] does not have.
#[derive(Clone, Copy, Debug)]
pub enum Long {
    Finite(Extended),
    Other(f64),
}

/// The power of two under the mantissa of the largest `long double`.
const LARGEST: i32 = 16383 - 63;

impl Long {
    pub const ZERO: Long = Long::Finite(Extended::ZERO);

    /// The number a text begins with, and how many bytes it takes (0 when it begins with none).
    pub fn parse(text: &[u8]) -> (Long, usize) {
        let (value, used) = parse(text);
        let number = text[..used].trim_ascii_start();
        let negative = number.first() == Some(&b'-');
        let digits = number.strip_prefix(b"-").or(number.strip_prefix(b"+")).unwrap_or(number);
        // Hexadecimal digits, and decimal ones without end, are as good as `f64` has them.
        let long = match Extended::decimal(digits) {
            Some(n) if n.parts().1 <= LARGEST => Long::Finite(if negative { -n } else { n }),
            _ => Long::from(value),
        };
        (long, used)
    }
}

impl From<f64> for Long {
    fn from(value: f64) -> Long {
        if !value.is_finite() {
            return Long::Other(value);
        }
        let (mantissa, power) = value.abs().parts();
        let n = Extended::new(mantissa, power);
        Long::Finite(if value.is_sign_negative() { -n } else { n })
    }
}

/// One conversion of a format.
#[derive(Clone, Debug, Default)]
pub struct Conversion {
    pub minus: bool,
    pub plus: bool,
    pub space: bool,
    pub alternative: bool,
    pub zero: bool,
    pub width: usize,
    pub precision: Option<usize>,
    pub letter: u8,
}

impl Conversion {
    /// Reads what follows a `%`, for the floating letters; the conversion and how long it was.
    pub fn parse(text: &[u8]) -> Option<(Conversion, usize)> {
        let mut c = Conversion::default();
        let mut at = 0;
        while let Some(&flag) = text.get(at) {
            match flag {
                b'-' => c.minus = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternative = true,
                b'0' => c.zero = true,
                b'\'' => {}
                _ => break,
            }
            at += 1;
        }
        c.width = pad::number(text, &mut at);
        if text.get(at) == Some(&b'.') {
            at += 1;
            c.precision = Some(pad::number(text, &mut at));
        }
        while text.get(at) == Some(&b'L') {
            at += 1;
        }
        c.letter = *text.get(at)?;
        b"aAeEfFgG".contains(&c.letter).then_some((c, at + 1))
    }

    /// The number, padded.
    pub fn show(&self, value: f64) -> String {
        if value.is_finite() {
            self.padded(value.is_sign_negative(), self.digits(value.abs()), true)
        } else {
            self.word(value.is_sign_negative() && !value.is_nan(), value)
        }
    }

    fn word(&self, negative: bool, value: f64) -> String {
        self.padded(negative, if value.is_nan() { "nan" } else { "inf" }.to_owned(), false)
    }

    /// As [`show`](Self::show), of a `long double`; here a NaN has its sign.
    pub fn show_long(&self, value: Long) -> String {
        match value {
            Long::Finite(n) => self.padded(n.has_minus(), self.digits(n.abs()), true),
            Long::Other(n) => self.word(n.is_sign_negative(), n),
        }
    }

    fn digits(&self, magnitude: impl Magnitude) -> String {
        match self.letter.to_ascii_lowercase() {
            b'f' => fixed(magnitude, self.precision.unwrap_or(6), self.alternative),
            b'e' => exponent(magnitude, self.precision.unwrap_or(6), self.alternative),
            b'a' => hexadecimal(magnitude, self.precision, self.alternative),
            _ => general(magnitude, self.precision.unwrap_or(6), self.alternative),
        }
    }

    fn padded(&self, negative: bool, body: String, finite: bool) -> String {
        let body = if self.letter.is_ascii_uppercase() { body.to_ascii_uppercase() } else { body };
        let sign = if negative {
            "-"
        } else if self.plus {
            "+"
        } else if self.space {
            " "
        } else {
            ""
        };
        let missing = self.width.saturating_sub(sign.len() + body.len());
        if missing == 0 {
            return if sign.is_empty() { body } else { sign.to_owned() + &body };
        }
        if self.minus {
            format!("{sign}{body}{}", " ".repeat(missing))
        } else if self.zero && finite {
            // The zeros of %a go behind its 0x.
            match body.strip_prefix("0x").or(body.strip_prefix("0X")) {
                Some(digits) => format!("{sign}{}{}{digits}", &body[..2], "0".repeat(missing)),
                None => format!("{sign}{}{body}", "0".repeat(missing)),
            }
        } else {
            format!("{}{sign}{body}", " ".repeat(missing))
        }
    }
}

/// More digits than any double has, and than the standard library's precisions count: behind them are zeros. A `long
/// double` as small as to have more was not written by anybody.
const MOST_DIGITS: usize = 1100;

/// `%f`
pub fn fixed(value: impl Magnitude, precision: usize, point: bool) -> String {
    let mut text = value.fixed(precision.min(MOST_DIGITS));
    if precision > MOST_DIGITS {
        text += &"0".repeat(precision - MOST_DIGITS);
    }
    if point && precision == 0 { text + "." } else { text }
}

/// `%e`
pub fn exponent(value: impl Magnitude, precision: usize, point: bool) -> String {
    let text = value.scientific(precision.min(MOST_DIGITS));
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let zeros = "0".repeat(precision.saturating_sub(MOST_DIGITS));
    let point = if point && precision == 0 { "." } else { "" };
    format!("{digits}{zeros}{point}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// `%g`: the shorter of the two, without zeros at the end.
pub fn general(value: impl Magnitude, precision: usize, keep: bool) -> String {
    let precision = precision.clamp(1, i32::MAX as usize);
    let rounded = value.scientific((precision - 1).min(MOST_DIGITS));
    let power: i32 = rounded.split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0);
    let text = if power < -4 || power >= precision as i32 {
        exponent(value, precision - 1, keep)
    } else {
        fixed(value, (precision as i32 - 1 - power) as usize, keep)
    };
    if keep {
        return text;
    }
    let (digits, power) = text.split_at(text.find('e').unwrap_or(text.len()));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits}{power}")
}

/// `%a` of an x86 `long double`: the first digit holds four bits.
pub fn hexadecimal(value: impl Magnitude, precision: Option<usize>, point: bool) -> String {
    let (mantissa, power) = value.parts();
    if mantissa == 0 {
        let zeros = precision.unwrap_or(0);
        let dot = if zeros > 0 || point { "." } else { "" };
        return format!("0x0{dot}{}p+0", "0".repeat(zeros));
    }
    // The leading one at bit 63: four bits before the point.
    let mut mantissa = u128::from(mantissa);
    let mut power = power + 60;
    if let Some(p) = precision
        && p < 15
    {
        let drop = 60 - 4 * p as u32;
        let (half, rest) = (1u128 << (drop - 1), mantissa & ((1 << drop) - 1));
        mantissa >>= drop;
        if rest > half || (rest == half && mantissa & 1 == 1) {
            mantissa += 1;
        }
        mantissa <<= drop;
        if mantissa >> 64 != 0 {
            mantissa >>= 4;
            power += 4;
        }
    }
    let digits = format!("{:016x}", mantissa as u64);
    let (first, rest) = digits.split_at(1);
    let rest = match precision {
        Some(p) => format!("{}{}", &rest[..p.min(15)], "0".repeat(p.saturating_sub(15))),
        None => rest.trim_end_matches('0').to_owned(),
    };
    let dot = if !rest.is_empty() || point { "." } else { "" };
    format!("0x{first}{dot}{rest}p{power:+}")
}

/// As `strtod`: the number a text begins with, and how many bytes it takes (0 when it begins with none).
pub fn parse(text: &[u8]) -> (f64, usize) {
    let blanks = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let rest = &text[blanks..];
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let body = &rest[sign..];
    let minus = rest.first() == Some(&b'-');
    let signed = |value: f64| if minus { -value } else { value };
    for (word, value) in [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)] {
        if body.get(..word.len()).is_some_and(|b| b.eq_ignore_ascii_case(word.as_bytes())) {
            return (signed(value), blanks + sign + word.len());
        }
    }
    if let [b'0', b'x' | b'X', digits @ ..] = body
        && let Some((value, used)) = hexadecimal_value(digits)
    {
        return (signed(value), blanks + sign + 2 + used);
    }
    let digits = |from: usize| body[from.min(body.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut n = digits(0);
    let mut any = n > 0;
    if body.get(n) == Some(&b'.') {
        let behind = digits(n + 1);
        any |= behind > 0;
        n += if any { 1 + behind } else { 0 };
    }
    if !any {
        return (0.0, 0);
    }
    if matches!(body.get(n), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(body.get(n + 1), Some(b'+' | b'-')));
        let power = digits(n + 1 + sign);
        n += if power > 0 { 1 + sign + power } else { 0 };
    }
    let value = std::str::from_utf8(&body[..n]).ok().and_then(|t| t.parse().ok()).unwrap_or(0.0);
    (signed(value), blanks + sign + n)
}

/// Digits behind `0x`, with a point and a power of two; none when there are no digits.
fn hexadecimal_value(text: &[u8]) -> Option<(f64, usize)> {
    let (mut value, mut scale, mut n, mut any) = (0.0, 0i32, 0, false);
    let mut behind = false;
    while let Some(&b) = text.get(n) {
        if b == b'.' && !behind {
            behind = true;
        } else if let Some(digit) = char::from(b).to_digit(16) {
            value = value * 16.0 + f64::from(digit);
            scale -= if behind { 4 } else { 0 };
            any = true;
        } else {
            break;
        }
        n += 1;
    }
    if !any {
        return None;
    }
    if matches!(text.get(n), Some(b'p' | b'P')) {
        let sign = usize::from(matches!(text.get(n + 1), Some(b'+' | b'-')));
        let digits = text[(n + 1 + sign).min(text.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            let power: i32 = std::str::from_utf8(&text[n + 1..n + 1 + sign + digits]).ok()?.parse().unwrap_or(0);
            scale = scale.saturating_add(power);
            n += 1 + sign + digits;
        }
    }
    Some((value * 2f64.powi(scale), n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(format: &str, value: f64) -> String {
        Conversion::parse(format.as_bytes()).map(|(c, _)| c.show(value)).unwrap_or_default()
    }

    #[test]
    fn conversions() {
        assert_eq!(show("f", 1.5), "1.500000");
        assert_eq!(show("08.2f", -3.75125), "-0003.75");
        assert_eq!(show("e", 12345.678), "1.234568e+04");
        assert_eq!(show("g", 100000.0), "100000");
        assert_eq!(show("g", 1000000.0), "1e+06");
        assert_eq!(show("g", 0.0001), "0.0001");
        assert_eq!(show("#g", 1.0), "1.00000");
        assert_eq!(show("+.3G", 1e-10), "+1E-10");
        assert_eq!(show("a", 1.0), "0x8p-3");
        assert_eq!(show("05f", f64::INFINITY), "  inf");
    }

    #[test]
    fn quick_digits_are_the_exact_ones() {
        let mut state = 1u64;
        for i in 0..200_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i | 1);
            let value = match i % 3 {
                0 => (state >> 20) as f64 / 1024.0,
                1 => (state >> 40) as f64 / 1e6,
                _ => f64::from_bits(state >> 1 & !(1 << 62)),
            };
            let precision = (state >> 5) as usize % 11;
            if let Some(text) = quick_fixed(value, precision) {
                assert_eq!(text, format!("{value:.precision$}"), "{value} {precision}");
            }
        }
    }

    #[test]
    fn long_doubles() {
        let show = |format: &str, text: &str| {
            let conversion = Conversion::parse(format.as_bytes()).map(|(c, _)| c);
            conversion.map(|c| c.show_long(Long::parse(text.as_bytes()).0)).unwrap_or_default()
        };
        assert_eq!(show(".2f", "2.005"), "2.01");
        assert_eq!(show(".2f", "1.005"), "1.00");
        assert_eq!(show(".17g", "0.1"), "0.1");
        assert_eq!(show("g", "1e400"), "1e+400");
        assert_eq!(show(".3e", "9.9996"), "1.000e+01");
        assert_eq!(show(".2e", "-0.00012345"), "-1.23e-04");
        assert_eq!(show("e", "0"), "0.000000e+00");
        assert_eq!(show("a", "0.1"), "0xc.ccccccccccccccdp-7");
        assert_eq!(show("05.1f", "-0"), "-00.0");
        assert_eq!(show("f", "-inf"), "-inf");
    }
}

//! `printf`.

use super::chars;
use super::number;
use super::value::{self, Value};
use crate::float::Conversion;
use crate::pad;

/// What a format is shown under.
#[derive(Clone, Copy)]
pub struct Formatter<'a> {
    pub utf8: bool,
    pub convfmt: &'a [u8],
}

struct Spec {
    c: Conversion,
}

/// A number under a format that has more than one conversion in it, or another one.
pub fn number_under(n: f64, format: &[u8], out: &mut Vec<u8>) {
    let _ = Formatter { utf8: false, convfmt: b"%.6g" }.format(format, &[Value::Num(n)], out);
}

impl Formatter<'_> {
    /// Appends what the format makes of the arguments, or says why it cannot.
    pub fn format(&self, format: &[u8], args: &[Value], out: &mut Vec<u8>) -> Result<(), String> {
        let mut at = 0;
        let mut next = 0;
        while let Some(n) = memchr::memchr(b'%', &format[at..]) {
            out.extend_from_slice(&format[at..at + n]);
            at += n;
            let start = at;
            at = self.conversion(format, start, args, &mut next, out)?;
        }
        out.extend_from_slice(&format[at..]);
        Ok(())
    }

    /// One conversion that begins at `start`; where it ends.
    fn conversion(
        &self,
        format: &[u8],
        start: usize,
        args: &[Value],
        next: &mut usize,
        out: &mut Vec<u8>,
    ) -> Result<usize, String> {
        let mut at = start + 1;
        let mut spec = Spec { c: Conversion::default() };
        let mut position = None;
        let ran_out = |at: usize| {
            let text = String::from_utf8_lossy(format).into_owned();
            let blanks: String = " ".repeat(at.saturating_sub(1));
            format!("not enough arguments to satisfy format string\n\t`{text}'\n\t{blanks}^ ran out for this one")
        };
        // A number in front of a dollar says which argument is meant.
        if let Some((n, used)) = dollar(&format[at..]) {
            if n == 0 {
                return Err("argument index with `$' must be > 0".to_owned());
            }
            position = Some(n);
            at += used;
        }
        let star = |at: &mut usize, next: &mut usize| -> Result<i64, String> {
            let which = match dollar(&format[*at + 1..]) {
                Some((n, used)) => {
                    *at += used;
                    n.wrapping_sub(1)
                }
                None => {
                    *next += 1;
                    *next - 1
                }
            };
            *at += 1;
            match args.get(which) {
                Some(value) => Ok((value.number() as i64).clamp(-(pad::WIDEST as i64), pad::WIDEST as i64)),
                None => Err(ran_out(*at)),
            }
        };
        loop {
            match format.get(at) {
                Some(b'-') => spec.c.minus = true,
                Some(b'+') => spec.c.plus = true,
                Some(b' ') => spec.c.space = true,
                Some(b'#') => spec.c.alternative = true,
                Some(b'0') => spec.c.zero = true,
                // Thousands are not grouped in the locales there are.
                Some(b'\'') => {}
                _ => break,
            }
            at += 1;
        }
        if format.get(at) == Some(&b'*') {
            let width = star(&mut at, next)?;
            spec.c.minus |= width < 0;
            spec.c.width = width.unsigned_abs() as usize;
        } else {
            spec.c.width = pad::number(format, &mut at);
        }
        if format.get(at) == Some(&b'.') {
            at += 1;
            if format.get(at) == Some(&b'*') {
                spec.c.precision = usize::try_from(star(&mut at, next)?).ok();
            } else {
                // A sign makes it none.
                let negative = format.get(at) == Some(&b'-');
                at += usize::from(negative);
                let value = pad::number(format, &mut at);
                spec.c.precision = (!negative).then_some(value);
            }
        }
        while format.get(at).is_some_and(|b| b"hlLjtz".contains(b)) {
            at += 1;
        }
        let Some(&letter) = format.get(at) else {
            out.extend_from_slice(&format[start..]);
            return Ok(format.len());
        };
        at += 1;
        if letter == b'%' {
            out.push(b'%');
            return Ok(at);
        }
        if !b"cdiouxXeEfFgGaAsB".contains(&letter) || letter == b'B' {
            out.extend_from_slice(&format[start..at]);
            return Ok(at);
        }
        let which = position.map_or(*next, |p| p - 1);
        let Some(value) = args.get(which) else { return Err(ran_out(at)) };
        if position.is_none() {
            *next += 1;
        }
        spec.c.letter = letter;
        self.convert(&mut spec, value, out);
        Ok(at)
    }

    fn convert(&self, spec: &mut Spec, value: &Value, out: &mut Vec<u8>) {
        match spec.c.letter {
            b's' => {
                let mut text = Vec::new();
                let bytes = match value.bytes() {
                    Some(bytes) => bytes,
                    None => {
                        value::append(value, self.convfmt, &mut text);
                        &text
                    }
                };
                let end = spec.c.precision.map_or(bytes.len(), |p| chars::advance(bytes, 0, p, self.utf8));
                let text = &bytes[..end];
                pad(spec, text, chars::count(text, self.utf8), out);
            }
            b'c' => {
                let mut text = Vec::new();
                let numeric = value.is_numeric();
                if numeric {
                    let n = value.number();
                    // As the processor has what is too large.
                    let code = if n.abs() < (1u64 << 63) as f64 { n as i64 } else { i64::MIN };
                    match u32::try_from(code).ok().and_then(char::from_u32) {
                        Some(c) if self.utf8 => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                        _ => text.push(code as u8),
                    }
                } else {
                    let bytes = value.bytes().unwrap_or_default();
                    // The first character; of an empty text, what ends it in C.
                    match bytes {
                        [] => text.push(0),
                        _ => text.extend_from_slice(&bytes[..chars::length_at(bytes, 0, self.utf8)]),
                    }
                }
                // One that was told by its number counts in bytes.
                let width = if numeric { text.len() } else { chars::count(&text, self.utf8) };
                pad(spec, &text, width, out);
            }
            b'd' | b'i' => whole(spec, value.number().trunc(), out),
            b'o' | b'x' | b'X' | b'u' => unsigned(spec, value.number(), out),
            _ => floating(spec, value.number(), out),
        }
    }
}

/// A text of this width in the room it is to have.
fn pad(spec: &Spec, text: &[u8], width: usize, out: &mut Vec<u8>) {
    let missing = spec.c.width.saturating_sub(width);
    if !spec.c.minus {
        let fill = if spec.c.zero && !matches!(spec.c.letter, b's' | b'c') { b'0' } else { b' ' };
        out.resize(out.len() + missing, fill);
    }
    out.extend_from_slice(text);
    if spec.c.minus {
        out.resize(out.len() + missing, b' ');
    }
}

/// `12$`: the number and how long that was.
fn dollar(text: &[u8]) -> Option<(usize, usize)> {
    let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if n == 0 || text.get(n) != Some(&b'$') {
        return None;
    }
    Some((pad::number(text, &mut 0), n + 1))
}

/// What is not finite is shown as text, always with a sign and without regard to widths.
fn special(n: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(number::special(n).as_bytes());
}

fn whole(spec: &Spec, n: f64, out: &mut Vec<u8>) {
    if !n.is_finite() {
        special(n, out);
        return;
    }
    let sign = if n < 0.0 {
        "-"
    } else if spec.c.plus {
        "+"
    } else if spec.c.space {
        " "
    } else {
        ""
    };
    let mut body = Vec::with_capacity(24);
    if n.abs() < 9e18 {
        number::append_int(n.abs() as i64, &mut body);
    } else {
        body.extend_from_slice(format!("{:.0}", n.abs()).as_bytes());
    }
    digits_out(spec, sign, body, n == 0.0, out);
}

fn unsigned(spec: &Spec, n: f64, out: &mut Vec<u8>) {
    if !n.is_finite() {
        special(n, out);
        return;
    }
    // What is cut to zero was none, and has its digit.
    let zero = n == 0.0;
    let n = n.trunc();
    let value = if n < 0.0 {
        // Below what 64 bits hold it is shown as a floating number, as what is too large is.
        if n < -9_223_372_036_854_775_808.0 {
            return general(spec, n, out);
        }
        n as i64 as u64
    } else if n >= 18_446_744_073_709_551_616.0 {
        if spec.c.letter == b'u' {
            return digits_out(spec, "", format!("{n:.0}").into_bytes(), false, out);
        }
        return general(spec, n, out);
    } else {
        n as u64
    };
    let mut body = match spec.c.letter {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let mut sign = "";
    if spec.c.alternative && !zero {
        match spec.c.letter {
            b'o' => body.insert(0, '0'),
            b'x' => sign = "0x",
            b'X' => sign = "0X",
            _ => {}
        }
    }
    digits_out(spec, sign, body.into_bytes(), zero, out);
}

fn general(spec: &Spec, n: f64, out: &mut Vec<u8>) {
    let c = Conversion { letter: b'g', ..spec.c.clone() };
    out.extend_from_slice(c.show(n).as_bytes());
}

/// Sign, zeros and padding around digits.
fn digits_out(spec: &Spec, mut sign: &str, mut body: Vec<u8>, zero: bool, out: &mut Vec<u8>) {
    let c = &spec.c;
    if let Some(precision) = c.precision {
        // An octal zero is the zero it should begin with.
        if precision == 0 && zero && !(c.alternative && c.letter == b'o') {
            body.clear();
            sign = "";
        }
        if body.len() < precision {
            let missing = precision - body.len();
            body.splice(0..0, std::iter::repeat_n(b'0', missing));
        }
    }
    let missing = c.width.saturating_sub(sign.len() + body.len());
    let zeros = c.zero && c.precision.is_none() && !c.minus;
    if !c.minus && !zeros {
        out.resize(out.len() + missing, b' ');
    }
    out.extend_from_slice(sign.as_bytes());
    if zeros {
        out.resize(out.len() + missing, b'0');
    }
    out.extend_from_slice(&body);
    if c.minus {
        out.resize(out.len() + missing, b' ');
    }
}

fn floating(spec: &Spec, n: f64, out: &mut Vec<u8>) {
    if !n.is_finite() {
        special(n, out);
        return;
    }
    if matches!(spec.c.letter, b'a' | b'A') {
        return hexadecimal(spec, n, out);
    }
    out.extend_from_slice(spec.c.show(n).as_bytes());
}

/// `%a` of a double: one bit before the point.
fn hexadecimal(spec: &Spec, n: f64, out: &mut Vec<u8>) {
    let bits = n.abs().to_bits();
    let stored = (bits >> 52) as i32;
    let mut fraction = bits & ((1 << 52) - 1);
    let mut lead = u64::from(stored != 0);
    let power = if n == 0.0 { 0 } else { stored.max(1) - 1023 };
    if let Some(p) = spec.c.precision
        && p < 13
    {
        let drop = 52 - 4 * p as u32;
        let whole = lead << 52 | fraction;
        let half = 1u64 << (drop - 1);
        let (kept, rest) = (whole >> drop, whole & ((1 << drop) - 1));
        let kept = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        lead = kept << drop >> 52;
        fraction = (kept << drop) & ((1 << 52) - 1);
    }
    let mut hex = format!("{fraction:013x}");
    match spec.c.precision {
        Some(p) if p <= 13 => hex.truncate(p),
        Some(p) => hex += &"0".repeat(p - 13),
        None => hex.truncate(hex.trim_end_matches('0').len()),
    }
    let point = if hex.is_empty() && !spec.c.alternative { "" } else { "." };
    let mut body = format!("{lead}{point}{hex}p{power:+}");
    let mut head = "0x".to_owned();
    if spec.c.letter == b'A' {
        body.make_ascii_uppercase();
        head.make_ascii_uppercase();
    }
    let sign = if n.is_sign_negative() {
        "-"
    } else if spec.c.plus {
        "+"
    } else if spec.c.space {
        " "
    } else {
        ""
    };
    let plain = Spec { c: Conversion { precision: None, ..spec.c.clone() } };
    digits_out(&plain, &(sign.to_owned() + &head), body.into_bytes(), false, out);
}

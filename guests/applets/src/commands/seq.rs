use crate::options::{NO, Options, REQ};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: seq [OPTION]... LAST
  or:  seq [OPTION]... FIRST LAST
  or:  seq [OPTION]... FIRST INCREMENT LAST
Count from FIRST to LAST by INCREMENT.

  -f, --format=FORMAT      like this printf format for floating point
  -s, --separator=STRING   STRING between numbers, not a newline
  -w, --equal-width        zeros in front, so that all are of one width
      --help        print this help
      --version     print the version

If FIRST or INCREMENT is omitted, it defaults to 1.  The sequence ends when
the sum of the current number and INCREMENT would become greater than LAST.
FORMAT must be suitable for printing one argument of type 'double'.
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("format", REQ, 'f'), ("separator", REQ, 's'), ("equal-width", NO, 'w')];
    let args = protect_negatives(args);
    let mut options = Options::new(&args, "+f:s:w", long);
    let (mut format, mut separator, mut equal) = (None, b"\n".as_slice(), false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => format = Some(opt.value()),
            's' => separator = opt.value(),
            _ => equal = true,
        }
    }
    let operands = options.operands();
    let mut numbers = Vec::new();
    if operands.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    if let Some(extra) = operands.get(3) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let format = format.map(Format::parse).transpose()?;
    if equal && format.is_some() {
        return Err(report::usage(1, "format string may not be specified when printing equal width strings"));
    }
    let mut out = Out::stdout();
    if format.is_none() && !equal && counted_by_digits(&operands, separator, &mut out)? {
        return report::finish(&mut out, 0);
    }
    for (i, operand) in operands.iter().enumerate() {
        // A step of nothing is told before what is behind it.
        if let (2, Some(step)) = (i, numbers.get(1))
            && Number::is_nothing(step)
        {
            return Err(report::usage(1, format_args!("invalid Zero increment value: {}", locale(operands[1]))));
        }
        if operand.eq_ignore_ascii_case(b"nan") {
            let nan = locale(b"not-a-number");
            return Err(report::usage(1, format_args!("invalid {nan} argument: {}", locale(operand))));
        }
        numbers.push(
            Number::parse(operand).ok_or_else(|| {
                report::usage(1, format_args!("invalid floating point argument: {}", locale(operand)))
            })?,
        );
    }
    let one = || Number { digits: Some((1, 0)), float: 1.0, places: Some(0), width: 1 };
    let (first, step, last) = match numbers.len() {
        1 => (one(), one(), numbers.remove(0)),
        2 => (numbers.remove(0), one(), numbers.remove(0)),
        _ => (numbers.remove(0), numbers.remove(0), numbers.remove(0)),
    };
    match (first.digits, step.digits, last.digits, &format) {
        (Some(f), Some(s), Some(l), None) => decimal(&mut out, f, s, l, [&first, &step, &last], separator, equal)?,
        _ => floats(&mut out, [&first, &step, &last], separator, equal, format.as_ref())?,
    }
    report::finish(&mut out, 0)
}

/// Whole numbers too long for arithmetic are counted up digit by digit, by a small step. False where others do it.
fn counted_by_digits(operands: &[&[u8]], separator: &[u8], out: &mut Out) -> Result<bool, Exit> {
    let (first, step, last): (&[u8], &[u8], &[u8]) = match *operands {
        [first, last] => (first, b"1", last),
        [first, step, last] => (first, step, last),
        _ => return Ok(false),
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !digits(first)
        || !digits(step)
        || step.len() > 3
        || !(digits(last) || last == b"inf")
        || first.len().max(last.len()) < 36
    {
        return Ok(false);
    }
    let step = step.iter().fold(0u32, |n, d| n * 10 + u32::from(d - b'0'));
    if step == 0 {
        return Ok(false);
    }
    let trim = |text: &[u8]| text[text.iter().take_while(|b| **b == b'0').count().min(text.len() - 1)..].to_vec();
    let (mut value, last) = (trim(first), (last != b"inf").then(|| trim(last)));
    let beyond = |value: &[u8]| last.as_ref().is_some_and(|last| (value.len(), value) > (last.len(), last));
    if beyond(&value) {
        return Ok(true);
    }
    loop {
        out.write(&value);
        let mut carry = step;
        for digit in value.iter_mut().rev() {
            carry += u32::from(*digit - b'0');
            *digit = b'0' + (carry % 10) as u8;
            carry /= 10;
        }
        while carry > 0 {
            value.insert(0, b'0' + (carry % 10) as u8);
            carry /= 10;
        }
        if beyond(&value) {
            break;
        }
        out.write(separator);
        report::writable(out)?;
    }
    out.byte(b'\n');
    Ok(true)
}

/// `seq -5 5`: a negative number is no option. Where one comes first, `--` is put before it.
fn protect_negatives(args: &Args) -> Args {
    let mut argv = args.argv.clone();
    let mut i = 1;
    while i < argv.len() {
        let word = &argv[i];
        if word.len() > 1 && word[0] == b'-' && (word[1].is_ascii_digit() || word[1] == b'.') {
            argv.insert(i, b"--".to_vec());
            break;
        }
        // A value that stands alone is stepped over.
        i += if matches!(word.as_slice(), b"-f" | b"-s" | b"--format" | b"--separator") { 2 } else { 1 };
        if !word.starts_with(b"-") || word == b"--" {
            break;
        }
    }
    Args::new(argv)
}

/// A number of the command line.
struct Number {
    /// As an integer and how many of its digits are behind the point; none for exponents, hexadecimal, infinity.
    digits: Option<(i128, usize)>,
    float: f64,
    /// Digits behind the point, once the exponent is carried out; none where that cannot be told.
    places: Option<usize>,
    /// How wide it is without an exponent, sign and point included.
    width: usize,
}

impl Number {
    fn is_nothing(&self) -> bool {
        self.float == 0.0
    }

    fn parse(text: &[u8]) -> Option<Number> {
        let text = std::str::from_utf8(text).ok()?.trim_start_matches([' ', '\t', '\n', '+']);
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok().filter(|p| p.abs() < 30)),
            None => (unsigned, Some(0)),
        };
        let plain = mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.') && mantissa.matches('.').count() < 2;
        let float = if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
            let (float, read) = crate::float::parse(text.as_bytes());
            // How wide it is can only be told of decimal digits.
            let places = (!unsigned.contains(['.', 'p', 'P'])).then_some(0);
            let whole = unsigned.get(2..).and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(i128::from);
            let digits = whole.map(|n| (if text.starts_with('-') { -n } else { n }, 0));
            return (read == text.len()).then_some(Number { digits, float, places, width: 0 });
        } else {
            text.parse::<f64>().ok().filter(|f| !f.is_nan())?
        };
        let (whole, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = None;
        // Wider numbers than this could overflow when they are added up. A negative zero is only a float.
        if let Some(power) = power.filter(|p| plain && whole.len() + behind.len() + p.unsigned_abs() as usize <= 36)
            && !(text.starts_with('-') && float == 0.0)
        {
            let places = behind.len() as i32 - power;
            let value: i128 = format!("0{whole}{behind}").parse().ok()?;
            let value = value * 10i128.pow(places.min(0).unsigned_abs());
            digits = Some((if text.starts_with('-') { -value } else { value }, places.max(0) as usize));
        }
        let places = power.filter(|_| plain).map(|power| (behind.len() as i32 - power).max(0) as usize);
        // A missing zero before the point is shown, a point with nothing behind it is not.
        let mut width = (text.len() - unsigned.len() + whole.len().max(1)) as i32 + places.unwrap_or(0) as i32;
        width += i32::from(places.is_some_and(|p| p > 0));
        let shift = power.unwrap_or(0);
        if shift > 0 {
            width += (shift - behind.len() as i32).max(0) + shift.min(behind.len() as i32);
        }
        Some(Number { digits, float, places, width: width.max(0) as usize })
    }
}

type Scaled = (i128, usize);

/// The sequence in exact decimal arithmetic.
fn decimal(
    out: &mut Out,
    first: Scaled,
    step: Scaled,
    last: Scaled,
    written: [&Number; 3],
    separator: &[u8],
    equal: bool,
) -> Result<(), Exit> {
    let places = first.1.max(step.1);
    let scale = places.max(last.1);
    let up = |n: Scaled| n.0.checked_mul(10i128.checked_pow((scale - n.1) as u32)?);
    let (Some(first), Some(step), Some(last)) = (up(first), up(step), up(last)) else {
        return floats(out, written, separator, equal, None);
    };
    let shrink = 10i128.pow((scale - places) as u32);
    let unit = 10u128.pow(places as u32);
    let show = |value: i128, width: usize, to: &mut Vec<u8>| {
        let value = value / shrink;
        to.clear();
        let magnitude = value.unsigned_abs();
        let mut text = (magnitude / unit).to_string();
        if places > 0 {
            text += &format!(".{:0places$}", magnitude % unit);
        }
        let sign = if value < 0 { "-" } else { "" };
        let zeros = width.saturating_sub(text.len() + sign.len());
        to.extend_from_slice(sign.as_bytes());
        to.resize(to.len() + zeros, b'0');
        to.extend_from_slice(text.as_bytes());
    };
    let mut text = Vec::new();
    let mut width = 0;
    if equal {
        // As wide as it was written, with as many places as are shown.
        for number in [written[0], written[2]] {
            let own = number.places.unwrap_or(0);
            let point = |places: usize| usize::from(places > 0);
            width = width.max((number.width + places + point(places)).saturating_sub(own + point(own)));
        }
    }
    let beyond = |value: i128| if step > 0 { value > last } else { value < last };
    let mut value = first;
    if beyond(value) {
        return Ok(());
    }
    // Small whole numbers counted up are what nearly everybody asks for.
    if places == 0 && scale == 0 && first >= 0 && step > 0 && last < 1 << 62 && step < 1 << 62 {
        whole(out, [first as u64, step as u64, last as u64], separator, width)?;
    } else {
        loop {
            show(value, width, &mut text);
            out.write(&text);
            value += step;
            if beyond(value) {
                break;
            }
            out.write(separator);
            report::writable(out)?;
        }
    }
    out.byte(b'\n');
    Ok(())
}

/// Whole numbers, counted up in their digits.
fn whole(out: &mut Out, [mut value, step, last]: [u64; 3], separator: &[u8], width: usize) -> Result<(), Exit> {
    let mut text = Vec::with_capacity(32);
    crate::number::push_decimal(&mut text, value);
    if text.len() < width {
        let missing = width - text.len();
        text.splice(..0, std::iter::repeat_n(b'0', missing));
    }
    let mut digits = text.len();
    text.extend_from_slice(separator);
    loop {
        value += step;
        if value > last {
            out.write(&text[..digits]);
            return Ok(());
        }
        out.write(&text);
        if out.error().is_some() {
            return report::writable(out);
        }
        let (mut carry, mut at) = (step, digits);
        while carry > 0 {
            if at == 0 {
                text.insert(0, b'0');
                (digits, at) = (digits + 1, 1);
            }
            at -= 1;
            carry += u64::from(text[at] - b'0');
            text[at] = b'0' + (carry % 10) as u8;
            carry /= 10;
        }
    }
}

fn floats(
    out: &mut Out,
    numbers: [&Number; 3],
    separator: &[u8],
    equal: bool,
    format: Option<&Format>,
) -> Result<(), Exit> {
    let [first, step, last] = numbers;
    let places = [first, step].iter().map(|n| n.places).collect::<Option<Vec<_>>>();
    let places = places.and_then(|p| p.into_iter().max());
    let width = if equal { first.width.max(last.width) } else { 0 };
    let show = |value: f64| -> Vec<u8> {
        match (format, places) {
            (Some(format), _) => format.show(value),
            (None, Some(places)) => {
                let sign = if value.is_sign_negative() { "-" } else { "" };
                let digits = crate::float::fixed(value.abs(), places, false);
                format!("{sign}{}", crate::pad::zeros(&digits, width.saturating_sub(sign.len()))).into_bytes()
            }
            (None, None) => crate::float::general(value, 6, false).into_bytes(),
        }
    };
    let beyond = |value: f64| if step.float > 0.0 { value > last.float } else { value < last.float };
    if beyond(first.float) {
        return Ok(());
    }
    for i in 0u64.. {
        // The first as it is: a negative zero plus nothing would be a positive one.
        let value = if i == 0 { first.float } else { first.float + i as f64 * step.float };
        if beyond(value) {
            // Rounding may have pushed the last one over the edge: what it would print decides.
            let text = show(value);
            let close = String::from_utf8_lossy(&text).parse::<f64>().is_ok_and(|v| v == last.float);
            if !(close && i > 0 && text != show(value - step.float)) {
                break;
            }
        }
        if i > 0 {
            out.write(separator);
        }
        out.write(&show(value));
        report::writable(out)?;
        if beyond(value) {
            break;
        }
    }
    out.byte(b'\n');
    Ok(())
}

/// A `printf` format with one floating conversion.
struct Format {
    before: Vec<u8>,
    conversion: crate::float::Conversion,
    after: Vec<u8>,
}

impl Format {
    fn parse(text: &[u8]) -> Result<Format, Exit> {
        let shown = locale(text);
        let mut parts = [Vec::new(), Vec::new()];
        let mut conversion = None;
        let mut rest = text;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte != b'%' {
                parts[usize::from(conversion.is_some())].push(byte);
            } else if rest.first() == Some(&b'%') {
                parts[usize::from(conversion.is_some())].push(b'%');
                rest = &rest[1..];
            } else if conversion.is_some() {
                return Err(report::die(1, format_args!("format {shown} has too many % directives")));
            } else {
                let Some((found, used)) = crate::float::Conversion::parse(rest) else {
                    let at = rest.iter().position(|b| !b"-+#0 '.123456789L".contains(b));
                    return Err(match at {
                        None => report::die(1, format_args!("format {shown} ends in %")),
                        Some(i) => {
                            let letter = rest[i] as char;
                            report::die(1, format_args!("format {shown} has unknown %{letter} directive"))
                        }
                    });
                };
                conversion = Some(found);
                rest = &rest[used..];
            }
        }
        let Some(conversion) = conversion else {
            return Err(report::die(1, format_args!("format {shown} has no % directive")));
        };
        let [before, after] = parts;
        Ok(Format { before, conversion, after })
    }

    fn show(&self, value: f64) -> Vec<u8> {
        [&self.before, self.conversion.show(value).as_bytes(), &self.after].concat()
    }
}

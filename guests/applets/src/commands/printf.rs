use crate::float::{Conversion, Long};
use crate::quote::{self, Style, locale};
use crate::{Args, Exit, Outcome, options, pad, report};
use capsule_sys::{Errno, Out};

mod escape;

pub const HELP: &str = "\
Usage: printf FORMAT [ARGUMENT]...
  or:  printf OPTION
Print the ARGUMENTs as FORMAT says:

      --help        print this help
      --version     print the version

FORMAT is text, escapes and conversions as in C. The escapes:

  \\\"      double quote
  \\\\      backslash
  \\a \\b \\c \\e \\f \\n \\r \\t \\v
  \\NNN    the byte NNN, in octal (1 to 3 digits)
  \\xHH    the byte HH, in hexadecimal (1 or 2 digits)
  \\uHHHH  Unicode character with hex value HHHH (4 digits)
  \\UHHHHHHHH  the character with that number (8 digits)
  %%      a single %
  %b      ARGUMENT as a string with '\\' escapes interpreted
  %q      ARGUMENT is printed in a format that can be reused as shell input

and all C format specifications ending with one of diouxXfeEgGcsaA, with
A * takes a width or a precision from the ARGUMENTs.
";

struct Printer<'a> {
    args: std::slice::Iter<'a, Vec<u8>>,
    out: Vec<u8>,
    failed: bool,
    utf8: bool,
}

/// What stops the output before the format is through.
enum Stop {
    /// `\c`
    End,
    Wrong(Exit),
}

pub fn main(args: &Args) -> Outcome {
    let mut words = args.rest();
    if let [only] = words
        && (only == b"--help" || only == b"--version")
    {
        options::only_operands(args, 1)?;
    }
    if words.first().is_some_and(|w| w == b"--") {
        words = &words[1..];
    }
    let Some((format, values)) = words.split_first() else {
        return Err(report::usage(1, "missing operand"));
    };
    let mut printer = Printer { args: values.iter(), out: Vec::new(), failed: false, utf8: quote::is_utf8() };
    let mut out = Out::stdout();
    loop {
        let before = printer.args.len();
        let stopped = printer.format(format);
        out.write(&printer.out);
        printer.out.clear();
        match stopped {
            Ok(()) => {}
            Err(Stop::End) => break,
            Err(Stop::Wrong(exit)) => {
                let _ = out.flush();
                return Err(exit);
            }
        }
        let left = printer.args.len();
        if left == 0 {
            break;
        }
        if left == before {
            // The format takes none: what is left is too much.
            let first = printer.args.next().map(Vec::as_slice).unwrap_or_default();
            let _ = out.flush();
            report::error(format_args!("warning: ignoring excess arguments, starting with {}", locale(first)));
            break;
        }
        report::writable(&out)?;
    }
    report::finish(&mut out, u8::from(printer.failed))
}

impl Printer<'_> {
    fn format(&mut self, format: &[u8]) -> Result<(), Stop> {
        let mut rest = format;
        while let Some((&byte, more)) = rest.split_first() {
            match byte {
                b'\\' => {
                    let used = escape::one(rest, false, self.utf8, &mut self.out).map_err(|text| match text {
                        None => Stop::End,
                        Some(text) => Stop::Wrong(report::die(1, text)),
                    })?;
                    rest = &rest[used..];
                }
                b'%' if more.first() == Some(&b'%') => {
                    self.out.push(b'%');
                    rest = &more[1..];
                }
                b'%' => {
                    let used = self.conversion(more)?;
                    rest = &more[used..];
                }
                byte => {
                    self.out.push(byte);
                    rest = more;
                }
            }
        }
        Ok(())
    }

    /// One conversion behind its `%`; how long it was.
    fn conversion(&mut self, text: &[u8]) -> Result<usize, Stop> {
        let mut c = Conversion::default();
        let mut at = 0;
        while let Some(&flag) = text.get(at) {
            match flag {
                b'-' => c.minus = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternative = true,
                b'0' => c.zero = true,
                b'\'' | b'I' => {}
                _ => break,
            }
            at += 1;
        }
        if text.get(at) == Some(&b'*') {
            at += 1;
            let width = self.star("field width")?;
            c.minus |= width < 0;
            c.width = width.unsigned_abs() as usize;
        } else {
            c.width = pad::number(text, &mut at);
        }
        if text.get(at) == Some(&b'.') {
            at += 1;
            if text.get(at) == Some(&b'*') {
                at += 1;
                c.precision = usize::try_from(self.star("precision")?).ok();
            } else {
                c.precision = Some(pad::number(text, &mut at));
            }
        }
        while text.get(at).is_some_and(|b| b"hlLjtz".contains(b)) {
            at += 1;
        }
        let letter = text.get(at).copied();
        let wrong = || {
            let shown = quote::raw(&text[..(at + 1).min(text.len())]);
            Stop::Wrong(report::die(1, format_args!("%{shown}: invalid conversion specification")))
        };
        let Some(letter) = letter else { return Err(wrong()) };
        c.letter = letter;
        let text_or_byte = matches!(letter, b'c' | b's');
        let refused = (c.alternative && (text_or_byte || matches!(letter, b'd' | b'i' | b'u')))
            || (c.zero && text_or_byte)
            || (c.precision.is_some() && letter == b'c');
        if refused || (at > 0 && matches!(letter, b'b' | b'q')) {
            return Err(wrong());
        }
        match letter {
            b's' => {
                let value = self.next().to_vec();
                let cut = c.precision.unwrap_or(usize::MAX).min(value.len());
                self.padded(&value[..cut], &c);
            }
            b'c' => {
                // The first byte, which is the 0 at the end of an empty text.
                let first = self.next().first().copied().unwrap_or(0);
                self.padded(&[first], &c);
            }
            b'b' => {
                let value = self.next().to_vec();
                let mut rest = value.as_slice();
                while let Some(slash) = memchr::memchr(b'\\', rest) {
                    self.out.extend_from_slice(&rest[..slash]);
                    rest = &rest[slash..];
                    let used = escape::one(rest, true, self.utf8, &mut self.out).map_err(|text| match text {
                        None => Stop::End,
                        Some(text) => Stop::Wrong(report::die(1, text)),
                    })?;
                    rest = &rest[used..];
                }
                self.out.extend_from_slice(rest);
            }
            b'q' => {
                let value = self.next().to_vec();
                let text = quote::show(&value, Style::ShellEscape, self.utf8, b"");
                self.out.extend_from_slice(text.as_bytes());
            }
            b'd' | b'i' => {
                let value = self.integer(true);
                self.whole(value, &c);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = self.integer(false);
                self.whole(value, &c);
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                let value = self.float();
                let text = c.show_long(value);
                self.out.extend_from_slice(text.as_bytes());
            }
            _ => return Err(wrong()),
        }
        Ok(at + 1)
    }

    fn next(&mut self) -> &[u8] {
        self.args.next().map(Vec::as_slice).unwrap_or_default()
    }

    fn star(&mut self, what: &str) -> Result<i64, Stop> {
        let Some(text) = self.args.next() else { return Ok(0) };
        // Here nothing is 0, and nothing is said of it.
        let value = if text.is_empty() { 0 } else { self.number(text, true) as i64 };
        if value.unsigned_abs() > i32::MAX as u64 {
            return Err(Stop::Wrong(report::die(1, format_args!("invalid {what}: {}", locale(text)))));
        }
        Ok(value)
    }

    fn padded(&mut self, text: &[u8], c: &Conversion) {
        let missing = c.width.saturating_sub(text.len());
        if !c.minus {
            self.out.resize(self.out.len() + missing, b' ');
        }
        self.out.extend_from_slice(text);
        if c.minus {
            self.out.resize(self.out.len() + missing, b' ');
        }
    }

    fn whole(&mut self, value: i128, c: &Conversion) {
        let magnitude = value.unsigned_abs() as u64;
        let mut body = match c.letter {
            b'o' => format!("{magnitude:o}"),
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            _ => magnitude.to_string(),
        };
        if let Some(precision) = c.precision {
            if precision == 0 && magnitude == 0 {
                body.clear();
            }
            body = "0".repeat(precision.saturating_sub(body.len())) + &body;
        }
        let mut sign = match (value < 0, c.plus, c.space) {
            (true, ..) => "-",
            (_, true, _) if matches!(c.letter, b'd' | b'i') => "+",
            (_, _, true) if matches!(c.letter, b'd' | b'i') => " ",
            _ => "",
        };
        if c.alternative && magnitude != 0 {
            match c.letter {
                b'x' => sign = "0x",
                b'X' => sign = "0X",
                _ => {}
            }
        }
        if c.alternative && c.letter == b'o' && !body.starts_with('0') {
            body.insert(0, '0');
        }
        let missing = c.width.saturating_sub(sign.len() + body.len());
        let text = if c.minus {
            format!("{sign}{body}{}", " ".repeat(missing))
        } else if c.zero && c.precision.is_none() {
            format!("{sign}{}{body}", "0".repeat(missing))
        } else {
            format!("{}{sign}{body}", " ".repeat(missing))
        };
        self.out.extend_from_slice(text.as_bytes());
    }

    fn integer(&mut self, signed: bool) -> i128 {
        match self.args.next() {
            None => 0,
            Some(text) if text.is_empty() => 0,
            Some(text) => self.number(text, signed),
        }
    }

    fn complain<T>(&mut self, text: &[u8], what: &str, value: T) -> T {
        report::error(format_args!("{}: {what}", locale(text)));
        self.failed = true;
        value
    }

    /// A number as C writes it: decimal, `0x`, `0`, or a character behind a quote.
    fn number(&mut self, text: &[u8], signed: bool) -> i128 {
        if let [b'\'' | b'"', rest @ ..] = text
            && !rest.is_empty()
        {
            return self.character(rest).into();
        }
        let start = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let mut rest = &text[start..];
        let negative = rest.first() == Some(&b'-');
        if matches!(rest.first(), Some(b'-' | b'+')) {
            rest = &rest[1..];
        }
        let base = match rest {
            [b'0', b'x' | b'X', d, ..] if d.is_ascii_hexdigit() => {
                rest = &rest[2..];
                16
            }
            [b'0', ..] => 8,
            _ => 10,
        };
        let n = rest.iter().take_while(|b| char::from(**b).is_digit(base)).count();
        if n == 0 {
            return self.complain(text, "expected a numeric value", 0);
        }
        let mut value: i128 = 0;
        for &d in &rest[..n] {
            let digit = char::from(d).to_digit(base).unwrap_or(0);
            value = (value * i128::from(base) + i128::from(digit)).min(1 << 70);
        }
        let value = if negative { -value } else { value };
        let (low, high) =
            if signed { (i64::MIN.into(), i64::MAX.into()) } else { (-i128::from(u64::MAX), u64::MAX.into()) };
        if n < rest.len() {
            self.complain(text, "value not completely converted", ());
        }
        let value = if value < low || value > high {
            let bound = if value < low && signed { low } else { high };
            self.complain(text, Errno::ERANGE.text(), bound)
        } else {
            value
        };
        // Unsigned conversions show a negative number as its complement.
        if !signed && value < 0 { i128::from((value as i64) as u64) } else { value }
    }

    fn character(&mut self, rest: &[u8]) -> u32 {
        let first = std::str::from_utf8(rest).ok().and_then(|t| t.chars().next()).filter(|_| self.utf8);
        let (value, used) = first.map_or((rest[0].into(), 1), |c| (c as u32, c.len_utf8()));
        if used < rest.len() {
            let left = quote::raw(&rest[used..]);
            let text = "character(s) following character constant have been ignored";
            report::error(format_args!("warning: {left}: {text}"));
        }
        value
    }

    fn float(&mut self) -> Long {
        let Some(text) = self.args.next().filter(|text| !text.is_empty()) else { return Long::ZERO };
        if let [b'\'' | b'"', rest @ ..] = text.as_slice()
            && !rest.is_empty()
        {
            return f64::from(self.character(rest)).into();
        }
        let (value, used) = Long::parse(text);
        match used {
            0 => self.complain(text, "expected a numeric value", Long::ZERO),
            n if n < text.len() => self.complain(text, "value not completely converted", value),
            _ => value,
        }
    }
}

use crate::list::{Of, ranges};
use crate::number;
use crate::options::{NO, OPT, Options, REQ, only, word};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{In, Out, STDIN};

mod format;
mod scale;
use format::Format;
use scale::{Round, Scale};

pub const HELP: &str = "\
Usage: numfmt [OPTION]... [NUMBER]...
Rewrite numbers: with or without unit letters, padded, rounded.
Without NUMBER, lines of standard input are converted.

      --debug            tell of doubtful input
  -d, --delimiter=X      fields end at X, not at white space
      --field=FIELDS     the fields to convert, as for cut (default 1; - is all)
      --format=FORMAT    a format with one %f: %['][0][-][N][.N]f
      --from=UNIT        read numbers with letters: none, auto, si, iec, iec-i
      --from-unit=N      input numbers count this unit (default 1)
      --grouping         group digits as the locale does (not in C)
      --header[=N]       leave the first N lines alone (default 1)
      --invalid=MODE     on bad numbers: abort, fail, warn, ignore
      --padding=N        pad to N columns; negative: to the left
      --round=METHOD     up, down, from-zero (default), towards-zero, nearest
      --suffix=SUFFIX    put SUFFIX behind numbers; accept it in the input
      --to=UNIT          write numbers with letters: none, si, iec, iec-i
      --to-unit=N        output numbers count this unit (default 1)
  -z, --zero-terminated  lines end with NUL, not newline
      --help        print this help
      --version     print the version

UNIT: si has 1K = 1000, iec has 1K = 1024, iec-i has 1Ki = 1024; auto reads
1K as 1000 and 1Ki as 1024.

The status is 2 when a number could not be converted.
";

const DEBUG: char = only(0);
const FIELD: char = only(1);
const FORMAT: char = only(2);
const FROM: char = only(3);
const FROM_UNIT: char = only(4);
const GROUPING: char = only(5);
const HEADER: char = only(6);
const INVALID: char = only(7);
const PADDING: char = only(8);
const ROUND: char = only(9);
const SUFFIX: char = only(10);
const TO: char = only(11);
const TO_UNIT: char = only(12);
/// Developers' chatter: accepted, says nothing more than `--debug`.
const DEV_DEBUG: char = only(13);

/// The status of numbers that could not be converted.
const BAD_NUMBER: u8 = 2;

#[derive(Clone, Copy, PartialEq)]
enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

pub struct Numfmt<'a> {
    debug: bool,
    delimiter: Option<u8>,
    fields: Vec<(usize, usize)>,
    format: Format,
    from: Scale,
    to: Scale,
    from_unit: u64,
    to_unit: u64,
    invalid: Invalid,
    round: Round,
    suffix: &'a [u8],
    end: u8,
    auto_padding: bool,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("from", REQ, FROM),
        ("from-unit", REQ, FROM_UNIT),
        ("to", REQ, TO),
        ("to-unit", REQ, TO_UNIT),
        ("round", REQ, ROUND),
        ("padding", REQ, PADDING),
        ("suffix", REQ, SUFFIX),
        ("grouping", NO, GROUPING),
        ("delimiter", REQ, 'd'),
        ("field", REQ, FIELD),
        ("debug", NO, DEBUG),
        ("-debug", NO, DEV_DEBUG),
        ("header", OPT, HEADER),
        ("format", REQ, FORMAT),
        ("invalid", REQ, INVALID),
        ("zero-terminated", NO, 'z'),
    ];
    let mut options = Options::new(args, "d:z", long);
    let mut n = Numfmt {
        debug: false,
        delimiter: None,
        fields: Vec::new(),
        format: Format::default(),
        from: Scale::None,
        to: Scale::None,
        from_unit: 1,
        to_unit: 1,
        invalid: Invalid::Abort,
        round: Round::FromZero,
        suffix: b"",
        end: b'\n',
        auto_padding: false,
    };
    let (mut header, mut format, mut grouping) = (0, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            DEBUG | DEV_DEBUG => n.debug = true,
            'd' => {
                n.delimiter = match opt.value() {
                    // Nothing in a line is a NUL: the line is one field.
                    [] => Some(0),
                    [one] => Some(*one),
                    _ => return Err(report::die(1, "the delimiter must be a single character")),
                }
            }
            FIELD => {
                if !n.fields.is_empty() {
                    return Err(report::die(1, "multiple field specifications"));
                }
                n.fields = ranges(opt.value(), Of::FieldsOrAll)?;
            }
            FORMAT => format = Some(opt.value()),
            FROM => n.from = word(opt.value(), "--from", &scale::FROM, 1)?,
            TO => n.to = word(opt.value(), "--to", &scale::TO, 1)?,
            FROM_UNIT => n.from_unit = unit(opt.value())?,
            TO_UNIT => n.to_unit = unit(opt.value())?,
            GROUPING => grouping = true,
            HEADER => {
                header = match opt.value {
                    None => 1,
                    Some(v) => number::unsigned(v, b"")
                        .ok()
                        .filter(|n| *n > 0)
                        .ok_or_else(|| report::die(1, format_args!("invalid header value {}", locale(v))))?,
                }
            }
            INVALID => {
                let words = [
                    ("abort", Invalid::Abort),
                    ("fail", Invalid::Fail),
                    ("warn", Invalid::Warn),
                    ("ignore", Invalid::Ignore),
                ];
                n.invalid = word(opt.value(), "--invalid", &words, 1)?;
            }
            PADDING => {
                let wide = number::signed(opt.value(), b"").ok().filter(|w| *w != 0);
                let wide =
                    wide.ok_or_else(|| report::die(1, format_args!("invalid padding value {}", locale(opt.value()))))?;
                n.format.left = wide < 0;
                n.format.width = usize::try_from(wide.unsigned_abs()).unwrap_or(usize::MAX);
            }
            ROUND => n.round = word(opt.value(), "--round", &scale::ROUNDS, 1)?,
            SUFFIX => n.suffix = opt.value(),
            _ => n.end = 0,
        }
    }
    let operands = options.operands();
    if format.is_some() && grouping {
        return Err(report::die(1, "--grouping cannot be combined with --format"));
    }
    if n.debug && (n.from, n.to, grouping, n.format.width, format) == (Scale::None, Scale::None, false, 0, None) {
        report::error("no conversion option specified");
    }
    if let Some(text) = format {
        grouping = n.format.parse(text, n.debug)?;
    }
    if grouping {
        if n.to != Scale::None {
            return Err(report::die(1, "grouping cannot be combined with --to"));
        }
        if n.debug {
            report::error("grouping has no effect in this locale");
        }
    }
    // Wider than any line: refused before memory is.
    if n.format.width.max(n.format.zeros) > 1 << 26 {
        return Err(report::die(1, "memory exhausted"));
    }
    if n.fields.is_empty() {
        n.fields.push((1, 1));
    }
    n.auto_padding = n.format.width == 0 && n.delimiter.is_none();
    let mut out = Out::stdout();
    let mut good = true;
    if operands.is_empty() {
        good = n.lines(header, &mut out)?;
    } else {
        if n.debug && header > 0 {
            report::error("--header ignored with command-line input");
        }
        for operand in operands {
            good &= n.line(operand, true, &mut out)?;
        }
    }
    if n.debug && !good {
        report::error("failed to convert some of the input numbers");
    }
    let failed = !good && matches!(n.invalid, Invalid::Abort | Invalid::Fail);
    report::finish(&mut out, if failed { BAD_NUMBER } else { 0 })
}

/// `1024`, `K` and `Ki`: here a letter alone is decimal.
fn unit(text: &[u8]) -> Result<u64, Exit> {
    let bad = || report::die(1, format_args!("invalid unit size: {}", locale(text)));
    let (body, binary) = match text.strip_suffix(b"i") {
        Some(body) if body.last().is_some_and(u8::is_ascii_alphabetic) => (body, true),
        Some(_) => return Err(bad()),
        None => (text, false),
    };
    let letter = body.last().is_some_and(u8::is_ascii_alphabetic);
    let full = [body, if letter && !binary { b"B" } else { b"" }].concat();
    number::unsigned(&full, b"KMGTPEZY0").ok().filter(|n| *n > 0).ok_or_else(bad)
}

impl Numfmt<'_> {
    fn lines(&self, mut header: u64, out: &mut Out) -> Result<bool, Exit> {
        let mut stream = In::new(STDIN);
        let (mut line, mut good) = (Vec::new(), true);
        // What cannot be read is told and no failure: so does GNU's.
        let read = |stream: &mut In, line: &mut Vec<u8>| {
            line.clear();
            let more = stream.read_until(self.end, line);
            more.inspect_err(|e| report::error(format_args!("error reading input: {e}"))).unwrap_or(false)
        };
        while read(&mut stream, &mut line) {
            if header > 0 {
                header -= 1;
                out.write(&line);
                continue;
            }
            let ended = line.last() == Some(&self.end);
            good &= self.line(&line[..line.len() - usize::from(ended)], ended, out)?;
            report::writable(out)?;
        }
        Ok(good)
    }

    fn line(&self, line: &[u8], ended: bool, out: &mut Out) -> Result<bool, Exit> {
        let (mut rest, mut number, mut good) = (line, 0, true);
        loop {
            number += 1;
            let end = self.field_end(rest);
            good &= self.field(&rest[..end], number, out)?;
            if end == rest.len() {
                break;
            }
            out.byte(self.delimiter.unwrap_or(b' '));
            rest = &rest[end + 1..];
        }
        if ended {
            out.byte(self.end);
        }
        Ok(good)
    }

    /// Blanks in front belong to a field that ends at blanks.
    fn field_end(&self, text: &[u8]) -> usize {
        if let Some(delimiter) = self.delimiter {
            return memchr::memchr(delimiter, text).unwrap_or(text.len());
        }
        let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
        let start = text.iter().take_while(|b| blank(b)).count();
        start + text[start..].iter().take_while(|b| !blank(b)).count()
    }

    fn field(&self, text: &[u8], number: usize, out: &mut Out) -> Result<bool, Exit> {
        if !self.fields.iter().any(|f| (f.0..=f.1).contains(&number)) {
            out.write(text);
            return Ok(true);
        }
        match self.convert(text, number) {
            Ok(shown) => {
                out.write(&shown);
                Ok(true)
            }
            Err(message) => {
                if self.invalid == Invalid::Abort {
                    let _ = out.flush();
                    return Err(report::die(BAD_NUMBER, message));
                }
                if self.invalid != Invalid::Ignore {
                    report::error(message);
                }
                out.write(text);
                Ok(false)
            }
        }
    }

    fn convert(&self, text: &[u8], number: usize) -> Result<Vec<u8>, String> {
        let mut body = text;
        if !self.suffix.is_empty() && text.len() > self.suffix.len() {
            body = text.strip_suffix(self.suffix).unwrap_or(text);
        }
        let start = body.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let width = match self.auto_padding {
            true if start > 0 || number > 1 => body.len(),
            true => 0,
            false => self.format.width,
        };
        let read = self.from.read(&body[start..])?;
        if read.lossy && self.debug {
            report::error(format_args!("large input value {}: possible precision loss", locale(&body[start..])));
        }
        let mut value = read.value;
        if (self.from_unit, self.to_unit) != (1, 1) {
            value = value * self.from_unit.into() / self.to_unit.into();
        }
        let mut shown = self.to.show(value, read.precision, &self.format, self.round)?.into_bytes();
        shown.extend_from_slice(self.suffix);
        Ok(self.format.wrap(&shown, width))
    }
}

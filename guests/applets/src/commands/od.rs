use crate::input::{self, Input};
use crate::number;
use crate::options::{Long, NO, OPT, Opt, Options, REQ, only, word};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, Out};

mod dump;
mod format;
use dump::Dump;
use format::Format;

pub const HELP: &str = "\
Usage: od [OPTION]... [FILE]...
  or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
  or:  od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]
Write an unambiguous representation, octal bytes by default, of FILE to
standard output.  With no FILE, or when FILE is -, read standard input.

  -A, --address-radix=RADIX   how to write places: decimal (d), octal
                                (o), hexadecimal (x) or not at all (n)
      --endian={big|little}   which end of a number comes first
  -j, --skip-bytes=BYTES      begin behind BYTES
  -N, --read-bytes=BYTES      BYTES and no more
  -S BYTES, --strings[=BYTES]  output only NUL terminated strings of at least
                                BYTES (3) printable characters
  -t, --format=TYPE           how to show the data; may be repeated
  -v, --output-duplicates     show lines that repeat too
  -w[BYTES], --width[=BYTES]  BYTES to a line (32, if the option
                                has none)
      --traditional           operands as in the third form above
      --help        print this help
      --version     print the version

Short for a TYPE, and added to the others:
  -a   -t a: characters by name, seven bits
  -b   -t o1: bytes, in octal
  -c   -t c: characters, or escapes
  -d   -t u2: pairs of bytes, unsigned
  -f   -t fF: floating point
  -i   -t dI: int
  -l   -t dL: long
  -o   -t o2: pairs of bytes, in octal
  -s   -t d2: pairs of bytes, signed
  -x   -t x2: pairs of bytes, in hexadecimal

TYPE is one of these, or several in a row:
  a          characters by name, seven bits
  c          characters, or escapes
  d[SIZE]    signed numbers of SIZE bytes
  f[SIZE]    floating point, SIZE bytes per float (4, 8 or 16)
  o[SIZE]    octal numbers of SIZE bytes
  u[SIZE]    unsigned numbers of SIZE bytes
  x[SIZE]    hexadecimal numbers of SIZE bytes
SIZE is a number, or C, S, I, L for the types of C (F, D, L for floats).
A z behind a type shows the text at the end of each line.
";

const TRADITIONAL: char = only(0);
const ENDIAN: char = only(1);
const LONG: &[Long] = &[
    ("address-radix", REQ, 'A'),
    ("endian", REQ, ENDIAN),
    ("skip-bytes", REQ, 'j'),
    ("read-bytes", REQ, 'N'),
    ("strings", OPT, 'S'),
    ("format", REQ, 't'),
    ("output-duplicates", NO, 'v'),
    ("width", OPT, 'w'),
    ("traditional", NO, TRADITIONAL),
];

/// What sizes are written with.
const SUFFIXES: &[u8] = b"bEGKkMmPTYZ0";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "A:aBbcDdeFfHhIij:LlN:OoS:st:vw::Xx", LONG);
    let mut formats: Vec<Format> = Vec::new();
    let mut d = Dump::default();
    let (mut modern, mut traditional, mut width, mut strings) = (false, false, None, None);
    while let Some(opt) = options.next()? {
        let old: &[u8] = match opt.letter {
            'a' => b"a",
            'b' => b"o1",
            'B' | 'o' => b"o2",
            'c' => b"c",
            'D' => b"u4",
            'd' => b"u2",
            'e' | 'F' => b"fD",
            'f' => b"fF",
            'H' | 'X' => b"x4",
            'h' | 'x' => b"x2",
            'I' | 'L' | 'l' => b"dL",
            'i' => b"dI",
            'O' => b"o4",
            's' => b"d2",
            TRADITIONAL => {
                traditional = true;
                continue;
            }
            letter => {
                modern = true;
                match letter {
                    'A' => d.set_radix(opt.value())?,
                    ENDIAN => d.big = word(opt.value(), "--endian", &[("little", false), ("big", true)], 1)?,
                    'j' => d.skip = size(&opt)?,
                    'N' => d.limit = Some(size(&opt)?),
                    'S' => strings = Some(opt.value.map_or(Ok(3), |_| size(&opt))?),
                    't' => Format::parse(opt.value(), &mut formats)?,
                    'v' => d.all = true,
                    _ => width = Some(opt.value.map_or(Ok(32), |_| size(&opt))?),
                }
                continue;
            }
        };
        Format::parse(old, &mut formats)?;
    }
    let mut operands = options.operands();
    if strings.is_some() && !formats.is_empty() {
        return Err(report::die(1, "no type may be specified when dumping strings"));
    }
    if !modern || traditional {
        d.old_offset(&mut operands, traditional)?;
    }
    if formats.is_empty() {
        Format::parse(b"oS", &mut formats)?;
    }
    d.settle(formats, width)?;
    if let Some(least) = strings {
        d.least_string = Some(usize::try_from(least).unwrap_or(usize::MAX));
    }
    let mut files = Files::new(operands.clone());
    let mut out = Out::stdout();
    d.run(&mut files, &mut out)?;
    let good = input::closes(&operands, "standard input") && !files.failed;
    report::finish(&mut out, u8::from(!good))
}

fn size(opt: &Opt<'_>) -> Result<u64, Exit> {
    let text = opt.value();
    // All but widths as C writes them.
    let value =
        if opt.letter == 'w' { number::unsigned(text, SUFFIXES) } else { number::unsigned_as_c(text, SUFFIXES) };
    value.map_err(|bad| number::refuse(1, &opt.shown(), text, bad))
}

/// The files, one behind the other.
pub struct Files<'a> {
    names: std::vec::IntoIter<&'a [u8]>,
    current: Option<(Input, &'a [u8])>,
    pub failed: bool,
}

impl<'a> Files<'a> {
    fn new(mut names: Vec<&'a [u8]>) -> Files<'a> {
        if names.is_empty() {
            names.push(b"-");
        }
        Files { names: names.into_iter(), current: None, failed: false }
    }

    fn complain(&mut self, name: &[u8], e: Errno) {
        report::fault(quote::input(name), e);
        self.failed = true;
    }

    /// Opens the first file that can be; whether there was one.
    pub fn open_first(&mut self) -> bool {
        while self.current.is_none() {
            let Some(name) = self.names.next() else { return false };
            match Input::open(name) {
                Ok(input) => self.current = Some((input, name)),
                Err(e) => self.complain(name, e),
            }
        }
        true
    }

    /// Appends up to `count` bytes; fewer only at the end of all.
    pub fn read(&mut self, count: usize, to: &mut Vec<u8>) {
        let mut missing = count;
        while missing > 0 {
            if !self.open_first() {
                return;
            }
            let Some((input, name)) = &mut self.current else { return };
            match input.stream.fill() {
                Ok([]) => self.current = None,
                Ok(block) => {
                    let n = block.len().min(missing);
                    to.extend_from_slice(&block[..n]);
                    input.stream.consume(n);
                    missing -= n;
                }
                Err(e) => {
                    let name = *name;
                    self.complain(name, e);
                    self.current = None;
                }
            }
        }
    }

    /// Reads and forgets.
    fn skip(&mut self, mut count: u64) -> Result<(), Exit> {
        let mut scratch = Vec::new();
        while count > 0 {
            scratch.clear();
            self.read(usize::try_from(count).unwrap_or(usize::MAX).min(65_536), &mut scratch);
            if scratch.is_empty() {
                return Err(report::die(1, "cannot skip past end of combined input"));
            }
            count -= scratch.len() as u64;
        }
        Ok(())
    }
}

/// A number as old `od` had it: octal, decimal with a point behind, hexadecimal behind `0x`; `b` is 512.
fn old_number(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (text, factor) = match text.strip_suffix(b"b") {
        Some(rest) if !text.starts_with(b"0x") => (rest, 512),
        _ => (text, 1),
    };
    let (digits, radix) = match (text.strip_suffix(b"."), text.strip_prefix(b"0x")) {
        (Some(digits), _) => (digits, 10),
        (None, Some(digits)) => (digits, 16),
        _ => (text, 8),
    };
    if !digits.first().is_some_and(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?.checked_mul(factor)
}

impl Dump {
    fn old_offset(&mut self, operands: &mut Vec<&[u8]>, traditional: bool) -> Result<(), Exit> {
        let marked = |text: &[u8]| text.starts_with(b"+") || text.first().is_some_and(u8::is_ascii_digit);
        match operands.as_slice() {
            [only] if traditional || only.starts_with(b"+") => {
                if let Some(skip) = old_number(only) {
                    self.skip = skip;
                    operands.clear();
                }
            }
            [first, second] if traditional || marked(second) => {
                if let Some(last) = old_number(second) {
                    match old_number(first).filter(|_| traditional) {
                        Some(skip) => {
                            (self.skip, self.label) = (skip, Some(last));
                            operands.clear();
                        }
                        None => {
                            self.skip = last;
                            operands.pop();
                        }
                    }
                }
            }
            [_, second, third] if traditional => match (old_number(second), old_number(third)) {
                (Some(skip), Some(label)) => {
                    (self.skip, self.label) = (skip, Some(label));
                    operands.truncate(1);
                }
                _ => {
                    return Err(report::usage(
                        1,
                        format_args!("invalid second operand in compatibility mode {}", locale(third)),
                    ));
                }
            },
            [_, extra, ..] if traditional => {
                report::error(format_args!("extra operand {}", locale(extra)));
                let text = "od: compatibility mode supports at most one file\n";
                let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
                return Err(report::try_help(1));
            }
            _ => {}
        }
        Ok(())
    }
}

//! strings: runs of printable characters in files.

use crate::options::{Long, NO, Options, REQ};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, FileType, In, OpenFlags, Out, STDIN, fstat, open};

pub const HELP: &str = "\
Usage: strings [OPTION]... [FILE]...
Print the printable strings in files, or in standard input.

  -a, --all                    look at the whole file (always so here)
  -f, --print-file-name        the name of the file before each string
  -n, --bytes=MIN, -MIN        at least MIN characters (4)
  -t, --radix={o,d,x}          where each string begins, in that base
  -o                           the same as -t o
  -w, --include-all-whitespace line ends and the like are printable, too
  -e, --encoding={s,S,b,l,B,L} characters of 7 or 8 bits, 16 bits (big and
                               little end first), 32 bits
  -s, --output-separator=TEXT  what stands between strings, instead of a newline
      --help, -v, --version
";

const LONG: &[Long] = &[
    ("all", NO, 'a'),
    ("print-file-name", NO, 'f'),
    ("bytes", REQ, 'n'),
    ("radix", REQ, 't'),
    ("include-all-whitespace", NO, 'w'),
    ("encoding", REQ, 'e'),
    ("output-separator", REQ, 's'),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Radix {
    Octal,
    Decimal,
    Hex,
}

struct Settings {
    name: bool,
    least: usize,
    radix: Option<Radix>,
    white: bool,
    /// Bytes of a character, whether the high one comes first, and whether all eight bits count.
    width: usize,
    big: bool,
    eight: bool,
    separator: Vec<u8>,
}

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Help);
    let mut set = Settings {
        name: false,
        least: 4,
        radix: None,
        white: false,
        width: 1,
        big: false,
        eight: false,
        separator: b"\n".to_vec(),
    };
    let mut digits = String::new();
    let mut options = Options::new(args, "afn:t:owe:s:v0123456789", LONG);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => set.name = true,
            'n' => set.least = minimum(&crate::quote::raw(opt.value()))?,
            'o' => set.radix = Some(Radix::Octal),
            't' => {
                set.radix = Some(match opt.value() {
                    b"o" => Radix::Octal,
                    b"d" => Radix::Decimal,
                    b"x" => Radix::Hex,
                    _ => return Err(report::try_help(1)),
                });
            }
            'w' => set.white = true,
            'e' => {
                (set.width, set.big, set.eight) = match opt.value() {
                    b"s" => (1, false, false),
                    b"S" => (1, false, true),
                    b"b" => (2, true, false),
                    b"l" => (2, false, false),
                    b"B" => (4, true, false),
                    b"L" => (4, false, false),
                    _ => return Err(report::try_help(1)),
                };
            }
            's' => set.separator = opt.value().to_vec(),
            'v' => return Err(options.version()),
            digit if digit.is_ascii_digit() => digits.push(digit),
            _ => {}
        }
    }
    if !digits.is_empty() {
        set.least = minimum(&digits)?;
    }
    // A dash alone asks for the whole file, as -a does.
    let operands = options.operands();
    let files: Vec<_> = operands.iter().copied().filter(|name| *name != b"-").collect();
    let mut out = Out::stdout();
    let mut status = 0;
    if files.is_empty() && !operands.is_empty() {
        return Err(report::try_help(1));
    }
    if files.is_empty() {
        let _ = set.scan(&mut In::new(STDIN), b"{standard input}", &mut out);
    }
    for name in files {
        let shown = crate::quote::raw(name);
        let outcome =
            open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|file| match fstat(file.raw())?.kind {
                FileType::Directory => Err(Errno::EISDIR),
                _ => set.scan(&mut In::new(file.raw()), name, &mut out),
            });
        if let Err(errno) = outcome {
            status = 1;
            match errno {
                Errno::ENOENT => report::error(format_args!("'{shown}': No such file")),
                Errno::EISDIR => report::error(format_args!("Warning: '{shown}' is a directory")),
                Errno::ELOOP | Errno::ENOTDIR | Errno::ENAMETOOLONG => {
                    report::error(format_args!("Warning: could not locate '{shown}'.  reason: {errno}"));
                }
                errno => report::fault(shown, errno),
            }
        }
    }
    report::finish(&mut out, status)
}

fn minimum(text: &str) -> Result<usize, Exit> {
    let number: usize = if text.is_empty() { Ok(0) } else { text.parse() }
        .map_err(|_| report::die(1, format_args!("invalid integer argument {text}")))?;
    match number {
        0 => Err(report::die(1, "invalid minimum string length 0")),
        number => Ok(number),
    }
}

/// A string that has begun: where, and what of it is not out yet.
#[derive(Default)]
struct Run {
    start: u64,
    held: Vec<u8>,
    /// Long enough: what follows goes out as it comes.
    told: bool,
}

impl Settings {
    #[inline]
    fn printable(&self, c: u32) -> bool {
        let white = self.white && matches!(c, 0x0a..=0x0d);
        matches!(c, 0x20..=0x7e | 0x09) || white || (self.eight && (0x80..=0xff).contains(&c))
    }

    fn scan(&self, input: &mut In, name: &[u8], out: &mut Out) -> Result<(), Errno> {
        let mut run = Run::default();
        // Characters of several bytes may begin anywhere: what does not fit moves on by one byte.
        let mut window: Vec<u8> = Vec::new();
        let mut at = 0u64;
        loop {
            let block = input.fill()?;
            if block.is_empty() {
                break;
            }
            let length = block.len();
            if self.width == 1 {
                self.bytes(&mut run, at, block, name, out);
                at += length as u64;
            } else {
                window.extend_from_slice(block);
                let mut used = 0;
                while let Some(bytes) = window.get(used..used + self.width) {
                    let fold = |n: u32, b: &u8| n << 8 | u32::from(*b);
                    let c = if self.big { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) };
                    let good = self.printable(c);
                    if !good && !run.told && run.held.is_empty() {
                        (used, at) = (used + 1, at + 1);
                        continue;
                    }
                    self.take(&mut run, at, c, name, out);
                    let step = if good { self.width } else { 1 };
                    used += step;
                    at += step as u64;
                }
                window.drain(..used);
            }
            input.consume(length);
        }
        self.end(&mut run, out);
        Ok(())
    }

    /// Characters of one byte, stretch by stretch.
    fn bytes(&self, run: &mut Run, mut at: u64, block: &[u8], name: &[u8], out: &mut Out) {
        let mut rest = block;
        while !rest.is_empty() {
            let end = rest.iter().position(|b| !self.printable((*b).into())).unwrap_or(rest.len());
            let (text, behind) = rest.split_at(end);
            // The first of them tell whether it is a string.
            let mut told = 0;
            while told < text.len() && !run.told {
                self.take(run, at + told as u64, text[told].into(), name, out);
                told += 1;
            }
            out.write(&text[told..]);
            at += end as u64;
            rest = behind;
            if !rest.is_empty() {
                self.end(run, out);
                let none = rest.iter().position(|b| self.printable((*b).into())).unwrap_or(rest.len());
                at += none as u64;
                rest = &rest[none..];
            }
        }
    }

    fn take(&self, run: &mut Run, at: u64, c: u32, name: &[u8], out: &mut Out) {
        if !self.printable(c) {
            return self.end(run, out);
        }
        if run.told {
            return out.byte(c as u8);
        }
        if run.held.is_empty() {
            run.start = at;
        }
        run.held.push(c as u8);
        if run.held.len() < self.least {
            return;
        }
        if self.name {
            out.write(name);
            out.write(b": ");
        }
        match self.radix {
            Some(Radix::Octal) => out.write(format!("{:7o} ", run.start).as_bytes()),
            Some(Radix::Decimal) => out.write(format!("{:7} ", run.start).as_bytes()),
            Some(Radix::Hex) => out.write(format!("{:7x} ", run.start).as_bytes()),
            None => {}
        }
        out.write(&run.held);
        run.told = true;
    }

    fn end(&self, run: &mut Run, out: &mut Out) {
        if run.told {
            out.write(&self.separator);
        }
        run.held.clear();
        run.told = false;
    }
}

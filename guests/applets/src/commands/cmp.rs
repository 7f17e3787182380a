use crate::number::{self, SIZES};
use crate::options::{Long, NO, Options, REQ};
use crate::quote::plain;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, Fd, FileType, In, OpenFlags, Out, STDIN, Seek, Stat, fstat, open, seek};

pub const HELP: &str = "\
Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Find the first byte in which two files differ.

SKIP1 and SKIP2 are numbers of bytes to skip at the start of each file.

  -b, --print-bytes          show the bytes as well (-c, --print-chars of old)
  -i, --ignore-initial=SKIP         leave out the first SKIP bytes of each
  -i, --ignore-initial=SKIP1:SKIP2  leave out SKIP1 bytes of FILE1,
                                      SKIP2 bytes of FILE2
  -l, --verbose              list all that differ, with place and values
  -n, --bytes=LIMIT          look at the first LIMIT bytes only
  -s, --quiet, --silent      no output; the status tells
      --help                 print this help
  -v, --version              print the version

SKIP values may be followed by suffixes: kB 1000, K 1024, MB, M, GB, G and so on.
- or no second FILE is standard input.
Status: 0 alike, 1 not alike, 2 an error.
";

const LONG: &[Long] = &[
    ("print-bytes", NO, 'b'),
    ("print-chars", NO, 'c'),
    ("ignore-initial", REQ, 'i'),
    ("verbose", NO, 'l'),
    ("bytes", REQ, 'n'),
    ("silent", NO, 's'),
    ("quiet", NO, 's'),
];
const TROUBLE: u8 = 2;

struct File<'a> {
    name: &'a [u8],
    stream: In,
    stat: Stat,
    skip: u64,
    _file: Option<Fd>,
}

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Named);
    report::output_fails(TROUBLE, "standard output");
    let mut options = Options::new(args, "bci:ln:sv", LONG).status(TROUBLE);
    let (mut bytes, mut all, mut silent, mut limit) = (false, false, false, u64::MAX);
    let mut skip = [0, 0];
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' | 'c' => bytes = true,
            'i' => {
                let text = opt.value();
                let colon = text.iter().position(|&b| b == b':');
                let (first, second) = colon.map_or((text, text), |at| (&text[..at], &text[at + 1..]));
                skip = [size(first, "--ignore-initial", text)?, size(second, "--ignore-initial", text)?];
            }
            'l' => all = true,
            'n' => limit = limit.min(size(opt.value(), "--bytes", opt.value())?),
            's' => silent = true,
            _ => {
                let mut out = Out::stdout();
                out.write(format!("cmp (Capsule) {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
                return report::finish(&mut out, 0);
            }
        }
    }
    if all && silent {
        return Err(report::usage(TROUBLE, "options -l and -s are incompatible"));
    }
    let operands = options.operands();
    if operands.is_empty() {
        let last = args.argv.last().map_or(b"cmp".as_slice(), Vec::as_slice);
        return Err(report::usage(TROUBLE, format_args!("missing operand after {}", plain(last))));
    }
    for (at, text) in operands.iter().skip(2).take(2).enumerate() {
        skip[at] = size(text, "--ignore-initial", text)?;
    }
    if let Some(extra) = operands.get(4) {
        return Err(report::usage(TROUBLE, format_args!("extra operand {}", plain(extra))));
    }
    let names = [operands[0], operands.get(1).copied().unwrap_or(b"-")];
    let mut first = open_file(names[0], skip[0], silent)?;
    if names[0] == names[1] && skip[0] == skip[1] {
        return Ok(0);
    }
    let mut second = open_file(names[1], skip[1], silent)?;
    let same = (first.stat.dev, first.stat.ino) == (second.stat.dev, second.stat.ino);
    if same && skip[0] == skip[1] && first.stat.kind == FileType::Regular {
        return Ok(0);
    }
    let left = |f: &File| (f.stat.kind == FileType::Regular).then(|| f.stat.size.saturating_sub(f.skip).min(limit));
    if silent
        && let (Some(a), Some(b)) = (left(&first), left(&second))
        && a != b
    {
        return Ok(1);
    }
    skip_start(&mut first)?;
    skip_start(&mut second)?;
    let longest = left(&first).into_iter().chain(left(&second)).min().unwrap_or(limit.min(i64::MAX as u64));
    let width = longest.max(1).to_string().len();
    let mut out = Out::stdout();
    let how = How { bytes, all, silent, width };
    let status = compare(&mut first, &mut second, limit, &how, &mut out)?;
    report::finish(&mut out, status)
}

fn size(text: &[u8], what: &str, whole: &[u8]) -> Result<u64, Exit> {
    match number::unsigned(text, SIZES) {
        Ok(n) if text.first().is_some_and(u8::is_ascii_digit) => Ok(n),
        _ => Err(report::usage(TROUBLE, format_args!("invalid {what} value {}", plain(whole)))),
    }
}

fn fault(name: &[u8], e: Errno) -> Exit {
    report::die(TROUBLE, format_args!("{}: {e}", crate::quote::raw(name)))
}

fn open_file(name: &[u8], skip: u64, silent: bool) -> Result<File<'_>, Exit> {
    let file = match name {
        b"-" => None,
        _ => match open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            Ok(fd) => Some(fd),
            Err(_) if silent => return Err(Exit(TROUBLE)),
            Err(e) => return Err(fault(name, e)),
        },
    };
    let fd = file.as_ref().map_or(STDIN, Fd::raw);
    let stat = fstat(fd).map_err(|e| fault(name, e))?;
    Ok(File { name, stream: In::new(fd), stat, skip, _file: file })
}

fn skip_start(file: &mut File) -> Result<(), Exit> {
    let mut left = file.skip;
    if left == 0 {
        return Ok(());
    }
    if file.stat.kind == FileType::Regular && seek(file.stream.fd(), Seek::Current(left.min(1 << 62) as i64)).is_ok() {
        return Ok(());
    }
    while left > 0 {
        let n = file.stream.fill().map_err(|e| fault(file.name, e))?.len();
        if n == 0 {
            break;
        }
        let used = n.min(usize::try_from(left).unwrap_or(usize::MAX));
        file.stream.consume(used);
        left -= used as u64;
    }
    Ok(())
}

struct How {
    bytes: bool,
    all: bool,
    silent: bool,
    width: usize,
}

fn compare(a: &mut File, b: &mut File, mut limit: u64, how: &How, out: &mut Out) -> Result<u8, Exit> {
    let (mut offset, mut lines, mut status) = (0u64, 1u64, 0);
    // Whether the byte before was a newline: it tells how far a file came that ended early.
    let mut last = None;
    while limit > 0 {
        let x = a.stream.fill().map_err(|e| fault(a.name, e))?;
        let y = b.stream.fill().map_err(|e| fault(b.name, e))?;
        if x.is_empty() && y.is_empty() {
            return Ok(status);
        }
        if x.is_empty() || y.is_empty() {
            if !how.silent {
                let name = crate::quote::raw(if x.is_empty() { a.name } else { b.name });
                let _ = out.flush();
                ended(&name, offset, lines, last, how);
            }
            return Ok(1);
        }
        let n = x.len().min(y.len()).min(usize::try_from(limit).unwrap_or(usize::MAX));
        let (x, y) = (&x[..n], &y[..n]);
        if x != y {
            status = 1;
            if how.silent {
                return Ok(1);
            }
            if !how.all {
                first_difference(a.name, b.name, x, y, offset, lines, how, out);
                return Ok(1);
            }
            every_difference(x, y, offset, how, out);
            report::writable(out)?;
        }
        if !how.all {
            lines += memchr::memchr_iter(b'\n', x).count() as u64;
        }
        last = x.last().copied();
        offset += n as u64;
        limit -= n as u64;
        a.stream.consume(n);
        b.stream.consume(n);
    }
    Ok(status)
}

fn ended(name: &str, offset: u64, lines: u64, last: Option<u8>, how: &How) {
    if offset == 0 {
        report::error(format_args!("EOF on {name} which is empty"));
    } else if how.all {
        report::error(format_args!("EOF on {name} after byte {offset}"));
    } else if last == Some(b'\n') {
        report::error(format_args!("EOF on {name} after byte {offset}, line {}", lines - 1));
    } else {
        report::error(format_args!("EOF on {name} after byte {offset}, in line {lines}"));
    }
}

#[allow(clippy::too_many_arguments, reason = "one message with all it says")]
fn first_difference(a: &[u8], b: &[u8], x: &[u8], y: &[u8], offset: u64, lines: u64, how: &How, out: &mut Out) {
    let Some(at) = x.iter().zip(y).position(|(p, q)| p != q) else { return };
    let line = lines + memchr::memchr_iter(b'\n', &x[..at]).count() as u64;
    let byte = offset + at as u64 + 1;
    out.write(&[a, b" ", b].concat());
    // POSIX counts characters, which are bytes here too.
    let unit = if how.bytes || crate::quote::has_locale(b"LC_MESSAGES") { "byte" } else { "char" };
    out.write(format!(" differ: {unit} {byte}, line {line}").as_bytes());
    if how.bytes {
        let text = format!(" is {:3o} {} {:3o} {}", x[at], visible(x[at]), y[at], visible(y[at]));
        out.write(text.as_bytes());
    }
    out.byte(b'\n');
}

fn every_difference(x: &[u8], y: &[u8], offset: u64, how: &How, out: &mut Out) {
    for (at, (p, q)) in x.iter().zip(y).enumerate().filter(|(_, (p, q))| p != q) {
        let byte = offset + at as u64 + 1;
        let text = match how.bytes {
            true => format!("{byte:>0$} {p:3o} {1:<4} {q:3o} {2}\n", how.width, visible(*p), visible(*q)),
            false => format!("{byte:>0$} {p:3o} {q:3o}\n", how.width),
        };
        out.write(text.as_bytes());
    }
}

/// A byte as `cat -v` shows it, newlines and tabs too.
fn visible(byte: u8) -> String {
    let meta = if byte >= 128 { "M-" } else { "" };
    match byte & 127 {
        127 => format!("{meta}^?"),
        low @ 0..=31 => format!("{meta}^{}", (low + 64) as char),
        low => format!("{meta}{}", low as char),
    }
}

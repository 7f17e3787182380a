use crate::input::Input;
use crate::number::{self, Bad};
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::quote::{self, locale, quoted};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{FileType, In, Out, Seek, fstat, seek};

mod names;
mod pieces;
use names::Names;
use pieces::Pieces;

pub const HELP: &str = "\
Usage: split [OPTION]... [FILE [PREFIX]]
Cut FILE into PREFIXaa, PREFIXab and so on,
of 1000 lines each; PREFIX is x, if there is none.

Standard input is read where FILE is - or missing.

  -a, --suffix-length=N   the letters at the end are N (2)
      --additional-suffix=SUFFIX  SUFFIX behind them as well
  -b, --bytes=SIZE        pieces of SIZE bytes
  -C, --line-bytes=SIZE   pieces of whole lines, SIZE bytes at the most
  -d                      digits from 0 on, not letters
      --numeric-suffixes[=FROM]  the same, from FROM on
  -x                      hexadecimal digits from 0 on, not letters
      --hex-suffixes[=FROM]  the same, from FROM on
  -e, --elide-empty-files  with -n, no files that would be empty
      --filter=COMMAND    each piece is the input of COMMAND, its name in $FILE
  -l, --lines=NUMBER      pieces of NUMBER lines
  -n, --number=CHUNKS     generate CHUNKS output files; see below
  -t, --separator=SEP     lines end with SEP; '\0' is NUL
  -u, --unbuffered        with -n r/, write at once
      --verbose           tell of each output file before it is opened
      --help        print this help
      --version     print the version

CHUNKS may be:
  N       N pieces of about one size
  K/N     print the Kth of N pieces
  l/N     N pieces of whole lines
  l/K/N   print the Kth of them
  r/N     N pieces, to which the lines go in turn
  r/K/N   print the Kth of them
";

const ADDITIONAL: char = only(0);
const NUMERIC: char = only(1);
const HEX: char = only(2);
const FILTER: char = only(3);
const VERBOSE: char = only(4);

const LONG: &[Long] = &[
    ("bytes", REQ, 'b'),
    ("lines", REQ, 'l'),
    ("line-bytes", REQ, 'C'),
    ("number", REQ, 'n'),
    ("elide-empty-files", NO, 'e'),
    ("unbuffered", NO, 'u'),
    ("suffix-length", REQ, 'a'),
    ("additional-suffix", REQ, ADDITIONAL),
    ("numeric-suffixes", OPT, NUMERIC),
    ("hex-suffixes", OPT, HEX),
    ("filter", REQ, FILTER),
    ("verbose", NO, VERBOSE),
    ("separator", REQ, 't'),
];

#[derive(Clone, Copy, PartialEq)]
enum How {
    Lines(u64),
    Bytes(u64),
    LineBytes(u64),
    /// So many files, or one of them on standard output.
    Chunks(Kind, Option<u64>, u64),
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bytes,
    Lines,
    Round,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "0123456789C:a:b:del:n:t:ux", LONG);
    let (mut how, mut names, mut separator) = (None, Names::default(), None);
    let (mut elide, mut filter, mut verbose, mut unbuffered) = (false, None, false, false);
    let mut digits = Vec::new();
    while let Some(opt) = options.next()? {
        let value = opt.value();
        if how.is_some() && matches!(opt.letter, 'b' | 'C' | 'l' | 'n') {
            return Err(report::usage(1, "cannot split in more than one way"));
        }
        if opt.letter.is_ascii_digit() {
            // `-100` is a number of lines.
            digits.push(opt.letter as u8);
            continue;
        }
        match opt.letter {
            'b' => how = Some(How::Bytes(size(value, "invalid number of bytes")?)),
            'C' => how = Some(How::LineBytes(size(value, "invalid number of bytes")?)),
            'l' => how = Some(How::Lines(count(value, "invalid number of lines")?)),
            'n' => how = Some(chunks(value)?),
            'a' => {
                names.length = Some(match number::unsigned(value, b"") {
                    Ok(n @ 0..=250) => n as usize,
                    Err(bad) => return Err(number::complain(1, "invalid suffix length", value, bad)),
                    Ok(_) => return Err(number::complain(1, "invalid suffix length", value, Bad::Invalid)),
                });
            }
            ADDITIONAL => {
                if value.contains(&b'/') {
                    let text = format!("invalid suffix {}, contains directory separator", locale(value));
                    return Err(report::usage(1, text));
                }
                names.additional = value.to_vec();
            }
            'd' | NUMERIC => names.start(opt.value.filter(|_| opt.letter == NUMERIC), b"0123456789")?,
            'x' | HEX => names.start(opt.value.filter(|_| opt.letter == HEX), b"0123456789abcdef")?,
            'e' => elide = true,
            FILTER => filter = Some(value),
            VERBOSE => verbose = true,
            'u' => unbuffered = true,
            _ => {
                let byte = match value {
                    [] => return Err(report::die(1, "empty record separator")),
                    b"\\0" => 0,
                    [one] => *one,
                    _ => return Err(report::die(1, format_args!("multi-character separator {}", locale(value)))),
                };
                if separator.is_some_and(|s| s != byte) {
                    return Err(report::die(1, "multiple separator characters specified"));
                }
                separator = Some(byte);
            }
        }
    }
    if !digits.is_empty() {
        if how.is_some() {
            return Err(report::usage(1, "cannot split in more than one way"));
        }
        how = Some(How::Lines(match number::unsigned(&digits, b"") {
            Ok(n) if n > 0 => n,
            Ok(_) => return Err(report::usage(1, format_args!("invalid number of lines: {}", locale(&digits)))),
            Err(_) => {
                let shown = String::from_utf8_lossy(&digits).into_owned();
                return Err(report::die(1, format_args!("line count option -{shown}... is too large")));
            }
        }));
    }
    let operands = options.operands();
    if let Some(extra) = operands.get(2) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let name: &[u8] = operands.first().copied().unwrap_or(b"-");
    names.prefix = operands.get(1).copied().unwrap_or(b"x").to_vec();
    let how = how.unwrap_or(How::Lines(1000));
    if filter.is_some() && matches!(how, How::Chunks(_, Some(_), _)) {
        return Err(report::usage(1, "--filter does not process a chunk extracted to stdout"));
    }
    if let How::Chunks(_, _, n) = how {
        names.fit(n)?;
    }
    names.check()?;
    let mut input =
        Input::open(name).map_err(|e| report::die(1, format_args!("cannot open {} for reading: {e}", quoted(name))))?;
    let separator = separator.unwrap_or(b'\n');
    let mut pieces = Pieces::new(names, filter.map(<[u8]>::to_vec), verbose, unbuffered);
    pieces.avoid(fstat(input.fd()).ok(), name);
    let stream = &mut input.stream;
    let result = match how {
        How::Lines(n) => lines(stream, n, separator, &mut pieces),
        How::Bytes(n) => bytes(stream, n, &mut pieces),
        How::LineBytes(n) => line_bytes(stream, n, separator, &mut pieces),
        How::Chunks(kind, wanted, n) => {
            let chunk = Chunk { wanted, count: n, separator, elide };
            match kind {
                Kind::Round => chunk.round(stream, &mut pieces),
                kind => chunk.by_size(stream, kind == Kind::Lines, &mut pieces),
            }
        }
    };
    match result {
        Ok(()) => pieces.finish(),
        Err(Trouble::Read(e)) => Err(report::die(1, format_args!("{}: {e}", quote::name(name)))),
        Err(Trouble::Size(e)) => {
            Err(report::die(1, format_args!("{}: cannot determine file size: {e}", quote::name(name))))
        }
        Err(Trouble::Told(exit)) => Err(exit),
    }
}

/// Why it stopped.
enum Trouble {
    Read(capsule_sys::Errno),
    Size(capsule_sys::Errno),
    Told(Exit),
}

impl From<capsule_sys::Errno> for Trouble {
    fn from(e: capsule_sys::Errno) -> Trouble {
        Trouble::Read(e)
    }
}

impl From<Exit> for Trouble {
    fn from(exit: Exit) -> Trouble {
        Trouble::Told(exit)
    }
}

fn size(text: &[u8], what: &str) -> Result<u64, Exit> {
    match number::unsigned(text, number::SIZES) {
        Ok(0) => Err(out_of_range(text, what)),
        Ok(n) => Ok(n),
        Err(bad) => Err(number::complain(1, what, text, bad)),
    }
}

fn count(text: &[u8], what: &str) -> Result<u64, Exit> {
    match number::unsigned(text, b"") {
        Ok(0) => Err(out_of_range(text, what)),
        Ok(n) => Ok(n),
        Err(bad) => Err(number::complain(1, what, text, bad)),
    }
}

fn out_of_range(text: &[u8], what: &str) -> Exit {
    report::die(1, format_args!("{what}: {}: {}", locale(text), capsule_sys::Errno::ERANGE))
}

/// `N`, `K/N`, `l/N`, `l/K/N`, `r/N`, `r/K/N`.
fn chunks(text: &[u8]) -> Result<How, Exit> {
    let (kind, rest) = match text {
        [b'l', b'/', rest @ ..] => (Kind::Lines, rest),
        [b'r', b'/', rest @ ..] => (Kind::Round, rest),
        _ => (Kind::Bytes, text),
    };
    let (wanted, all) = match rest.iter().position(|&b| b == b'/') {
        Some(slash) => (Some(&rest[..slash]).filter(|k| !k.is_empty()), &rest[slash + 1..]),
        None => (None, rest),
    };
    let n = count(all, "invalid number of chunks")?;
    let wanted = match wanted {
        None => None,
        Some(k) => match count(k, "invalid chunk number")? {
            number if number <= n => Some(number),
            _ => return Err(out_of_range(k, "invalid chunk number")),
        },
    };
    Ok(How::Chunks(kind, wanted, n))
}

fn lines(stream: &mut In, count: u64, separator: u8, pieces: &mut Pieces) -> Result<(), Trouble> {
    let mut left = 0;
    loop {
        let block = stream.fill()?;
        if block.is_empty() {
            return Ok(());
        }
        let mut rest = block;
        while !rest.is_empty() {
            if left == 0 {
                pieces.next()?;
                left = count;
            }
            let mut used = rest.len();
            for end in memchr::memchr_iter(separator, rest) {
                left -= 1;
                if left == 0 {
                    used = end + 1;
                    break;
                }
            }
            pieces.write(&rest[..used])?;
            rest = &rest[used..];
        }
        let n = block.len();
        stream.consume(n);
    }
}

fn bytes(stream: &mut In, size: u64, pieces: &mut Pieces) -> Result<(), Trouble> {
    let mut left = 0;
    loop {
        let block = stream.fill()?;
        if block.is_empty() {
            return Ok(());
        }
        if left == 0 {
            pieces.next()?;
            left = size;
        }
        let n = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        pieces.write(&block[..n])?;
        left -= n as u64;
        stream.consume(n);
    }
}

/// Whole records as long as they fit; one that never fits is cut.
fn line_bytes(stream: &mut In, size: u64, separator: u8, pieces: &mut Pieces) -> Result<(), Trouble> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let (mut used, mut record) = (None, Vec::new());
    loop {
        record.clear();
        if !stream.read_until(separator, &mut record)? {
            return Ok(());
        }
        let mut rest = record.as_slice();
        if used.is_none_or(|u: usize| u + rest.len() > size) {
            pieces.next()?;
            used = Some(0);
        }
        while rest.len() > size {
            pieces.write(&rest[..size])?;
            rest = &rest[size..];
            pieces.next()?;
        }
        pieces.write(rest)?;
        used = Some(used.unwrap_or(0).min(size - rest.len()) + rest.len());
        if record.len() > size {
            used = Some(rest.len());
        }
    }
}

/// `-n`.
struct Chunk {
    wanted: Option<u64>,
    count: u64,
    separator: u8,
    elide: bool,
}

impl Chunk {
    /// The input's size; a pipe is read whole to know it.
    fn size(&self, stream: &mut In) -> Result<(u64, Option<Vec<u8>>), Trouble> {
        let regular = fstat(stream.fd())?;
        if regular.kind == FileType::Regular {
            let at = seek(stream.fd(), Seek::Current(0)).unwrap_or(0);
            return Ok((regular.size.saturating_sub(at), None));
        }
        let mut all = Vec::new();
        stream.read_to_end(&mut all).map_err(Trouble::Size)?;
        Ok((all.len() as u64, Some(all)))
    }

    fn by_size(&self, stream: &mut In, whole_lines: bool, pieces: &mut Pieces) -> Result<(), Trouble> {
        let (size, held) = self.size(stream)?;
        let (mut k, mut at) = (0, 0u64);
        let mut open = false;
        let mut feed = |block: &[u8], pieces: &mut Pieces| -> Result<(), Trouble> {
            let mut rest = block;
            while !rest.is_empty() {
                // A record belongs to the chunk in which it begins.
                while !open {
                    k += 1;
                    open = at < self.end_of(k, size);
                    self.start(k, open, pieces)?;
                }
                let end = self.end_of(k, size);
                let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
                let n = if !whole_lines {
                    rest.len().min(left)
                } else {
                    // Up to the end of the record that reaches over the end of the chunk.
                    let from = left.saturating_sub(1).min(rest.len());
                    memchr::memchr(self.separator, &rest[from..]).map_or(rest.len(), |i| from + i + 1)
                };
                if self.wanted.is_none_or(|w| w == k) {
                    pieces.write(&rest[..n])?;
                }
                at += n as u64;
                open = if whole_lines { at < end || rest[n - 1] != self.separator } else { at < end };
                rest = &rest[n..];
            }
            Ok(())
        };
        match held {
            Some(all) => feed(&all, pieces)?,
            None => loop {
                let block = stream.fill()?;
                if block.is_empty() {
                    break;
                }
                feed(block, pieces)?;
                let n = block.len();
                stream.consume(n);
            },
        }
        while k < self.count {
            k += 1;
            self.start(k, false, pieces)?;
        }
        Ok(())
    }

    /// Where chunk `k` ends, counted from one.
    fn end_of(&self, k: u64, size: u64) -> u64 {
        // The last one takes what is left, also of a file that grew.
        // A file with fewer bytes than chunks has one in each, as long as there are any.
        if k == self.count { u64::MAX } else { size.max(self.count) / self.count * k }
    }

    fn start(&self, k: u64, used: bool, pieces: &mut Pieces) -> Result<(), Trouble> {
        match self.wanted {
            Some(w) if w == k => pieces.standard_output(),
            Some(_) => {}
            None if used || !self.elide => pieces.next()?,
            None => {}
        }
        Ok(())
    }

    /// Records go to the files in turn.
    fn round(&self, stream: &mut In, pieces: &mut Pieces) -> Result<(), Trouble> {
        if self.wanted.is_some() {
            pieces.standard_output();
        } else if !self.elide {
            for _ in 0..self.count {
                pieces.another()?;
            }
        }
        let (mut k, mut record) = (0, Vec::new());
        loop {
            record.clear();
            if !stream.read_until(self.separator, &mut record)? {
                return Ok(());
            }
            match self.wanted {
                Some(w) if w == k + 1 => pieces.write(&record)?,
                Some(_) => {}
                None => {
                    if pieces.count() as u64 <= k {
                        pieces.another()?;
                    }
                    pieces.write_to(k as usize, &record)?;
                }
            }
            k = (k + 1) % self.count;
        }
    }
}

/// Writes what was asked for on standard output.
fn finish(mut out: Out) -> Outcome {
    report::finish(&mut out, 0)
}

use crate::number::{self, Bad};
use crate::quote::{locale, name, quoted};
use crate::{Args, Exit, Outcome, options, report};
use capsule_sys::{
    Clock, Errno, Fd, FileType, OpenFlags, STDERR, STDIN, STDOUT, Seek, clock, dup2, fstat, fsync, ftruncate, open,
    read, seek, write_all,
};

mod convert;
mod ebcdic;
use convert::Converter;

pub const HELP: &str = "\
Usage: dd [OPERAND]...
  or:  dd OPTION
Copy in blocks, as the operands say.

  bs=BYTES        read and write up to BYTES bytes at a time (default: 512)
  cbs=BYTES       records of BYTES for block, unblock and the like
  conv=CONVS      what to do with the data, with commas between
  count=N         N blocks of input and no more
  ibs=BYTES       input comes in blocks of BYTES (512)
  if=FILE         the input is FILE
  iflag=FLAGS     how to read, with commas between
  obs=BYTES       output goes in blocks of BYTES (512)
  of=FILE         the output is FILE
  oflag=FLAGS     how to write, with commas between
  seek=N          (or oseek=N) begin behind N blocks of output
  skip=N          (or iseek=N) begin behind N blocks of input
  status=LEVEL    none, noxfer (no transfer statistics) or progress

N and BYTES may be followed by: c=1, w=2, b=512, kB=1000, K=1024, MB=1000*1000,
M=1024*1024, and so on for G, T, P, E, Z, Y. Numbers can be multiplied with x.
If N ends in B, it counts bytes not blocks.

CONVS: ascii ebcdic ibm block unblock lcase ucase sparse swab sync excl nocreat
notrunc noerror fdatasync fsync
FLAGS: append count_bytes skip_bytes seek_bytes fullblock directory nofollow, and
what changes nothing here: direct dsync sync nonblock noatime nocache noctty
      --help        print this help
      --version     print the version
";

/// Blocks larger than this are refused: a process has less memory.
const LARGEST_BLOCK: u64 = 1 << 28;

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Status {
    None,
    NoTransfer,
    All,
    Progress,
}

#[derive(Default)]
struct Flags(Vec<&'static str>);

impl Flags {
    fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// A comma-separated list of known words.
    fn parse(&mut self, text: &[u8], known: &[&'static str], what: &str) -> Result<(), Exit> {
        for word in text.split(|&b| b == b',') {
            match known.iter().find(|k| k.as_bytes() == word) {
                Some(name) => self.0.push(name),
                None => return Err(report::usage(1, format_args!("invalid {what}: {}", locale(word)))),
            }
        }
        Ok(())
    }

    fn exclusive(&self, names: &[&str], message: &str) -> Result<(), Exit> {
        if names.iter().filter(|n| self.has(n)).count() > 1 {
            return Err(report::die(1, message));
        }
        Ok(())
    }
}

const CONVERSIONS: &[&str] = &[
    "ascii",
    "ebcdic",
    "ibm",
    "block",
    "unblock",
    "lcase",
    "ucase",
    "sparse",
    "swab",
    "sync",
    "excl",
    "nocreat",
    "notrunc",
    "noerror",
    "fdatasync",
    "fsync",
];
/// What changes nothing here (`direct`, `sync` …) is accepted where the promise holds anyway.
const FLAGS: &[&str] = &[
    "append",
    "direct",
    "directory",
    "dsync",
    "noatime",
    "nocache",
    "noctty",
    "nofollow",
    "nonblock",
    "sync",
    "fullblock",
    "count_bytes",
    "skip_bytes",
    "seek_bytes",
];

/// A count of blocks, or of bytes when it ends in `B`.
#[derive(Clone, Copy, Default)]
struct Amount {
    value: u64,
    bytes: bool,
}

struct Dd<'a> {
    input: Option<&'a [u8]>,
    output: Option<&'a [u8]>,
    ibs: usize,
    obs: usize,
    cbs: usize,
    /// `bs=`: every read is written as it came.
    together: bool,
    skip: Amount,
    seek: Amount,
    count: Option<Amount>,
    status: Status,
    conv: Flags,
    iflag: Flags,
    oflag: Flags,
    tally: Tally,
    /// Blocks that are counted and come short are warned of, once.
    warns: bool,
    last_read: usize,
}

#[derive(Default)]
struct Tally {
    whole_in: u64,
    part_in: u64,
    whole_out: u64,
    part_out: u64,
    bytes: u64,
    truncated: u64,
    start: u64,
    last_shown: u64,
}

pub fn main(args: &Args) -> Outcome {
    let operands = options::only_operands(args, 1)?;
    let mut dd = Dd {
        input: None,
        output: None,
        ibs: 512,
        obs: 512,
        cbs: 0,
        together: false,
        skip: Amount::default(),
        seek: Amount::default(),
        count: None,
        status: Status::All,
        conv: Flags::default(),
        iflag: Flags::default(),
        oflag: Flags::default(),
        tally: Tally { start: clock(Clock::Monotonic), ..Tally::default() },
        warns: false,
        last_read: 0,
    };
    dd.operands(&operands)?;
    let opened = dd.open()?;
    let result = dd.copy().map(|good| good && opened);
    for (at, what, name) in [(STDIN, "input", dd.input_name()), (STDOUT, "output", dd.output_name())] {
        if fstat(at) == Err(Errno::EBADF) {
            return Err(report::die(1, format_args!("closing {what} file {name}: {}", Errno::EBADF)));
        }
    }
    dd.statistics();
    result.map(|good| u8::from(!good))
}

fn invalid(text: &[u8], bad: Bad) -> Exit {
    number::complain(1, "invalid number", text, bad)
}

/// `2x512`, `10K`, `5B`.
fn amount(text: &[u8]) -> Result<Amount, Exit> {
    let mut value = 1u64;
    // `kB` is a number of bytes, too.
    let bytes = text.contains(&b'B');
    let parts = text.split(|&b| b == b'x');
    // `0x` in front is a product with nothing, which people take for hexadecimal.
    if text.starts_with(b"0x") {
        report::error(format_args!(
            "warning: {} is a zero multiplier; use {} if that is intended",
            locale(b"0x"),
            locale(b"00x")
        ));
    }
    for part in parts {
        let part = part.strip_suffix(b"B").filter(|rest| rest.last().is_some_and(u8::is_ascii_digit)).unwrap_or(part);
        let n = number::unsigned(part, b"bcEGkKMPTwYZ0").map_err(|bad| invalid(text, bad))?;
        let fits = |n: &u64| i64::try_from(*n).is_ok();
        value = value.checked_mul(n).filter(fits).ok_or_else(|| invalid(text, Bad::Overflow))?;
    }
    Ok(Amount { value, bytes })
}

impl<'a> Dd<'a> {
    fn operands(&mut self, operands: &[&'a [u8]]) -> Result<(), Exit> {
        let block = |text: &[u8]| -> Result<usize, Exit> {
            match amount(text)?.value {
                0 => Err(invalid(text, Bad::Invalid)),
                n if n > LARGEST_BLOCK => {
                    Err(report::die(1, format_args!("memory exhausted by input buffer of size {n} bytes")))
                }
                n => Ok(n as usize),
            }
        };
        let mut both = None;
        for operand in operands {
            let unknown = || report::usage(1, format_args!("unrecognized operand {}", locale(operand)));
            let equals = operand.iter().position(|&b| b == b'=').ok_or_else(unknown)?;
            let value = &operand[equals + 1..];
            match &operand[..equals] {
                b"if" => self.input = Some(value),
                b"of" => self.output = Some(value),
                b"ibs" => self.ibs = block(value)?,
                b"obs" => self.obs = block(value)?,
                b"bs" => both = Some(block(value)?),
                b"cbs" => self.cbs = block(value)?,
                b"skip" | b"iseek" => self.skip = amount(value)?,
                b"seek" | b"oseek" => self.seek = amount(value)?,
                b"count" => self.count = Some(amount(value)?),
                b"conv" => self.conv.parse(value, CONVERSIONS, "conversion")?,
                b"iflag" => self.iflag.parse(value, FLAGS, "input flag")?,
                b"oflag" => self.oflag.parse(value, FLAGS, "output flag")?,
                b"status" => {
                    for word in value.split(|&b| b == b',') {
                        self.status = match word {
                            b"none" => Status::None,
                            b"noxfer" => Status::NoTransfer,
                            b"progress" => Status::Progress,
                            _ => return Err(report::usage(1, format_args!("invalid status level: {}", locale(word)))),
                        }
                    }
                }
                _ => return Err(unknown()),
            }
        }
        if let Some(bs) = both {
            (self.ibs, self.obs, self.together) = (bs, bs, true);
        }
        self.skip.bytes |= self.iflag.has("skip_bytes");
        self.seek.bytes |= self.oflag.has("seek_bytes");
        if let Some(count) = &mut self.count {
            count.bytes |= self.iflag.has("count_bytes");
        }
        let counts = |amount: Amount| amount.value > 0 && !amount.bytes;
        let direct = self.iflag.has("direct") || self.oflag.has("direct");
        self.warns = self.together
            && !self.iflag.has("fullblock")
            && self.status != Status::None
            && (direct || counts(self.skip) || self.count.is_some_and(counts));
        self.conv.exclusive(&["ascii", "ebcdic", "ibm"], "cannot combine any two of {ascii,ebcdic,ibm}")?;
        // The character sets bring records with them; without a size there are none.
        let unblock = self.conv.has("unblock") || self.conv.has("ascii");
        let block = self.conv.has("block") || self.conv.has("ebcdic") || self.conv.has("ibm");
        if block && unblock && self.cbs > 0 {
            return Err(report::die(1, "cannot combine block and unblock"));
        }
        self.conv.exclusive(&["lcase", "ucase"], "cannot combine lcase and ucase")?;
        self.conv.exclusive(&["excl", "nocreat"], "cannot combine excl and nocreat")?;
        self.iflag.exclusive(&["direct", "nocache"], "cannot combine direct and nocache")?;
        self.oflag.exclusive(&["direct", "nocache"], "cannot combine direct and nocache")?;
        if self.oflag.has("fullblock") {
            return Err(report::usage(1, format_args!("invalid output flag: {}", locale(b"fullblock"))));
        }
        if self.oflag.has("append") && !self.conv.has("notrunc") {
            report::error("you probably want conv=notrunc with oflag=append");
        }
        Ok(())
    }

    /// Whether all went well.
    fn open(&self) -> Result<bool, Exit> {
        let fail = |name: &[u8], e: Errno| report::die(1, format_args!("failed to open {}: {e}", quoted(name)));
        if let Some(name) = self.input {
            let mut flags = OpenFlags::RDONLY;
            if self.iflag.has("directory") {
                flags |= OpenFlags::DIRECTORY;
            }
            if self.iflag.has("nofollow") {
                flags |= OpenFlags::NOFOLLOW;
            }
            open(name, flags, 0).and_then(|file| put_at(file, STDIN)).map_err(|e| fail(name, e))?;
        }
        let Some(name) = self.output else { return Ok(true) };
        let mut flags = OpenFlags::WRONLY;
        if self.oflag.has("directory") {
            flags |= OpenFlags::DIRECTORY;
        }
        if !self.conv.has("nocreat") {
            flags |= OpenFlags::CREAT;
        }
        if self.conv.has("excl") {
            flags |= OpenFlags::EXCL;
        }
        if self.oflag.has("nofollow") {
            flags |= OpenFlags::NOFOLLOW;
        }
        if self.oflag.has("append") {
            flags |= OpenFlags::APPEND;
        }
        let truncates = !self.conv.has("notrunc");
        if truncates && self.seek.value == 0 {
            flags |= OpenFlags::TRUNC;
        }
        open(name, flags, 0o666).and_then(|file| put_at(file, STDOUT)).map_err(|e| fail(name, e))?;
        if truncates && self.seek.value > 0 {
            let size = self.seek_bytes();
            if let Err(e) = ftruncate(STDOUT, size)
                && fstat(STDOUT).is_ok_and(|s| s.kind == FileType::Regular)
            {
                report::error(format_args!("failed to truncate to {size} bytes in output file {}: {e}", quoted(name)));
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn seek_bytes(&self) -> u64 {
        if self.seek.bytes { self.seek.value } else { self.seek.value.saturating_mul(self.obs as u64) }
    }

    fn input_name(&self) -> String {
        self.input.map_or("'standard input'".to_owned(), quoted)
    }

    fn output_name(&self) -> String {
        self.output.map_or("'standard output'".to_owned(), quoted)
    }

    /// One read: a whole block where `fullblock` asks for it.
    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        let mut filled = 0;
        loop {
            match read(STDIN, &mut buf[filled..]) {
                Err(Errno::EINTR) => continue,
                Err(e) => return Err(e),
                Ok(n) => {
                    filled += n;
                    if n == 0 || filled == buf.len() || !self.iflag.has("fullblock") {
                        return Ok(filled);
                    }
                }
            }
        }
    }

    fn cannot_skip(&self) {
        let name = self.input.map_or("'standard input'".to_owned(), name);
        report::error(format_args!("{name}: cannot skip to specified offset"));
    }

    /// Over the first blocks of the input, by a seek or by reading.
    fn skip(&mut self) -> Result<(), Exit> {
        let bytes = if self.skip.bytes { self.skip.value } else { self.skip.value.saturating_mul(self.ibs as u64) };
        if bytes == 0 {
            return Ok(());
        }
        let regular = fstat(STDIN).ok().filter(|s| s.kind == FileType::Regular);
        if let Some(s) = regular
            && let Ok(at) = seek(STDIN, Seek::Current(0))
        {
            let left = s.size.saturating_sub(at);
            if seek(STDIN, Seek::Current(bytes.min(left) as i64)).is_ok() {
                if bytes > left && self.status != Status::None {
                    self.cannot_skip();
                }
                return Ok(());
            }
        }
        if regular.is_none() && seek(STDIN, Seek::Current(bytes as i64)).is_ok() {
            return Ok(());
        }
        let (mut left, mut passed, mut block) = (bytes, 0, vec![0; self.ibs]);
        while left > 0 {
            let n = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match self.read(&mut block[..n]) {
                Ok(0) => break,
                Ok(n) => {
                    passed += n as u64;
                    self.last_read = n;
                    // A short read of a pipe counts as a block, as everywhere in dd.
                    left -= if self.skip.bytes { n as u64 } else { left.min(self.ibs as u64) };
                }
                Err(e) => return Err(self.read_error(e)),
            }
        }
        if passed < bytes && self.status != Status::None {
            self.cannot_skip();
        }
        Ok(())
    }

    fn read_error(&self, e: Errno) -> Exit {
        report::die(1, format_args!("error reading {}: {e}", self.input_name()))
    }

    fn copy(&mut self) -> Result<bool, Exit> {
        self.skip()?;
        let to = self.seek_bytes();
        if to > 0
            && let Err(e) = seek(STDOUT, Seek::Current(to as i64))
        {
            if seek(STDOUT, Seek::Current(0)).is_ok() {
                let name = self.output.map_or("'standard output'".to_owned(), name);
                return Err(report::die(1, format_args!("{name}: cannot seek: {e}")));
            }
            // What cannot be sought is filled with zeros.
            self.put_zeros(to)?;
        }
        let mut converter = Converter::new(&self.conv.0, self.cbs);
        // Blocks pass as they are when nothing changes them.
        let direct = self.together && converter.is_plain();
        let mut good = true;
        let mut block = vec![0; self.ibs];
        let mut held: Vec<u8> = Vec::new();
        let mut left = self.count;
        loop {
            let mut wanted = self.ibs;
            match left {
                Some(Amount { value: 0, .. }) => break,
                Some(Amount { value, bytes: true }) => {
                    wanted = wanted.min(usize::try_from(value).unwrap_or(usize::MAX))
                }
                _ => {}
            }
            let mut n = match self.read(&mut block[..wanted]) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if self.conv.has("noerror") => {
                    report::fault(format_args!("error reading {}", self.input_name()), e);
                    good = false;
                    // Over the bad block, or there is no end.
                    if seek(STDIN, Seek::Current(wanted as i64)).is_err() || e == Errno::EISDIR {
                        break;
                    }
                    if !self.conv.has("sync") {
                        continue;
                    }
                    block[..wanted].fill(0);
                    self.tally.part_in += 1;
                    held.extend_from_slice(&block[..wanted]);
                    continue;
                }
                Err(e) => {
                    report::fault(format_args!("error reading {}", self.input_name()), e);
                    good = false;
                    break;
                }
            };
            let before = std::mem::replace(&mut self.last_read, n);
            if self.warns && (1..self.ibs).contains(&before) {
                self.warns = false;
                let s = if before == 1 { "" } else { "s" };
                report::error(format_args!("warning: partial read ({before} byte{s}); suggest iflag=fullblock"));
            }
            if n < self.ibs {
                self.tally.part_in += 1;
            } else {
                self.tally.whole_in += 1;
            }
            if let Some(amount) = &mut left {
                amount.value -= if amount.bytes { n as u64 } else { 1 };
            }
            if self.conv.has("sync") && n < self.ibs {
                let fill = if self.conv.has("block") || self.conv.has("unblock") { b' ' } else { 0 };
                block[n..].fill(fill);
                n = self.ibs;
            }
            if direct {
                self.put(&block[..n])?;
            } else {
                converter.feed(&block[..n], &mut held);
                while held.len() >= self.obs {
                    let rest = held.split_off(self.obs);
                    self.put(&held)?;
                    held = rest;
                }
            }
            self.progress();
        }
        converter.finish(&mut held);
        self.tally.truncated = converter.truncated();
        while !held.is_empty() {
            let rest = held.split_off(held.len().min(self.obs));
            self.put(&held)?;
            held = rest;
        }
        self.settle()?;
        Ok(good)
    }

    fn put_zeros(&mut self, mut count: u64) -> Result<(), Exit> {
        let zeros = vec![0; self.obs];
        while count > 0 {
            let n = zeros.len().min(usize::try_from(count).unwrap_or(usize::MAX));
            write_all(STDOUT, &zeros[..n]).map_err(|e| self.write_error(e))?;
            count -= n as u64;
        }
        Ok(())
    }

    fn write_error(&self, e: Errno) -> Exit {
        let what = if self.together { "error writing" } else { "writing to" };
        report::die(1, format_args!("{what} {}: {e}", self.output_name()))
    }

    /// Of the last, short block.
    fn last_write_error(&self, e: Errno) -> Exit {
        report::die(1, format_args!("error writing {}: {e}", self.output_name()))
    }

    fn put(&mut self, block: &[u8]) -> Result<(), Exit> {
        let hole = self.conv.has("sparse")
            && block.iter().all(|b| *b == 0)
            && seek(STDOUT, Seek::Current(block.len() as i64)).is_ok();
        if !hole {
            let short = block.len() < self.obs;
            write_all(STDOUT, block).map_err(|e| if short { self.last_write_error(e) } else { self.write_error(e) })?;
        }
        self.tally.bytes += block.len() as u64;
        if block.len() == self.obs {
            self.tally.whole_out += 1;
        } else {
            self.tally.part_out += 1;
        }
        Ok(())
    }

    /// Holes at the end, and what was asked to be on the disk.
    fn settle(&self) -> Result<(), Exit> {
        if self.conv.has("sparse")
            && let Ok(at) = seek(STDOUT, Seek::Current(0))
            && fstat(STDOUT).is_ok_and(|s| s.size < at)
        {
            ftruncate(STDOUT, at).map_err(|e| self.write_error(e))?;
        }
        if self.conv.has("fsync") || self.conv.has("fdatasync") {
            fsync(STDOUT).map_err(|e| report::die(1, format_args!("fsync failed for {}: {e}", self.output_name())))?;
        }
        Ok(())
    }

    fn progress(&mut self) {
        let now = clock(Clock::Monotonic);
        if self.status == Status::Progress && now - self.tally.start.max(self.tally.last_shown) >= 1_000_000_000 {
            self.tally.last_shown = now;
            let _ = write_all(STDERR, format!("\r{}", self.transfer(now)).as_bytes());
        }
    }

    fn transfer(&self, now: u64) -> String {
        let t = &self.tally;
        let seconds = (now - t.start).max(1) as f64 / 1e9;
        let size = |base| crate::human::nearest(t.bytes, base);
        let named = match t.bytes {
            0..1000 => String::new(),
            1000..1024 => format!(" ({})", with_unit(&size(1000), "B")),
            _ => format!(" ({}, {})", with_unit(&size(1000), "B"), with_unit(&size(1024), "iB")),
        };
        let rate = convert::rate(t.bytes as f64 / seconds);
        let time = crate::float::Conversion { letter: b'g', ..crate::float::Conversion::default() }.show(seconds);
        let plural = if t.bytes == 1 { "" } else { "s" };
        format!("{} byte{plural}{named} copied, {time} s, {rate}/s", t.bytes)
    }

    fn statistics(&self) {
        if self.status == Status::None {
            return;
        }
        let t = &self.tally;
        let mut text = format!("{}+{} records in\n{}+{} records out\n", t.whole_in, t.part_in, t.whole_out, t.part_out);
        if t.truncated > 0 {
            text += &format!("{} truncated record{}\n", t.truncated, if t.truncated == 1 { "" } else { "s" });
        }
        if self.status != Status::NoTransfer {
            if t.last_shown > 0 {
                text.insert(0, '\n');
            }
            text += &format!("{}\n", self.transfer(clock(Clock::Monotonic)));
        }
        let _ = write_all(STDERR, text.as_bytes());
    }
}

/// The file becomes this descriptor; where that was closed, it may be so already.
fn put_at(file: Fd, at: i32) -> Result<(), Errno> {
    if file.raw() == at {
        let _ = file.into_raw();
        return Ok(());
    }
    dup2(file.raw(), at, OpenFlags(0)).map(drop)
}

/// `1.5k` as `1.5 kB`.
fn with_unit(text: &str, unit: &str) -> String {
    match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => format!("{} {}{unit}", &text[..at], &text[at..]),
        None => format!("{text} B"),
    }
}

/// For dumps that show characters of EBCDIC.
pub fn ebcdic_to_ascii(byte: u8) -> u8 {
    ebcdic::TO_ASCII[usize::from(byte)]
}

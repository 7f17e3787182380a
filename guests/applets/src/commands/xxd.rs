use crate::input::Input;
use crate::options::Options;
use crate::quote::raw;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{FileType, In, OpenFlags, Out, STDOUT, Seek, dup2, fstat, open, pwrite, seek, write_all};

mod reverse;

pub const HELP: &str = "\
Usage: xxd [OPTION]... [INFILE [OUTFILE]]
  or:  xxd -r [-s [-]OFFSET] [-c COLS] [-p] [INFILE [OUTFILE]]
Make a hexadecimal dump, or (-r) a file from one.

  -a        a single '*' replaces lines of zeros
  -b        binary digits
  -C        capital letters in names of C (-i)
  -c COLS   octets a line (16; -i 12, -p 30, -b 6)
  -d        decimal offsets
  -E        characters of EBCDIC
  -e        little-endian groups
  -g BYTES  octets a group (2; -e 4, -b 1)
  -i        as an array of C
  -l LEN    stop after LEN octets
  -n NAME   the name of the array (-i)
  -o OFF    add OFF to the offsets shown
  -p, -ps   plain digits
  -r        the reverse: digits to octets
  -s [+][-]SEEK  start at SEEK
  -u        upper case digits
      --help        print this help
      --version     print the version
";

pub struct Xxd {
    columns: Option<usize>,
    group: Option<usize>,
    length: u64,
    offset: u64,
    seek: i64,
    upper: bool,
    autoskip: bool,
    decimal: bool,
    ebcdic: bool,
    capital: bool,
    variable: Option<Vec<u8>>,
    style: Style,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Hex,
    Little,
    Bits,
    Plain,
    Include,
}

pub fn main(args: &Args) -> Outcome {
    // Long words behind one dash, as it takes them.
    let words: [(&[u8], &[u8]); 12] = [
        (b"-ps", b"-p"),
        (b"-postscript", b"-p"),
        (b"-plain", b"-p"),
        (b"-include", b"-i"),
        (b"-bits", b"-b"),
        (b"-cols", b"-c"),
        (b"-len", b"-l"),
        (b"-seek", b"-s"),
        (b"-skip", b"-s"),
        (b"-reverse", b"-r"),
        (b"-revert", b"-r"),
        (b"-uppercase", b"-u"),
    ];
    let mut argv = args.argv.clone();
    for arg in argv.iter_mut().skip(1) {
        if let Some(word) = words.iter().find(|w| w.0 == arg.as_slice()) {
            *arg = word.1.to_vec();
        }
    }
    let args = Args::new(argv);
    let mut options = Options::new(&args, "abCc:dEeg:hil:n:o:prs:uv", &[]);
    let mut x = Xxd {
        columns: None,
        group: None,
        length: u64::MAX,
        offset: 0,
        seek: 0,
        upper: false,
        autoskip: false,
        decimal: false,
        ebcdic: false,
        capital: false,
        variable: None,
        style: Style::Hex,
    };
    let mut reverse = false;
    report::output_fails(3, "");
    while let Some(opt) = options.next()? {
        let number = || {
            parse(opt.value())
                .ok_or_else(|| report::die(1, format_args!("invalid number for -{}: {}", opt.letter, raw(opt.value()))))
        };
        match opt.letter {
            'a' => x.autoskip = !x.autoskip,
            'b' => x.style = Style::Bits,
            'C' => x.capital = true,
            'c' => x.columns = Some(number()? as usize),
            'd' => x.decimal = true,
            'E' => x.ebcdic = true,
            'e' => x.style = Style::Little,
            'g' => x.group = usize::try_from(number()?).ok(),
            'i' => x.style = Style::Include,
            'l' => x.length = number()? as u64,
            'n' => x.variable = Some(opt.value().to_vec()),
            'o' => x.offset = number()? as u64,
            'p' => x.style = Style::Plain,
            'r' => reverse = true,
            's' => x.seek = number()?,
            'u' => x.upper = true,
            'v' => {
                let mut out = Out::stdout();
                out.write(b"xxd (Capsule)\n");
                return report::finish(&mut out, 0);
            }
            _ => {
                let _ = write_all(capsule_sys::STDERR, HELP.as_bytes());
                return Ok(1);
            }
        }
    }
    let operands = options.operands();
    if operands.len() > 2 {
        return Err(report::usage(1, "too many arguments"));
    }
    let file: &[u8] = operands.first().copied().unwrap_or(b"-");
    let mut input = Input::open(file).map_err(|e| report::die(2, format_args!("{}{e}", named(file))))?;
    if let Some(target) = operands.get(1).filter(|t| **t != b"-") {
        // A file that is patched keeps what is not in the dump.
        let how = if reverse { OpenFlags(0) } else { OpenFlags::TRUNC };
        open(target, OpenFlags::WRONLY | OpenFlags::CREAT | how, 0o666)
            .and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)))
            .map_err(|e| report::die(3, format_args!("{}{e}", named(target))))?;
    }
    let most = 256;
    if x.columns.is_some_and(|c| c > most && x.style != Style::Plain) {
        return Err(report::die(1, format_args!("invalid number of columns (max. {most}).")));
    }
    if reverse && !matches!(x.style, Style::Hex | Style::Plain) {
        return Err(report::die(255, "Sorry, cannot revert this type of hexdump"));
    }
    if reverse {
        return reverse::run(&mut input.stream, x.style == Style::Plain, x.seek);
    }
    x.start(&mut input.stream)?;
    let mut out = Out::stdout();
    match x.style {
        Style::Include => x.include(&mut input.stream, file, &mut out)?,
        Style::Plain => x.plain(&mut input.stream, &mut out)?,
        _ => x.lines(&mut input.stream, &mut out)?,
    }
    report::finish(&mut out, 0)
}

/// A name in front of a message.
fn named(name: &[u8]) -> String {
    if name.is_empty() { String::new() } else { format!("{}: ", raw(name)) }
}

/// Decimal, `0x` hexadecimal or octal, with a sign perhaps.
fn parse(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, body) = match text.trim_start_matches('+').strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.trim_start_matches('+')),
    };
    let value = match body.strip_prefix("0x").or(body.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None if body.len() > 1 && body.starts_with('0') => i64::from_str_radix(body, 8).ok()?,
        None => body.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

fn read_error(e: capsule_sys::Errno) -> Exit {
    report::die(2, e)
}

impl Xxd {
    /// Steps to the first byte wanted.
    fn start(&mut self, stream: &mut In) -> Result<(), Exit> {
        if self.seek == 0 {
            return Ok(());
        }
        if fstat(stream.fd()).is_ok_and(|s| s.kind == FileType::Regular) {
            let to = if self.seek < 0 { Seek::End(self.seek) } else { Seek::Start(self.seek as u64) };
            let at = seek(stream.fd(), to).map_err(|_| report::die(4, "Sorry, cannot seek."))?;
            self.offset = self.offset.wrapping_add(at);
            return Ok(());
        }
        if self.seek < 0 {
            return Err(report::die(4, "Sorry, cannot seek."));
        }
        let mut left = self.seek as u64;
        while left > 0 {
            let block = stream.fill().map_err(read_error)?;
            if block.is_empty() {
                return Err(report::die(4, "Sorry, cannot seek."));
            }
            let n = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            stream.consume(n);
            left -= n as u64;
        }
        self.offset = self.offset.wrapping_add(self.seek as u64);
        Ok(())
    }

    /// Up to `count` octets, as long as the length allows.
    fn take(&mut self, stream: &mut In, count: usize, to: &mut Vec<u8>) -> Result<(), Exit> {
        to.clear();
        while to.len() < count && self.length > 0 {
            let block = stream.fill().map_err(read_error)?;
            if block.is_empty() {
                break;
            }
            let n = block.len().min(count - to.len()).min(usize::try_from(self.length).unwrap_or(usize::MAX));
            to.extend_from_slice(&block[..n]);
            stream.consume(n);
            self.length -= n as u64;
        }
        Ok(())
    }

    fn digits(&self) -> &'static [u8; 16] {
        if self.upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" }
    }

    fn push(&self, byte: u8, to: &mut Vec<u8>) {
        if self.style == Style::Bits {
            to.extend((0..8).rev().map(|bit| b'0' + (byte >> bit & 1)));
        } else {
            to.extend([self.digits()[usize::from(byte >> 4)], self.digits()[usize::from(byte & 15)]]);
        }
    }

    fn lines(&mut self, stream: &mut In, out: &mut Out) -> Result<(), Exit> {
        let bits = self.style == Style::Bits;
        let columns = self.columns.filter(|c| *c > 0).unwrap_or(if bits { 6 } else { 16 });
        let group = match self.group.unwrap_or(match self.style {
            Style::Bits => 1,
            Style::Little => 4,
            _ => 2,
        }) {
            0 => columns,
            g => g,
        };
        if self.style == Style::Little && !group.is_power_of_two() {
            return Err(report::die(1, "number of octets per group must be a power of 2 with -e."));
        }
        let width = if bits { 8 } else { 2 };
        let (mut row, mut at, mut zeros) = (Vec::new(), self.offset, 0u64);
        let mut held: Option<Vec<u8>> = None;
        loop {
            self.take(stream, columns, &mut row)?;
            if row.is_empty() {
                break;
            }
            let mut line = if self.decimal { format!("{at:08}: ") } else { format!("{at:08x}: ") }.into_bytes();
            for (i, start) in (0..columns).step_by(group).enumerate() {
                let chunk = &row[start.min(row.len())..(start + group).min(row.len())];
                let size = group.min(columns - start);
                let _ = i;
                if self.style == Style::Little {
                    line.extend(std::iter::repeat_n(b' ', width * (group - chunk.len())));
                    chunk.iter().rev().for_each(|b| self.push(*b, &mut line));
                } else {
                    chunk.iter().for_each(|b| self.push(*b, &mut line));
                    line.extend(std::iter::repeat_n(b' ', width * (size - chunk.len())));
                }
                line.push(b' ');
            }
            line.push(b' ');
            line.extend(row.iter().map(|b| self.printable(*b)));
            line.push(b'\n');
            at = at.wrapping_add(row.len() as u64);
            // Of many lines of zeros, the first and the last are shown.
            if self.autoskip && row.iter().all(|b| *b == 0) {
                zeros += 1;
                match zeros {
                    1 => out.write(&line),
                    2 => held = Some(line),
                    3 => {
                        out.write(b"*\n");
                        held = Some(line);
                    }
                    _ => held = Some(line),
                }
            } else {
                if zeros == 2 {
                    out.write(held.as_deref().unwrap_or_default());
                }
                (zeros, held) = (0, None);
                out.write(&line);
            }
            report::writable(out)?;
        }
        if let Some(last) = held {
            out.write(&last);
        }
        Ok(())
    }

    fn printable(&self, byte: u8) -> u8 {
        let byte = if self.ebcdic { super::dd::ebcdic_to_ascii(byte) } else { byte };
        if (32..127).contains(&byte) { byte } else { b'.' }
    }

    fn plain(&mut self, stream: &mut In, out: &mut Out) -> Result<(), Exit> {
        let columns = self.columns.unwrap_or(30);
        let mut row = Vec::new();
        loop {
            self.take(stream, if columns == 0 { 4096 } else { columns }, &mut row)?;
            if row.is_empty() {
                break;
            }
            let mut line = Vec::new();
            row.iter().for_each(|b| self.push(*b, &mut line));
            if columns > 0 {
                line.push(b'\n');
            }
            out.write(&line);
            report::writable(out)?;
        }
        if columns == 0 {
            out.byte(b'\n');
        }
        Ok(())
    }

    fn include(&mut self, stream: &mut In, file: &[u8], out: &mut Out) -> Result<(), Exit> {
        let columns = self.columns.filter(|c| *c > 0).unwrap_or(12);
        let given = self.variable.clone().or_else(|| (file != b"-").then(|| file.to_vec()));
        let name = given.map(|text| {
            let mut name: Vec<u8> = Vec::new();
            if text.first().is_some_and(u8::is_ascii_digit) {
                name.extend(b"__");
            }
            let plain = |b: &u8| if b.is_ascii_alphanumeric() { *b } else { b'_' };
            name.extend(text.iter().map(plain));
            if self.capital { name.to_ascii_uppercase() } else { name }
        });
        if let Some(name) = &name {
            out.write(&[b"unsigned char ", name.as_slice(), b"[] = {\n"].concat());
        }
        let (mut row, mut count) = (Vec::new(), 0);
        loop {
            self.take(stream, columns, &mut row)?;
            if row.is_empty() {
                break;
            }
            for (i, byte) in row.iter().enumerate() {
                out.write(match (count + i > 0, i) {
                    (false, _) => b"  ",
                    (true, 0) => b",\n  ",
                    _ => b", ",
                });
                let mut digits = if self.upper { b"0X".to_vec() } else { b"0x".to_vec() };
                self.push(*byte, &mut digits);
                out.write(&digits);
            }
            count += row.len();
            report::writable(out)?;
        }
        if count > 0 {
            out.byte(b'\n');
        }
        if let Some(name) = &name {
            let length: &[u8] = if self.capital { b"_LEN" } else { b"_len" };
            out.write(&[b"};\nunsigned int ", name.as_slice(), length, format!(" = {count};\n").as_bytes()].concat());
        }
        Ok(())
    }
}

/// Writes at a place of standard output, which may be a pipe when places follow each other.
fn place(at: u64, bytes: &[u8], next: &mut u64, patch: bool) -> Result<(), Exit> {
    let fail = report::unwritten;
    if patch {
        let mut done = 0;
        while done < bytes.len() {
            done += pwrite(STDOUT, &bytes[done..], at + done as u64).map_err(fail)?;
        }
    } else {
        if at < *next {
            return Err(report::die(5, "Sorry, cannot seek backwards."));
        }
        let mut gap = at - *next;
        let zeros = [0; 4096];
        while gap > 0 {
            let n = zeros.len().min(usize::try_from(gap).unwrap_or(usize::MAX));
            write_all(STDOUT, &zeros[..n]).map_err(fail)?;
            gap -= n as u64;
        }
        write_all(STDOUT, bytes).map_err(fail)?;
    }
    *next = at + bytes.len() as u64;
    Ok(())
}

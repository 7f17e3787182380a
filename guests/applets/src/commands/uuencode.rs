//! `uuencode` and `uudecode`: files as text that mail carries, in the code of old or in base64.

use crate::options::{Long, NO, Options, REQ};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, In, OpenFlags, Out, STDIN, fchmod, fstat, open, read_full, umask};

pub const HELP: &str = "\
Usage: uuencode [OPTION]... [INFILE] REMOTEFILE
Write INFILE, or standard input, as text to standard output. REMOTEFILE is the
name that it gets when it is turned back.

  -m, --base64           in base64
  -e, --encode-file-name  also the name, in base64
      --help             print this help
";

const LONG: &[Long] = &[("base64", NO, 'm'), ("encode-file-name", NO, 'e')];

/// What a line holds.
const LINE: usize = 45;

pub fn main(args: &Args) -> Outcome {
    crate::input::hold_standard();
    let (mut base64, mut code_name) = (false, false);
    let mut options = Options::new(args, "me", LONG);
    while let Some(option) = options.next()? {
        match option.letter {
            'm' => base64 = true,
            _ => code_name = true,
        }
    }
    let (input, name) = match options.operands().as_slice() {
        [name] => (None, *name),
        [input, name] => (Some(*input), *name),
        [] => return Err(report::usage(1, "missing operand")),
        [_, _, extra, ..] => {
            return Err(report::usage(1, format_args!("extra operand '{}'", String::from_utf8_lossy(extra))));
        }
    };
    let file = match input {
        None => None,
        Some(path) => Some(opened(path)?),
    };
    let fd = file.as_ref().map_or(STDIN, capsule_sys::Fd::raw);
    // Of a pipe there is no mode to tell.
    let mode = match (&file, fstat(fd)) {
        (Some(_), Ok(found)) => found.mode & 0o777,
        _ => {
            let mask = umask(0);
            umask(mask);
            0o666 & !mask
        }
    };
    let mut out = Out::stdout();
    let (code, stands) = (if base64 { "-base64" } else { "" }, if code_name { "-encoded" } else { "" });
    out.write(format!("begin{code}{stands} {mode:03o} ").as_bytes());
    match code_name {
        true => out.write(&base64_line(name)),
        false => out.write(name),
    }
    out.byte(b'\n');
    let mut block = [0; LINE];
    loop {
        let n = read_full(fd, &mut block).map_err(|e| {
            report::fault(String::from_utf8_lossy(input.unwrap_or(b"stdin")), e);
            Exit(1)
        })?;
        if n == 0 {
            break;
        }
        match base64 {
            true => out.write(&base64_line(&block[..n])),
            false => out.write(&line(&block[..n])),
        }
        out.byte(b'\n');
        report::writable(&out)?;
    }
    out.write(if base64 { b"====\n" } else { b"`\nend\n" });
    report::finish(&mut out, 0)
}

fn opened(path: &[u8]) -> Result<capsule_sys::Fd, Exit> {
    open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).map_err(|e| {
        report::fault(String::from_utf8_lossy(path), e);
        Exit(1)
    })
}

/// Six bits as a character: none of them is a blank.
fn letter(bits: u8) -> u8 {
    if bits & 63 == 0 { b'`' } else { (bits & 63) + b' ' }
}

/// How much a line holds, and what.
fn line(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![letter(bytes.len() as u8)];
    for part in bytes.chunks(3) {
        let [a, b, c] = [part[0], part.get(1).copied().unwrap_or(0), part.get(2).copied().unwrap_or(0)];
        text.extend([a >> 2, a << 4 | b >> 4, b << 2 | c >> 6, c].map(letter));
    }
    text
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64_line(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for part in bytes.chunks(3) {
        let [a, b, c] = [part[0], part.get(1).copied().unwrap_or(0), part.get(2).copied().unwrap_or(0)];
        let all = [a >> 2, a << 4 | b >> 4, b << 2 | c >> 6, c].map(|bits| BASE64[usize::from(bits & 63)]);
        text.extend(&all[..=part.len()]);
        text.resize(text.len() + 3 - part.len(), b'=');
    }
    text
}

/// What base64 stands for; none where there is a character that it does not have.
fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii_end();
    let text = &text[..text.len() - text.iter().rev().take_while(|b| **b == b'=').count()];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for part in text.chunks(4) {
        let mut bits = 0u32;
        for at in 0..4 {
            let value = match part.get(at) {
                Some(byte) => BASE64.iter().position(|b| b == byte)?,
                None => 0,
            };
            bits = bits << 6 | value as u32;
        }
        bytes.extend(&bits.to_be_bytes()[1..][..(part.len() * 3 / 4).min(3)]);
    }
    Some(bytes)
}

/// What a line of the code of old stands for; none where it is not one.
fn from_line(text: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: u8| (b' '..=b'`').contains(&byte).then(|| (byte - b' ') & 63);
    let (&first, rest) = text.split_first()?;
    let count = usize::from(value(first)?);
    let mut bytes = Vec::with_capacity(count + 3);
    // Blanks at the end may have been lost on the way.
    let mut letters = rest.iter().copied().chain(std::iter::repeat(b' '));
    while bytes.len() < count {
        let mut bits = 0u32;
        for _ in 0..4 {
            bits = bits << 6 | u32::from(value(letters.next()?)?);
        }
        bytes.extend(&bits.to_be_bytes()[1..]);
    }
    bytes.truncate(count);
    Some(bytes)
}

/// `uudecode`
pub mod uudecode {
    use super::*;

    pub const HELP: &str = "\
Usage: uudecode [OPTION]... [FILE]...
Turn what uuencode has written back into files of the names it tells.

  -o, --output-file=FILE  write to FILE; /dev/stdout is standard output
  -c, --ignore-chmod      do not set the modes of files
      --help              print this help
";

    const LONG: &[Long] = &[("output-file", REQ, 'o'), ("ignore-chmod", NO, 'c')];

    pub fn main(args: &Args) -> Outcome {
        crate::input::hold_standard();
        let (mut output, mut no_mode) = (None, false);
        let mut options = Options::new(args, "o:c", LONG);
        while let Some(option) = options.next()? {
            match option.letter {
                'o' => output = option.value,
                _ => no_mode = true,
            }
        }
        let files = options.operands();
        let standard: &[&[u8]] = &[b"-"];
        let mut status = 0;
        for &file in if files.is_empty() { standard } else { &files } {
            let decoded = match file {
                b"-" => decode(STDIN, "stdin", output, no_mode),
                path => match opened(path) {
                    Ok(fd) => decode(fd.raw(), &String::from_utf8_lossy(path), output, no_mode),
                    Err(Exit(code)) => Err(code),
                },
            };
            if let Err(code) = decoded {
                status = code;
            }
        }
        if status == 0 { Ok(0) } else { Err(Exit(status)) }
    }

    /// What a line that begins a file says of it.
    struct Begin {
        base64: bool,
        mode: u32,
        name: Vec<u8>,
    }

    fn begin(text: &[u8]) -> Option<Begin> {
        let rest = text.strip_prefix(b"begin")?;
        let (rest, base64) = rest.strip_prefix(b"-base64").map_or((rest, false), |rest| (rest, true));
        let (rest, coded) = rest.strip_prefix(b"-encoded").map_or((rest, false), |rest| (rest, true));
        let rest = rest.strip_prefix(b" ")?;
        let digits = rest.iter().take_while(|b| (b'0'..=b'7').contains(b)).count();
        let mode = std::str::from_utf8(&rest[..digits]).ok().and_then(|text| u32::from_str_radix(text, 8).ok())?;
        let name = rest[digits..].strip_prefix(b" ")?.trim_ascii_end();
        let name = if coded { from_base64(name)? } else { name.to_vec() };
        Some(Begin { base64, mode, name })
    }

    /// A file that is told of in a text, as all that is in front of it or behind is not.
    fn decode(fd: i32, shown: &str, output: Option<&[u8]>, no_mode: bool) -> Result<(), u8> {
        let mut input = In::new(fd);
        let mut text = Vec::new();
        let failed = |e: Errno| {
            report::error(format_args!("{shown}: {e}"));
            1
        };
        let mut next = |text: &mut Vec<u8>| {
            text.clear();
            let read = input.read_until(b'\n', text).map_err(failed)?;
            while matches!(text.last(), Some(b'\n' | b'\r')) {
                text.pop();
            }
            Ok::<bool, u8>(read)
        };
        let found = loop {
            if !next(&mut text)? {
                report::error(format_args!("{shown}: No 'begin' line"));
                return Err(1);
            }
            if let Some(found) = begin(&text) {
                break found;
            }
        };
        let name = output.unwrap_or(&found.name);
        if name.is_empty() || name.contains(&0) {
            report::error(format_args!("{shown}: Invalid file name"));
            return Err(1);
        }
        let file = match name {
            b"-" | b"/dev/stdout" => None,
            name => {
                let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
                let made = open(name, flags, 0o666);
                Some(made.map_err(|e| {
                    report::fault(String::from_utf8_lossy(name), e);
                    1
                })?)
            }
        };
        if let Some(file) = file.as_ref().filter(|_| !no_mode) {
            let _ = fchmod(file.raw(), found.mode & 0o777);
        }
        let mut out = file.as_ref().map_or_else(Out::stdout, |file| Out::new(file.raw()));
        loop {
            if !next(&mut text)? {
                let _ = out.flush();
                report::error(format_args!("{shown}: Short file"));
                return Err(1);
            }
            let bytes = match found.base64 {
                true if text == b"====" => break,
                true => from_base64(&text),
                false if matches!(text.as_slice(), b"`" | b" " | b"") => {
                    // The line that says so follows.
                    if !next(&mut text)? || text != b"end" {
                        report::error(format_args!("{shown}: No 'end' line"));
                        return Err(1);
                    }
                    break;
                }
                false if text == b"end" => break,
                false => from_line(&text),
            };
            let Some(bytes) = bytes else {
                let _ = out.flush();
                report::error(format_args!("{shown}: illegal line"));
                return Err(1);
            };
            out.write(&bytes);
            if out.error().is_some() {
                break;
            }
        }
        out.flush().map_err(|e| {
            report::fault(String::from_utf8_lossy(name), e);
            1
        })
    }
}

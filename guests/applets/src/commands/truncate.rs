use crate::number;
use crate::options::{NO, Options, REQ};
use crate::quote::{locale, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, FileType, OpenFlags, fstat, ftruncate, open, stat};

pub const HELP: &str = "\
Usage: truncate OPTION... FILE...
Shrink or extend the size of each FILE to the specified size.

A FILE that is not there is made.

  -c, --no-create        make no files
  -o, --io-blocks        SIZE counts blocks, not bytes
  -r, --reference=RFILE  from the size RFILE has
  -s, --size=SIZE        make it SIZE bytes long
      --help        print this help
      --version     print the version

SIZE may have one of these in front:
+ so much longer, - so much shorter, < not longer, > not shorter,
/ down to a multiple, % up to a multiple.
";

/// What a block of a file is.
const IO_BLOCK: i128 = 4096;

pub fn main(args: &Args) -> Outcome {
    let long = &[("no-create", NO, 'c'), ("io-blocks", NO, 'o'), ("reference", REQ, 'r'), ("size", REQ, 's')];
    let mut options = Options::new(args, "cor:s:", long);
    let (mut create, mut blocks, mut reference, mut size) = (true, false, None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => create = false,
            'o' => blocks = true,
            'r' => reference = Some(opt.value()),
            _ => {
                let text = opt.value().trim_ascii_start();
                let (mode, digits) = match text.first() {
                    Some(b @ (b'<' | b'>' | b'/' | b'%')) => (*b, text[1..].trim_ascii_start()),
                    Some(b'+') => (b'+', &text[1..]),
                    Some(b'-') => (b'-', &text[1..]),
                    _ => (b'=', text),
                };
                if b"<>/%".contains(&mode) && matches!(digits.first(), Some(b'+' | b'-')) {
                    return Err(report::usage(1, "multiple relative modifiers specified"));
                }
                // A sign is a part of the number, and stands right before it.
                let shown = if b"<>/%".contains(&mode) { digits } else { text };
                let digits = if b"+-".contains(&mode) && !digits.first().is_some_and(u8::is_ascii_alphanumeric) {
                    b"x"
                } else {
                    digits
                };
                let n = number::unsigned(digits, b"EgGkKmMPtTYZ0")
                    .map_err(|bad| number::complain(1, "Invalid number", shown, bad))?;
                if b"/%".contains(&mode) && n == 0 {
                    return Err(report::die(1, "division by zero"));
                }
                size = Some((mode, i128::from(n)));
            }
        }
    }
    let files = options.operands();
    if reference.is_none() && size.is_none() {
        let text = format!("you must specify either {} or {}", locale(b"--size"), locale(b"--reference"));
        return Err(report::usage(1, text));
    }
    if reference.is_some() && size.is_some_and(|s| s.0 == b'=') {
        let text = format!("you must specify a relative {} with {}", locale(b"--size"), locale(b"--reference"));
        return Err(report::usage(1, text));
    }
    if blocks && size.is_none() {
        let text = format!("{} was specified but {} was not", locale(b"--io-blocks"), locale(b"--size"));
        return Err(report::usage(1, text));
    }
    if files.is_empty() {
        return Err(report::usage(1, "missing file operand"));
    }
    let base = match reference {
        Some(file) => {
            let s = stat(file).map_err(|e| report::die(1, format_args!("cannot stat {}: {e}", quoted(file))))?;
            if s.kind == FileType::Directory {
                let why = Errno::EINVAL;
                return Err(report::die(1, format_args!("cannot get the size of {}: {why}", quoted(file))));
            }
            Some(s.size)
        }
        None => None,
    };
    let mut status = 0;
    for file in files {
        let flags = OpenFlags::WRONLY | OpenFlags::NONBLOCK | if create { OpenFlags::CREAT } else { OpenFlags(0) };
        let fd = match open(file, flags, 0o666) {
            Ok(fd) => fd,
            Err(Errno::ENOENT) if !create => continue,
            Err(e) => {
                report::fault(format_args!("cannot open {} for writing", quoted(file)), e);
                status = 1;
                continue;
            }
        };
        let old = i128::from(base.unwrap_or_else(|| fstat(fd.raw()).map_or(0, |s| s.size)));
        let (mode, mut n) = size.unwrap_or((b'+', 0));
        if blocks {
            n *= IO_BLOCK;
        }
        let new = match mode {
            b'+' => old + n,
            b'-' => (old - n).max(0),
            b'<' => old.min(n),
            b'>' => old.max(n),
            b'/' => old / n * n,
            b'%' => (old + n - 1) / n * n,
            _ => n,
        };
        let result = i64::try_from(new).map_err(|_| Errno::EFBIG).and_then(|new| ftruncate(fd.raw(), new as u64));
        if let Err(e) = result {
            report::fault(format_args!("failed to truncate {} at {new} bytes", quoted(file)), e);
            status = 1;
        }
    }
    Ok(status)
}

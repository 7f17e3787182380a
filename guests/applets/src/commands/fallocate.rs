use crate::options::{Long, NO, Options, REQ};
use crate::quote::raw;
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{Errno, Fd, OpenFlags, Out, fstat, ftruncate, open, pread, pwrite};

pub const HELP: &str = "\
Usage: fallocate [OPTION]... -l LENGTH FILE
Make room in a file, or take some away.

  -l, --length=N        how many bytes
  -o, --offset=N        from this byte on (0)
  -p, --punch-hole      fill the range with zeros, as far as the file goes
  -z, --zero-range      fill the range with zeros
  -c, --collapse-range  take the range out
  -i, --insert-range    put zeros in, and what follows behind them
  -n, --keep-size       do not make the file longer
  -x, --posix           the same as without: all of it is written
  -v, --verbose         tell what was done
  -h, --help            print this help
  -V, --version         print the version

N is a number of bytes, with K, M, G, T, P, E (powers of 1024; KiB …) or
KB, MB … (powers of 1000). Ranges of -c and -i are multiples of 4096. Files
here have no holes that could be made later, so -d (--dig-holes) is refused, and so is room
behind the end of a file (-n).
";

const LONG: &[Long] = &[
    ("collapse-range", NO, 'c'),
    ("dig-holes", NO, 'd'),
    ("insert-range", NO, 'i'),
    ("length", REQ, 'l'),
    ("keep-size", NO, 'n'),
    ("offset", REQ, 'o'),
    ("punch-hole", NO, 'p'),
    ("zero-range", NO, 'z'),
    ("posix", NO, 'x'),
    ("verbose", NO, 'v'),
];

/// What is moved or written at once, and what ranges that move others are multiples of.
const BLOCK: usize = 64 * 1024;
const UNIT: u64 = 4096;

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "cdhil:no:pVvxz", LONG);
    let (mut how, mut length, mut offset, mut keep, mut verbose) = (None, None, 0, false, false);
    let mut insert = false;
    let size = |text: &[u8], what: &str| {
        let n = number::unsigned(text, b"EGKkMPTYZ0").ok().filter(|n| *n <= i64::MAX as u64);
        n.ok_or_else(|| report::die(1, format_args!("invalid {what} value specified")))
    };
    while let Some(opt) = options.next()? {
        match opt.letter {
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            'l' => length = Some(size(opt.value(), "length")?),
            'o' => offset = size(opt.value(), "offset")?,
            'n' => keep = true,
            'v' => verbose = true,
            'x' => {}
            'i' => insert = true,
            letter => {
                if how.is_some_and(|before| before != letter) {
                    let all = "--collapse-range --dig-holes --punch-hole --zero-range";
                    return Err(report::die(1, format_args!("mutually exclusive arguments: {all}")));
                }
                how = Some(letter);
            }
        }
    }
    let both = insert && how.is_some();
    if insert {
        how = Some('i');
    }
    let operands = options.operands();
    let name = match operands.as_slice() {
        [] => return Err(report::die(1, "no filename specified")),
        [name] => *name,
        _ => return Err(report::die(1, "unexpected number of arguments")),
    };
    if how == Some('d') {
        return Err(report::die(1, "--dig-holes is not supported: files have no holes to be made later"));
    }
    let Some(length) = length else { return Err(report::die(1, "no length argument specified")) };
    if length == 0 {
        return Err(report::die(1, "invalid length value specified"));
    }
    let creates = if how.is_none() { OpenFlags::CREAT } else { OpenFlags(0) };
    let file = open(name, OpenFlags::RDWR | OpenFlags::CLOEXEC | creates, 0o666).map_err(|e| {
        report::error(raw(&[b"cannot open ", name, format!(": {e}").as_bytes()].concat()));
        Exit(1)
    })?;
    let done = if both { Err(Errno::EOPNOTSUPP) } else { change(&file, how, offset, length, keep) };
    done.map_err(|e| match e {
        Errno::EOPNOTSUPP if keep => report::die(1, "fallocate failed: keep size mode is unsupported"),
        e => report::die(1, format_args!("fallocate failed: {e}")),
    })?;
    if verbose {
        let what = match how {
            Some('p') => "hole created",
            Some('c') => "removed",
            Some('i') => "inserted",
            Some(_) => "zeroed",
            None => "allocated",
        };
        let mut out = Out::stdout();
        out.write(name);
        out.write(format!(": {} ({length} bytes) {what}.\n", in_words(length)).as_bytes());
        return report::finish(&mut out, 0);
    }
    Ok(0)
}

fn change(file: &Fd, how: Option<char>, offset: u64, length: u64, keep: bool) -> Result<(), Errno> {
    let size = fstat(file.raw())?.size;
    let end = offset.checked_add(length).filter(|end| *end <= i64::MAX as u64).ok_or(Errno::EFBIG)?;
    let aligned = offset.is_multiple_of(UNIT) && length.is_multiple_of(UNIT);
    match how {
        Some('p') => zeros(file, offset, end.min(size)),
        Some('c') if !aligned || end >= size => Err(Errno::EINVAL),
        Some('c') => {
            let (mut block, mut at) = (vec![0; BLOCK], end);
            while at < size {
                let n = pread(file.raw(), &mut block, at)?;
                if n == 0 {
                    break;
                }
                write_at(file, &block[..n], at - length)?;
                at += n as u64;
            }
            ftruncate(file.raw(), size - length)
        }
        Some('i') if !aligned || offset >= size => Err(Errno::EINVAL),
        Some('i') => {
            // From the end, as the room is where the rest still stands.
            let (mut block, mut at) = (vec![0; BLOCK], size);
            while at > offset {
                let n = (at - offset).min(BLOCK as u64);
                at -= n;
                let part = &mut block[..n as usize];
                if read_at(file, part, at)? < part.len() {
                    return Err(Errno::EIO);
                }
                write_at(file, part, at + length)?;
            }
            zeros(file, offset, end.min(size))
        }
        _ if keep && end > size => Err(Errno::EOPNOTSUPP),
        how => {
            let from = if how.is_some() { offset } else { offset.max(size) };
            // What does not fit leaves the file as long as it was.
            let written = zeros(file, from, end);
            if written.is_err() {
                ftruncate(file.raw(), size)?;
            }
            written
        }
    }
}

fn read_at(file: &Fd, buf: &mut [u8], at: u64) -> Result<usize, Errno> {
    let mut done = 0;
    while done < buf.len() {
        match pread(file.raw(), &mut buf[done..], at + done as u64)? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done)
}

fn write_at(file: &Fd, mut bytes: &[u8], mut at: u64) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let n = pwrite(file.raw(), bytes, at)?;
        bytes = &bytes[n..];
        at += n as u64;
    }
    Ok(())
}

fn zeros(file: &Fd, from: u64, to: u64) -> Result<(), Errno> {
    let (block, mut at) = ([0; BLOCK], from);
    while at < to {
        let n = (to - at).min(BLOCK as u64);
        write_at(file, &block[..n as usize], at)?;
        at += n;
    }
    Ok(())
}

/// `19.5 KiB`: one digit behind the point, if it is not 0.
fn in_words(bytes: u64) -> String {
    let unit = (bytes.ilog2() / 10).min(6);
    let (whole, rest) = (bytes >> (10 * unit), bytes & ((1 << (10 * unit)) - 1));
    let tenths = ((u128::from(rest) * 10 + (1 << (10 * unit)) / 2) >> (10 * unit)) as u64;
    let (whole, tenths) = (whole + tenths / 10, tenths % 10);
    let name = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][unit as usize];
    if tenths == 0 { format!("{whole} {name}") } else { format!("{whole}.{tenths} {name}") }
}

//! How each of the programs says what is wrong, and with which status.

use super::{Family, Settings, Sizes, answer};
use crate::codec::{Fault, Format};
use crate::options::only;
use crate::{Exit, report};
use capsule_sys::{Errno, STDERR, isatty, write_all};

pub const FAST: char = only(0);
pub const BEST: char = only(1);
pub const REMOVE: char = only(2);
/// What needs no doing.
pub const PLAIN: char = only(3);

pub const ULTRA: char = only(4);

/// An ending must be one, and stay in the directory.
pub fn suffix(family: Family, text: &[u8]) -> Result<Vec<u8>, Exit> {
    let shown = String::from_utf8_lossy(text);
    match family {
        Family::Xz if text.is_empty() || text.contains(&b'/') => {
            Err(report::die(1, format_args!("{shown}: Invalid filename suffix")))
        }
        Family::Gzip if text.is_empty() || text.len() > 30 || text.contains(&b'/') => {
            say(format!("gzip: invalid suffix '{shown}'\n"));
            Err(Exit(1))
        }
        _ => Ok(text.to_vec()),
    }
}

/// The highest level is told when more was asked for.
pub fn zstd_level(level: u32, ultra: bool) -> u32 {
    let most = if ultra { 22 } else { 19 };
    if level > most {
        say(format!("Warning : compression level higher than max, reduced to {most} \n"));
    }
    level.min(most)
}

/// What can go wrong with a file.
#[derive(Debug)]
pub enum Trouble {
    Open(Errno),
    Create(Vec<u8>, Errno),
    Write(Errno),
    Fault(Fault),
    Directory,
    NotRegular,
    Link,
    Links(u32),
    Exists(Vec<u8>),
    HasSuffix(Vec<u8>),
    UnknownSuffix,
    Garbage,
    /// There is nothing in it.
    Empty,
    /// Not even a header and a footer.
    TooSmall,
}

pub fn usage_status(family: Family) -> u8 {
    if family == Family::Xz || family == Family::Gzip || family == Family::Bzip2 { 1 } else { 2 }
}

pub fn standard_input(family: Family) -> &'static [u8] {
    match family {
        Family::Gzip => b"stdin",
        Family::Bzip2 | Family::Xz => b"(stdin)",
        Family::Zstd => b"/*stdin*\\",
    }
}

pub fn standard_output(family: Family) -> &'static [u8] {
    if family == Family::Xz { b"(stdout)" } else { b"stdout" }
}

/// The number of `-T`.
pub fn threads(family: Family, text: &[u8]) -> Result<(), Exit> {
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    if !digits.is_empty() && digits.len() < 10 && digits.iter().all(u8::is_ascii_digit) {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(text);
    Err(match family {
        Family::Xz => report::die(1, format_args!("{shown}: Value is not a non-negative decimal integer")),
        _ => report::die(
            1,
            format_args!(
                "error: only numeric values with optional suffixes K, KB, KiB, M, MB, MiB are allowed: {shown}"
            ),
        ),
    })
}

pub fn garbage_is_error(family: Family) -> bool {
    family != Family::Bzip2
}

/// What `-F` names.
pub fn format(text: &[u8], usual: Format) -> Result<Format, Exit> {
    match text {
        b"auto" => Ok(usual),
        b"xz" => Ok(Format::Xz),
        b"lzma" | b"alone" => Ok(Format::Lzma),
        _ => Err(report::die(1, format_args!("{}: Unknown file format type", String::from_utf8_lossy(text)))),
    }
}

/// Nobody wants to see packed data.
pub fn terminal(settings: &Settings) -> Exit {
    let text = match settings.family {
        Family::Gzip => {
            "compressed data not written to a terminal. Use -f to force compression.\nFor help, type: gzip -h"
                .to_owned()
        }
        Family::Bzip2 => "I won't write compressed data to a terminal.".to_owned(),
        Family::Xz => "Compressed data cannot be written to a terminal".to_owned(),
        Family::Zstd => "stdout is a console, aborting".to_owned(),
    };
    report::die(1, text)
}

pub fn guess(path: &[u8]) {
    let name = String::from_utf8_lossy(path);
    report::error(format_args!("Can't guess original name for {name} -- using {name}.out"));
}

/// Whether someone at a terminal agrees to overwrite.
pub fn ask_overwrite(settings: &Settings, target: &[u8]) -> bool {
    let name = String::from_utf8_lossy(target);
    let question = match settings.family {
        Family::Gzip if isatty(0) => format!("gzip: {name} already exists; do you wish to overwrite (y or n)? "),
        Family::Zstd if !settings.quiet => format!("zstd: {name} already exists; overwrite (y/n) ? "),
        _ => return false,
    };
    let _ = write_all(STDERR, question.as_bytes());
    matches!(answer().first(), Some(b'y' | b'Y'))
}

/// Tells it; the status it makes.
pub fn tell(settings: &Settings, name: &[u8], trouble: Trouble) -> u8 {
    let name = String::from_utf8_lossy(name);
    match settings.family {
        Family::Gzip => gzip(settings, &name, trouble),
        Family::Bzip2 => bzip2(settings, &name, trouble),
        Family::Xz => xz(settings, &name, trouble),
        Family::Zstd => zstd(settings, &name, trouble),
    }
}

fn say(text: String) {
    let _ = write_all(STDERR, text.as_bytes());
}

fn gzip(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    let warn = |text: String| {
        if !settings.quiet {
            say(text);
        }
        2
    };
    match trouble {
        Trouble::Open(e) => say(format!("gzip: {name}: {e}\n")),
        Trouble::Create(path, e) => say(format!("gzip: {}: {e}\n", String::from_utf8_lossy(&path))),
        Trouble::Write(e) => {
            let name = if settings.stdout { "stdout" } else { name };
            say(format!("\ngzip: {name}: {e}\n"));
        }
        Trouble::Fault(fault) => {
            let text = match fault {
                Fault::Read(e) => e.to_string(),
                Fault::NotFormat => "not in gzip format".to_owned(),
                Fault::Eof | Fault::Empty => "unexpected end of file".to_owned(),
                Fault::Checksum => "invalid compressed data--crc error".to_owned(),
                Fault::Length => "invalid compressed data--length error".to_owned(),
                Fault::Invalid => "invalid compressed data--format violated".to_owned(),
                Fault::Memory => "memory exhausted".to_owned(),
            };
            say(format!("\ngzip: {name}: {text}\n"));
        }
        Trouble::Directory => return warn(format!("gzip: {name} is a directory -- ignored\n")),
        Trouble::NotRegular => return warn(format!("gzip: {name} is not a directory or a regular file - ignored\n")),
        Trouble::Link => say(format!("gzip: {name}: {}\n", Errno::ELOOP)),
        Trouble::Links(n) => {
            let plural = if n == 1 { "" } else { "s" };
            return warn(format!("gzip: {name} has {n} other link{plural} -- file ignored\n"));
        }
        Trouble::Exists(path) => {
            return warn(format!("gzip: {} already exists;\tnot overwritten\n", String::from_utf8_lossy(&path)));
        }
        Trouble::HasSuffix(suffix) => {
            let suffix = String::from_utf8_lossy(&suffix).into_owned();
            warn(format!("gzip: {name} already has {suffix} suffix -- unchanged\n"));
            return 0;
        }
        Trouble::UnknownSuffix => return warn(format!("gzip: {name}: unknown suffix -- ignored\n")),
        Trouble::Empty | Trouble::TooSmall => {}
        Trouble::Garbage => {
            return warn(format!("\ngzip: {name}: decompression OK, trailing garbage ignored\n"));
        }
    }
    1
}

fn bzip2(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    match trouble {
        Trouble::Open(e) if settings.test => report::error(format_args!("Can't open input {name}: {e}.")),
        Trouble::Fault(Fault::NotFormat) if settings.test => {
            report::error(format_args!("{name}: bad magic number (file not created by bzip2)"));
            return 2;
        }
        Trouble::Open(e) => report::error(format_args!("Can't open input file {name}: {e}.")),
        Trouble::Create(path, e) => {
            report::error(format_args!("Can't create output file {}: {e}.", String::from_utf8_lossy(&path)));
        }
        Trouble::Write(e) => {
            report::error(format_args!("I/O or other error, bailing out.  Possible reason follows.\nbzip2: {e}"));
        }
        Trouble::Fault(Fault::NotFormat) => {
            report::error(format_args!("{name} is not a bzip2 file."));
            return 2;
        }
        Trouble::Fault(Fault::Read(e)) => report::error(format_args!("Can't read input file {name}: {e}.")),
        Trouble::Fault(fault) => {
            let text = match fault {
                Fault::Eof | Fault::Empty => "file ends unexpectedly",
                Fault::Memory => "couldn't allocate enough memory",
                _ => "data integrity (CRC) error in data",
            };
            report::error(format_args!("{name}: {text}"));
            return 2;
        }
        Trouble::Directory => report::error(format_args!("Input file {name} is a directory.")),
        Trouble::NotRegular | Trouble::Link => report::error(format_args!("Input file {name} is not a normal file.")),
        Trouble::Links(n) => {
            let plural = if n == 1 { "" } else { "s" };
            report::error(format_args!("Input file {name} has {n} other link{plural}."));
        }
        Trouble::Exists(path) => {
            report::error(format_args!("Output file {} already exists.", String::from_utf8_lossy(&path)));
        }
        Trouble::HasSuffix(suffix) => {
            let suffix = String::from_utf8_lossy(&suffix).into_owned();
            report::error(format_args!("Input file {name} already has {suffix} suffix."));
        }
        Trouble::UnknownSuffix | Trouble::Empty | Trouble::TooSmall => {}
        Trouble::Garbage => {
            report::error(format_args!("{name}: trailing garbage after EOF ignored"));
            return 0;
        }
    }
    1
}

fn xz(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    let mut status = 1;
    let text = match trouble {
        Trouble::Open(e) => e.to_string(),
        Trouble::Create(path, e) => {
            report::error(format_args!("{}: {e}", String::from_utf8_lossy(&path)));
            return 1;
        }
        Trouble::Write(e) => format!("Write error: {e}"),
        Trouble::Fault(fault) => match fault {
            Fault::Read(e) => format!("Read error: {e}"),
            Fault::NotFormat => "File format not recognized".to_owned(),
            Fault::Eof | Fault::Empty => "Unexpected end of input".to_owned(),
            Fault::Memory => "Memory usage limit reached".to_owned(),
            _ => "Compressed data is corrupt".to_owned(),
        },
        Trouble::Directory => {
            status = 2;
            "Is a directory, skipping".to_owned()
        }
        Trouble::NotRegular => {
            status = 2;
            "Not a regular file, skipping".to_owned()
        }
        Trouble::Link => {
            status = 2;
            "Is a symbolic link, skipping".to_owned()
        }
        Trouble::Links(_) => {
            status = 2;
            "Input file has more than one hard link, skipping".to_owned()
        }
        Trouble::Exists(path) => {
            report::error(format_args!("{}: {}", String::from_utf8_lossy(&path), Errno::EEXIST));
            return 1;
        }
        Trouble::HasSuffix(suffix) => {
            status = 2;
            format!("File already has `{}' suffix, skipping", String::from_utf8_lossy(&suffix))
        }
        Trouble::UnknownSuffix => {
            status = 2;
            "Filename has an unknown suffix, skipping".to_owned()
        }
        Trouble::Garbage => "Compressed data is corrupt".to_owned(),
        Trouble::Empty => "File is empty".to_owned(),
        Trouble::TooSmall => "Too small to be a valid .xz file".to_owned(),
    };
    if !(settings.quiet && status == 2) {
        report::error(format_args!("{name}: {text}"));
    }
    if status == 2 && settings.no_warn { 0 } else { status }
}

fn zstd(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    match trouble {
        Trouble::Open(e @ Errno::EACCES) => say(format!("zstd: {name}: {e} \n")),
        Trouble::Open(e) => say(format!("zstd: can't stat {name} : {e} -- ignored \n")),
        Trouble::Create(path, e) => say(format!("zstd: {} : {e} \n", String::from_utf8_lossy(&path))),
        Trouble::Write(e) => {
            say(format!("zstd: error 70 : Write error : cannot write block : {e} \n"));
            return 70;
        }
        Trouble::Fault(fault) => match fault {
            Fault::Read(e) => say(format!("zstd: {name}: {e} \n")),
            Fault::NotFormat => say(format!("zstd: {name}: unsupported format \n")),
            Fault::Empty => say(format!("zstd: {name}: unexpected end of file \n")),
            Fault::Eof => say(format!("{name} : Read error (39) : premature end \n")),
            Fault::Checksum => say(format!("{name} : Decoding error (36) : Restored data doesn't match checksum \n")),
            Fault::Memory => {
                say(format!("{name} : Decoding error (36) : Frame requires too much memory for decoding \n"))
            }
            _ => say(format!("{name} : Decoding error (36) : Data corruption detected \n")),
        },
        Trouble::Directory => say(format!("zstd: {name} is a directory -- ignored \n")),
        Trouble::Link if settings.quiet => {}
        Trouble::Link => say(format!("Warning : {name} is a symbolic link, ignoring \n")),
        Trouble::NotRegular | Trouble::Links(_) => {
            say(format!("zstd: {name} is not a regular file -- ignored \n"));
        }
        Trouble::Exists(path) if settings.quiet => {
            say(format!("zstd: {} already exists; not overwritten  \n", String::from_utf8_lossy(&path)));
        }
        Trouble::Exists(_) => say("Not overwritten  \n".to_owned()),
        Trouble::HasSuffix(_) => {}
        Trouble::UnknownSuffix => say(format!(
            "zstd: {name}: unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). Can't derive the \
             output file name. Specify it with -o dstFileName. Ignoring.\n"
        )),
        Trouble::Garbage | Trouble::Empty | Trouble::TooSmall => say(format!("zstd: {name}: unsupported format \n")),
    }
    1
}

/// `-v`: what became of a file.
pub fn done(settings: &Settings, path: &[u8], target: Option<&[u8]>, sizes: Sizes) {
    if !settings.verbose || settings.quiet {
        return;
    }
    let name = String::from_utf8_lossy(path);
    let text = match settings.family {
        Family::Gzip => {
            let end = match (settings.test, target) {
                (true, _) => " OK\n".to_owned(),
                (false, None) => format!("{}\n", ratio(sizes)),
                (false, Some(target)) => {
                    let how = if settings.keep { "created" } else { "replaced with" };
                    format!("{} -- {how} {}\n", ratio(sizes), String::from_utf8_lossy(target))
                }
            };
            format!("{name}:\t{end}")
        }
        Family::Bzip2 if settings.test => format!("  {name}: ok\n"),
        Family::Bzip2 if settings.decompress => format!("  {name}: done\n"),
        Family::Bzip2 => {
            let (plain, packed) = (sizes.plain as f64, sizes.packed as f64);
            format!(
                "  {name}: {:6.3}:1, {:6.3} bits/byte, {:5.2}% saved, {} in, {} out.\n",
                plain / packed,
                packed * 8.0 / plain,
                100.0 * (1.0 - packed / plain),
                sizes.plain,
                sizes.packed
            )
        }
        Family::Xz => {
            let share = sizes.packed as f64 / sizes.plain.max(1) as f64;
            format!("{name}: {} B / {} B = {share:.3}\n", sizes.packed, sizes.plain)
        }
        Family::Zstd => format!("{name:<20}: {} bytes \n", sizes.plain),
    };
    say(text);
}

/// The share that was saved.
pub fn ratio(sizes: Sizes) -> String {
    if sizes.plain == 0 {
        return "  0.0%".to_owned();
    }
    let saved = sizes.plain as f64 - (sizes.packed.saturating_sub(sizes.overhead)) as f64;
    format!("{:5.1}%", 100.0 * saved / sizes.plain as f64)
}

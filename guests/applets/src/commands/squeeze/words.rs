//! How each of the programs says what is wrong, and with which status.

use super::{Family, Settings, Sizes, Tool, answer, bzip2_words};
use crate::codec::{self, Fault, FilterKind, Format};
use crate::options::{NO, REQ, only};
use crate::{Args, Exit, report};
use capsule_sys::{Errno, Out, STDERR, isatty, write_all};

pub const FAST: char = only(0);
pub const BEST: char = only(1);
pub const REMOVE: char = only(2);
/// What needs no doing.
pub const PLAIN: char = only(3);

pub const ULTRA: char = only(4);
pub const FILES: char = only(5);
pub const FILES0: char = only(6);
pub const FLAT: char = only(7);
pub const MIRROR: char = only(8);
pub const PASS: char = only(9);
pub const NO_PASS: char = only(10);
pub const CHECK: char = only(11);
pub const NO_CHECK: char = only(12);
pub const SYNC: char = only(13);
pub const SINGLE: char = only(14);
pub const UNPACKED: char = only(15);
pub const RSYNCABLE: char = only(16);
pub const ROBOT: char = only(17);
/// The filters of xz, from here on.
pub const FILTERS: [(char, FilterKind); 9] = [
    (only(20), FilterKind::X86),
    (only(21), FilterKind::Arm),
    (only(22), FilterKind::ArmThumb),
    (only(23), FilterKind::Arm64),
    (only(24), FilterKind::PowerPc),
    (only(25), FilterKind::Ia64),
    (only(26), FilterKind::Sparc),
    (only(27), FilterKind::Delta),
    (only(28), FilterKind::Lzma2),
];

/// bzip2 and zstd know options by their whole names only, and answer what they do not know with their help.
pub fn known(args: &Args, tool: &Tool) -> Result<(), Exit> {
    let mut words = args.rest().iter();
    while let Some(word) = words.next() {
        let fits = match word.as_slice() {
            b"--" => break,
            b"--help" | b"--version" => true,
            [b'-', b'-', long @ ..] => {
                let (name, value) = match long.iter().position(|b| *b == b'=') {
                    Some(at) => (&long[..at], true),
                    None => (long, false),
                };
                let found = tool.long.iter().find(|l| l.0.as_bytes() == name);
                if found.is_some_and(|l| l.1 == REQ) && !value {
                    words.next();
                }
                found.is_some_and(|l| l.1 != NO || !value)
            }
            [b'-', letters @ ..] => {
                let takes = |b: u8| tool.short.as_bytes().windows(2).any(|w| w == [b, b':']);
                let end = letters.iter().position(|b| takes(*b));
                if end.is_some_and(|at| at + 1 == letters.len())
                    && words.next().is_none()
                    && tool.family == Family::Zstd
                {
                    say("error: missing command argument \n".to_owned());
                    return Err(Exit(1));
                }
                letters[..end.unwrap_or(letters.len())].iter().all(|b| *b != b':' && tool.short.as_bytes().contains(b))
            }
            _ => true,
        };
        if !fits {
            match tool.family {
                Family::Zstd => say("Incorrect parameters \n".to_owned()),
                _ => report::error(format_args!("Bad flag `{}'", String::from_utf8_lossy(word))),
            }
            say(report::help().to_owned());
            return Err(Exit(1));
        }
    }
    Ok(())
}

/// Where `-h` prints the help.
pub fn help(family: Family) -> Exit {
    if family == Family::Bzip2 {
        say(report::help().to_owned());
        return Exit(0);
    }
    let mut out = Out::stdout();
    out.write(report::help().as_bytes());
    match report::finish(&mut out, 0) {
        Ok(status) => Exit(status),
        Err(exit) => exit,
    }
}

/// The check that `-C` names.
pub fn check(text: &[u8]) -> Result<u32, Exit> {
    match text {
        b"none" => Ok(codec::NO_CHECK),
        b"crc32" => Ok(codec::CRC32),
        b"crc64" => Ok(0),
        b"sha256" => Ok(codec::SHA256),
        _ => {
            let shown = String::from_utf8_lossy(text);
            Err(report::die(1, format_args!("{shown}: Unsupported integrity check type")))
        }
    }
}

/// The number of `--fast`, which means the quickest level.
pub fn fast(value: Option<&[u8]>) -> Result<u32, Exit> {
    match value {
        Some(text) if text.iter().all(|b| *b == b'0') || !text.iter().all(u8::is_ascii_digit) => {
            say(format!("Incorrect parameters \n{}", report::help()));
            Err(Exit(1))
        }
        _ => Ok(1),
    }
}

/// A level in the environment.
pub fn zstd_variable(text: &[u8], usual: u32) -> u32 {
    let shown = String::from_utf8_lossy(text);
    match shown.parse::<i32>() {
        Ok(level) if level < 0 => 1,
        Ok(level) => level as u32,
        Err(_) => {
            say(format!("Ignore environment variable setting ZSTD_CLEVEL={shown}: not a valid integer value \n"));
            usual
        }
    }
}

/// The limit of `-M`. What is less than a decoder may need cannot be kept to.
pub fn memory(text: &[u8]) -> Result<(), Exit> {
    if text == b"max" {
        return Ok(());
    }
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let shown = String::from_utf8_lossy(text);
    let number = shown[..digits].parse::<u64>();
    let Ok(number) = number else {
        return Err(report::die(1, format_args!("{shown}: Value is not a non-negative decimal integer")));
    };
    let shift = match &text[digits..] {
        b"" | b"B" => 0,
        b"k" | b"K" | b"KiB" | b"kiB" | b"Ki" | b"KB" | b"kB" => 10,
        b"m" | b"M" | b"MiB" | b"Mi" | b"MB" => 20,
        b"g" | b"G" | b"GiB" | b"Gi" | b"GB" => 30,
        b"%" if (1..=100).contains(&number) => 64,
        b"%" => {
            return Err(report::die(1, "Value of the option `memlimit%' must be in the range [1, 100]"));
        }
        rest => {
            let rest = String::from_utf8_lossy(rest);
            report::error(format_args!("{rest}: Invalid multiplier suffix"));
            let text = "Valid suffixes are `KiB' (2^10), `MiB' (2^20), and `GiB' (2^30).";
            return Err(report::die(1, text));
        }
    };
    // Of the machine's memory nothing is known here.
    let bytes = number.checked_shl(shift).filter(|_| shift < 64);
    if number == 0 || bytes.is_some_and(|bytes| bytes >= 100 << 20) {
        return Ok(());
    }
    Err(report::die(1, format_args!("a limit of {shown} for memory cannot be kept to: up to 100 MiB are used")))
}

/// What is packed already, by its name.
pub fn looks_packed(path: &[u8]) -> bool {
    let known: [&[u8]; 14] = [
        b".zst", b".tzst", b".gz", b".tgz", b".xz", b".txz", b".lzma", b".bz2", b".lz4", b".tlz4", b".zip", b".7z",
        b".jpg", b".png",
    ];
    known.iter().any(|end| path.ends_with(end))
}

/// Several files into one is asked about.
pub fn ask_concatenate(settings: &Settings) -> Result<(), Exit> {
    if settings.force || settings.stdout || settings.test || settings.list {
        return Ok(());
    }
    let target = String::from_utf8_lossy(settings.output.as_deref().unwrap_or_default()).into_owned();
    let text = "The concatenated output CANNOT regenerate original file names nor directory structure. \n";
    if level(settings) < 2 {
        say(format!("zstd: {target} already exists; not overwritten  \n"));
        return Err(Exit(1));
    }
    say(format!(
        "zstd: WARNING: all input files will be processed and concatenated into a single output file: {target} \n\
         {text}Proceed? (y/n): "
    ));
    match answer().first() {
        Some(b'y' | b'Y') => Ok(()),
        _ => {
            say("Aborting... \n".to_owned());
            Err(Exit(1))
        }
    }
}

/// How much zstd tells.
fn level(settings: &Settings) -> i32 {
    2 + i32::from(settings.verbose) - i32::from(settings.quiet)
}

/// What `-v` of bzip2 says first.
pub fn begin(settings: &Settings, name: &[u8]) {
    if settings.family == Family::Bzip2 && settings.verbose > 0 {
        let name = String::from_utf8_lossy(name);
        say(format!("  {name}: {:1$}", "", settings.longest.max(7).saturating_sub(name.len())));
    }
}

/// What follows the last file.
pub fn finished(settings: &Settings, status: u8, files: usize, (plain, packed, made): (u64, u64, usize)) {
    match settings.family {
        Family::Bzip2 => bzip2_words::finished(settings, status),
        Family::Zstd if files > 1 && made > 0 && level(settings) > 1 && (!settings.stdout || settings.test) => {
            if settings.list {
            } else if settings.decompress {
                say(format!("{made} files decompressed : {plain:6} bytes total \n"));
            } else {
                let share = packed as f64 / plain.max(1) as f64 * 100.0;
                let (plain, packed) = (super::zstd_list::human(plain, 6), super::zstd_list::human(packed, 6));
                say(format!("{made:3} files compressed : {share:.2}% ({plain} => {packed})\n"));
            }
        }
        _ => {}
    }
}

/// An ending must be one, and stay in the directory.
pub fn suffix(family: Family, text: &[u8]) -> Result<Vec<u8>, Exit> {
    let shown = String::from_utf8_lossy(text);
    match family {
        Family::Xz if text.is_empty() || text.contains(&b'/') => {
            Err(report::die(1, format_args!("{shown}: Invalid filename suffix")))
        }
        Family::Gzip if text.is_empty() || text.len() > 30 => {
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
    /// A mode that has more than permissions.
    SpecialMode(u32),
    Exists(Vec<u8>),
    HasSuffix(Vec<u8>),
    UnknownSuffix,
    Garbage,
    /// There is nothing in it.
    Empty,
    /// Not even a header and a footer.
    TooSmall,
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
        _ => {
            let text = "error: only numeric values with optional suffixes K, KB, KiB, M, MB, MiB are allowed \n";
            say(text.to_owned());
            Exit(1)
        }
    })
}

pub fn garbage_is_error(family: Family) -> bool {
    family != Family::Bzip2
}

/// What `-F` names, and whether nothing else is read.
pub fn format(text: &[u8], tool: &Tool) -> Result<(Format, bool), Exit> {
    let shown = String::from_utf8_lossy(text);
    match (tool.family, text) {
        (Family::Zstd, b"zstd") => Ok((Format::Zstd, false)),
        (Family::Zstd, b"gzip") => Ok((Format::Gzip, false)),
        (Family::Zstd, b"xz") => Ok((Format::Xz, false)),
        (Family::Zstd, b"lzma") => Ok((Format::Lzma, false)),
        (Family::Zstd, _) => {
            say(format!("Incorrect parameters \n{}", report::help()));
            Err(Exit(1))
        }
        (_, b"auto") => Ok((Format::Xz, false)),
        (_, b"xz") => Ok((Format::Xz, true)),
        (_, b"lzma" | b"alone") => Ok((Format::Lzma, true)),
        (_, b"raw" | b"lzip") => Err(report::die(1, format_args!("{shown}: this format is not supported here"))),
        _ => Err(report::die(1, format_args!("{shown}: Unknown file format type"))),
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
        Family::Zstd if level(settings) > 1 => format!("zstd: {name} already exists; overwrite (y/n) ? "),
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
        Family::Bzip2 => bzip2_words::tell(settings, &name, trouble),
        Family::Xz => xz(settings, &name, trouble),
        Family::Zstd => zstd(settings, &name, trouble),
    }
}

pub fn say(text: String) {
    let _ = write_all(STDERR, text.as_bytes());
}

fn gzip(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    let warn = |text: String| {
        if settings.quiet == 0 {
            say(text);
        }
        2
    };
    match trouble {
        Trouble::Open(e) if name.is_empty() => say(format!("gzip: {e}\n")),
        Trouble::Open(e) => say(format!("gzip: {name}: {e}\n")),
        Trouble::Create(path, e) => say(format!("gzip: {}: {e}\n", String::from_utf8_lossy(&path))),
        Trouble::Write(e) => {
            let name = if settings.stdout && !settings.list { "stdout" } else { name };
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
        Trouble::SpecialMode(mode) if mode & 0o4000 != 0 => {
            return warn(format!("gzip: {name} is set-user-ID on execution - ignored\n"));
        }
        Trouble::SpecialMode(mode) if mode & 0o2000 != 0 => {
            return warn(format!("gzip: {name} is set-group-ID on execution - ignored\n"));
        }
        Trouble::SpecialMode(_) => return warn(format!("gzip: {name} has the sticky bit set - file ignored\n")),
        Trouble::Exists(path) => {
            return warn(format!("gzip: {} already exists;\tnot overwritten\n", String::from_utf8_lossy(&path)));
        }
        Trouble::HasSuffix(suffix) => {
            let suffix = String::from_utf8_lossy(&suffix).into_owned();
            warn(format!("gzip: {name} already has {suffix} suffix -- unchanged\n"));
            return 0;
        }
        Trouble::UnknownSuffix if settings.quiet > 0 && settings.verbose == 0 => return 0,
        Trouble::UnknownSuffix => return warn(format!("gzip: {name}: unknown suffix -- ignored\n")),
        Trouble::Empty | Trouble::TooSmall => {}
        Trouble::Garbage => {
            return warn(format!("\ngzip: {name}: decompression OK, trailing garbage ignored\n"));
        }
    }
    1
}

fn xz(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    let mut status = 1;
    let text = match trouble {
        Trouble::Open(_) if name.is_empty() => {
            if settings.quiet < 2 {
                report::error("Empty filename, skipping");
            }
            return 1;
        }
        Trouble::Open(e) => e.to_string(),
        Trouble::Create(path, e) => {
            if settings.quiet < 2 {
                report::error(format_args!("{}: {e}", String::from_utf8_lossy(&path)));
            }
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
        Trouble::SpecialMode(mode) => {
            status = 2;
            let what = if mode & 0o6000 != 0 { "setuid or setgid bit" } else { "sticky bit" };
            format!("File has {what} set, skipping")
        }
        Trouble::Exists(path) => {
            if settings.quiet < 2 {
                report::error(format_args!("{}: {}", String::from_utf8_lossy(&path), Errno::EEXIST));
            }
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
    if settings.quiet < status_level(status) {
        report::error(format_args!("{name}: {text}"));
    }
    if status == 2 && settings.no_warn { 0 } else { status }
}

/// How often `-q` must be said for xz to be silent about it.
fn status_level(status: u8) -> u8 {
    if status == 2 { 1 } else { 2 }
}

fn zstd(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    let to_file = !settings.target.is_empty();
    let status = match trouble {
        // What was still in the buffer when the output was closed.
        Trouble::Write(_) if !to_file && !settings.large => 1,
        Trouble::Write(_) if to_file && settings.decompress => 93,
        Trouble::Write(_) => 70,
        Trouble::Fault(Fault::Read(Errno::EBADF)) => 37,
        _ => 1,
    };
    if level(settings) < 1 {
        return status;
    }
    match trouble {
        Trouble::Open(e @ Errno::EACCES) => say(format!("zstd: {name}: {e} \n")),
        Trouble::Open(e) => say(format!("zstd: can't stat {name} : {e} -- ignored \n")),
        Trouble::Create(path, e) => say(format!("zstd: {} : {e} \n", String::from_utf8_lossy(&path))),
        Trouble::Write(e) if status == 1 => say(format!("zstd: /*stdout*\\: {e} \n")),
        Trouble::Write(e) => say(format!("zstd: error {status} : Write error : cannot write block : {e} \n")),
        Trouble::Fault(fault) => match fault {
            Fault::Read(Errno::EBADF) => say("zstd: error 37 : Read error \n".to_owned()),
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
        Trouble::Link if level(settings) < 2 => {}
        Trouble::Link => say(format!("Warning : {name} is a symbolic link, ignoring \n")),
        Trouble::NotRegular | Trouble::Links(_) | Trouble::SpecialMode(_) => {
            say(format!("zstd: {name} is not a regular file -- ignored \n"));
        }
        Trouble::Exists(path) if level(settings) < 2 => {
            say(format!("zstd: {} already exists; not overwritten  \n", String::from_utf8_lossy(&path)));
        }
        Trouble::Exists(_) => say("Not overwritten  \n \n".to_owned()),
        Trouble::HasSuffix(_) => {}
        Trouble::UnknownSuffix => say(format!(
            "zstd: {name}: unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). Can't derive the \
             output file name. Specify it with -o dstFileName. Ignoring.\n"
        )),
        Trouble::Garbage | Trouble::Empty | Trouble::TooSmall => say(format!("zstd: {name}: unsupported format \n")),
    }
    status
}

/// `-v`: what became of a file.
pub fn done(settings: &Settings, path: &[u8], target: Option<&[u8]>, sizes: Sizes, files: usize) {
    let tells = match settings.family {
        Family::Gzip => settings.verbose > 0 && settings.quiet == 0 && path != b"stdin",
        Family::Bzip2 => settings.verbose > 0,
        Family::Xz => settings.verbose > settings.quiet,
        // Of several files the sum is told, of what goes to standard output nothing.
        Family::Zstd => {
            let least = if files > 1 || (target.is_none() && !settings.test) { 3 } else { 2 };
            level(settings) >= least
        }
    };
    if !tells {
        return;
    }
    let name = String::from_utf8_lossy(path);
    let text = match settings.family {
        Family::Gzip => {
            let end = match (settings.test, target) {
                (true, _) => " OK\n".to_owned(),
                (false, target) => {
                    let how = if settings.keep { "created" } else { "replaced with" };
                    format!("{} -- {how} {}\n", ratio(sizes), String::from_utf8_lossy(target.unwrap_or(b"stdout")))
                }
            };
            format!("{name}:\t{end}")
        }
        Family::Bzip2 if settings.test => "ok\n".to_owned(),
        Family::Bzip2 if settings.decompress => "done\n".to_owned(),
        Family::Bzip2 if sizes.plain == 0 => " no data compressed.\n".to_owned(),
        Family::Bzip2 => {
            let (plain, packed) = (sizes.plain as f64, sizes.packed as f64);
            format!(
                "{:6.3}:1, {:6.3} bits/byte, {:5.2}% saved, {} in, {} out.\n",
                plain / packed,
                packed * 8.0 / plain,
                100.0 * (1.0 - packed / plain),
                sizes.plain,
                sizes.packed
            )
        }
        Family::Xz => {
            let share = match sizes.packed as f64 / sizes.plain.max(1) as f64 {
                share if share > 9.999 => "> 9.999".to_owned(),
                share => format!("= {share:.3}"),
            };
            let (packed, plain) = (super::xz_list::nice(sizes.packed), super::xz_list::nice(sizes.plain));
            format!("{name}: {packed} / {plain} {share}\n")
        }
        Family::Zstd if settings.decompress => format!("{name:<20}: {} bytes \n", sizes.plain),
        Family::Zstd => {
            let share = match sizes.plain {
                0 => String::new(),
                plain => format!("{:6.2}% ", sizes.packed as f64 / plain as f64 * 100.0),
            };
            let human = |bytes| super::zstd_list::short(bytes, 6);
            let target = String::from_utf8_lossy(target.unwrap_or(b"/*stdout*\\"));
            format!("{name:<20} :{share}  ({} => {}, {target}) \n", human(sizes.plain), human(sizes.packed))
        }
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

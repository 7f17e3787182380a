//! The packers as programs that others start: what they take from the environment, and how they complain of streams.

use super::words::{self, Trouble};
use super::{Family, Settings, Tool, arguments};
use crate::codec::{Fault, Format};
use crate::{Args, Exit, report};
use capsule_sys::Errno;

/// The level that the program for a format takes from its variables.
pub fn level(format: Format) -> Result<u32, Exit> {
    use crate::commands::{bzip2, gzip, xz, zstd};
    let (family, short, long) = match format {
        Format::Gzip | Format::Lzw => (Family::Gzip, gzip::SHORT, gzip::LONG),
        Format::Bzip2 => (Family::Bzip2, bzip2::SHORT, bzip2::LONG),
        Format::Xz | Format::Lzma => (Family::Xz, xz::SHORT, xz::LONG),
        Format::Zstd => (Family::Zstd, zstd::SHORT, zstd::LONG),
    };
    let program = report::program();
    report::set_program(name_of(format).as_bytes());
    let tool = Tool { family, format, decompress: false, stdout: true, short, long };
    let read = arguments::read(&Args::new(vec![Vec::new()]), &tool);
    report::set_program(program.as_bytes());
    report::hint(report::Hint::Usage);
    read.map(|(settings, _)| settings.level)
}

fn name_of(format: Format) -> &'static str {
    match format {
        Format::Gzip | Format::Lzw => "gzip",
        Format::Bzip2 => "bzip2",
        Format::Xz => "xz",
        Format::Lzma => "lzma",
        Format::Zstd => "zstd",
    }
}

/// Says of packed standard input what the program for its format would say; the status that one would end with.
pub fn complain_of_input(format: Format, fault: Fault) -> u8 {
    complain_of_stream(format, true, None, Trouble::Fault(fault))
}

/// The same of a packed file.
pub fn complain_of_file(format: Format, name: &[u8], fault: Fault) -> u8 {
    let name = if name == b"-" { None } else { Some(name) };
    complain_of_stream(format, true, name, Trouble::Fault(fault))
}

/// The same of standard output that takes no more.
pub fn complain_of_output(format: Format, errno: Errno) -> u8 {
    complain_of_stream(format, false, None, Trouble::Write(errno))
}

fn complain_of_stream(format: Format, decompress: bool, file: Option<&[u8]>, trouble: Trouble) -> u8 {
    let family = match format {
        Format::Gzip | Format::Lzw => Family::Gzip,
        Format::Bzip2 => Family::Bzip2,
        Format::Xz | Format::Lzma => Family::Xz,
        Format::Zstd => Family::Zstd,
    };
    let program = report::program();
    report::set_program(name_of(format).as_bytes());
    let settings = Settings { decompress, stdout: true, large: true, ..Settings::new(family, format) };
    let named = decompress || family == Family::Bzip2;
    let standard = if named { words::standard_input(family) } else { words::standard_output(family) };
    let status = words::tell(&settings, file.unwrap_or(standard), trouble);
    report::set_program(program.as_bytes());
    status
}

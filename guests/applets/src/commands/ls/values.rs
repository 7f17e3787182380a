//! Values of options of `ls`: when, how large, how a time is shown.

use super::options::{Format, Settings, TimeStyle, VALUE, WRONG};
use crate::human::Unit;
use crate::number::{self, Bad};
use crate::options::word;
use crate::quote::{has_locale, locale};
use crate::{Exit, report};
use capsule_sys::{STDOUT, getenv, window};

/// Where nothing tells how wide lines may be.
const USUAL_WIDTH: usize = 80;
const USUAL_TAB: usize = 8;

pub fn when(value: Option<&[u8]>, option: &str, terminal: bool) -> Result<bool, Exit> {
    let words = &[
        ("always", 1),
        ("yes", 1),
        ("force", 1),
        ("never", 0),
        ("no", 0),
        ("none", 0),
        ("auto", 2),
        ("tty", 2),
        ("if-tty", 2),
    ];
    Ok(match value.map_or(Ok(1), |v| word(v, option, words, VALUE))? {
        2 => terminal,
        other => other == 1,
    })
}

pub fn unit(text: &[u8], option: &str) -> Result<Unit, Exit> {
    Unit::parse(text).map_err(|bad| number::refuse(WRONG, option, text, bad))
}

/// `LS_BLOCK_SIZE` and `BLOCK_SIZE` speak of both sizes, `BLOCKSIZE` and `-k` only of allocated blocks.
pub fn environment(s: &mut Settings, kibibytes: bool, sized: bool) {
    if sized {
        return;
    }
    let named = getenv(b"LS_BLOCK_SIZE").or_else(|| getenv(b"BLOCK_SIZE"));
    if let Some(named) = named {
        // What cannot be understood is the usual size of blocks, for both.
        let unit = Unit::parse(&named).unwrap_or(Unit::Bytes(1024));
        (s.block_unit, s.size_unit) = (unit, unit);
    } else if let Some(Ok(unit)) = getenv(b"BLOCKSIZE").map(|v| Unit::parse(&v)) {
        s.block_unit = unit;
    } else if getenv(b"POSIXLY_CORRECT").is_some() {
        s.block_unit = Unit::Bytes(512);
    }
    if kibibytes {
        s.block_unit = Unit::Bytes(1024);
    }
}

pub fn count(text: &[u8], what: &str) -> Result<usize, Exit> {
    width(text).map_err(|bad| number::complain(WRONG, what, text, bad))
}

/// A width between tabs: one that is too large is an error.
pub fn tab(text: &[u8]) -> Result<usize, Exit> {
    let width = number::unsigned_as_c(text, b"").map(|n| n.min(u32::MAX.into()) as usize);
    width.map_err(|bad| number::complain(WRONG, "invalid tab size", text, bad))
}

/// What is too large has no end, as zero has none.
fn width(text: &[u8]) -> Result<usize, Bad> {
    match number::unsigned_as_c(text, b"") {
        Ok(n) => Ok(n.min(u32::MAX.into()) as usize),
        Err(Bad::Overflow) => Ok(0),
        Err(bad) => Err(bad),
    }
}

/// What the window tells, then COLUMNS, where the format depends on it.
pub fn terminal_width(s: &Settings) -> usize {
    if !matches!(s.format, Format::Vertical | Format::Across | Format::Commas) && !s.color {
        return USUAL_WIDTH;
    }
    if let Some(window) = window(STDOUT) {
        return window.columns.into();
    }
    let Some(text) = getenv(b"COLUMNS").filter(|text| !text.is_empty()) else { return USUAL_WIDTH };
    width(&text).unwrap_or_else(|_| {
        report::error(format_args!("ignoring invalid width in environment variable COLUMNS: {}", locale(&text)));
        USUAL_WIDTH
    })
}

/// How far tabs go where columns may use them: what TABSIZE says.
pub fn tab_size(s: &Settings) -> usize {
    if !matches!(s.format, Format::Vertical | Format::Across) {
        return USUAL_TAB;
    }
    // Some terminals paint tabs.
    if s.color {
        return 0;
    }
    let Some(text) = getenv(b"TABSIZE") else { return USUAL_TAB };
    number::unsigned_as_c(&text, b"").map_or_else(
        |_| {
            report::error(format_args!("ignoring invalid tab size in environment variable TABSIZE: {}", locale(&text)));
            USUAL_TAB
        },
        |n| n.min(u32::MAX.into()) as usize,
    )
}

pub fn time_style(style: &[u8]) -> Result<TimeStyle, Exit> {
    let pair = |recent: &[u8], old: &[u8]| TimeStyle { recent: recent.to_vec(), old: old.to_vec() };
    let posix = pair(b"%b %e %H:%M", b"%b %e  %Y");
    // `posix-iso` is `iso` outside of the POSIX locale.
    let style = match style.strip_prefix(b"posix-") {
        Some(_) if !has_locale(b"LC_TIME") => return Ok(posix),
        Some(style) => style,
        None => style,
    };
    if let Some(format) = style.strip_prefix(b"+") {
        let (recent, old) = match memchr::memchr(b'\n', format) {
            None => (format, format),
            // The first line is for older times.
            Some(end) => (&format[end + 1..], &format[..end]),
        };
        return Ok(pair(recent, old));
    }
    const WORDS: [&[u8]; 4] = [b"full-iso", b"long-iso", b"iso", b"locale"];
    let near: Vec<&[u8]> = WORDS.into_iter().filter(|word| word.starts_with(style)).collect();
    Ok(match near.first().copied().filter(|word| near.len() == 1 || *word == style).unwrap_or(style) {
        b"full-iso" => pair(b"%Y-%m-%d %H:%M:%S.%N %z", b"%Y-%m-%d %H:%M:%S.%N %z"),
        b"long-iso" => pair(b"%Y-%m-%d %H:%M", b"%Y-%m-%d %H:%M"),
        b"iso" => pair(b"%m-%d %H:%M", b"%Y-%m-%d "),
        b"locale" => posix,
        other => {
            let problem = if near.is_empty() { "invalid" } else { "ambiguous" };
            report::error(format_args!("{problem} argument {} for {}", locale(other), locale(b"time style")));
            let text = "Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  \
                        - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n";
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
            return Err(report::try_help(WRONG));
        }
    })
}

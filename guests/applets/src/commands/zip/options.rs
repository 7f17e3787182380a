//! The command line: options of one letter or two, or with long names that may be shortened; some have values, and some
//! lists of them.

use super::{Zip, error, tell};
use crate::Exit;
use capsule_sys::{OpenFlags, STDIN, open, read_to_end};

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Nothing,
    Value,
    /// Words up to the next option, or `@`.
    List,
}

use Takes::{List, Nothing, Value};

/// Letters, the long name, and what follows.
#[rustfmt::skip]
const OPTIONS: &[(&str, &str, Takes)] = &[
    ("0", "store", Nothing), ("1", "compress-1", Nothing), ("2", "compress-2", Nothing), ("3", "compress-3", Nothing),
    ("4", "compress-4", Nothing), ("5", "compress-5", Nothing), ("6", "compress-6", Nothing),
    ("7", "compress-7", Nothing), ("8", "compress-8", Nothing), ("9", "compress-9", Nothing),
    ("A", "adjust-sfx", Nothing), ("b", "temp-path", Value), ("c", "entry-comments", Nothing),
    ("d", "delete", Nothing), ("db", "display-bytes", Nothing), ("dc", "display-counts", Nothing),
    ("dd", "display-dots", Nothing), ("dg", "display-globaldots", Nothing), ("ds", "dot-size", Value),
    ("du", "display-usize", Nothing), ("dv", "display-volume", Nothing), ("D", "no-dir-entries", Nothing),
    ("DF", "difference-archive", Nothing), ("e", "encrypt", Nothing), ("F", "fix", Nothing),
    ("FF", "fixfix", Nothing), ("FI", "fifo", Nothing), ("FS", "filesync", Nothing), ("f", "freshen", Nothing),
    ("fd", "force-descriptors", Nothing), ("fz", "force-zip64", Nothing), ("g", "grow", Nothing),
    ("h", "help", Nothing), ("H", "", Nothing), ("?", "", Nothing), ("h2", "more-help", Nothing),
    ("i", "include", List), ("j", "junk-paths", Nothing), ("J", "junk-sfx", Nothing), ("k", "DOS-names", Nothing),
    ("l", "to-crlf", Nothing), ("ll", "from-crlf", Nothing), ("lf", "logfile-path", Value),
    ("la", "log-append", Nothing), ("li", "log-info", Nothing), ("L", "license", Nothing), ("m", "move", Nothing),
    ("MM", "must-match", Nothing), ("n", "suffixes", Value), ("nw", "no-wild", Nothing),
    ("o", "latest-time", Nothing), ("O", "output-file", Value), ("p", "paths", Nothing), ("P", "password", Value),
    ("q", "quiet", Nothing), ("r", "recurse-paths", Nothing), ("R", "recurse-patterns", Nothing),
    ("RE", "regex", Nothing), ("s", "split-size", Value), ("sp", "split-pause", Nothing),
    ("sv", "split-verbose", Nothing), ("sb", "split-bell", Nothing), ("sc", "show-command", Nothing),
    ("sd", "show-debug", Nothing), ("sf", "show-files", Nothing), ("so", "show-options", Nothing),
    ("su", "show-unicode", Nothing), ("sU", "show-just-unicode", Nothing), ("t", "from-date", Value),
    ("tt", "before-date", Value), ("T", "test", Nothing), ("TT", "unzip-command", Value), ("u", "update", Nothing),
    ("U", "copy-entries", Nothing), ("UN", "unicode", Value), ("v", "verbose", Nothing), ("", "version", Nothing),
    ("ws", "wild-stop-dirs", Nothing), ("x", "exclude", List), ("X", "strip-extra", Nothing),
    ("y", "symlinks", Nothing), ("z", "archive-comment", Nothing), ("Z", "compression-method", Value),
    ("@", "names-stdin", Nothing),
];

type Known = (&'static str, &'static str, Takes);

fn invalid(why: String) -> Exit {
    error(16, &format!("Invalid command arguments ({why})"))
}

/// What an option that lacks its value is for.
fn purpose(short: &str) -> &'static str {
    match short {
        "x" => "exclude files matching patterns",
        "i" => "include only files matching patterns",
        "n" => "suffixes to not compress: .gz:.zip",
        "t" => "exclude before date",
        "tt" => "include before date",
        "b" => "dir to use for temp archive",
        "O" => "set out zipfile different than in zipfile",
        "P" => "encrypt entries, option value is password",
        "Z" => "compression method",
        "s" => "do splits, set split size (-s=0 no splits)",
        _ => "value",
    }
}

/// A list goes on in the words that follow, until there is another option.
struct Reader<'a> {
    words: std::slice::Iter<'a, Vec<u8>>,
    names: Vec<Vec<u8>>,
    list: Option<&'static str>,
}

/// Reads the command line: the names on it, the archive's first.
pub fn read(zip: &mut Zip, words: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Exit> {
    let mut reader = Reader { words: words.iter(), names: Vec::new(), list: None };
    while let Some(word) = reader.words.next() {
        match word.as_slice() {
            b"--" => {
                reader.list = None;
                let rest = std::mem::replace(&mut reader.words, [].iter());
                reader.names.extend(rest.cloned());
            }
            [b'-', b'-', long @ ..] => reader.long(zip, long)?,
            [b'-', letters @ ..] if !letters.is_empty() => reader.short(zip, letters)?,
            b"@" if reader.list.is_some() => reader.list = None,
            text => match reader.list {
                // Without an archive's name yet, words are names.
                Some(short) if !reader.names.is_empty() => zip.pattern(short, text),
                _ => reader.names.push(text.to_vec()),
            },
        }
    }
    Ok(reader.names)
}

impl Reader<'_> {
    fn long(&mut self, zip: &mut Zip, text: &[u8]) -> Result<(), Exit> {
        self.list = None;
        let (name, value) = match memchr::memchr(b'=', text) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let shown = String::from_utf8_lossy(name).into_owned();
        let exact = OPTIONS.iter().find(|known| !known.1.is_empty() && known.1 == shown);
        let begin = || OPTIONS.iter().filter(|known| known.1.starts_with(&shown));
        let known = match (exact, begin().count()) {
            (Some(known), _) => known,
            (None, 1) => begin().next().unwrap_or(&OPTIONS[0]),
            (None, 0) => return Err(invalid(format!("long option '{shown}' not supported"))),
            (None, _) => return Err(invalid(format!("long option '{shown}' ambiguous"))),
        };
        self.apply(zip, *known, value, &format!("--{}", known.1))
    }

    fn short(&mut self, zip: &mut Zip, letters: &[u8]) -> Result<(), Exit> {
        self.list = None;
        let mut rest = letters;
        while let Some(&first) = rest.first() {
            let is = |known: &&Known, text: &[u8]| known.0.as_bytes() == text;
            let two = rest.get(..2).and_then(|pair| OPTIONS.iter().find(|known| is(known, pair)));
            let Some(known) = two.or_else(|| OPTIONS.iter().find(|known| is(known, &[first]))) else {
                let shown = String::from_utf8_lossy(&[first]).into_owned();
                return Err(invalid(format!("short option '{shown}' not supported")));
            };
            rest = &rest[known.0.len()..];
            if known.2 != Nothing {
                let value = rest.strip_prefix(b"=").unwrap_or(rest);
                return self.apply(zip, *known, (!value.is_empty()).then_some(value), known.0);
            }
            self.apply(zip, *known, None, known.0)?;
        }
        Ok(())
    }

    fn apply(&mut self, zip: &mut Zip, known: Known, value: Option<&[u8]>, shown: &str) -> Result<(), Exit> {
        let (short, _, takes) = known;
        let missing = || invalid(format!("option '{short}' ({}) requires a value", purpose(short)));
        match takes {
            Nothing if value.is_some() => Err(invalid(format!("option '{shown}' does not allow a value"))),
            Nothing => zip.switch(if short.is_empty() { known.1 } else { short }),
            Value => {
                let next = if value.is_none() { self.words.next().map(Vec::as_slice) } else { None };
                zip.value(short, value.or(next).ok_or_else(missing)?)
            }
            List => {
                match value {
                    // A file has the list, one pattern a line.
                    Some([b'@', file @ ..]) if !file.is_empty() => return from_file(zip, short, file),
                    Some(pattern) => zip.pattern(short, pattern),
                    None if self.words.as_slice().is_empty() => return Err(missing()),
                    None => {}
                }
                self.list = Some(short);
                Ok(())
            }
        }
    }
}

fn from_file(zip: &mut Zip, short: &'static str, file: &[u8]) -> Result<(), Exit> {
    let text = open(file, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw()));
    let text = text.map_err(|e| {
        tell(&format!("zip I/O error: {e}"));
        let file = String::from_utf8_lossy(file);
        error(18, &format!("File not found or no read permission ({short} pattern file '@{file}')"))
    })?;
    for line in text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        zip.pattern(short, line);
    }
    Ok(())
}

/// `-@`: names, one a line.
pub fn names_of_input() -> Vec<Vec<u8>> {
    let text = read_to_end(STDIN).unwrap_or_default();
    text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect()
}

/// `mmddyyyy` or `yyyy-mm-dd`, as days since 1970.
pub fn date(text: &[u8], option: &str) -> Result<i64, Exit> {
    let bad = || invalid(format!("invalid date entered for -{option} option - use mmddyyyy or yyyy-mm-dd"));
    let number = |part: &[u8]| {
        let all = !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(part).ok().filter(|_| all).and_then(|t| t.parse::<u32>().ok())
    };
    let parts: Vec<&[u8]> = match text {
        [_, _, _, _, b'-', _, _, b'-', _, _] => vec![&text[..4], &text[5..7], &text[8..]],
        _ if text.len() == 8 => vec![&text[4..], &text[..2], &text[2..4]],
        _ => return Err(bad()),
    };
    let (Some(year), Some(month), Some(day)) = (number(parts[0]), number(parts[1]), number(parts[2])) else {
        return Err(bad());
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return Err(bad());
    }
    Ok(crate::calendar::days_from_civil(year.into(), month, day))
}

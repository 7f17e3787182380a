//! The command line.

use super::{TROUBLE, print::Colors};
use crate::input::Input;
use crate::lines::Binary;
use crate::options::{NO, OPT, Options, REQ, only, word};
use crate::{Args, Exit, glob, report};
use capsule_sys::{getenv, isatty};
use std::collections::HashSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    Basic,
    Extended,
    Fixed,
    Perl,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directories {
    Read,
    Recurse,
    Skip,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    None,
    With,
    Without,
}

/// A glob of `--include` or `--exclude`.
pub struct Glob {
    pub pattern: Vec<u8>,
    pub include: bool,
}

pub struct Asked {
    pub syntax: Syntax,
    pub patterns: Vec<Vec<u8>>,
    pub ignore_case: bool,
    pub word: bool,
    pub line: bool,
    /// What ends a line.
    pub end: u8,
    pub quiet_errors: bool,
    pub invert: bool,
    pub max: u64,
    pub offsets: bool,
    pub numbers: bool,
    pub line_buffered: bool,
    /// File names: never, always, or when there are several.
    pub with_names: Option<bool>,
    pub label: Vec<u8>,
    pub only_matching: bool,
    pub quiet: bool,
    pub binary: Binary,
    pub directories: Directories,
    pub follow: bool,
    /// Devices are read: always, never, or when they are named.
    pub devices: Option<bool>,
    pub files: Vec<Glob>,
    pub excluded_dirs: Vec<Vec<u8>>,
    pub names: Names,
    pub count: bool,
    pub tab: bool,
    pub null: bool,
    pub before: Option<u64>,
    pub after: Option<u64>,
    pub separator: Option<Vec<u8>>,
    pub colors: Option<Colors>,
    pub operands: Vec<Vec<u8>>,
}

const BINARY: char = only(0);
const LABEL: char = only(1);
const INCLUDE: char = only(2);
const EXCLUDE: char = only(3);
const EXCLUDE_FROM: char = only(4);
const EXCLUDE_DIR: char = only(5);
const SEPARATOR: char = only(6);
const NO_SEPARATOR: char = only(7);
const COLOR: char = only(8);
const BUFFERED: char = only(9);
const CASE: char = only(10);

const LONG: &[crate::options::Long] = &[
    ("basic-regexp", NO, 'G'),
    ("extended-regexp", NO, 'E'),
    ("fixed-regexp", NO, 'F'),
    ("fixed-strings", NO, 'F'),
    ("perl-regexp", NO, 'P'),
    ("after-context", REQ, 'A'),
    ("before-context", REQ, 'B'),
    ("binary-files", REQ, BINARY),
    ("line-buffered", NO, BUFFERED),
    ("byte-offset", NO, 'b'),
    ("context", REQ, 'C'),
    ("color", OPT, COLOR),
    ("colour", OPT, COLOR),
    ("count", NO, 'c'),
    ("devices", REQ, 'D'),
    ("directories", REQ, 'd'),
    ("exclude", REQ, EXCLUDE),
    ("exclude-from", REQ, EXCLUDE_FROM),
    ("exclude-dir", REQ, EXCLUDE_DIR),
    ("file", REQ, 'f'),
    ("files-with-matches", NO, 'l'),
    ("files-without-match", NO, 'L'),
    ("group-separator", REQ, SEPARATOR),
    ("include", REQ, INCLUDE),
    ("ignore-case", NO, 'i'),
    ("no-ignore-case", NO, CASE),
    ("initial-tab", NO, 'T'),
    ("label", REQ, LABEL),
    ("line-number", NO, 'n'),
    ("line-regexp", NO, 'x'),
    ("max-count", REQ, 'm'),
    ("no-filename", NO, 'h'),
    ("no-group-separator", NO, NO_SEPARATOR),
    ("no-messages", NO, 's'),
    ("null", NO, 'Z'),
    ("null-data", NO, 'z'),
    ("only-matching", NO, 'o'),
    ("quiet", NO, 'q'),
    ("recursive", NO, 'r'),
    ("dereference-recursive", NO, 'R'),
    ("regexp", REQ, 'e'),
    ("invert-match", NO, 'v'),
    ("silent", NO, 'q'),
    ("text", NO, 'a'),
    ("binary", NO, 'U'),
    ("unix-byte-offsets", NO, 'u'),
    ("with-filename", NO, 'H'),
    ("word-regexp", NO, 'w'),
];

pub fn parse(args: &Args, name: &[u8]) -> Result<Asked, Exit> {
    let mut asked = Asked {
        syntax: Syntax::Basic,
        patterns: Vec::new(),
        ignore_case: false,
        word: false,
        line: false,
        end: b'\n',
        quiet_errors: false,
        invert: false,
        max: u64::MAX,
        offsets: false,
        numbers: false,
        line_buffered: false,
        with_names: None,
        label: b"(standard input)".to_vec(),
        only_matching: false,
        quiet: false,
        binary: Binary::Tell,
        directories: Directories::Read,
        follow: false,
        devices: None,
        files: Vec::new(),
        excluded_dirs: Vec::new(),
        names: Names::None,
        count: false,
        tab: false,
        null: false,
        before: None,
        after: None,
        separator: Some(b"--".to_vec()),
        colors: None,
        operands: Vec::new(),
    };
    let mut syntax = match name {
        b"egrep" => Some(Syntax::Extended),
        b"fgrep" => Some(Syntax::Fixed),
        _ => None,
    };
    let mut patterns: Option<Vec<Vec<u8>>> = None;
    let (mut context, mut color) = (None, None);
    // The digits of `-NUM`, and whether the next letter goes on with them.
    let (mut digits, mut going) = (Vec::new(), false);
    let mut options =
        Options::new(args, "0123456789A:B:C:D:EFGHILPTUVX:abcd:e:f:hiLlm:noqRrsuvwxyZz", LONG).status(TROUBLE);
    while let Some(opt) = options.next()? {
        match opt.letter {
            digit @ '0'..='9' => {
                if !going {
                    digits.clear();
                }
                digits.push(digit as u8);
                going = options.in_cluster();
                continue;
            }
            'A' => asked.after = Some(length(opt.value())?),
            'B' => asked.before = Some(length(opt.value())?),
            'C' => context = Some(length(opt.value())?),
            'D' => {
                asked.devices = Some(match opt.value() {
                    b"read" => true,
                    b"skip" => false,
                    _ => return Err(report::die(TROUBLE, "unknown devices method")),
                });
            }
            'E' => choose(&mut syntax, Syntax::Extended)?,
            'F' => choose(&mut syntax, Syntax::Fixed)?,
            'G' => choose(&mut syntax, Syntax::Basic)?,
            'P' => choose(&mut syntax, Syntax::Perl)?,
            'X' => {
                let named = match opt.value() {
                    b"grep" => Syntax::Basic,
                    b"egrep" | b"awk" | b"gawk" | b"posixawk" => Syntax::Extended,
                    b"fgrep" => Syntax::Fixed,
                    b"perl" => Syntax::Perl,
                    _ => return Err(report::die(TROUBLE, format_args!("invalid matcher {}", opt.text()))),
                };
                choose(&mut syntax, named)?;
            }
            'H' => asked.with_names = Some(true),
            'h' => asked.with_names = Some(false),
            'I' => asked.binary = Binary::NoMatch,
            'a' => asked.binary = Binary::Text,
            'T' => asked.tab = true,
            'U' => {}
            'u' => report::error("warning: --unix-byte-offsets (-u) is obsolete"),
            'V' => return Err(options.version()),
            'b' => asked.offsets = true,
            'c' => asked.count = true,
            'd' => {
                let words =
                    &[("read", Directories::Read), ("recurse", Directories::Recurse), ("skip", Directories::Skip)];
                asked.directories = word(opt.value(), "--directories", words, 1)?;
            }
            'e' => patterns.get_or_insert_default().extend(lines(opt.value())),
            'f' => patterns.get_or_insert_default().extend(from_file(opt.value())?),
            'i' | 'y' => asked.ignore_case = true,
            CASE => asked.ignore_case = false,
            'L' => asked.names = Names::Without,
            'l' => asked.names = Names::With,
            'm' => asked.max = max_count(opt.value())?,
            'n' => asked.numbers = true,
            'o' => asked.only_matching = true,
            'q' => asked.quiet = true,
            'R' | 'r' => (asked.directories, asked.follow) = (Directories::Recurse, opt.letter == 'R'),
            's' => asked.quiet_errors = true,
            'v' => asked.invert = true,
            'w' => asked.word = true,
            'x' => asked.line = true,
            'Z' => asked.null = true,
            'z' => asked.end = 0,
            BINARY => {
                asked.binary = match opt.value() {
                    b"binary" => Binary::Tell,
                    b"text" => Binary::Text,
                    b"without-match" => Binary::NoMatch,
                    _ => return Err(report::die(TROUBLE, "unknown binary-files type")),
                };
            }
            COLOR => color = opt.value.or(Some(b"auto")),
            EXCLUDE | INCLUDE => {
                asked.files.push(Glob { pattern: opt.value().to_vec(), include: opt.letter == INCLUDE })
            }
            EXCLUDE_FROM => {
                let all = from_file(opt.value())?;
                asked.files.extend(all.into_iter().map(|pattern| Glob { pattern, include: false }));
            }
            EXCLUDE_DIR => asked.excluded_dirs.push(glob::without_slashes(opt.value()).to_vec()),
            SEPARATOR => asked.separator = Some(opt.value().to_vec()),
            NO_SEPARATOR => asked.separator = None,
            LABEL => asked.label = opt.value().to_vec(),
            _ => asked.line_buffered = true,
        }
        going = false;
    }
    if !digits.is_empty() {
        context = Some(length(&digits)?);
    }
    asked.before = asked.before.or(context);
    asked.after = asked.after.or(context);
    let mut operands = options.operands().into_iter();
    asked.patterns = match patterns {
        Some(patterns) => patterns,
        None => match operands.next() {
            Some(pattern) => lines(pattern).collect(),
            None => return Err(report::try_help(TROUBLE)),
        },
    };
    // Each pattern once.
    let mut seen = HashSet::new();
    asked.patterns.retain(|pattern| seen.insert(pattern.clone()));
    asked.operands = operands.map(<[u8]>::to_vec).collect();
    asked.syntax = syntax.unwrap_or(Syntax::Basic);
    asked.colors = colors(color)?;
    // Nothing can be selected: no file is opened.
    let nothing = match asked.invert {
        true => !asked.word && !asked.line && asked.patterns == [b""],
        false => asked.patterns.is_empty(),
    };
    if (asked.max == 0 || nothing) && asked.names != Names::Without {
        return Err(Exit(1));
    }
    // Names are told instead of counts.
    asked.count &= asked.names == Names::None;
    Ok(asked)
}

fn choose(syntax: &mut Option<Syntax>, new: Syntax) -> Result<(), Exit> {
    if syntax.is_some_and(|before| before != new) {
        return Err(report::die(TROUBLE, "conflicting matchers specified"));
    }
    *syntax = Some(new);
    Ok(())
}

fn number(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // What is too large is as good as without end.
    let size = digits.parse::<i128>().unwrap_or(i128::MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

fn length(text: &[u8]) -> Result<u64, Exit> {
    match number(text) {
        Some(n) if n >= 0 => Ok(u64::try_from(n).unwrap_or(u64::MAX)),
        _ => {
            let text = String::from_utf8_lossy(text);
            Err(report::die(TROUBLE, format_args!("{text}: invalid context length argument")))
        }
    }
}

fn max_count(text: &[u8]) -> Result<u64, Exit> {
    // Less than zero is without end too.
    number(text).map(|n| u64::try_from(n).unwrap_or(u64::MAX)).ok_or_else(|| report::die(TROUBLE, "invalid max count"))
}

fn lines(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    text.split(|b| *b == b'\n').map(<[u8]>::to_vec)
}

/// The lines of a file; a last one without its newline too.
fn from_file(name: &[u8]) -> Result<Vec<Vec<u8>>, Exit> {
    let mut all = Vec::new();
    let read = Input::open(name).and_then(|mut input| input.stream.read_to_end(&mut all));
    if let Err(e) = read {
        return Err(report::die(TROUBLE, format_args!("{}: {e}", String::from_utf8_lossy(name))));
    }
    if all.is_empty() {
        return Ok(Vec::new());
    }
    Ok(lines(all.strip_suffix(b"\n").unwrap_or(&all)).collect())
}

fn colors(when: Option<&[u8]>) -> Result<Option<Colors>, Exit> {
    let wanted = match when {
        None | Some(b"never" | b"no" | b"none") => false,
        Some(b"always" | b"yes" | b"force") => true,
        Some(b"auto" | b"tty" | b"if-tty") => isatty(1) && getenv(b"TERM").is_some_and(|term| term != b"dumb"),
        Some(_) => {
            // As GNU's: the help, and no complaint.
            capsule_sys::write_all(1, report::help().as_bytes()).map_err(|_| Exit(TROUBLE))?;
            return Err(Exit(0));
        }
    };
    Ok(wanted.then(Colors::from_environment))
}

//! `patch`: what a diff says is done again. [`parse`] reads the patch, [`hunk`] finds where its parts fit.

use crate::backup::Backup;
use crate::input::dir_name;
use crate::number::{Bad, signed};
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{Errno, OpenFlags, Out, STDERR, STDIN, STDOUT, chdir, fstat, open, read_to_end};

mod apply;
mod ed;
mod help;
mod hunk;
mod names;
mod parse;
mod reject;

use apply::Patcher;
pub use help::HELP;
use parse::{Kind, Parser};

/// Everything the options say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadOnly {
    Ignore,
    Warn,
    Fail,
}

pub struct Settings {
    strip: Option<usize>,
    fuzz: usize,
    blanks: bool,
    forward: bool,
    reverse: bool,
    batch: bool,
    force: bool,
    silent: bool,
    verbose: bool,
    dry: bool,
    remove_empty: bool,
    output: Option<Vec<u8>>,
    reject: Option<Vec<u8>>,
    reject_unified: Option<bool>,
    backup: bool,
    backup_mismatch: bool,
    keep: Option<Backup>,
    prefix: Option<Vec<u8>>,
    base_prefix: Option<Vec<u8>>,
    suffix_given: bool,
    follow: bool,
    read_only: ReadOnly,
}

const LONG: &[Long] = &[
    ("backup", NO, 'b'),
    ("prefix", REQ, 'B'),
    ("context", NO, 'c'),
    ("directory", REQ, 'd'),
    ("ifdef", REQ, 'D'),
    ("ed", NO, 'e'),
    ("remove-empty-files", NO, 'E'),
    ("force", NO, 'f'),
    ("fuzz", REQ, 'F'),
    ("get", REQ, 'g'),
    ("input", REQ, 'i'),
    ("ignore-whitespace", NO, 'l'),
    ("merge", OPT, MERGE),
    ("normal", NO, 'n'),
    ("forward", NO, 'N'),
    ("output", REQ, 'o'),
    ("strip", REQ, 'p'),
    ("reject-file", REQ, 'r'),
    ("reverse", NO, 'R'),
    ("quiet", NO, 's'),
    ("silent", NO, 's'),
    ("batch", NO, 't'),
    ("set-time", NO, 'T'),
    ("unified", NO, 'u'),
    ("version-control", REQ, 'V'),
    ("basename-prefix", REQ, 'Y'),
    ("suffix", REQ, 'z'),
    ("set-utc", NO, 'Z'),
    ("dry-run", NO, DRY),
    ("verbose", NO, VERBOSE),
    ("binary", NO, BINARY),
    ("backup-if-mismatch", NO, MISMATCH),
    ("no-backup-if-mismatch", NO, NO_MISMATCH),
    ("posix", NO, POSIX),
    ("quoting-style", REQ, QUOTING),
    ("reject-format", REQ, REJECT_FORMAT),
    ("read-only", REQ, READ_ONLY),
    ("follow-symlinks", NO, FOLLOW),
];
const MERGE: char = only(0);
const QUOTING: char = only(1);
const MISMATCH: char = only(2);
const NO_MISMATCH: char = only(3);
const VERBOSE: char = only(4);
const DRY: char = only(5);
const POSIX: char = only(6);
const REJECT_FORMAT: char = only(7);
const BINARY: char = only(8);
const FOLLOW: char = only(9);
const READ_ONLY: char = only(10);

const TROUBLE: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Named);
    let mut options = Options::new(args, "bB:cd:D:eEfF:g:i:lnNo:p:r:RstTuvV:x:Y:z:Z", LONG).status(TROUBLE);
    let mut settings = Settings {
        strip: None,
        fuzz: 2,
        blanks: false,
        forward: false,
        reverse: false,
        batch: false,
        force: false,
        silent: false,
        verbose: false,
        dry: false,
        remove_empty: false,
        output: None,
        reject: None,
        reject_unified: None,
        backup: false,
        backup_mismatch: capsule_sys::getenv(b"POSIXLY_CORRECT").is_none(),
        keep: None,
        prefix: None,
        base_prefix: None,
        suffix_given: false,
        follow: false,
        read_only: ReadOnly::Warn,
    };
    let (mut only, mut input, mut directory, mut control, mut suffix) = (None, None, None, None, None);
    while let Some(opt) = options.next()? {
        let value = opt.value;
        match opt.letter {
            'b' => settings.backup = true,
            'B' | 'Y' | 'z' if opt.value().is_empty() => {
                let what = [('B', "prefix"), ('Y', "basename prefix")].into_iter().find(|w| w.0 == opt.letter);
                let what = what.map_or("suffix", |w| w.1);
                return Err(report::die(TROUBLE, format_args!("**** backup {what} is empty")));
            }
            'B' => settings.prefix = value.map(<[u8]>::to_vec),
            'Y' => settings.base_prefix = value.map(<[u8]>::to_vec),
            'c' => only = Some(Kind::Context),
            'd' => directory = value,
            'e' => only = Some(Kind::Ed),
            'E' => settings.remove_empty = true,
            'f' => settings.force = true,
            'F' => settings.fuzz = number(opt.value(), "fuzz factor")?,
            'g' if get(opt.value())? == 0 => {}
            'i' => input = value,
            'l' => settings.blanks = true,
            'n' => only = Some(Kind::Normal),
            'N' => settings.forward = true,
            'o' => settings.output = value.map(<[u8]>::to_vec),
            'p' => settings.strip = Some(number(opt.value(), "strip count")?),
            'r' => settings.reject = value.map(<[u8]>::to_vec),
            'R' => settings.reverse = true,
            's' => settings.silent = true,
            't' => settings.batch = true,
            'u' => only = Some(Kind::Unified),
            'v' => {
                let mut out = Out::stdout();
                out.write(format!("patch (Capsule) {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
                return report::finish(&mut out, 0);
            }
            'V' => control = value,
            'z' => suffix = value,
            MISMATCH => settings.backup_mismatch = true,
            NO_MISMATCH => settings.backup_mismatch = false,
            VERBOSE => settings.verbose = true,
            DRY => settings.dry = true,
            REJECT_FORMAT => {
                settings.reject_unified = match opt.value() {
                    b"unified" => Some(true),
                    b"context" => Some(false),
                    _ => return Err(report::try_help(TROUBLE)),
                }
            }
            // Bytes are bytes here.
            BINARY => {}
            QUOTING if opt.value() == b"shell" => {}
            QUOTING => {
                return Err(report::die(
                    TROUBLE,
                    format_args!("the option --quoting-style={} is not supported", opt.text()),
                ));
            }
            POSIX => return Err(report::die(TROUBLE, "the option --posix is not supported")),
            READ_ONLY => {
                settings.read_only = match opt.value() {
                    b"ignore" => ReadOnly::Ignore,
                    b"warn" => ReadOnly::Warn,
                    b"fail" => ReadOnly::Fail,
                    _ => return Err(report::try_help(TROUBLE)),
                }
            }
            FOLLOW => settings.follow = true,
            letter => {
                let name = match letter {
                    'D' => "-D (--ifdef)",
                    'T' => "-T (--set-time)",
                    'Z' => "-Z (--set-utc)",
                    'g' => "-g (--get)",
                    'x' => "-x (--debug)",
                    _ => "--merge",
                };
                return Err(report::die(TROUBLE, format_args!("{name} is not supported here")));
            }
        }
    }
    if let Some(dir) = directory
        && let Err(e) = chdir(dir)
    {
        let text = format!("**** Can't change to directory {} : {e}", shown(dir));
        return Err(report::die(TROUBLE, text));
    }
    let operands = options.operands();
    if let Some(extra) = operands.get(2) {
        return Err(report::usage(TROUBLE, format_args!("{}: extra operand", quote::raw(extra))));
    }
    settings.suffix_given = suffix.is_some();
    let suffix = suffix.map(<[u8]>::to_vec).or_else(|| capsule_sys::getenv(b"SIMPLE_BACKUP_SUFFIX"));
    let suffix = suffix.filter(|s| !s.is_empty()).unwrap_or_else(|| b".orig".to_vec());
    report::hint(report::Hint::None);
    let control = control.filter(|control| !control.is_empty());
    let keep = Backup::choose_by("--version-control or -V option", Some(control), Some(&suffix));
    settings.keep = keep.map_err(|_| Exit(TROUBLE))?;
    let file = operands.get(1).copied().or(input).filter(|f| !f.is_empty() && *f != b"-");
    let text = match file {
        None => read_to_end(STDIN),
        Some(path) => open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw())),
    };
    let text = text.map_err(|e| {
        let name = file.map_or_else(|| "-".to_owned(), shown);
        match e {
            Errno::EBADF => report::die(TROUBLE, format_args!("**** fstat : {e}")),
            Errno::EISDIR => report::die(TROUBLE, format_args!("**** read error : {e}")),
            e => report::die(TROUBLE, format_args!("**** Can't open patch file {name} : {e}")),
        }
    })?;
    if settings.output.as_deref() == Some(b"-") {
        let closed = |e| report::die(TROUBLE, format_args!("**** Failed to duplicate standard output : {e}"));
        fstat(STDOUT).map_err(closed)?;
    }
    let messages = if settings.output.as_deref() == Some(b"-") { STDERR } else { STDOUT };
    let mut patcher = Patcher::new(settings, Out::new(messages), operands.first().copied());
    patcher.begin_output()?;
    let mut parser = Parser::new(&text, only);
    let mut any = false;
    loop {
        match parser.next() {
            Ok(Some(patch)) => {
                any = true;
                let done = patcher.patch(patch);
                // What was said before it failed is still worth reading.
                patcher.flush();
                done?;
            }
            Ok(None) => break,
            Err(exit) => {
                if let Some(patch) = parser.begun.take() {
                    patcher.announce(&patch);
                }
                patcher.flush();
                return Err(exit);
            }
        }
    }
    if !any && !text.is_empty() {
        return Err(report::die(TROUBLE, "**** Only garbage was found in the patch input."));
    }
    patcher.finish()
}

fn number(text: &[u8], what: &str) -> Result<usize, Exit> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let wrong = match std::str::from_utf8(text).ok().and_then(|t| t.parse::<usize>().ok()) {
        Some(number) => return Ok(number),
        // What does not fit has wrapped around there.
        None if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => "negative",
        None => "not a number",
    };
    Err(report::die(TROUBLE, format_args!("**** {what} {} is {wrong}", shown(text))))
}

/// Whether to get files from elsewhere: asked below zero, wanted above.
fn get(text: &[u8]) -> Result<i64, Exit> {
    let not_one = || report::die(TROUBLE, format_args!("**** get option value {} is not a number", shown(text)));
    signed(text, b"").map_or_else(|bad| if bad == Bad::Overflow { Ok(i64::MAX) } else { Err(not_one()) }, Ok)
}

/// A name in a message.
fn shown(name: &[u8]) -> String {
    quote::show(name, quote::Style::Shell, true, b"")
}

/// Makes the directories that a new file needs.
fn make_directories(path: &[u8]) {
    let mut missing = Vec::new();
    let mut dir = dir_name(path);
    while dir != b"." && dir != b"/" && capsule_sys::stat(dir).is_err() {
        missing.push(dir);
        dir = dir_name(dir);
    }
    for dir in missing.into_iter().rev() {
        let _ = capsule_sys::mkdir(dir, 0o777);
    }
}

fn fatal(what: &str, path: &[u8], e: Errno) -> Exit {
    report::die(TROUBLE, format_args!("**** {what} {} : {e}", shown(path)))
}

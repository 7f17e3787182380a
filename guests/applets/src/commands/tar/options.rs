//! The command line, in both of its styles.

use super::header::Format;
use super::names::Pattern;
use super::settings::{Action, Keep, Order, Owner, Packer, Settings};
use super::table::*;
use super::tags::Leaves;
use super::transform::Transform;
use super::{FATAL, fatal, read_list, shown};
use crate::backup::Backup;
use crate::codec::Format as Packing;
use crate::mode::Change;
use crate::options::{OPERAND, Options};
use crate::quote::locale;
use crate::{Args, Exit, report};
use capsule_sys::{Out, Time};

/// Names and directories in the order they were given.
pub enum Step {
    Directory(Vec<u8>),
    Name(Pattern),
    /// A list of names was given, even if it was empty.
    FromFile,
}

/// The status of an option that is none.
const NO_OPTION: u8 = 64;

pub fn read(args: &Args) -> Result<(Settings, Vec<Step>), Exit> {
    let mut args = old_style(args)?;
    if let Some(text) = capsule_sys::getenv(b"TAR_OPTIONS") {
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(<[u8]>::to_vec);
        let given = Args::new([args.argv[0].clone()].into_iter().chain(words).collect());
        check_variable(&given)?;
        args.argv.splice(1..1, given.argv.into_iter().skip(1));
    }
    read_options(Options::new(&args, SHORT, LONG).status(NO_OPTION), Settings::new())
}

fn check_variable(given: &Args) -> Result<(), Exit> {
    let mut options = Options::new(given, SHORT, LONG).status(NO_OPTION);
    loop {
        match options.next() {
            Ok(Some(opt)) if opt.letter == OPERAND => {
                return Err(report::usage(FATAL, "non-option arguments in TAR_OPTIONS"));
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(Exit(NO_OPTION)) => return Err(report::die(NO_OPTION, "error parsing TAR_OPTIONS")),
            Err(exit) => return Err(exit),
        }
    }
}

/// `tar cvf FILE`: letters without a dash, their values behind them in order.
fn old_style(args: &Args) -> Result<Args, Exit> {
    let Some(first) = args.argv.get(1).filter(|a| !a.is_empty() && a[0] != b'-') else { return Ok(args.clone()) };
    let mut argv = vec![args.argv[0].clone()];
    let mut rest = args.argv[2..].iter();
    for &letter in first {
        argv.push(vec![b'-', letter]);
        let takes = SHORT.as_bytes().windows(2).any(|w| w[0] == letter && w[1] == b':') && letter != b':';
        if takes {
            match rest.next() {
                Some(value) => argv.push(value.clone()),
                None => {
                    let text = format!("Old option '{}' requires an argument.", letter as char);
                    return Err(report::usage(FATAL, text));
                }
            }
        }
    }
    argv.extend(rest.cloned());
    Ok(Args::new(argv))
}

/// How names and patterns are read from here on.
struct Reading {
    wildcards: Option<bool>,
    anchored: Option<bool>,
    ignore_case: bool,
    slash: bool,
    recurse: bool,
    null: bool,
    verbatim: bool,
    unquote: bool,
    steps: Vec<Step>,
}

impl Reading {
    fn exclude(&self, text: &[u8]) -> Pattern {
        Pattern {
            text: text.to_vec(),
            wildcards: self.wildcards.unwrap_or(true),
            anchored: self.anchored.unwrap_or(false),
            ignore_case: self.ignore_case,
            slash: self.slash,
            below: self.recurse,
        }
    }

    fn name(&mut self, text: &[u8]) {
        let mut text = text.to_vec();
        while text.len() > 1 && text.ends_with(b"/") {
            text.pop();
        }
        self.steps.push(Step::Name(Pattern {
            text,
            wildcards: self.wildcards.unwrap_or(false),
            anchored: self.anchored.unwrap_or(true),
            ignore_case: self.ignore_case,
            slash: self.slash,
            below: self.recurse,
        }));
    }

    /// `-T`: names, and among them options, unless they are taken as they are.
    fn list(&mut self, file: &[u8], settings: &Settings) -> Result<(), Exit> {
        self.steps.push(Step::FromFile);
        let text = read_list(file).map_err(|e| {
            let what = if file != b"-" && capsule_sys::stat(file).is_err() { "Cannot stat" } else { "Cannot open" };
            fatal(format_args!("{}: {what}: {e}", shown(file)))
        })?;
        let nul = memchr::memchr(0, &text).is_some();
        if nul && !self.null {
            settings.warn("filename-with-nuls", format_args!("{}: file name read contains nul character", shown(file)));
        }
        let end = if self.null || nul { 0 } else { b'\n' };
        let mut lines = text.split(|&b| b == end).filter(|l| !l.is_empty());
        let options = !self.verbatim;
        while let Some(line) = lines.next() {
            match line {
                b"-C" if options => self.steps.extend(lines.next().map(|d| Step::Directory(d.to_vec()))),
                [b'-', b'C', dir @ ..] if options => self.steps.push(Step::Directory(dir.trim_ascii().to_vec())),
                [b'-', b'-', option @ ..] if options => match option.split(|b| *b == b'=').next() {
                    Some(b"add-file") => self.name(option.get(9..).unwrap_or_default()),
                    Some(b"directory") => {
                        self.steps.push(Step::Directory(option.get(10..).unwrap_or_default().to_vec()));
                    }
                    Some(b"verbatim-files-from") => self.verbatim = true,
                    Some(b"null") => (self.null, self.verbatim) = (true, true),
                    _ => {
                        let text = format!("{}: the option {} in a list is not supported", shown(file), shown(line));
                        return Err(fatal(text));
                    }
                },
                [b'-', _, ..] if options => {
                    let text = format!("{}: the option {} in a list is not supported", shown(file), shown(line));
                    return Err(fatal(text));
                }
                _ if self.unquote && !self.null => self.name(&unquoted(line)),
                _ => self.name(line),
            }
        }
        Ok(())
    }
}

/// What C's escapes in a line stand for.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let byte = line[at];
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&letter) = line.get(at) else {
            out.push(byte);
            break;
        };
        at += 1;
        match letter {
            b'\\' => out.push(b'\\'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'?' => out.push(127),
            b'0'..=b'7' => {
                let digits = line[at - 1..].iter().take(3).take_while(|d| (b'0'..=b'7').contains(d)).count();
                let value = line[at - 1..at - 1 + digits].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
                out.push(value as u8);
                at += digits - 1;
            }
            _ => out.extend_from_slice(&[b'\\', letter]),
        }
    }
    out
}

/// What version control keeps in a tree.
const VCS_NAMES: &[&str] = &[
    "CVS",
    ".cvsignore",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".svn",
    ".arch-ids",
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
    ".hgtags",
    "_darcs",
];

pub fn read_options(mut options: Options, mut settings: Settings) -> Result<(Settings, Vec<Step>), Exit> {
    let mut reading = Reading {
        wildcards: None,
        anchored: None,
        ignore_case: false,
        slash: true,
        recurse: true,
        null: false,
        verbatim: false,
        unquote: true,
        steps: Vec::new(),
    };
    let mut top_level = None;
    let mut backup: Option<Option<&[u8]>> = None;
    let mut suffix = None;
    let mut dates: Vec<(&str, Vec<u8>, Time)> = Vec::new();
    let mut format = None;
    let (mut actions, mut xattrs) = (Vec::new(), None);
    while let Some(opt) = options.next()? {
        let value = opt.value.unwrap_or_default();
        let action = match opt.letter {
            'A' => Some(Action::Concatenate),
            'c' => Some(Action::Create),
            DELETE => Some(Action::Delete),
            'd' => Some(Action::Diff),
            'r' => Some(Action::Append),
            't' => Some(Action::List),
            'u' => Some(Action::Update),
            'x' => Some(Action::Extract),
            TEST_LABEL => Some(Action::TestLabel),
            _ => None,
        };
        if let Some(action) = action {
            if settings.action.is_some_and(|a| a != action) {
                report::error("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
                return Err(report::try_help(FATAL));
            }
            settings.action = Some(action);
            continue;
        }
        match opt.letter {
            OPERAND | ADD => reading.name(value),
            'f' => settings.archive = Some(value.to_vec()),
            'v' => settings.verbose += 1,
            'z' => pack(&mut settings, Packer::Builtin(Packing::Gzip))?,
            'j' => pack(&mut settings, Packer::Builtin(Packing::Bzip2))?,
            'J' => pack(&mut settings, Packer::Builtin(Packing::Xz))?,
            'Z' => pack(&mut settings, Packer::Builtin(Packing::Lzw))?,
            LZMA => pack(&mut settings, Packer::Builtin(Packing::Lzma))?,
            ZSTD => pack(&mut settings, Packer::Builtin(Packing::Zstd))?,
            'I' => pack(&mut settings, program(value))?,
            'a' => settings.auto = true,
            NO_AUTO => settings.auto = false,
            'C' => reading.steps.push(Step::Directory(value.to_vec())),
            'T' => reading.list(value, &settings)?,
            NULL => (reading.null, reading.verbatim) = (true, true),
            NO_NULL => (reading.null, reading.verbatim) = (false, false),
            VERBATIM => reading.verbatim = true,
            NO_VERBATIM => reading.verbatim = false,
            UNQUOTE => reading.unquote = true,
            NO_UNQUOTE => reading.unquote = false,
            'X' => {
                let text = read_list(value).map_err(|e| fatal(format_args!("{}: {e}", shown(value))))?;
                let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
                settings.excludes.extend(lines.map(|l| reading.exclude(l)));
            }
            EXCLUDE => settings.excludes.push(reading.exclude(value)),
            VCS => settings.excludes.extend(VCS_NAMES.iter().map(|n| Pattern::exclude(n.as_bytes()))),
            BACKUPS => {
                settings.excludes.extend([b".#*".as_slice(), b"*~", b"#*#"].iter().map(|n| Pattern::exclude(n)));
            }
            CACHES => settings.tags.add_caches(Leaves::Contents),
            CACHES_UNDER => settings.tags.add_caches(Leaves::Under),
            CACHES_ALL => settings.tags.add_caches(Leaves::All),
            TAG => settings.tags.add(value, Leaves::Contents),
            TAG_UNDER => settings.tags.add(value, Leaves::Under),
            TAG_ALL => settings.tags.add(value, Leaves::All),
            IGNORE => settings.tags.ignores.push((value.to_vec(), false)),
            IGNORE_BELOW => settings.tags.ignores.push((value.to_vec(), true)),
            'p' => settings.same_mode = true,
            NO_PERMISSIONS => settings.same_mode = false,
            SAME_OWNER => settings.same_owner = true,
            'o' => settings.same_owner = false,
            'k' => settings.keep = Keep::Old,
            SKIP_OLD => settings.keep = Keep::SkipOld,
            KEEP_NEWER => settings.keep = Keep::Newer,
            KEEP_LINK => settings.keep_directory_links = true,
            OVERWRITE => settings.keep = Keep::Overwrite,
            OVERWRITE_DIR => settings.no_overwrite_dir = false,
            NO_OVERWRITE_DIR => settings.no_overwrite_dir = true,
            'U' => settings.unlink_first = true,
            RECURSIVE_UNLINK => settings.recursive_unlink = true,
            BACKUP => backup = Some(opt.value),
            SUFFIX => {
                suffix = Some(value);
                backup.get_or_insert(None);
            }
            'h' => settings.follow = true,
            HARD => settings.hard_dereference = true,
            'S' => settings.sparse = true,
            'm' => settings.touch = true,
            'O' => settings.to_stdout = true,
            TO_COMMAND => settings.to_command = Some(value.to_vec()),
            COMMAND_ERROR => settings.ignore_command_error = true,
            NO_COMMAND_ERROR => settings.ignore_command_error = false,
            'P' => settings.absolute = true,
            'b' => match number(value) {
                Some(blocks @ 1..0x10000) => settings.record = 512 * blocks,
                _ => return Err(report::usage(FATAL, format_args!("{}: Invalid blocking factor", shown(value)))),
            },
            RECORD => {
                let bytes =
                    crate::number::unsigned(value, b"bBcGkKMPTtw0")
                        .ok()
                        .filter(|n| (1..1 << 25).contains(n))
                        .ok_or_else(|| report::usage(FATAL, format_args!("{}: Invalid record size", shown(value))))?;
                if !bytes.is_multiple_of(512) {
                    return Err(report::usage(FATAL, "Record size must be a multiple of 512."));
                }
                settings.record = bytes;
            }
            'H' => format = Some(format_name(value)?),
            POSIX => format = Some(Format::Pax),
            V7 => format = Some(Format::V7),
            PAX_OPTION => settings.pax.read(value)?,
            'V' => settings.label = Some(value.to_vec()),
            'N' | NEWER_MTIME => {
                if settings.newer.is_some() {
                    return Err(report::usage(FATAL, "More than one threshold date"));
                }
                settings.newer_mtime = opt.letter == NEWER_MTIME;
                let option = if settings.newer_mtime { "--newer-mtime" } else { "--after-date" };
                settings.newer = Some(date(option, value, &mut dates)?);
            }
            'i' => settings.ignore_zeros = true,
            STRIP => {
                settings.strip = number(value).and_then(|n| usize::try_from(n).ok()).ok_or_else(|| {
                    report::usage(FATAL, format_args!("{}: Invalid number of elements", shown(value)))
                })?;
            }
            TRANSFORM => settings.transforms.extend(Transform::parse(value)?),
            SHOW_TRANSFORMED => settings.show_transformed = true,
            TOP_LEVEL => top_level = Some(opt.value.map(<[u8]>::to_vec)),
            RECURSION => reading.recurse = true,
            NO_RECURSION => reading.recurse = false,
            ONE_SYSTEM => settings.one_system = true,
            SORT => {
                let words = [("none", Order::None), ("name", Order::Name), ("inode", Order::Inode)];
                settings.order = word(value, "--sort", &words)?;
            }
            OWNER => owner(&mut settings.owner, value)?,
            GROUP => owner(&mut settings.group, value)?,
            NUMERIC => settings.numeric = true,
            MODE => {
                let change = Change::parse(value).ok_or_else(|| fatal("Invalid mode given on option"))?;
                settings.mode = Some(change);
            }
            MTIME => settings.mtime = Some(date("--mtime", value, &mut dates)?),
            CLAMP => settings.clamp = true,
            REMOVE => settings.remove_files = true,
            IGNORE_FAILED => settings.ignore_failed = true,
            FULL_TIME => settings.full_time = true,
            UTC => (settings.utc, settings.lists_long) = (true, true),
            TOTALS if opt.value.is_none() => settings.totals = true,
            'R' => settings.block_numbers = true,
            INDEX => settings.index = Some(value.to_vec()),
            CHECKPOINT => settings.checkpoints.every(opt.value)?,
            // They count once the number is known.
            ACTION => actions.push(value),
            'l' => settings.check_links = true,
            OMITTED => settings.omitted = true,
            'K' => settings.starting = Some(value.to_vec()),
            OCCURRENCE => {
                let nth = opt.value.map_or(Some(1), number);
                let bad = || fatal(format_args!("{}: Invalid number", shown(value)));
                settings.occurrence = Some(nth.ok_or_else(bad)?.max(1));
            }
            'w' => settings.interactive = true,
            'W' => settings.verify = true,
            WILDCARDS => (reading.wildcards, settings.wildcards_said) = (Some(true), true),
            NO_WILDCARDS => (reading.wildcards, settings.wildcards_said) = (Some(false), true),
            ANCHORED => reading.anchored = Some(true),
            NO_ANCHORED => reading.anchored = Some(false),
            IGNORE_CASE => reading.ignore_case = true,
            NO_IGNORE_CASE => reading.ignore_case = false,
            SLASH => reading.slash = true,
            NO_SLASH => reading.slash = false,
            XATTRS => xattrs = Some("--xattrs"),
            ACLS => xattrs = Some("--acls"),
            SELINUX => xattrs = Some("--selinux"),
            NO_XATTRS => xattrs = None,
            ATIME => {
                if let Some(value) = opt.value {
                    word(value, "--atime-preserve", &[("replace", 0), ("system", 1)])?;
                }
            }
            'n' => settings.seeks = true,
            NO_SEEK => settings.seeks = false,
            HOLES => {
                word(value, "--hole-detection", &[("raw", 0), ("seek", 1)])?;
                settings.sparse = true;
            }
            USAGE => {
                let mut out = Out::stdout();
                out.write(b"Usage: tar [OPTION...] [FILE]...\n");
                return Err(Exit(report::finish(&mut out, 0)?));
            }
            DEFAULTS => {
                let mut out = Out::stdout();
                out.write(b"--format=gnu -f- -b20 --quoting-style=escape\n");
                return Err(Exit(report::finish(&mut out, 0)?));
            }
            'B' | 's' | XATTRS_FILTER | ACCEPTED => {}
            WARNING => settings.silence(value)?,
            QUOTING => quoting(value)?,
            other => {
                let name = match LONG.iter().find(|l| l.2 == other) {
                    Some(long) => format!("--{}", long.0),
                    None => format!("-{other}"),
                };
                return Err(report::usage(FATAL, format_args!("option {name} is not supported here")));
            }
        }
    }
    for operand in options.operands() {
        reading.name(operand);
    }
    for action in actions {
        settings.checkpoints.action(action)?;
    }
    settings.format = match (format, xattrs) {
        (Some(format), Some(option)) if format != Format::Pax && settings.action.is_some_and(Action::adds) => {
            return Err(report::usage(FATAL, format_args!("{option} can be used only on POSIX archives")));
        }
        (Some(format), _) => format,
        (None, Some(_)) => Format::Pax,
        (None, None) => settings.format,
    };
    if settings.sparse && matches!(settings.format, Format::V7 | Format::Ustar) {
        return Err(report::usage(FATAL, "GNU features wanted on incompatible archive format"));
    }
    if settings.clamp && settings.mtime.is_none() {
        return Err(report::usage(FATAL, "--clamp-mtime needs a date specified using --mtime"));
    }
    if settings.lists_long && settings.action == Some(Action::List) {
        settings.verbose = settings.verbose.max(1);
    }
    settings.backup = Backup::choose(backup, suffix)?;
    if settings.verbose > 0 || settings.action == Some(Action::List) {
        report_dates(&dates);
    }
    if let Some(top) = top_level {
        settings.top_level = Some(top.unwrap_or_else(|| top_name(settings.archive.as_deref().unwrap_or(b"-"))));
    }
    Ok((settings, reading.steps))
}

/// Another word than one of these is fatal, and nothing tells where help is.
fn word<T: Copy + PartialEq>(value: &[u8], option: &str, words: &[(&str, T)]) -> Result<T, Exit> {
    report::hint(report::Hint::None);
    let found = crate::options::word(value, option, words, FATAL);
    report::hint(report::Hint::Usage);
    found
}

/// One compression at most.
fn pack(settings: &mut Settings, packer: Packer) -> Result<(), Exit> {
    if settings.packer.as_ref().is_some_and(|p| *p != packer) {
        return Err(report::usage(FATAL, "Conflicting compression options"));
    }
    settings.packer = Some(packer);
    Ok(())
}

fn quoting(value: &[u8]) -> Result<(), Exit> {
    let found = crate::quote::STYLES.iter().find(|(name, _)| name.as_bytes() == value);
    let Some((_, style)) = found else {
        let text = "Try 'tar --quoting-style=help' to get a list.";
        return Err(fatal(format_args!("Unknown quoting style {}. {text}", crate::quote::plain(value))));
    };
    super::names::set_style(*style);
    Ok(())
}

/// A file's own time, or a date, which is told how it was understood.
fn date<'a>(option: &'a str, text: &[u8], dates: &mut Vec<(&'a str, Vec<u8>, Time)>) -> Result<Time, Exit> {
    if matches!(text.first(), Some(b'/' | b'.')) {
        return capsule_sys::stat(text).map(|s| s.mtime).map_err(|e| {
            report::error(format_args!("{}: Cannot stat: {e}", shown(text)));
            report::usage(FATAL, "Date sample file not found")
        });
    }
    let zone = crate::calendar::Zone::local();
    let time = crate::calendar::parse::parse(text, capsule_sys::now(), &zone)
        .ok_or_else(|| fatal(format_args!("Invalid time stamp: {}", locale(text))))?;
    dates.push((option, text.to_vec(), time));
    Ok(time)
}

fn report_dates(dates: &[(&str, Vec<u8>, Time)]) {
    for (option, text, time) in dates {
        let zone = crate::calendar::Zone::local();
        let treated = super::show::time(*time, true, &zone);
        if treated.as_bytes() != text {
            let text = locale(text);
            report::error(format_args!("Option {option}: Treating date {text} as {treated}"));
        }
    }
}

/// The archive's name without its endings.
fn top_name(archive: &[u8]) -> Vec<u8> {
    let base = crate::input::base_name(archive);
    let known: [&[u8]; 14] = [
        b".tar.gz",
        b".tar.bz2",
        b".tar.xz",
        b".tar.zst",
        b".tar.lzma",
        b".tar.Z",
        b".tgz",
        b".tbz2",
        b".tbz",
        b".txz",
        b".tzst",
        b".tlz",
        b".taz",
        b".tar",
    ];
    known.iter().find_map(|k| base.strip_suffix(*k)).unwrap_or(base).to_vec()
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn format_name(name: &[u8]) -> Result<Format, Exit> {
    match name {
        b"gnu" => Ok(Format::Gnu),
        b"oldgnu" => Ok(Format::OldGnu),
        b"pax" | b"posix" => Ok(Format::Pax),
        b"ustar" => Ok(Format::Ustar),
        b"v7" => Ok(Format::V7),
        _ => Err(report::usage(FATAL, format_args!("{}: Invalid archive format", shown(name)))),
    }
}

/// Compressors with more threads are what this machine has instead, when they are not there.
fn program(text: &[u8]) -> Packer {
    let builtin = match text {
        b"pigz" => Packing::Gzip,
        b"pbzip2" | b"lbzip2" => Packing::Bzip2,
        b"pxz" | b"pixz" => Packing::Xz,
        b"pzstd" | b"zstdmt" => Packing::Zstd,
        _ => return Packer::Program(text.to_vec()),
    };
    let path = capsule_sys::getenv(b"PATH").unwrap_or_default();
    match crate::program::find(text, &path) {
        Ok(_) => Packer::Program(text.to_vec()),
        Err(_) => Packer::Builtin(builtin),
    }
}

/// `NAME`, `NAME:ID` or `ID`; what is not given stays as an option before has it.
fn owner(owner: &mut Owner, text: &[u8]) -> Result<(), Exit> {
    let id = |text: &[u8]| {
        let digits = text.strip_prefix(b"+").unwrap_or(text);
        let digits = std::str::from_utf8(digits).ok()?;
        digits.parse::<u32>().ok()
    };
    if let Some(colon) = memchr::memchr(b':', text) {
        let (name, number) = (&text[..colon], &text[colon + 1..]);
        let number = id(number).ok_or_else(|| fatal(format_args!("{}: Invalid owner or group ID", shown(number))))?;
        if !name.is_empty() {
            owner.0 = Some(name.to_vec());
        }
        owner.1 = Some(number);
    } else if text.first().is_some_and(u8::is_ascii_digit)
        && let Some(number) = id(text)
    {
        owner.1 = Some(number);
    } else {
        *owner = (Some(text.to_vec()), None);
    }
    Ok(())
}

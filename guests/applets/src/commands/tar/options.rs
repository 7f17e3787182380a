//! The command line, in both of its styles.

use super::header::Format;
use super::lists::{COMMAND_LINE, Reading, split_words};
use super::names::Pattern;
use super::settings::{Action, Keep, Order, Owner, Packer, Settings};
use super::table::*;
use super::transform::Transform;
use super::{FATAL, fatal, shown};
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
        let words = split_words(&text).map_err(|()| fatal("cannot split TAR_OPTIONS: missing closing quote"))?;
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

pub fn read_options(mut options: Options, mut settings: Settings) -> Result<(Settings, Vec<Step>), Exit> {
    let mut reading = Reading::new();
    let mut top_level = None;
    let mut backup: Option<Option<&[u8]>> = None;
    let mut old = None;
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
        if reading.option(opt.letter, value, &mut settings, COMMAND_LINE)? {
            continue;
        }
        match opt.letter {
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
            'p' => settings.same_mode = true,
            NO_PERMISSIONS => settings.same_mode = false,
            SAME_OWNER => settings.same_owner = true,
            'o' => settings.same_owner = false,
            'k' | SKIP_OLD | KEEP_NEWER | OVERWRITE | OVERWRITE_DIR | NO_OVERWRITE_DIR | 'U' => {
                old_files(opt.letter, &mut old, &mut settings)?;
            }
            KEEP_LINK => settings.keep_directory_links = true,
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
            ONE_SYSTEM => settings.one_system = true,
            SORT => {
                let words = [("none", Order::None), ("name", Order::Name), ("inode", Order::Inode)];
                settings.order = word(value, "--sort", &words)?;
            }
            OWNER => owner(&mut settings.owner, value)?,
            GROUP => owner(&mut settings.group, value)?,
            OWNER_MAP => settings.owner_map = super::maps::read(value, &mut settings.users, "UID")?,
            GROUP_MAP => settings.group_map = super::maps::read(value, &mut settings.groups, "GID")?,
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
            // Holes are stored in the newest way that pax has.
            SPARSE_VERSION if matches!(value, b"1" | b"1.0") => settings.sparse = true,
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

/// One way at most to go about files that are there.
fn old_files(letter: char, before: &mut Option<&'static str>, settings: &mut Settings) -> Result<(), Exit> {
    let name = match letter {
        'k' => "--keep-old-files",
        SKIP_OLD => "--skip-old-files",
        KEEP_NEWER => "--keep-newer-files",
        OVERWRITE => "--overwrite",
        OVERWRITE_DIR => "--overwrite-dir",
        NO_OVERWRITE_DIR => "--no-overwrite-dir",
        _ => "--unlink-first",
    };
    if let Some(before) = before.filter(|before| *before != name) {
        return Err(report::usage(FATAL, format_args!("'{name}' cannot be used with '{before}'")));
    }
    match letter {
        'k' => settings.keep = Keep::Old,
        SKIP_OLD => settings.keep = Keep::SkipOld,
        KEEP_NEWER => settings.keep = Keep::Newer,
        OVERWRITE => settings.keep = Keep::Overwrite,
        // What is so anyway.
        OVERWRITE_DIR => {}
        NO_OVERWRITE_DIR => settings.no_overwrite_dir = true,
        _ => settings.unlink_first = true,
    }
    *before = Some(name);
    Ok(())
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

//! The command line, in both of its styles.

use super::header::Format;
use super::names::{Pattern, Transform};
use super::{Action, FATAL, Keep, Packing, Settings, date, read_list, shown};
use crate::mode::Change;
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::quote::locale;
use crate::{Args, Exit, report};

/// Names and directories in the order they were given.
pub enum Step {
    Directory(Vec<u8>),
    Name(Vec<u8>),
    /// A list of names was given, even if it was empty.
    FromFile,
}

pub const SHORT: &str = "Acdrtuxf:vzjJaC:T:X:pkhSmOPUb:H:I:N:WBZwKioG:sg:M:L:F:V:l";

pub const LONG: &[Long] = &[
    ("catenate", NO, 'A'),
    ("concatenate", NO, 'A'),
    ("create", NO, 'c'),
    ("delete", NO, DELETE),
    ("diff", NO, 'd'),
    ("compare", NO, 'd'),
    ("append", NO, 'r'),
    ("list", NO, 't'),
    ("update", NO, 'u'),
    ("extract", NO, 'x'),
    ("get", NO, 'x'),
    ("file", REQ, 'f'),
    ("verbose", NO, 'v'),
    ("gzip", NO, 'z'),
    ("gunzip", NO, 'z'),
    ("ungzip", NO, 'z'),
    ("bzip2", NO, 'j'),
    ("xz", NO, 'J'),
    ("lzma", NO, LZMA),
    ("zstd", NO, ZSTD),
    ("auto-compress", NO, 'a'),
    ("no-auto-compress", NO, NO_AUTO),
    ("use-compress-program", REQ, 'I'),
    ("directory", REQ, 'C'),
    ("files-from", REQ, 'T'),
    ("null", NO, NULL),
    ("no-null", NO, NO_NULL),
    ("verbatim-files-from", NO, VERBATIM),
    ("no-verbatim-files-from", NO, NO_VERBATIM),
    ("exclude-from", REQ, 'X'),
    ("exclude", REQ, EXCLUDE),
    ("exclude-vcs", NO, VCS),
    ("exclude-backups", NO, BACKUPS),
    ("preserve-permissions", NO, 'p'),
    ("same-permissions", NO, 'p'),
    ("no-same-permissions", NO, NO_PERMISSIONS),
    ("same-owner", NO, SAME_OWNER),
    ("no-same-owner", NO, 'o'),
    ("keep-old-files", NO, 'k'),
    ("skip-old-files", NO, SKIP_OLD),
    ("keep-newer-files", NO, KEEP_NEWER),
    ("overwrite", NO, OVERWRITE),
    ("overwrite-dir", NO, OVERWRITE_DIR),
    ("no-overwrite-dir", NO, NO_OVERWRITE_DIR),
    ("unlink-first", NO, 'U'),
    ("dereference", NO, 'h'),
    ("hard-dereference", NO, HARD),
    ("sparse", NO, 'S'),
    ("touch", NO, 'm'),
    ("to-stdout", NO, 'O'),
    ("absolute-names", NO, 'P'),
    ("blocking-factor", REQ, 'b'),
    ("format", REQ, 'H'),
    ("posix", NO, POSIX),
    ("old-archive", NO, V7),
    ("portability", NO, V7),
    ("newer", REQ, 'N'),
    ("after-date", REQ, 'N'),
    ("newer-mtime", REQ, 'N'),
    ("ignore-zeros", NO, 'i'),
    ("strip-components", REQ, STRIP),
    ("transform", REQ, TRANSFORM),
    ("xform", REQ, TRANSFORM),
    ("show-transformed-names", NO, SHOW_TRANSFORMED),
    ("show-stored-names", NO, SHOW_TRANSFORMED),
    ("one-top-level", OPT, TOP_LEVEL),
    ("recursion", NO, RECURSION),
    ("no-recursion", NO, NO_RECURSION),
    ("one-file-system", NO, ONE_SYSTEM),
    ("sort", REQ, SORT),
    ("owner", REQ, OWNER),
    ("group", REQ, GROUP),
    ("numeric-owner", NO, NUMERIC),
    ("mode", REQ, MODE),
    ("mtime", REQ, MTIME),
    ("clamp-mtime", NO, CLAMP),
    ("remove-files", NO, REMOVE),
    ("ignore-failed-read", NO, IGNORE_FAILED),
    ("full-time", NO, FULL_TIME),
    ("totals", NO, TOTALS),
    ("wildcards", NO, WILDCARDS),
    ("no-wildcards", NO, NO_WILDCARDS),
    ("anchored", NO, ANCHORED),
    ("no-anchored", NO, NO_ANCHORED),
    ("ignore-case", NO, IGNORE_CASE),
    ("no-ignore-case", NO, NO_IGNORE_CASE),
    ("wildcards-match-slash", NO, SLASH),
    ("no-wildcards-match-slash", NO, NO_SLASH),
    ("force-local", NO, ACCEPTED),
    ("warning", REQ, WARNING),
    ("no-seek", NO, ACCEPTED),
    ("seek", NO, ACCEPTED),
    ("delay-directory-restore", NO, ACCEPTED),
    ("no-xattrs", NO, ACCEPTED),
    ("no-acls", NO, ACCEPTED),
    ("no-selinux", NO, ACCEPTED),
    ("quoting-style", REQ, QUOTING),
];
const DELETE: char = only(0);
const LZMA: char = only(1);
const ZSTD: char = only(2);
const NO_AUTO: char = only(3);
const NULL: char = only(4);
const NO_NULL: char = only(5);
const VERBATIM: char = only(6);
const NO_VERBATIM: char = only(7);
const EXCLUDE: char = only(8);
const VCS: char = only(9);
const BACKUPS: char = only(10);
const NO_PERMISSIONS: char = only(11);
const SAME_OWNER: char = only(12);
const SKIP_OLD: char = only(13);
const KEEP_NEWER: char = only(14);
const OVERWRITE: char = only(15);
const OVERWRITE_DIR: char = only(16);
const NO_OVERWRITE_DIR: char = only(17);
const HARD: char = only(18);
const POSIX: char = only(19);
const V7: char = only(20);
const STRIP: char = only(21);
const TRANSFORM: char = only(22);
const SHOW_TRANSFORMED: char = only(23);
const TOP_LEVEL: char = only(24);
const RECURSION: char = only(25);
const NO_RECURSION: char = only(26);
const ONE_SYSTEM: char = only(27);
const SORT: char = only(28);
const OWNER: char = only(29);
const GROUP: char = only(30);
const NUMERIC: char = only(31);
const MODE: char = only(32);
const MTIME: char = only(33);
const CLAMP: char = only(34);
const REMOVE: char = only(35);
const IGNORE_FAILED: char = only(36);
const FULL_TIME: char = only(37);
const TOTALS: char = only(38);
const WILDCARDS: char = only(39);
const NO_WILDCARDS: char = only(40);
const ANCHORED: char = only(41);
const NO_ANCHORED: char = only(42);
const IGNORE_CASE: char = only(43);
const NO_IGNORE_CASE: char = only(44);
const SLASH: char = only(45);
const NO_SLASH: char = only(46);
/// What is so anyway: names are local, directories get their modes last, nothing but files is stored.
const ACCEPTED: char = only(47);
const WARNING: char = only(60);
const QUOTING: char = only(48);

/// `tar cvf FILE`: letters without a dash, their values behind them in order.
pub fn old_style(args: &Args) -> Result<Args, Exit> {
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

/// How patterns of `--exclude` are matched from here on.
#[derive(Clone, Copy)]
struct Matching {
    wildcards: Option<bool>,
    anchored: Option<bool>,
    ignore_case: bool,
    slash: bool,
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

pub fn read_options(mut options: Options, mut settings: Settings, args: &Args) -> Result<(Settings, Vec<Step>), Exit> {
    let mut matching = Matching { wildcards: None, anchored: None, ignore_case: false, slash: true };
    let mut steps: Vec<Step> = Vec::new();
    let (mut null, mut verbatim) = (false, false);
    let mut lists: Vec<(Vec<u8>, bool, bool)> = Vec::new();
    let mut top_level = None;
    // Operands and directories are taken in the order of the command line.
    let order = ordered(args);
    let exclude = |text: &[u8], m: &Matching| Pattern {
        text: text.to_vec(),
        wildcards: m.wildcards.unwrap_or(true),
        anchored: m.anchored.unwrap_or(false),
        ignore_case: m.ignore_case,
        slash: m.slash,
    };
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
            'f' => settings.archive = Some(value.to_vec()),
            'v' => settings.verbose += 1,
            'z' => settings.packing = Some(Packing::Gzip),
            'j' => settings.packing = Some(Packing::Bzip2),
            'J' => settings.packing = Some(Packing::Xz),
            LZMA => settings.packing = Some(Packing::Lzma),
            ZSTD => settings.packing = Some(Packing::Zstd),
            'a' => settings.auto = true,
            NO_AUTO => settings.auto = false,
            'I' => settings.packing = Some(program(value)?),
            'C' => {}
            'T' => lists.push((value.to_vec(), null, verbatim)),
            NULL => (null, verbatim) = (true, true),
            NO_NULL => null = false,
            VERBATIM => verbatim = true,
            NO_VERBATIM => verbatim = false,
            'X' => {
                let text = read_list(value).map_err(|e| super::fatal(format_args!("{}: {e}", shown(value))))?;
                let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
                settings.excludes.extend(lines.map(|l| exclude(l, &matching)));
            }
            EXCLUDE => settings.excludes.push(exclude(value, &matching)),
            VCS => settings.excludes.extend(VCS_NAMES.iter().map(|n| exclude(n.as_bytes(), &matching))),
            BACKUPS => {
                settings.excludes.extend([b".#*".as_slice(), b"*~", b"#*#"].iter().map(|n| exclude(n, &matching)));
            }
            'p' => settings.same_mode = true,
            NO_PERMISSIONS => settings.same_mode = false,
            SAME_OWNER => settings.same_owner = true,
            'o' => settings.same_owner = false,
            'k' => settings.keep = Keep::Old,
            SKIP_OLD => settings.keep = Keep::SkipOld,
            KEEP_NEWER => settings.keep = Keep::Newer,
            OVERWRITE => settings.keep = Keep::Overwrite,
            OVERWRITE_DIR => settings.no_overwrite_dir = false,
            NO_OVERWRITE_DIR => settings.no_overwrite_dir = true,
            'U' => settings.unlink_first = true,
            'h' => settings.follow = true,
            HARD => settings.hard_dereference = true,
            'm' => settings.touch = true,
            'O' => settings.to_stdout = true,
            'P' => settings.absolute = true,
            'b' => {
                let blocks = number(value, "Invalid blocking factor")?.clamp(1, 1 << 16);
                settings.record = 512 * blocks as u64;
            }
            'H' => settings.format = format(value)?,
            POSIX => settings.format = Format::Pax,
            V7 => settings.format = Format::V7,
            'N' => settings.newer = Some(date(value)?),
            'i' => settings.ignore_zeros = true,
            STRIP => settings.strip = number(value, "Invalid number of elements")?,
            TRANSFORM => settings.transforms.extend(Transform::parse(value)?),
            SHOW_TRANSFORMED => settings.show_transformed = true,
            TOP_LEVEL => top_level = Some(opt.value.map(<[u8]>::to_vec)),
            RECURSION => settings.recurse = true,
            NO_RECURSION => settings.recurse = false,
            ONE_SYSTEM => settings.one_system = true,
            SORT => {
                settings.sort =
                    crate::options::word(value, "--sort", &[("none", 0), ("name", 1), ("inode", 2)], FATAL)? == 1;
            }
            OWNER => settings.owner = Some(owner(&mut settings.users, value, "Invalid owner")?),
            GROUP => settings.group = Some(owner(&mut settings.groups, value, "Invalid group")?),
            NUMERIC => settings.numeric = true,
            MODE => {
                settings.mode =
                    Some(Change::parse(value).ok_or_else(|| report::usage(FATAL, "Invalid mode given on option"))?);
            }
            MTIME => settings.mtime = Some(date(value)?),
            CLAMP => settings.clamp = true,
            REMOVE => settings.remove_files = true,
            IGNORE_FAILED => settings.ignore_failed = true,
            FULL_TIME => settings.full_time = true,
            TOTALS => settings.totals = true,
            WILDCARDS => (matching.wildcards, settings.wildcards) = (Some(true), true),
            NO_WILDCARDS => (matching.wildcards, settings.wildcards) = (Some(false), false),
            ANCHORED => matching.anchored = Some(true),
            NO_ANCHORED => matching.anchored = Some(false),
            IGNORE_CASE => matching.ignore_case = true,
            NO_IGNORE_CASE => matching.ignore_case = false,
            SLASH => matching.slash = true,
            NO_SLASH => matching.slash = false,
            // Holes are read; new archives store what is there.
            'S' | 'B' | 's' | ACCEPTED => {}
            WARNING => settings.silence(opt.value())?,
            QUOTING => {
                let found = crate::quote::STYLES.iter().find(|(name, _)| name.as_bytes() == opt.value());
                let Some((_, style)) = found else {
                    let text = "Try 'tar --quoting-style=help' to get a list.";
                    report::error(format_args!("Unknown quoting style {}. {text}", crate::quote::plain(opt.value())));
                    return Err(report::die(FATAL, "Error is not recoverable: exiting now"));
                };
                super::names::set_style(*style);
            }
            other => {
                return Err(report::usage(FATAL, format_args!("option -{other} is not supported here")));
            }
        }
    }
    drop(options);
    for (list, null, verbatim) in lists {
        steps.push(Step::FromFile);
        let unread = |e: capsule_sys::Errno| {
            let what = if capsule_sys::stat(&list).is_err() { "Cannot stat" } else { "Cannot open" };
            super::fatal(format_args!("{}: {what}: {e}", shown(&list)))
        };
        let text = read_list(&list).map_err(unread)?;
        let end = if null { 0 } else { b'\n' };
        let mut lines = text.split(|&b| b == end).filter(|l| !l.is_empty());
        while let Some(line) = lines.next() {
            match line {
                b"-C" if !verbatim => steps.extend(lines.next().map(|d| Step::Directory(d.to_vec()))),
                [b'-', b'C', dir @ ..] if !verbatim => steps.push(Step::Directory(dir.trim_ascii().to_vec())),
                _ => steps.push(Step::Name(line.to_vec())),
            }
        }
    }
    let mut all = order;
    all.extend(steps);
    if let Some(top) = top_level {
        settings.top_level = Some(top.unwrap_or_else(|| top_name(settings.archive.as_deref().unwrap_or(b"-"))));
    }
    Ok((settings, all))
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

/// Directories and names in their order: what an option's value is, is known by the same tables.
fn ordered(args: &Args) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = args.rest().iter();
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"--" => {
                steps.extend(rest.by_ref().map(|a| Step::Name(a.clone())));
                break;
            }
            [b'-', b'-', long @ ..] => {
                let (name, value) = match memchr::memchr(b'=', long) {
                    Some(at) => (&long[..at], Some(long[at + 1..].to_vec())),
                    None => (long, None),
                };
                let found = LONG
                    .iter()
                    .find(|l| l.0.as_bytes() == name)
                    .or_else(|| LONG.iter().find(|l| l.0.as_bytes().starts_with(name)));
                if let Some((_, REQ, letter)) = found {
                    let value = value.or_else(|| rest.next().cloned());
                    if *letter == 'C' {
                        steps.extend(value.map(Step::Directory));
                    }
                }
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                for (at, &letter) in letters.iter().enumerate() {
                    let takes = SHORT.as_bytes().windows(2).any(|w| w[0] == letter && w[1] == b':');
                    if takes {
                        let value = &letters[at + 1..];
                        let value = if value.is_empty() { rest.next().cloned() } else { Some(value.to_vec()) };
                        if letter == b'C' {
                            steps.extend(value.map(Step::Directory));
                        }
                        break;
                    }
                }
            }
            _ => steps.push(Step::Name(arg.clone())),
        }
    }
    steps
}

fn number(text: &[u8], what: &str) -> Result<usize, Exit> {
    let number = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok());
    number.ok_or_else(|| report::usage(FATAL, format_args!("{}: {what}", locale(text))))
}

fn format(name: &[u8]) -> Result<Format, Exit> {
    match name {
        b"gnu" | b"oldgnu" => Ok(Format::Gnu),
        b"pax" | b"posix" => Ok(Format::Pax),
        b"ustar" => Ok(Format::Ustar),
        b"v7" => Ok(Format::V7),
        _ => Err(report::usage(FATAL, format_args!("{}: Invalid archive format", shown(name)))),
    }
}

/// The programs that are built in.
fn program(text: &[u8]) -> Result<Packing, Exit> {
    let name = text.split(|b| *b == b' ').next().unwrap_or_default();
    match crate::input::base_name(name) {
        b"gzip" | b"pigz" => Ok(Packing::Gzip),
        b"bzip2" | b"pbzip2" => Ok(Packing::Bzip2),
        b"xz" | b"pxz" => Ok(Packing::Xz),
        b"lzma" => Ok(Packing::Lzma),
        b"zstd" | b"zstdmt" => Ok(Packing::Zstd),
        _ => Err(report::die(FATAL, format_args!("compression program {} is not supported here", locale(text)))),
    }
}

/// `NAME`, `NAME:ID` or `ID`.
fn owner(names: &mut crate::users::Names, text: &[u8], what: &str) -> Result<(Vec<u8>, u32), Exit> {
    let bad = || report::usage(FATAL, format_args!("{}: {what}", locale(text)));
    let id = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|t| t.trim_start_matches('+').parse().ok());
    if let Some(colon) = memchr::memchr(b':', text) {
        return Ok((text[..colon].to_vec(), id(&text[colon + 1..]).ok_or_else(bad)?));
    }
    if let Some(number) = id(text) {
        return Ok((names.name(number).unwrap_or_default().into_bytes(), number));
    }
    names.id(text).map(|number| (text.to_vec(), number)).ok_or_else(bad)
}

/// The warnings that have a name. Most of them are never given here.
const WARNINGS: &[&str] = &[
    "alone-zero-block",
    "cachedir",
    "contiguous-cast",
    "decompress-program",
    "empty-transform",
    "existing-file",
    "failed-read",
    "file-changed",
    "file-ignored",
    "file-removed",
    "file-shrank",
    "file-unchanged",
    "filename-with-nuls",
    "ignore-archive",
    "ignore-newer",
    "missing-zero-blocks",
    "new-directory",
    "record-size",
    "rename-directory",
    "symlink-cast",
    "timestamp",
    "unknown-cast",
    "unknown-keyword",
    "verbose",
    "xattr-write",
    "xdev",
];

impl Settings {
    /// `--warning=KEYWORD`
    fn silence(&mut self, keyword: &[u8]) -> Result<(), Exit> {
        let text = String::from_utf8_lossy(keyword);
        let (name, off) = match text.strip_prefix("no-") {
            Some(name) => (name, true),
            None => (&*text, false),
        };
        match (name, off) {
            ("all", false) | ("none", true) => self.silent.clear(),
            ("none", false) | ("all", true) => self.silent = WARNINGS.to_vec(),
            (name, off) => {
                let Some(known) = WARNINGS.iter().find(|w| **w == name) else {
                    return Err(super::fatal(format_args!("invalid argument {} for '--warning'", locale(keyword))));
                };
                self.silent.retain(|w| w != known);
                if off {
                    self.silent.push(known);
                }
            }
        }
        Ok(())
    }

    pub fn warns(&self, name: &str) -> bool {
        !self.silent.contains(&name)
    }
}

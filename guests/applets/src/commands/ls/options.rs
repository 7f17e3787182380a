//! The command line of `ls`.

use super::values;
use crate::human::Unit;
use crate::options::{Long, NO, OPT, Options, REQ, only, word};
use crate::quote::{self, Style, is_utf8};
use crate::{Args, Exit, glob, report};
use capsule_sys::{STDOUT, getenv, isatty};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Long,
    OneLine,
    Vertical,
    Across,
    Commas,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Name,
    None,
    Size,
    Time,
    Version,
    Extension,
    Width,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    Modification,
    Access,
    Change,
    Birth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    Hide,
    Almost,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Deref {
    Never,
    CommandLine,
    CommandLineDir,
    Always,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Indicator {
    None,
    Slash,
    FileType,
    Classify,
}

/// The `strftime` formats of recent and of older times.
pub struct TimeStyle {
    pub recent: Vec<u8>,
    pub old: Vec<u8>,
}

pub struct Settings {
    pub format: Format,
    pub sort: Sort,
    pub reverse: bool,
    pub directories_first: bool,
    pub time: When,
    pub time_style: TimeStyle,
    pub hidden: Hidden,
    ignore: Vec<Vec<u8>>,
    hide: Vec<Vec<u8>>,
    pub deref: Deref,
    pub directory: bool,
    pub recursive: bool,
    pub inode: bool,
    pub blocks: bool,
    pub block_unit: Unit,
    pub size_unit: Unit,
    pub owner: bool,
    pub group: bool,
    pub author: bool,
    pub numeric: bool,
    pub indicator: Indicator,
    pub style: Style,
    pub also_quote: &'static [u8],
    pub question_marks: bool,
    pub utf8: bool,
    pub width: usize,
    pub tab: usize,
    pub zero: bool,
    /// Where names are is told at the end, for Emacs.
    pub dired: bool,
    pub color: bool,
    /// A column for security contexts, which are never known.
    pub context: bool,
    /// The host's name, where names are to be links.
    pub host: Option<Vec<u8>>,
    pub needs_stat: bool,
}

impl Settings {
    pub fn end(&self) -> u8 {
        if self.zero { 0 } else { b'\n' }
    }

    /// Whether a directory's entry of this name is listed.
    pub fn lists(&self, name: &[u8]) -> bool {
        let matches = |patterns: &[Vec<u8>]| patterns.iter().any(|p| glob::matches(p, name, true));
        if self.hidden == Hidden::Hide && (name.first() == Some(&b'.') || matches(&self.hide)) {
            return false;
        }
        !matches(&self.ignore)
    }

    /// Whether it matters what a link leads to.
    pub fn needs_type(&self, color: bool) -> bool {
        color || self.recursive || self.directories_first || self.indicator != Indicator::None
    }

    /// Whether it matters if a regular file can be run.
    pub fn needs_mode(&self, color: bool) -> bool {
        color || self.indicator == Indicator::Classify
    }
}

const AUTHOR: char = only(0);
const BLOCK_SIZE: char = only(1);
const COLOR: char = only(2);
const FILE_TYPE: char = only(3);
const FORMAT: char = only(4);
const FULL_TIME: char = only(5);
const DIRS_FIRST: char = only(6);
const SI: char = only(7);
const DEREF_DIR: char = only(8);
const HIDE: char = only(9);
const INDICATOR: char = only(10);
const SHOW_CONTROL: char = only(11);
const QUOTING: char = only(12);
const SORT: char = only(13);
const TIME: char = only(14);
const TIME_STYLE: char = only(15);
const ZERO: char = only(16);
const HYPERLINK: char = only(17);

/// In the order in which ambiguities are told.
const LONG: &[Long] = &[
    ("all", NO, 'a'),
    ("escape", NO, 'b'),
    ("directory", NO, 'd'),
    ("dired", NO, 'D'),
    ("full-time", NO, FULL_TIME),
    ("group-directories-first", NO, DIRS_FIRST),
    ("human-readable", NO, 'h'),
    ("inode", NO, 'i'),
    ("kibibytes", NO, 'k'),
    ("numeric-uid-gid", NO, 'n'),
    ("no-group", NO, 'G'),
    ("hide-control-chars", NO, 'q'),
    ("reverse", NO, 'r'),
    ("size", NO, 's'),
    ("width", REQ, 'w'),
    ("almost-all", NO, 'A'),
    ("ignore-backups", NO, 'B'),
    ("classify", OPT, 'F'),
    ("file-type", NO, FILE_TYPE),
    ("si", NO, SI),
    ("dereference-command-line", NO, 'H'),
    ("dereference-command-line-symlink-to-dir", NO, DEREF_DIR),
    ("hide", REQ, HIDE),
    ("ignore", REQ, 'I'),
    ("indicator-style", REQ, INDICATOR),
    ("dereference", NO, 'L'),
    ("literal", NO, 'N'),
    ("quote-name", NO, 'Q'),
    ("quoting-style", REQ, QUOTING),
    ("recursive", NO, 'R'),
    ("format", REQ, FORMAT),
    ("show-control-chars", NO, SHOW_CONTROL),
    ("sort", REQ, SORT),
    ("tabsize", REQ, 'T'),
    ("time", REQ, TIME),
    ("time-style", REQ, TIME_STYLE),
    ("zero", NO, ZERO),
    ("color", OPT, COLOR),
    ("hyperlink", OPT, HYPERLINK),
    ("block-size", REQ, BLOCK_SIZE),
    ("context", NO, 'Z'),
    ("author", NO, AUTHOR),
];

/// The status of a wrong command line.
pub const WRONG: u8 = 2;
/// The status of a word that an option does not know.
pub const VALUE: u8 = 1;

pub fn read(args: &Args) -> Result<(Settings, Vec<&[u8]>), Exit> {
    let terminal = isatty(STDOUT);
    let mut s = Settings {
        format: if terminal { Format::Vertical } else { Format::OneLine },
        sort: Sort::Name,
        reverse: false,
        directories_first: false,
        time: When::Modification,
        time_style: TimeStyle { recent: b"%b %e %H:%M".to_vec(), old: b"%b %e  %Y".to_vec() },
        hidden: Hidden::Hide,
        ignore: Vec::new(),
        hide: Vec::new(),
        deref: Deref::Never,
        directory: false,
        recursive: false,
        inode: false,
        blocks: false,
        block_unit: Unit::Bytes(1024),
        size_unit: Unit::Bytes(1),
        owner: true,
        group: true,
        author: false,
        numeric: false,
        indicator: Indicator::None,
        style: if terminal { Style::ShellEscape } else { Style::Literal },
        also_quote: b"",
        question_marks: terminal,
        utf8: is_utf8(),
        width: 0,
        tab: 8,
        zero: false,
        dired: false,
        color: false,
        context: false,
        host: None,
        needs_stat: false,
    };
    let (mut sort, mut time, mut deref, mut style, mut width) = (None, None, None, None, None);
    let mut tab = None;
    let (mut time_style, mut kibibytes, mut sized) = (None, false, false);
    let mut options = Options::new(args, "abcdfghiklmnopqrstuvw:xABCDFGHI:LNQRST:UXZ1", LONG).status(WRONG);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => s.hidden = Hidden::All,
            'A' => s.hidden = Hidden::Almost,
            AUTHOR => s.author = true,
            'b' => style = Some(Style::Escape),
            BLOCK_SIZE => {
                (s.block_unit, sized) = (values::unit(opt.value(), "--block-size")?, true);
                s.size_unit = s.block_unit;
            }
            'B' => s.ignore.extend([b"*~".to_vec(), b".*~".to_vec()]),
            'c' => time = Some(When::Change),
            'u' => time = Some(When::Access),
            'C' => s.format = Format::Vertical,
            COLOR => s.color = values::when(opt.value, "--color", terminal)?,
            'd' => s.directory = true,
            'D' => s.dired = true,
            'f' => {
                s.hidden = Hidden::All;
                sort = Some(Sort::None);
                if s.format == Format::Long {
                    s.format = if terminal { Format::Vertical } else { Format::OneLine };
                }
                (s.blocks, s.color) = (false, false);
            }
            'F' => {
                let on = values::when(opt.value, "--classify", terminal)?;
                s.indicator = if on { Indicator::Classify } else { s.indicator };
            }
            FILE_TYPE => s.indicator = Indicator::FileType,
            FORMAT => {
                let words = &[
                    ("verbose", Format::Long),
                    ("long", Format::Long),
                    ("commas", Format::Commas),
                    ("horizontal", Format::Across),
                    ("across", Format::Across),
                    ("vertical", Format::Vertical),
                    ("single-column", Format::OneLine),
                ];
                s.format = word(opt.value(), "--format", words, VALUE)?;
            }
            FULL_TIME => {
                s.format = Format::Long;
                time_style = Some(b"full-iso".to_vec());
            }
            'g' => (s.format, s.owner) = (Format::Long, false),
            'o' => (s.format, s.group) = (Format::Long, false),
            'l' => s.format = Format::Long,
            'n' => (s.format, s.numeric) = (Format::Long, true),
            'm' => s.format = Format::Commas,
            'x' => s.format = Format::Across,
            '1' if s.format != Format::Long => s.format = Format::OneLine,
            '1' => {}
            DIRS_FIRST => s.directories_first = true,
            'G' => s.group = false,
            'h' => (s.block_unit, s.size_unit, sized) = (Unit::Auto(1024), Unit::Auto(1024), true),
            SI => (s.block_unit, s.size_unit, sized) = (Unit::Auto(1000), Unit::Auto(1000), true),
            'H' => deref = Some(Deref::CommandLine),
            DEREF_DIR => deref = Some(Deref::CommandLineDir),
            'L' => deref = Some(Deref::Always),
            HIDE => s.hide.push(opt.value().to_vec()),
            'I' => s.ignore.push(opt.value().to_vec()),
            INDICATOR => {
                let words = &[
                    ("none", Indicator::None),
                    ("slash", Indicator::Slash),
                    ("file-type", Indicator::FileType),
                    ("classify", Indicator::Classify),
                ];
                s.indicator = word(opt.value(), "--indicator-style", words, VALUE)?;
            }
            'p' => s.indicator = Indicator::Slash,
            'i' => s.inode = true,
            'k' => kibibytes = true,
            'N' => style = Some(Style::Literal),
            'q' => s.question_marks = true,
            SHOW_CONTROL => s.question_marks = false,
            'Q' => style = Some(Style::C),
            QUOTING => style = Some(word(opt.value(), "--quoting-style", quote::STYLES, VALUE)?),
            'r' => s.reverse = true,
            'R' => s.recursive = true,
            's' => s.blocks = true,
            'S' => sort = Some(Sort::Size),
            't' => sort = Some(Sort::Time),
            'Z' => s.context = true,
            HYPERLINK => {
                let on = values::when(opt.value, "--hyperlink", terminal)?;
                s.host = on.then(|| crate::commands::uname::host_name().into_bytes());
            }
            'U' => sort = Some(Sort::None),
            'v' => sort = Some(Sort::Version),
            'X' => sort = Some(Sort::Extension),
            SORT => {
                let words = &[
                    ("none", Sort::None),
                    ("time", Sort::Time),
                    ("size", Sort::Size),
                    ("extension", Sort::Extension),
                    ("version", Sort::Version),
                    ("width", Sort::Width),
                ];
                sort = Some(word(opt.value(), "--sort", words, VALUE)?);
            }
            TIME => {
                let words = &[
                    ("atime", When::Access),
                    ("access", When::Access),
                    ("use", When::Access),
                    ("ctime", When::Change),
                    ("status", When::Change),
                    ("birth", When::Birth),
                    ("creation", When::Birth),
                ];
                time = Some(word(opt.value(), "--time", words, VALUE)?);
            }
            TIME_STYLE => time_style = Some(opt.value().to_vec()),
            'T' => tab = Some(values::tab(opt.value())?),
            'w' => width = Some(values::count(opt.value(), "invalid line width")?),
            _ => {
                s.zero = true;
                if s.format != Format::Long {
                    s.format = Format::OneLine;
                }
                (s.color, s.question_marks) = (false, false);
                style = Some(Style::Literal);
            }
        }
    }
    s.dired &= s.format == Format::Long && s.host.is_none();
    if s.dired && s.zero {
        return Err(report::die(WRONG, "--dired and --zero are incompatible"));
    }
    s.width = width.unwrap_or_else(|| values::terminal_width(&s));
    s.tab = tab.unwrap_or_else(|| values::tab_size(&s));
    s.time = time.unwrap_or(s.time);
    // A time that was asked for is what the order goes by, unless the long format shows it.
    let by_time = time.is_some() && s.format != Format::Long;
    s.sort = sort.unwrap_or(if by_time { Sort::Time } else { Sort::Name });
    values::environment(&mut s, kibibytes, sized);
    if style.is_none()
        && let Some(named) = quote::style_of_environment()
    {
        s.style = named;
    }
    s.style = style.unwrap_or(s.style);
    let plain = s.directory || s.indicator == Indicator::Classify || s.format == Format::Long;
    s.deref = deref.unwrap_or(if plain { Deref::Never } else { Deref::CommandLineDir });
    if s.format == Format::Long {
        let style = time_style.or_else(|| getenv(b"TIME_STYLE")).unwrap_or_else(|| b"locale".to_vec());
        s.time_style = values::time_style(&style)?;
    }
    let facts = s.inode || s.blocks || s.format == Format::Long;
    s.needs_stat = facts || matches!(s.sort, Sort::Time | Sort::Size);
    Ok((s, options.operands()))
}

//! `diff`: options here, [`files`] decides what is compared with what, and each style of output has a file.

use crate::compare::{Effort, Ignore, Space};
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::quote::plain;
use crate::{Args, Exit, Outcome, number, quote, report};
use capsule_regex::Regex;
use capsule_sys::{OpenFlags, Out, isatty, open, read_to_end};

mod edit;
mod files;
mod format;
mod help;
mod hunks;
mod side;
mod style;

pub use files::Differ;
pub use help::HELP;
pub use side::{Columns, print as print_side};

/// The shape of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Normal,
    Context,
    Unified,
    Ed,
    ForwardEd,
    Rcs,
    Side,
    Formatted,
}

/// Everything the options say.
pub struct Settings {
    pub style: Style,
    pub context: usize,
    pub ignore: Ignore,
    pub blank_lines: bool,
    pub ignored: Vec<Regex>,
    pub effort: Effort,
    pub text: bool,
    pub strip_cr: bool,
    pub brief: bool,
    pub report_same: bool,
    pub recursive: bool,
    pub dereference: bool,
    pub new_file: bool,
    pub new_first: bool,
    pub name_case: bool,
    pub exclude: Vec<Vec<u8>>,
    pub start: Option<Vec<u8>>,
    pub labels: Vec<Vec<u8>>,
    pub function: Vec<Regex>,
    pub expand_tabs: bool,
    pub initial_tab: bool,
    pub suppress_blank: bool,
    pub columns: Columns,
    pub formats: format::Formats,
    pub color: bool,
    /// Changes go through pr.
    pub paginate: bool,
    pub palette: style::Palette,
    /// The options as the line above each pair of files repeats them.
    pub switches: String,
}

const LONG: &[Long] = &[
    ("binary", NO, BINARY),
    ("brief", NO, 'q'),
    ("changed-group-format", REQ, CHANGED_GROUP),
    ("color", OPT, COLOR),
    ("context", OPT, CONTEXT),
    ("ed", NO, 'e'),
    ("exclude", REQ, 'x'),
    ("exclude-from", REQ, 'X'),
    ("expand-tabs", NO, 't'),
    ("forward-ed", NO, 'f'),
    ("from-file", REQ, FROM),
    ("horizon-lines", REQ, HORIZON),
    ("ifdef", REQ, 'D'),
    ("ignore-all-space", NO, 'w'),
    ("ignore-blank-lines", NO, 'B'),
    ("ignore-case", NO, 'i'),
    ("ignore-file-name-case", NO, NAME_CASE),
    ("ignore-matching-lines", REQ, 'I'),
    ("ignore-space-change", NO, 'b'),
    ("ignore-tab-expansion", NO, 'E'),
    ("ignore-trailing-space", NO, 'Z'),
    ("initial-tab", NO, 'T'),
    ("label", REQ, 'L'),
    ("left-column", NO, LEFT),
    ("line-format", REQ, LINE),
    ("minimal", NO, 'd'),
    ("new-file", NO, 'N'),
    ("new-group-format", REQ, NEW_GROUP),
    ("new-line-format", REQ, NEW_LINE),
    ("no-dereference", NO, NO_DEREFERENCE),
    ("no-ignore-file-name-case", NO, NO_NAME_CASE),
    ("normal", NO, NORMAL),
    ("old-group-format", REQ, OLD_GROUP),
    ("old-line-format", REQ, OLD_LINE),
    ("paginate", NO, 'l'),
    ("palette", REQ, PALETTE),
    ("rcs", NO, 'n'),
    ("recursive", NO, 'r'),
    ("report-identical-files", NO, 's'),
    ("show-c-function", NO, 'p'),
    ("show-function-line", REQ, 'F'),
    ("side-by-side", NO, 'y'),
    ("speed-large-files", NO, 'H'),
    ("starting-file", REQ, 'S'),
    ("strip-trailing-cr", NO, STRIP_CR),
    ("suppress-blank-empty", NO, SUPPRESS_BLANK),
    ("suppress-common-lines", NO, SUPPRESS_COMMON),
    ("tabsize", REQ, TABSIZE),
    ("text", NO, 'a'),
    ("to-file", REQ, TO),
    ("unchanged-group-format", REQ, SAME_GROUP),
    ("unchanged-line-format", REQ, SAME_LINE),
    ("unidirectional-new-file", NO, 'P'),
    ("unified", OPT, UNIFIED),
    ("width", REQ, 'W'),
];
const BINARY: char = only(0);
const CHANGED_GROUP: char = only(1);
const COLOR: char = only(2);
const FROM: char = only(3);
const HORIZON: char = only(4);
const NAME_CASE: char = only(5);
const LEFT: char = only(6);
const LINE: char = only(7);
const NEW_GROUP: char = only(8);
const NEW_LINE: char = only(9);
const NO_DEREFERENCE: char = only(10);
const NO_NAME_CASE: char = only(11);
const NORMAL: char = only(12);
const OLD_GROUP: char = only(13);
const OLD_LINE: char = only(14);
const PALETTE: char = only(15);
const STRIP_CR: char = only(16);
const SUPPRESS_BLANK: char = only(17);
const SUPPRESS_COMMON: char = only(18);
const TABSIZE: char = only(19);
const TO: char = only(20);
const SAME_GROUP: char = only(21);
const SAME_LINE: char = only(22);
const CONTEXT: char = only(23);
const UNIFIED: char = only(24);

/// The status for trouble.
pub const TROUBLE: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Named);
    report::output_fails(TROUBLE, "standard output");
    let mut options =
        Options::new(args, "0123456789abBcC:dD:eEfF:hHiI:lL:nNpPqrsS:tTuU:vwW:x:X:yZ", LONG).status(TROUBLE);
    let mut chosen = Chosen::default();
    let mut settings = Settings::new();
    let (mut from, mut to) = (None, None);
    while let Some(opt) = options.next()? {
        let value = opt.value.unwrap_or_default();
        match opt.letter {
            FROM => once(&mut from, value, "--from-file", value)?,
            TO => once(&mut to, value, "--to-file", value)?,
            'v' => {
                let text = format!("diff (Capsule) {}\n", env!("CARGO_PKG_VERSION"));
                let mut out = Out::stdout();
                out.write(text.as_bytes());
                return report::finish(&mut out, 0);
            }
            letter => settings.option(letter, opt.value, &mut chosen)?,
        }
    }
    settings.finish(chosen, args)?;
    let operands = options.operands();
    let mut differ = Differ::new(settings, Out::stdout());
    let pairs: Vec<(&[u8], &[u8])> = match (from, to) {
        (Some(_), Some(_)) => return Err(report::die(TROUBLE, "--from-file and --to-file both specified")),
        (Some(from), None) => operands.iter().map(|&file| (from, file)).collect(),
        (None, Some(to)) => operands.iter().map(|&file| (file, to)).collect(),
        (None, None) => match operands[..] {
            [a, b] => vec![(a, b)],
            [_, _, extra, ..] => {
                return Err(report::usage(TROUBLE, format_args!("extra operand {}", plain(extra))));
            }
            _ => {
                let last = args.argv.last().map_or(b"diff".as_slice(), Vec::as_slice);
                return Err(report::usage(TROUBLE, format_args!("missing operand after {}", plain(last))));
            }
        },
    };
    for (a, b) in pairs {
        differ.compare(a, b);
    }
    differ.finish()
}

/// What depends on more than one option.
#[derive(Default)]
struct Chosen {
    style: Option<Style>,
    context: Option<usize>,
    digits: Option<usize>,
    width: Option<usize>,
    tab_size: Option<usize>,
    color: Option<bool>,
    /// -p, which has a style of its own where none is asked for.
    c_functions: bool,
    /// Why a palette was not understood.
    palette_fault: Option<String>,
}

impl Chosen {
    fn style(&mut self, style: Style) -> Result<(), Exit> {
        if self.style.is_some_and(|s| s != style) {
            return Err(report::usage(TROUBLE, "conflicting output style options"));
        }
        self.style = Some(style);
        Ok(())
    }
}

/// Takes a value that may be given again, but not another one; `shown` is how the message has it.
pub fn once<T: PartialEq>(slot: &mut Option<T>, value: T, option: &str, shown: &[u8]) -> Result<(), Exit> {
    if slot.as_ref().is_some_and(|old| *old != value) {
        let shown = quote::raw(shown);
        return Err(report::usage(TROUBLE, format_args!("conflicting {option} option value '{shown}'")));
    }
    *slot = Some(value);
    Ok(())
}

/// The same for numbers, whose message says less.
fn once_number(slot: &mut Option<usize>, value: usize, what: &str) -> Result<(), Exit> {
    if slot.is_some_and(|old| old != value) {
        return Err(report::die(TROUBLE, format_args!("conflicting {what} options")));
    }
    *slot = Some(value);
    Ok(())
}

fn parsed(text: &[u8], what: &str, least: usize) -> Result<usize, Exit> {
    let number = match number::unsigned(text, b"") {
        // What has no least value has no largest, and nothing is zero.
        Err(number::Bad::Overflow) if least == 0 => Some(usize::MAX / 4),
        _ if least == 0 && text.is_empty() => Some(0),
        number => number.ok().and_then(|n| usize::try_from(n).ok()),
    };
    number.filter(|&n| n >= least).ok_or_else(|| report::usage(TROUBLE, format_args!("invalid {what} {}", plain(text))))
}

fn regex(pattern: &[u8]) -> Result<Regex, Exit> {
    let options = capsule_regex::Options { utf8: quote::is_utf8(), ..capsule_regex::Options::default() };
    Regex::new(pattern, &options).map_err(|e| report::die(TROUBLE, format_args!("{}: {e}", quote::raw(pattern))))
}

impl Settings {
    pub fn new() -> Settings {
        Settings {
            style: Style::Normal,
            context: 0,
            ignore: Ignore { tab_size: 8, ..Ignore::default() },
            blank_lines: false,
            ignored: Vec::new(),
            effort: Effort::default(),
            text: false,
            strip_cr: false,
            brief: false,
            report_same: false,
            recursive: false,
            dereference: true,
            new_file: false,
            new_first: false,
            name_case: true,
            exclude: Vec::new(),
            start: None,
            labels: Vec::new(),
            function: Vec::new(),
            expand_tabs: false,
            initial_tab: false,
            suppress_blank: false,
            columns: Columns::new(130, 8, false),
            formats: format::Formats::default(),
            color: false,
            paginate: false,
            palette: style::Palette::default(),
            switches: String::new(),
        }
    }

    fn space(&mut self, space: Space) {
        self.ignore.space = match (self.ignore.space, space) {
            (Space::TabExpansion, Space::Trailing) | (Space::Trailing, Space::TabExpansion) => Space::TabAndTrailing,
            (Space::TabAndTrailing, Space::TabExpansion | Space::Trailing) => Space::TabAndTrailing,
            (Space::Amount, Space::TabExpansion | Space::Trailing) => Space::Amount,
            (Space::All, _) => Space::All,
            (_, new) => new,
        };
    }

    fn option(&mut self, letter: char, value: Option<&[u8]>, chosen: &mut Chosen) -> Result<(), Exit> {
        let text = value.unwrap_or_default();
        let context = |what: Option<&[u8]>| what.map_or(Ok(3), |t| parsed(t, "context length", 0));
        match letter {
            '0'..='9' => {
                let digit = letter as usize - '0' as usize;
                chosen.digits = Some(chosen.digits.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            }
            'a' => self.text = true,
            'b' => self.space(Space::Amount),
            'B' => self.blank_lines = true,
            'c' | 'C' | CONTEXT => {
                chosen.style(Style::Context)?;
                let lines = context(value)?;
                chosen.context = Some(chosen.context.map_or(lines, |old| old.max(lines)));
            }
            'd' => self.effort.minimal = true,
            'D' => {
                chosen.style(Style::Formatted)?;
                self.formats.ifdef(text)?;
            }
            'e' => chosen.style(Style::Ed)?,
            'E' => self.space(Space::TabExpansion),
            'f' => chosen.style(Style::ForwardEd)?,
            'F' => self.function.push(regex(text)?),
            // Hints about speed, where the result is the exact one anyway; bytes are bytes here.
            'h' | 'H' | BINARY => {}
            'i' => self.ignore.case = true,
            'I' => self.ignored.push(regex(text)?),
            'l' => self.paginate = true,
            'L' => match self.labels.len() {
                0 | 1 => self.labels.push(text.to_vec()),
                _ => return Err(report::die(TROUBLE, "too many file label options")),
            },
            'n' => chosen.style(Style::Rcs)?,
            'N' => self.new_file = true,
            'p' => {
                self.function.push(regex(b"^[[:alpha:]$_]")?);
                chosen.c_functions = true;
            }
            'P' => self.new_first = true,
            'q' => self.brief = true,
            'r' => self.recursive = true,
            's' => self.report_same = true,
            'S' => once(&mut self.start, text.to_vec(), "-S", text)?,
            't' => self.expand_tabs = true,
            'T' => self.initial_tab = true,
            'u' | 'U' | UNIFIED => {
                chosen.style(Style::Unified)?;
                let lines = context(value)?;
                chosen.context = Some(chosen.context.map_or(lines, |old| old.max(lines)));
            }
            'w' => self.space(Space::All),
            'W' => once_number(&mut chosen.width, parsed(text, "width", 1)?, "width")?,
            'x' => self.exclude.push(text.to_vec()),
            'X' => self.exclude_from(text)?,
            'y' => chosen.style(Style::Side)?,
            'Z' => self.space(Space::Trailing),
            COLOR => {
                chosen.color = match value {
                    None | Some(b"always") => Some(true),
                    Some(b"auto") => None,
                    Some(b"never") => Some(false),
                    _ => return Err(report::usage(TROUBLE, format_args!("invalid color {}", plain(text)))),
                };
                self.color = chosen.color.unwrap_or_else(|| isatty(1));
            }
            HORIZON => self.effort.horizon = self.effort.horizon.max(parsed(text, "horizon length", 0)?),
            LEFT => self.columns.left_only = true,
            SUPPRESS_COMMON => self.columns.suppress_common = true,
            SUPPRESS_BLANK => self.suppress_blank = true,
            NAME_CASE => self.name_case = false,
            NO_NAME_CASE => self.name_case = true,
            NO_DEREFERENCE => self.dereference = false,
            NORMAL => chosen.style(Style::Normal)?,
            PALETTE => {
                chosen.palette_fault = self.palette.parse(text).err().or(chosen.palette_fault.take());
            }
            STRIP_CR => self.strip_cr = true,
            TABSIZE => once_number(&mut chosen.tab_size, parsed(text, "tabsize", 1)?, "tabsize")?,
            _ => {
                chosen.style(Style::Formatted)?;
                use format::Slot;
                let (slots, name): (&[Slot], _) = match letter {
                    LINE => (&[Slot::OldLine, Slot::NewLine, Slot::SameLine], "--line-format"),
                    OLD_LINE => (&[Slot::OldLine], "--old-line-format"),
                    NEW_LINE => (&[Slot::NewLine], "--new-line-format"),
                    SAME_LINE => (&[Slot::SameLine], "--unchanged-line-format"),
                    OLD_GROUP => (&[Slot::OldGroup], "--old-group-format"),
                    NEW_GROUP => (&[Slot::NewGroup], "--new-group-format"),
                    SAME_GROUP => (&[Slot::SameGroup], "--unchanged-group-format"),
                    _ => (&[Slot::ChangedGroup], "--changed-group-format"),
                };
                slots.iter().try_for_each(|&slot| self.formats.set(slot, text, name))?;
            }
        }
        Ok(())
    }

    fn exclude_from(&mut self, file: &[u8]) -> Result<(), Exit> {
        let text = match file {
            b"-" => read_to_end(0),
            _ => open(file, OpenFlags::RDONLY, 0).and_then(|fd| read_to_end(fd.raw())),
        };
        let text = text.map_err(|e| report::die(TROUBLE, format_args!("{}: {e}", quote::raw(file))))?;
        self.exclude.extend(text.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec));
        Ok(())
    }

    /// What only the whole command line tells.
    fn finish(&mut self, chosen: Chosen, args: &Args) -> Result<(), Exit> {
        // What the colours are does not matter where there are none.
        if let Some(why) = chosen.palette_fault.filter(|_| self.color) {
            if !why.is_empty() {
                report::error(why);
            }
            report::error("unparsable value for --palette");
            self.color = false;
        }
        self.style = chosen.style.unwrap_or(if chosen.c_functions { Style::Context } else { Style::Normal });
        if matches!(self.style, Style::Context | Style::Unified) {
            self.context = chosen.digits.or(chosen.context).unwrap_or(3);
        }
        let tab = chosen.tab_size.unwrap_or(8);
        self.ignore.tab_size = tab;
        self.ignore.missing_newline = matches!(self.style, Style::Ed | Style::ForwardEd);
        let (left_only, suppress_common) = (self.columns.left_only, self.columns.suppress_common);
        self.columns = Columns::new(chosen.width.unwrap_or(130), tab, self.expand_tabs);
        self.columns.left_only = left_only;
        self.columns.suppress_common = suppress_common;
        self.effort.horizon = self.effort.horizon.max(self.context);
        self.formats.finish();
        let words = args.rest().iter().take_while(|w| w.as_slice() != b"--");
        let mut expects = false;
        for word in words {
            // A word that belongs to the option before it.
            let takes = matches!(
                word.as_slice(),
                b"-C" | b"-D" | b"-F" | b"-I" | b"-L" | b"-S" | b"-U" | b"-W" | b"-x" | b"-X" | b"--label"
            );
            if expects || (word.len() > 1 && word[0] == b'-') {
                self.switches.push(' ');
                self.switches.push_str(&quote::show(word, quote::Style::Shell, true, b""));
            }
            expects = takes && !expects;
        }
        Ok(())
    }
}

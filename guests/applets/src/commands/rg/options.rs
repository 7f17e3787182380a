//! The command line.

use super::TROUBLE;
use super::colors::Colors;
use super::ignore::{Overrides, Sources};
use super::types::Types;
use super::walk::Sort;
use crate::ignore::Verdict;
use crate::input::Input;
use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Exit, number, report};
use capsule_sys::{Out, getenv, isatty};

/// What is told of each file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Lines,
    /// How many lines match.
    Count,
    /// How many matches there are.
    CountMatches,
    Names,
    NamesWithout,
    /// All files that would be searched.
    Files,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    Sensitive,
    Insensitive,
    /// Insensitive unless the pattern has an upper case letter.
    Smart,
}

pub struct Asked {
    pub patterns: Vec<Vec<u8>>,
    pub fixed: bool,
    pub perl: bool,
    /// Perl's kind, where a pattern is none of ours.
    pub perl_if_needed: bool,
    pub case: Case,
    pub word: bool,
    pub line: bool,
    pub unicode: bool,
    pub multiline: bool,
    pub dot_all: bool,
    pub invert: bool,
    pub mode: Mode,
    pub quiet: bool,
    pub include_zero: bool,
    pub max: Option<u64>,
    pub before: Option<u64>,
    pub after: Option<u64>,
    pub passthru: bool,
    pub json: bool,
    pub only_matching: bool,
    pub replace: Option<Vec<u8>>,
    pub text: bool,
    /// Binary files are searched, and told of.
    pub binary: bool,
    pub null_data: bool,
    /// A line may end with a carriage return before its end.
    pub crlf: bool,
    pub size_limit: Option<u64>,
    pub cache_limit: Option<u64>,
    pub stats: bool,
    // How lines are printed.
    pub heading: bool,
    pub numbers: bool,
    pub column: bool,
    pub vimgrep: bool,
    pub with_names: Option<bool>,
    pub byte_offset: bool,
    pub null: bool,
    pub trim: bool,
    pub max_columns: Option<u64>,
    pub preview: bool,
    pub color: bool,
    pub colors: Colors,
    pub line_buffered: bool,
    pub separator: Option<Vec<u8>>,
    pub match_separator: Vec<u8>,
    pub context_separator: Vec<u8>,
    pub path_separator: Option<u8>,
    // Which files are searched.
    pub hidden: bool,
    pub follow: bool,
    pub max_depth: Option<usize>,
    pub max_size: Option<u64>,
    pub one_file_system: bool,
    pub no_messages: bool,
    pub no_ignore_messages: bool,
    pub sources: Sources,
    pub ignore_files: Vec<Vec<u8>>,
    pub no_ignore_files: bool,
    pub overrides: Overrides,
    pub types: Types,
    pub sort: Option<(Sort, bool)>,
    /// What reads each file in place of us, and the names it is for.
    pub pre: Option<Vec<u8>>,
    pub pre_globs: PreGlobs,
    pub search_zip: bool,
    pub operands: Vec<Vec<u8>>,
}

/// Long options that have no letter, in the order of [`LONG`].
macro_rules! letters {
    ($($name:ident)*) => { letters!(@ 0u8, $($name)*); };
    (@ $n:expr, $name:ident $($rest:ident)*) => {
        const $name: char = only($n);
        letters!(@ $n + 1, $($rest)*);
    };
    (@ $n:expr,) => {};
}

letters! {
    BINARY NO_BINARY COLOR COLUMN NO_COLUMN CONTEXT_SEPARATOR NO_CONTEXT_SEPARATOR COUNT_MATCHES ENGINE MATCH_SEPARATOR
    FIELD_CONTEXT FILES WITHOUT_MATCH GLOB_FOLD HEADING NO_HEADING IGLOB IGNORE_FILE INCLUDE_ZERO LINE_BUFFERED
    BLOCK_BUFFERED MAX_DEPTH MAX_SIZE PREVIEW MMAP NO_MMAP DOT_ALL NO_CONFIG NO_IGNORE NO_DOT NO_EXCLUDE NO_IGNORE_FILES NO_GLOBAL
    NO_PARENT NO_VCS NO_MESSAGES NO_REQUIRE_GIT NO_UNICODE NULL_DATA ONE_FILE_SYSTEM PASSTHRU PATH_SEPARATOR SORT SORTR
    SORT_FILES STATS TRIM NO_TRIM TYPE_ADD TYPE_CLEAR TYPE_LIST VIMGREP NO_HIDDEN IGNORE_ALL NO_IGNORE_MESSAGES CRLF NO_CRLF AUTO_HYBRID NO_AUTO_HYBRID
    SIZE_LIMIT NO_MULTILINE NO_FIXED NO_FOLLOW NO_TEXT NO_PCRE2 NO_STATS JSON PRE NO_PRE PRE_GLOB COLORS
    DFA_LIMIT NO_ZIP PCRE2_UNICODE NO_PCRE2_UNICODE PCRE2_VERSION
}

const LONG: &[Long] = &[
    ("after-context", REQ, 'A'),
    ("before-context", REQ, 'B'),
    ("binary", NO, BINARY),
    ("no-binary", NO, NO_BINARY),
    ("block-buffered", NO, BLOCK_BUFFERED),
    ("byte-offset", NO, 'b'),
    ("case-sensitive", NO, 's'),
    ("color", REQ, COLOR),
    ("colors", REQ, COLORS),
    ("column", NO, COLUMN),
    ("no-column", NO, NO_COLUMN),
    ("context", REQ, 'C'),
    ("context-separator", REQ, CONTEXT_SEPARATOR),
    ("no-context-separator", NO, NO_CONTEXT_SEPARATOR),
    ("count", NO, 'c'),
    ("count-matches", NO, COUNT_MATCHES),
    ("crlf", NO, CRLF),
    ("auto-hybrid-regex", NO, AUTO_HYBRID),
    ("no-auto-hybrid-regex", NO, NO_AUTO_HYBRID),
    ("no-crlf", NO, NO_CRLF),
    ("dfa-size-limit", REQ, DFA_LIMIT),
    ("encoding", REQ, 'E'),
    ("engine", REQ, ENGINE),
    ("field-context-separator", REQ, FIELD_CONTEXT),
    ("field-match-separator", REQ, MATCH_SEPARATOR),
    ("file", REQ, 'f'),
    ("files", NO, FILES),
    ("files-with-matches", NO, 'l'),
    ("files-without-match", NO, WITHOUT_MATCH),
    ("fixed-strings", NO, 'F'),
    ("no-fixed-strings", NO, NO_FIXED),
    ("follow", NO, 'L'),
    ("no-follow", NO, NO_FOLLOW),
    ("glob", REQ, 'g'),
    ("glob-case-insensitive", NO, GLOB_FOLD),
    ("heading", NO, HEADING),
    ("no-heading", NO, NO_HEADING),
    ("hidden", NO, '.'),
    ("no-hidden", NO, NO_HIDDEN),
    ("iglob", REQ, IGLOB),
    ("ignore", NO, IGNORE_ALL),
    ("ignore-case", NO, 'i'),
    ("ignore-file", REQ, IGNORE_FILE),
    ("include-zero", NO, INCLUDE_ZERO),
    ("invert-match", NO, 'v'),
    ("json", NO, JSON),
    ("line-buffered", NO, LINE_BUFFERED),
    ("line-number", NO, 'n'),
    ("no-line-number", NO, 'N'),
    ("line-regexp", NO, 'x'),
    ("max-columns", REQ, 'M'),
    ("max-columns-preview", NO, PREVIEW),
    ("max-count", REQ, 'm'),
    ("max-depth", REQ, MAX_DEPTH),
    ("max-filesize", REQ, MAX_SIZE),
    ("mmap", NO, MMAP),
    ("no-mmap", NO, NO_MMAP),
    ("multiline", NO, 'U'),
    ("no-multiline", NO, NO_MULTILINE),
    ("multiline-dotall", NO, DOT_ALL),
    ("no-config", NO, NO_CONFIG),
    ("no-filename", NO, 'I'),
    ("no-ignore", NO, NO_IGNORE),
    ("no-ignore-dot", NO, NO_DOT),
    ("no-ignore-exclude", NO, NO_EXCLUDE),
    ("no-ignore-files", NO, NO_IGNORE_FILES),
    ("no-ignore-global", NO, NO_GLOBAL),
    ("no-ignore-messages", NO, NO_IGNORE_MESSAGES),
    ("no-ignore-parent", NO, NO_PARENT),
    ("no-ignore-vcs", NO, NO_VCS),
    ("no-messages", NO, NO_MESSAGES),
    ("no-require-git", NO, NO_REQUIRE_GIT),
    ("no-unicode", NO, NO_UNICODE),
    ("unicode", NO, PCRE2_UNICODE),
    ("null", NO, '0'),
    ("null-data", NO, NULL_DATA),
    ("one-file-system", NO, ONE_FILE_SYSTEM),
    ("only-matching", NO, 'o'),
    ("passthru", NO, PASSTHRU),
    ("passthrough", NO, PASSTHRU),
    ("path-separator", REQ, PATH_SEPARATOR),
    ("pcre2", NO, 'P'),
    ("no-pcre2", NO, NO_PCRE2),
    ("pcre2-unicode", NO, PCRE2_UNICODE),
    ("no-pcre2-unicode", NO, NO_PCRE2_UNICODE),
    ("pcre2-version", NO, PCRE2_VERSION),
    ("pre", REQ, PRE),
    ("no-pre", NO, NO_PRE),
    ("pre-glob", REQ, PRE_GLOB),
    ("pretty", NO, 'p'),
    ("quiet", NO, 'q'),
    ("regex-size-limit", REQ, SIZE_LIMIT),
    ("regexp", REQ, 'e'),
    ("replace", REQ, 'r'),
    ("search-zip", NO, 'z'),
    ("no-search-zip", NO, NO_ZIP),
    ("smart-case", NO, 'S'),
    ("sort", REQ, SORT),
    ("sortr", REQ, SORTR),
    ("sort-files", NO, SORT_FILES),
    ("stats", NO, STATS),
    ("no-stats", NO, NO_STATS),
    ("text", NO, 'a'),
    ("no-text", NO, NO_TEXT),
    ("threads", REQ, 'j'),
    ("trim", NO, TRIM),
    ("no-trim", NO, NO_TRIM),
    ("type", REQ, 't'),
    ("type-add", REQ, TYPE_ADD),
    ("type-clear", REQ, TYPE_CLEAR),
    ("type-list", NO, TYPE_LIST),
    ("type-not", REQ, 'T'),
    ("unrestricted", NO, 'u'),
    ("vimgrep", NO, VIMGREP),
    ("with-filename", NO, 'H'),
    ("word-regexp", NO, 'w'),
];

const SHORT: &str = ".0A:B:C:E:FHILM:NPST:UVabce:f:g:hij:lm:nopqr:st:uvwxz";

impl Asked {
    fn new() -> Asked {
        let terminal = isatty(1);
        Asked {
            patterns: Vec::new(),
            fixed: false,
            perl: false,
            perl_if_needed: false,
            case: Case::Sensitive,
            word: false,
            line: false,
            unicode: true,
            multiline: false,
            dot_all: false,
            invert: false,
            mode: Mode::Lines,
            quiet: false,
            include_zero: false,
            max: None,
            before: None,
            after: None,
            passthru: false,
            json: false,
            only_matching: false,
            replace: None,
            text: false,
            binary: false,
            null_data: false,
            crlf: false,
            size_limit: None,
            cache_limit: None,
            stats: false,
            heading: terminal,
            numbers: terminal,
            column: false,
            vimgrep: false,
            with_names: None,
            byte_offset: false,
            null: false,
            trim: false,
            max_columns: None,
            preview: false,
            color: terminal && terminal_has_colors(),
            colors: Colors::new(),
            line_buffered: false,
            separator: Some(b"--".to_vec()),
            match_separator: b":".to_vec(),
            context_separator: b"-".to_vec(),
            path_separator: None,
            hidden: false,
            follow: false,
            max_depth: None,
            max_size: None,
            one_file_system: false,
            no_messages: false,
            no_ignore_messages: false,
            sources: Sources {
                dot: true,
                git: true,
                exclude: true,
                global: true,
                parents: true,
                require_git: true,
                ignore_case: false,
            },
            ignore_files: Vec::new(),
            no_ignore_files: false,
            overrides: Overrides::default(),
            types: Types::new(),
            sort: None,
            pre: None,
            pre_globs: PreGlobs::default(),
            search_zip: false,
            operands: Vec::new(),
        }
    }
}

pub fn parse(args: &Args) -> Result<Asked, Exit> {
    let mut asked = Asked::new();
    let mut given = Vec::new();
    let mut pattern_given = false;
    let (mut type_list, mut unrestricted) = (false, 0);
    let (mut numbers, mut heading) = (None, None);
    // Types are chosen when all of them are known, globs when it is known how.
    let (mut types, mut globs, mut fold_globs) = (Vec::new(), Vec::new(), false);
    let mut options = Options::new(args, SHORT, LONG).status(TROUBLE);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'A' => (asked.after, asked.passthru) = (Some(count(opt.value())?), false),
            'B' => (asked.before, asked.passthru) = (Some(count(opt.value())?), false),
            'C' => {
                let n = count(opt.value())?;
                given.push(n);
                asked.passthru = false;
            }
            'E' => match opt.value() {
                b"auto" | b"none" | b"utf-8" | b"utf8" | b"UTF-8" => {}
                _ => return Err(refuse(&format!("--encoding {}", opt.text()))),
            },
            'F' => asked.fixed = true,
            NO_FIXED => asked.fixed = false,
            'H' => asked.with_names = Some(true),
            'I' => asked.with_names = Some(false),
            'L' => asked.follow = true,
            NO_FOLLOW => asked.follow = false,
            'M' => asked.max_columns = Some(count(opt.value())?).filter(|n| *n > 0),
            'N' => numbers = Some(false),
            'n' => numbers = Some(true),
            'P' => asked.perl = true,
            NO_PCRE2 => asked.perl = false,
            'S' => asked.case = Case::Smart,
            'i' => asked.case = Case::Insensitive,
            's' => asked.case = Case::Sensitive,
            'T' | 't' => types.push((opt.text(), opt.letter == 't')),
            'U' => asked.multiline = true,
            NO_MULTILINE => asked.multiline = false,
            'V' => return Err(options.version()),
            'a' => asked.text = true,
            NO_TEXT => asked.text = false,
            'b' => asked.byte_offset = true,
            'c' => asked.mode = Mode::Count,
            COUNT_MATCHES => asked.mode = Mode::CountMatches,
            'e' => {
                pattern_given = true;
                asked.patterns.push(opt.value().to_vec());
            }
            'f' => {
                pattern_given = true;
                asked.patterns.extend(from_file(opt.value())?);
            }
            'g' | IGLOB => globs.push((opt.value().to_vec(), opt.letter == IGLOB)),
            GLOB_FOLD => fold_globs = true,
            'h' => return Err(options.help()),
            'j' => drop(count(opt.value())?),
            'l' => asked.mode = Mode::Names,
            WITHOUT_MATCH => asked.mode = Mode::NamesWithout,
            FILES => asked.mode = Mode::Files,
            'm' => asked.max = Some(count(opt.value())?),
            'o' => asked.only_matching = true,
            'p' => {
                (heading, numbers, asked.color) = (Some(true), Some(true), terminal_has_colors());
            }
            'q' => asked.quiet = true,
            'r' => asked.replace = Some(opt.value().to_vec()),
            'u' => unrestricted += 1,
            'v' => asked.invert = true,
            'w' => asked.word = true,
            'x' => asked.line = true,
            'z' => asked.search_zip = true,
            NO_ZIP => asked.search_zip = false,
            '0' => asked.null = true,
            '.' => asked.hidden = true,
            NO_HIDDEN => asked.hidden = false,
            BINARY => asked.binary = true,
            NO_BINARY => asked.binary = false,
            COLOR => {
                asked.color = match opt.value() {
                    b"never" => false,
                    b"auto" => isatty(1) && terminal_has_colors(),
                    b"always" | b"ansi" => true,
                    _ => return Err(report::die(TROUBLE, format_args!("choice '{}' is unrecognized", opt.text()))),
                };
            }
            COLUMN => (asked.column, numbers) = (true, numbers.or(Some(true))),
            NO_COLUMN => asked.column = false,
            CONTEXT_SEPARATOR => asked.separator = Some(unescape(opt.value())),
            NO_CONTEXT_SEPARATOR => asked.separator = None,
            MATCH_SEPARATOR => asked.match_separator = unescape(opt.value()),
            FIELD_CONTEXT => asked.context_separator = unescape(opt.value()),
            ENGINE => {
                (asked.perl, asked.perl_if_needed) = match opt.value() {
                    b"default" => (false, false),
                    b"auto" => (false, true),
                    b"pcre2" => (true, false),
                    _ => return Err(report::die(TROUBLE, format_args!("unrecognized regex engine '{}'", opt.text()))),
                };
            }
            HEADING => heading = Some(true),
            NO_HEADING => heading = Some(false),
            IGNORE_FILE => asked.ignore_files.push(opt.value().to_vec()),
            INCLUDE_ZERO => asked.include_zero = true,
            LINE_BUFFERED => asked.line_buffered = true,
            MAX_DEPTH => asked.max_depth = Some(usize::try_from(count(opt.value())?).unwrap_or(usize::MAX)),
            MAX_SIZE => asked.max_size = Some(size(opt.value())?),
            PREVIEW => asked.preview = true,
            DOT_ALL => asked.dot_all = true,
            NO_IGNORE => no_ignore(&mut asked),
            IGNORE_ALL => {
                asked.sources =
                    Sources { dot: true, git: true, exclude: true, global: true, parents: true, ..asked.sources };
            }
            NO_DOT => asked.sources.dot = false,
            NO_EXCLUDE => asked.sources.exclude = false,
            NO_IGNORE_FILES => asked.no_ignore_files = true,
            NO_GLOBAL => asked.sources.global = false,
            NO_PARENT => asked.sources.parents = false,
            NO_VCS => {
                (asked.sources.git, asked.sources.exclude, asked.sources.global) = (false, false, false);
            }
            NO_MESSAGES => asked.no_messages = true,
            NO_IGNORE_MESSAGES => asked.no_ignore_messages = true,
            NO_REQUIRE_GIT => asked.sources.require_git = false,
            NO_UNICODE | NO_PCRE2_UNICODE => asked.unicode = false,
            PCRE2_UNICODE => asked.unicode = true,
            PCRE2_VERSION => {
                let mut out = Out::stdout();
                out.write(b"Patterns of Perl's kind are Capsule's own; PCRE2 is not there.\n");
                return Err(report::finish(&mut out, 0).map_or_else(|exit| exit, Exit));
            }
            NULL_DATA => (asked.null_data, asked.crlf) = (true, false),
            ONE_FILE_SYSTEM => asked.one_file_system = true,
            PASSTHRU => (asked.passthru, asked.before, asked.after) = (true, None, None),
            PATH_SEPARATOR => match opt.value() {
                [separator] => asked.path_separator = Some(*separator),
                text => {
                    let shown = opt.text();
                    return Err(plain(&format!(
                        "A path separator must be exactly one byte, but the given separator is {} bytes: {shown}\n\
                         In some shells on Windows '/' is automatically expanded. Use '//' instead.",
                        text.len()
                    )));
                }
            },
            SORT | SORTR => {
                let by = match opt.value() {
                    b"none" => None,
                    b"path" => Some(Sort::Path),
                    b"modified" => Some(Sort::Modified),
                    b"accessed" => Some(Sort::Accessed),
                    b"created" => Some(Sort::Created),
                    _ => return Err(report::die(TROUBLE, format_args!("choice '{}' is unrecognized", opt.text()))),
                };
                asked.sort = by.map(|by| (by, opt.letter == SORTR));
            }
            SORT_FILES => asked.sort = Some((Sort::Path, false)),
            STATS => asked.stats = true,
            NO_STATS => asked.stats = false,
            TRIM => asked.trim = true,
            NO_TRIM => asked.trim = false,
            TYPE_ADD => {
                if !asked.types.add(&opt.text()) {
                    let text = "invalid definition (format is type:glob, e.g., html:*.html)";
                    return Err(plain(text));
                }
            }
            TYPE_CLEAR => asked.types.clear(&opt.text()),
            TYPE_LIST => type_list = true,
            VIMGREP => (asked.vimgrep, asked.column, numbers) = (true, true, numbers.or(Some(true))),
            // Only how fast it is, or what is so already.
            BLOCK_BUFFERED | MMAP | NO_MMAP | NO_CONFIG => {}
            CRLF => (asked.crlf, asked.null_data) = (true, false),
            NO_CRLF => asked.crlf = false,
            SIZE_LIMIT => asked.size_limit = Some(size(opt.value())?),
            DFA_LIMIT => asked.cache_limit = Some(size(opt.value())?),
            JSON => asked.json = true,
            AUTO_HYBRID => asked.perl_if_needed = true,
            NO_AUTO_HYBRID => asked.perl_if_needed = false,
            PRE => asked.pre = Some(opt.value().to_vec()).filter(|command| !command.is_empty()),
            NO_PRE => asked.pre = None,
            PRE_GLOB => asked.pre_globs.add(opt.value())?,
            _ => asked.colors.set(&opt.text()).map_err(|text| plain(&text))?,
        }
    }
    let mut operands = options.operands().into_iter();
    if type_list {
        let mut out = Out::stdout();
        out.write(asked.types.list().as_bytes());
        return Err(report::finish(&mut out, 0).map_or_else(|exit| exit, Exit));
    }
    if !pattern_given && asked.mode != Mode::Files {
        match operands.next() {
            Some(pattern) => asked.patterns.push(pattern.to_vec()),
            None => return Err(report::usage(TROUBLE, "a pattern is required")),
        }
    }
    asked.operands = operands.map(<[u8]>::to_vec).collect();
    if let Some(context) = given.last() {
        asked.before = asked.before.or(Some(*context));
        asked.after = asked.after.or(Some(*context));
    }
    for (name, wanted) in types {
        if !asked.types.choose(&name, wanted) {
            return Err(plain(&format!("unrecognized file type: {name}")));
        }
    }
    for (glob, fold) in globs {
        if let Err(why) = asked.overrides.add(&glob, fold || fold_globs) {
            return Err(bad_glob(&glob, why));
        }
    }
    if unrestricted > 0 {
        no_ignore(&mut asked);
    }
    asked.hidden |= unrestricted > 1;
    asked.binary |= unrestricted > 2;
    asked.heading = heading.unwrap_or(asked.heading) && !asked.vimgrep;
    asked.numbers = numbers.unwrap_or(asked.numbers || asked.json);
    if asked.json && asked.mode != Mode::Lines {
        return Err(report::die(TROUBLE, "--json cannot be used together with names, counts or --files"));
    }
    // Matches are told one by one: so they are where lines are turned around.
    if asked.mode == Mode::CountMatches && asked.invert || asked.mode == Mode::Count && asked.only_matching {
        asked.mode = if asked.invert { Mode::Count } else { Mode::CountMatches };
    }
    Ok(asked)
}

fn no_ignore(asked: &mut Asked) {
    asked.sources = Sources { dot: false, git: false, exclude: false, global: false, parents: false, ..asked.sources };
    asked.no_ignore_files = true;
}

fn refuse(what: &str) -> Exit {
    report::die(TROUBLE, format_args!("the option {what} is not supported"))
}

fn count(text: &[u8]) -> Result<u64, Exit> {
    let shown = || String::from_utf8_lossy(text).into_owned();
    number::unsigned(text, b"").map_err(|_| report::die(TROUBLE, format_args!("invalid number '{}'", shown())))
}

/// A number of bytes, perhaps with K, M or G.
fn size(text: &[u8]) -> Result<u64, Exit> {
    let (digits, unit) = match text {
        [digits @ .., b'K'] => (digits, 1 << 10),
        [digits @ .., b'M'] => (digits, 1 << 20),
        [digits @ .., b'G'] => (digits, 1 << 30),
        digits => (digits, 1),
    };
    match number::unsigned(digits, b"") {
        Ok(n) if digits.iter().all(u8::is_ascii_digit) => Ok(n.saturating_mul(unit)),
        _ => Err(plain(&format!(
            "invalid format for size '{}', which should be a sequence of digits followed by an optional \
             'K', 'M' or 'G' suffix",
            String::from_utf8_lossy(text)
        ))),
    }
}

/// A message without the command's name before it, as rg has them.
pub fn plain(message: &str) -> Exit {
    report::plain(&format!("{message}\n"));
    Exit(TROUBLE)
}

fn bad_glob(glob: &[u8], why: &str) -> Exit {
    plain(&format!("error parsing glob '{}': {why}", String::from_utf8_lossy(glob)))
}

/// Where it is not known what a terminal can do, it gets no colors unless they are asked for by name.
fn terminal_has_colors() -> bool {
    getenv(b"TERM").is_some_and(|term| term != b"dumb") && getenv(b"NO_COLOR").is_none()
}

/// The names that `--pre` is for: all, where none are given.
#[derive(Default)]
pub struct PreGlobs {
    globs: Overrides,
    any: bool,
}

impl PreGlobs {
    fn add(&mut self, glob: &[u8]) -> Result<(), Exit> {
        self.any = true;
        self.globs.add(glob, false).map_err(|why| bad_glob(glob, why))
    }

    pub fn is_empty(&self) -> bool {
        !self.any
    }

    pub fn verdict(&self, path: &[u8]) -> bool {
        self.globs.verdict(path, false) != Verdict::Ignore
    }
}

/// `\n`, `\t`, `\x41` in separators.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&b, more)) = rest.split_first() {
        rest = more;
        match (b, more) {
            (b'\\', [b'x', high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
                out.push(digit(*high) << 4 | digit(*low));
                rest = after;
            }
            (b'\\', [letter @ (b'n' | b'r' | b't' | b'0' | b'\\'), after @ ..]) => {
                out.push(match letter {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'0' => 0,
                    _ => b'\\',
                });
                rest = after;
            }
            _ => out.push(b),
        }
    }
    out
}

/// The lines of a file of patterns.
fn from_file(name: &[u8]) -> Result<Vec<Vec<u8>>, Exit> {
    let mut text = Vec::new();
    match Input::open(name).and_then(|mut input| input.stream.read_to_end(&mut text)) {
        Ok(()) if text.is_empty() => Ok(Vec::new()),
        Ok(()) => {
            let text = text.strip_suffix(b"\n").unwrap_or(&text);
            Ok(text.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec()).collect())
        }
        Err(e) => Err(plain(&format!("{}: {}", String::from_utf8_lossy(name), super::describe(e)))),
    }
}

use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::Out;

mod page;
mod paper;
mod source;
use page::Printer;

pub const HELP: &str = "\
Usage: pr [OPTION]... [FILE]...
Lay FILEs out in pages, or columns, to be printed.
Standard input is read where FILE is - or missing.

  +FIRST[:LAST], --pages=FIRST[:LAST]  begin and end with these pages
  -COLUMN, --columns=COLUMN  output COLUMN columns, filled downwards
  -a, --across      fill columns across rather than down
  -b                balance columns (always done)
  -c, --show-control-chars  use hat notation (^G) and octal backslashes
  -d, --double-space  double space the output
  -D, --date-format=FORMAT  use FORMAT for the header date
  -e[CHAR[WIDTH]], --expand-tabs[=CHAR[WIDTH]]  expand input CHARs (TABs) to
                    tab WIDTH (8)
  -F, -f, --form-feed  separate pages by form feeds, not newlines
  -h, --header=HEADER  a centered HEADER instead of the file's name
  -i[CHAR[WIDTH]], --output-tabs[=CHAR[WIDTH]]  replace spaces with CHARs
                    (TABs) to tab WIDTH (8)
  -J, --join-lines  merge full lines: no truncation, no alignment
  -l, --length=PAGE_LENGTH  lines of a page (66); 10 or less implies -t
  -m, --merge       print all files in parallel, one in each column
  -n[SEP[DIGITS]], --number-lines[=SEP[DIGITS]]  number lines with DIGITS (5)
                    digits, then SEP (TAB)
  -N, --first-line-number=NUMBER  start counting with NUMBER
  -o, --indent=MARGIN  offset each line with MARGIN spaces
  -r, --no-file-warnings  say nothing of files that cannot be opened
  -s[CHAR], --separator[=CHAR]  separate columns by a character
  -S[STRING], --sep-string[=STRING]  separate columns by STRING
  -t, --omit-header  omit page headers and trailers
  -T, --omit-pagination  also eliminate form feeds of the input
  -v, --show-nonprinting  use octal backslash notation
  -w, --width=PAGE_WIDTH  page width (72) for multiple columns only
  -W, --page-width=PAGE_WIDTH  page width (72) always; truncate lines
      --help        print this help
      --version     print the version
";

const PAGES: char = only(0);
const COLUMNS: char = only(1);
const LONG: &[Long] = &[
    ("pages", REQ, PAGES),
    ("columns", REQ, COLUMNS),
    ("across", NO, 'a'),
    ("show-control-chars", NO, 'c'),
    ("double-space", NO, 'd'),
    ("date-format", REQ, 'D'),
    ("expand-tabs", OPT, 'e'),
    ("form-feed", NO, 'f'),
    ("header", REQ, 'h'),
    ("output-tabs", OPT, 'i'),
    ("join-lines", NO, 'J'),
    ("length", REQ, 'l'),
    ("merge", NO, 'm'),
    ("number-lines", OPT, 'n'),
    ("first-line-number", REQ, 'N'),
    ("indent", REQ, 'o'),
    ("no-file-warnings", NO, 'r'),
    ("separator", OPT, 's'),
    ("sep-string", OPT, 'S'),
    ("omit-header", NO, 't'),
    ("omit-pagination", NO, 'T'),
    ("show-nonprinting", NO, 'v'),
    ("width", REQ, 'w'),
    ("page-width", REQ, 'W'),
];

/// Where the cells of a page come from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Layout {
    Down,
    Across,
    Parallel,
}

/// How characters without a shape are shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unprintable {
    AsIs,
    /// `^G` and `\ooo`.
    Hat,
    /// `\ooo`.
    Octal,
}

/// What the options say, settled.
#[derive(Clone, Debug)]
pub struct Settings {
    pub first_page: u64,
    pub last_page: u64,
    pub columns: usize,
    pub layout: Layout,
    pub unprintable: Unprintable,
    pub double: bool,
    pub date_format: Option<Vec<u8>>,
    pub header: Option<Vec<u8>>,
    pub expand: Option<(u8, usize)>,
    pub output_tabs: Option<(u8, usize)>,
    pub form_feed: bool,
    pub join: bool,
    pub length: usize,
    pub numbers: Option<(u8, usize)>,
    pub first_number: Option<i64>,
    pub margin: usize,
    pub separator: Option<Vec<u8>>,
    /// Headers and footers are written.
    pub extremities: bool,
    /// Form feeds of the input are kept where there are no headers.
    pub keep_form_feeds: bool,
    pub width: usize,
    pub truncate: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            first_page: 1,
            last_page: u64::MAX,
            columns: 1,
            layout: Layout::Down,
            unprintable: Unprintable::AsIs,
            double: false,
            date_format: None,
            header: None,
            expand: None,
            output_tabs: None,
            form_feed: false,
            join: false,
            length: 66,
            numbers: None,
            first_number: None,
            margin: 0,
            separator: None,
            extremities: true,
            keep_form_feeds: false,
            width: 72,
            truncate: false,
        }
    }
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "0123456789abcD:de::fFh:i::Jl:mn::N:o:rs::S::tTvw:W:", LONG);
    let mut s = Settings::default();
    let (mut quiet, mut explicit_columns, mut pages) = (false, false, false);
    let (mut old_width, mut old_separator): (bool, Option<Option<Vec<u8>>>) = (false, None);
    // The digits of `-12`, which come one by one.
    let mut digits = Vec::new();
    let mut across = false;
    while let Some(opt) = options.next()? {
        if opt.letter.is_ascii_digit() {
            digits.push(opt.letter as u8);
            s.columns = positive(&digits, "invalid number of columns")?;
            explicit_columns = true;
            continue;
        }
        digits.clear();
        match opt.letter {
            PAGES => {
                // What begins as no number is refused in other words than a range that is none.
                let value = opt.value();
                let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
                let refuse = |bad| number::refuse(1, "--pages", value, bad);
                let first = number::unsigned(&value[..digits], b"").map_err(refuse)?;
                if let Some(last) = value[digits..].strip_prefix(b":").filter(|_| first > 0) {
                    if !last.first().is_some_and(u8::is_ascii_digit) {
                        return Err(report::die(1, format_args!("invalid --pages argument {}", quote::plain(value))));
                    }
                    number::unsigned(last, b"").map_err(refuse)?;
                }
                set_pages(&mut s, opt.value())
                    .ok_or_else(|| report::die(1, format_args!("invalid page range {}", locale(opt.value()))))?;
                pages = true;
            }
            COLUMNS => {
                s.columns = positive(opt.value(), "invalid number of columns")?;
                explicit_columns = true;
            }
            'a' => across = true,
            'b' => {}
            'c' => s.unprintable = Unprintable::Hat,
            'd' => s.double = true,
            'D' => s.date_format = Some(opt.value().to_vec()),
            'e' => s.expand = Some(char_and_number(opt.value, 'e', s.expand.unwrap_or((b'\t', 8)))?),
            'f' | 'F' => s.form_feed = true,
            'h' => s.header = Some(opt.value().to_vec()),
            'i' => s.output_tabs = Some(char_and_number(opt.value, 'i', s.output_tabs.unwrap_or((b'\t', 8)))?),
            'J' => s.join = true,
            'l' => s.length = positive(opt.value(), "'-l PAGE_LENGTH' invalid number of lines")?,
            'm' => s.layout = Layout::Parallel,
            'n' => s.numbers = Some(char_and_number(opt.value, 'n', s.numbers.unwrap_or((b'\t', 5)))?),
            'N' => {
                let what = "'-N NUMBER' invalid starting line number";
                s.first_number = Some(within(opt.value(), i32::MIN.into(), i32::MAX.into(), what)?);
            }
            'o' => {
                s.margin = within(opt.value(), 0, 1 << 20, "'-o MARGIN' invalid line offset")? as usize;
            }
            'r' => quiet = true,
            's' => {
                if s.separator.is_none() {
                    old_separator = Some(opt.value.map(<[u8]>::to_vec));
                }
            }
            'S' => {
                old_separator = None;
                s.separator = Some(opt.value.unwrap_or_default().to_vec());
            }
            't' => (s.extremities, s.keep_form_feeds) = (false, true),
            'T' => (s.extremities, s.keep_form_feeds) = (false, false),
            'v' => s.unprintable = Unprintable::Octal,
            'w' => {
                s.width = positive(opt.value(), "'-w PAGE_WIDTH' invalid number of characters")?;
                old_width = true;
            }
            _ => {
                s.width = positive(opt.value(), "'-W PAGE_WIDTH' invalid number of characters")?;
                s.truncate = true;
            }
        }
    }
    let mut operands = options.operands();
    if !pages && let Some(at) = operands.iter().position(|o| o.starts_with(b"+")) {
        let value = &operands[at][1..];
        match set_pages(&mut s, value) {
            Some(_) => drop(operands.remove(at)),
            // Pages in the wrong order are the name of a file.
            None if value.first().is_some_and(u8::is_ascii_digit) => {}
            None => return Err(report::die(1, format_args!("invalid + argument {}", quote::quoted(value)))),
        }
    }
    if s.layout == Layout::Parallel && explicit_columns {
        return Err(report::die(1, "cannot specify number of columns when printing in parallel"));
    }
    if across && s.layout == Layout::Parallel {
        return Err(report::die(1, "cannot specify both printing across and printing in parallel"));
    }
    if across {
        s.layout = Layout::Across;
    }
    s.old_options(old_width, old_separator, explicit_columns);
    let files: Vec<&[u8]> = if operands.is_empty() { vec![b"-"] } else { operands };
    s.settle(files.len())?;
    let mut out = Out::stdout();
    let mut good = true;
    let groups: Vec<&[&[u8]]> = if s.layout == Layout::Parallel { vec![&files] } else { files.chunks(1).collect() };
    for group in groups {
        let (sources, opened) = source::open(group, quiet);
        good &= opened;
        if sources.is_empty() {
            continue;
        }
        let mut settings = s.clone();
        if settings.layout == Layout::Parallel {
            settings.columns = sources.len();
        }
        let mut printer = Printer::new(settings, sources, group[0], &mut out)?;
        good &= printer.run();
        if !printer.all_read() {
            let _ = out.flush();
            return Err(Exit(1));
        }
        report::writable(&out)?;
    }
    report::finish(&mut out, u8::from(!good))
}

fn positive(text: &[u8], what: &str) -> Result<usize, Exit> {
    within(text, 1, i32::MAX.into(), what).map(|n| n as usize)
}

fn within(text: &[u8], least: i64, most: i64, what: &str) -> Result<i64, Exit> {
    let reason = match number::signed(text, b"") {
        Ok(n) if (least..=most).contains(&n) => return Ok(n),
        Ok(n) if n.unsigned_abs() < 1 << 30 => ": Numerical result out of range",
        Ok(_) | Err(number::Bad::Overflow) => ": Value too large for defined data type",
        Err(number::Bad::Invalid) => "",
    };
    Err(report::die(1, format_args!("{what}: {}{reason}", locale(text))))
}

/// `FIRST[:LAST]`.
fn set_pages(s: &mut Settings, text: &[u8]) -> Option<()> {
    let number = |text: &[u8]| number::unsigned(text, b"").ok().filter(|n| *n > 0 && text[0].is_ascii_digit());
    let (first, last) = match text.iter().position(|&b| b == b':') {
        Some(colon) => (number(&text[..colon])?, number(&text[colon + 1..])?),
        None => (number(text)?, u64::MAX),
    };
    if last < first {
        return None;
    }
    (s.first_page, s.last_page) = (first, last);
    Some(())
}

/// What is not given stays as it was.
fn char_and_number(text: Option<&[u8]>, letter: char, (mut c, mut n): (u8, usize)) -> Result<(u8, usize), Exit> {
    let mut rest = text.unwrap_or_default();
    if let Some(first) = rest.first().filter(|b| !b.is_ascii_digit()) {
        c = *first;
        rest = &rest[1..];
    }
    if !rest.is_empty() {
        let value = number::unsigned(rest, b"").ok().filter(|n| *n > 0 && *n < 1 << 20);
        n = value.ok_or_else(|| {
            let text = format!("'-{letter}' extra characters or invalid number in the argument: {}", locale(rest));
            report::usage(1, text)
        })? as usize;
    }
    Ok((c, n))
}

impl Settings {
    /// `-s` and `-w` mean `-S`, `-J` or `-W`, depending on what else is there.
    fn old_options(&mut self, old_width: bool, old_separator: Option<Option<Vec<u8>>>, explicit_columns: bool) {
        let columns = self.layout == Layout::Parallel || explicit_columns;
        let given = old_separator.clone().flatten();
        if old_width {
            if columns {
                self.truncate = true;
                if old_separator.is_some() {
                    self.separator.get_or_insert(given.unwrap_or_default());
                }
            } else {
                self.join = true;
            }
        } else if self.separator.is_none() && old_separator.is_some() && columns {
            if self.truncate {
                self.separator = Some(given.unwrap_or_default());
            } else {
                self.join = true;
                self.separator = given.filter(|g| !g.is_empty());
            }
        }
    }

    /// What follows from the rest.
    fn settle(&mut self, files: usize) -> Result<(), Exit> {
        if self.extremities && self.length <= page::HEADER + page::FOOTER {
            (self.extremities, self.keep_form_feeds) = (false, true);
        }
        if self.layout == Layout::Parallel {
            self.columns = files;
        }
        if self.columns > 1 {
            let aligned = !self.join;
            let separator = match self.separator.take() {
                None if self.join => b"\t".to_vec(),
                None => b" ".to_vec(),
                // Columns that are aligned have no use for a tab between them.
                Some(s) if aligned && s == b"\t" => b" ".to_vec(),
                Some(s) => s,
            };
            if separator != b"\t" {
                self.expand.get_or_insert((b'\t', 8));
            }
            self.separator = Some(separator);
            self.truncate = true;
            self.output_tabs.get_or_insert((b'\t', 8));
        } else if self.separator.as_ref().is_some_and(Vec::is_empty) {
            self.separator = None;
        }
        if self.join {
            self.truncate = false;
        }
        Ok(())
    }
}

//! `sdiff`: two columns, and with `-o` a merge by questions.

use super::diff::Columns;
use crate::compare::{Change, Effort, Ignore, Space, Text, changes};
use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::plain;
use crate::{Args, Exit, Outcome, report};
use capsule_regex::Regex;
use capsule_sys::{FileType, In, OpenFlags, Out, STDIN, open, stat};

pub const HELP: &str = "\
Usage: sdiff [OPTION]... FILE1 FILE2
Show two files side by side, or merge them.

  -o, --output=FILE            ask which side to take, and write that to FILE
  -i, --ignore-case            upper and lower case are alike
  -E, --ignore-tab-expansion   a tab is like the spaces it stands for
  -Z, --ignore-trailing-space  blanks at the end of lines do not count
  -b, --ignore-space-change    how many blanks there are does not count
  -W, --ignore-all-space       blanks do not count
  -B, --ignore-blank-lines     leave out changes of blank lines only
  -I, --ignore-matching-lines=RE  leave out changes of lines matching RE only
      --strip-trailing-cr      a carriage return at the end does not count
  -a, --text                   files are text, whatever they look like
  -w, --width=NUM              lines of NUM columns at the most (130)
  -l, --left-column            show common lines on the left only
  -s, --suppress-common-lines  leave out common lines
  -t, --expand-tabs            turn tabs of the lines into spaces
      --tabsize=NUM            a tab goes to the next multiple of NUM (8)
  -d, --minimal                look longer for fewer changes
  -H, --speed-large-files      for large files with many small changes
      --help                   print this help
  -v, --version                print the version

- is standard input.
Status: 0 alike, 1 not alike, 2 an error.
";

const LONG: &[Long] = &[
    ("expand-tabs", NO, 't'),
    ("ignore-all-space", NO, 'W'),
    ("ignore-blank-lines", NO, 'B'),
    ("ignore-case", NO, 'i'),
    ("ignore-matching-lines", REQ, 'I'),
    ("ignore-space-change", NO, 'b'),
    ("ignore-tab-expansion", NO, 'E'),
    ("ignore-trailing-space", NO, 'Z'),
    ("left-column", NO, 'l'),
    ("minimal", NO, 'd'),
    ("output", REQ, 'o'),
    ("speed-large-files", NO, 'H'),
    ("strip-trailing-cr", NO, STRIP_CR),
    ("suppress-common-lines", NO, 's'),
    ("tabsize", REQ, TABSIZE),
    ("text", NO, 'a'),
    ("width", REQ, 'w'),
];
const STRIP_CR: char = only(0);
const TABSIZE: char = only(1);
const TROUBLE: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Named);
    report::output_fails(TROUBLE, "standard output");
    let mut options = Options::new(args, "abBdEHiI:lo:stvw:WZ", LONG).status(TROUBLE);
    let (mut width, mut tab, mut expand, mut left, mut suppress) = (130, 8, false, false, false);
    let (mut ignore, mut effort) = (Ignore::default(), Effort::default());
    let (mut blank, mut text, mut strip_cr, mut output) = (false, false, false, None);
    let mut patterns = Vec::new();
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => text = true,
            'b' => ignore.space = Space::Amount,
            'B' => blank = true,
            'd' => effort.minimal = true,
            'E' => ignore.space = Space::TabExpansion,
            // A hint about speed.
            'H' => {}
            'i' => ignore.case = true,
            'I' => patterns.push(
                Regex::new(opt.value(), &capsule_regex::Options::default())
                    .map_err(|e| report::die(TROUBLE, format_args!("{}: {e}", opt.text())))?,
            ),
            'l' => left = true,
            'o' => output = opt.value,
            's' => suppress = true,
            't' => expand = true,
            'w' => width = number(opt.value(), "width")?,
            'W' => ignore.space = Space::All,
            'Z' => ignore.space = Space::Trailing,
            TABSIZE => tab = number(opt.value(), "tabsize")?,
            STRIP_CR => strip_cr = true,
            _ => {
                let mut out = Out::stdout();
                out.write(format!("sdiff (Capsule) {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
                return report::finish(&mut out, 0);
            }
        }
    }
    ignore.tab_size = tab;
    let operands = options.operands();
    let [first, second] = operands[..] else {
        return Err(match operands.get(2) {
            Some(extra) => report::usage(TROUBLE, format_args!("extra operand {}", plain(extra))),
            None => {
                let last = args.argv.last().map_or(b"sdiff".as_slice(), Vec::as_slice);
                report::usage(TROUBLE, format_args!("missing operand after {}", plain(last)))
            }
        });
    };
    let [mut a, mut b] = [read(first, second)?, read(second, first)?];
    if !text && (a.is_binary() || b.is_binary()) && a.bytes != b.bytes {
        let mut out = Out::stdout();
        out.write(&[b"Binary files ", first, b" and ", second, b" differ\n"].concat());
        return report::finish(&mut out, 1);
    }
    if strip_cr {
        a.strip_carriage_returns();
        b.strip_carriage_returns();
    }
    let trivial = |line: &[u8]| {
        let rest = if ignore.space >= Space::Amount { line.trim_ascii_start() } else { line };
        (blank && rest.is_empty()) || patterns.iter().any(|r| r.is_match(line))
    };
    let ignorable = |c: &Change| {
        (c.a..c.a + c.deleted).all(|n| trivial(a.content(n))) && (c.b..c.b + c.inserted).all(|n| trivial(b.content(n)))
    };
    let changes: Vec<Change> = changes(&a, &b, &ignore, effort).into_iter().filter(|c| !ignorable(c)).collect();
    let mut columns = Columns::new(width, tab, expand);
    (columns.left_only, columns.suppress_common) = (left, suppress);
    let mut out = Out::stdout();
    match output {
        None => {
            let marked: Vec<(Change, bool)> = changes.iter().map(|c| (*c, false)).collect();
            super::diff::print_side(&columns, &mut out, &a, &b, &marked, None);
        }
        Some(path) => interact(&columns, &mut out, &a, &b, &changes, path)?,
    }
    // It is diff that GNU's has write.
    report::set_program(b"diff");
    report::finish(&mut out, u8::from(!changes.is_empty()))
}

fn number(text: &[u8], what: &str) -> Result<usize, Exit> {
    let number = std::str::from_utf8(text).ok().and_then(|t| t.parse::<usize>().ok()).filter(|&n| n > 0);
    // It is diff that reads it, where GNU's starts one.
    number.ok_or_else(|| {
        report::set_program(b"diff");
        report::usage(TROUBLE, format_args!("invalid {what} {}", plain(text)))
    })
}

/// A file, or the one of the other's name in a directory.
fn read(name: &[u8], other: &[u8]) -> Result<Text, Exit> {
    // As the `diff` says it that GNU's starts.
    let fault = |name: &[u8], e| {
        report::plain(&format!("diff: {}: {e}\n", crate::quote::raw(name)));
        Exit(TROUBLE)
    };
    if name == b"-" {
        return Text::read(STDIN).map_err(|e| fault(name, e));
    }
    let mut path = name.to_vec();
    if stat(name).is_ok_and(|s| s.kind == FileType::Directory) {
        path = crate::input::join(name, crate::input::base_name(other));
    }
    let file = open(&path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).map_err(|e| fault(&path, e))?;
    Text::read(file.raw()).map_err(|e| fault(&path, e))
}

/// Common lines go to the file; each change is shown and a command says which side is taken.
fn interact(columns: &Columns, out: &mut Out, a: &Text, b: &Text, changes: &[Change], path: &[u8]) -> Result<(), Exit> {
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
    let fault = |e| report::die(TROUBLE, format_args!("{}: {e}", crate::quote::raw(path)));
    let file = open(path, flags, 0o666).map_err(fault)?;
    let mut merged = Out::new(file.raw());
    let mut input = In::new(STDIN);
    let mut columns = *columns;
    let mut at = 0;
    for change in changes {
        common(&columns, out, a, b, (at, change.a), change.b);
        (at..change.a).for_each(|n| merged.write(a.line(n)));
        at = change.a + change.deleted;
        let quiet = columns.suppress_common;
        columns.suppress_common = true;
        let one = [(Change { ..*change }, false)];
        super::diff::print_side(&columns, out, a, b, &one, None);
        columns.suppress_common = quiet;
        loop {
            out.byte(b'%');
            let _ = out.flush();
            let mut line = Vec::new();
            let read = input.read_until(b'\n', &mut line).map_err(fault)?;
            match (read, line.trim_ascii()) {
                (true, b"l" | b"1") => (change.a..at).for_each(|n| merged.write(a.line(n))),
                (true, b"r" | b"2") => {
                    (change.b..change.b + change.inserted).for_each(|n| merged.write(b.line(n)));
                }
                (true, b"s") => {
                    columns.suppress_common = true;
                    continue;
                }
                (true, b"v") => {
                    columns.suppress_common = false;
                    continue;
                }
                (false, _) | (true, b"q") => {
                    merged.flush().map_err(fault)?;
                    return Err(Exit(TROUBLE));
                }
                _ => {
                    out.write(
                        b"l or 1:\tUse the left version.\nr or 2:\tUse the right version.\n\
                          s:\tSilently include common lines.\nv:\tVerbosely include common lines.\nq:\tQuit.\n",
                    );
                    continue;
                }
            }
            break;
        }
    }
    let last = changes.last().map_or(0, |c| c.b + c.inserted);
    common(&columns, out, a, b, (at, a.len()), b.len().max(last));
    (at..a.len()).for_each(|n| merged.write(a.line(n)));
    merged.flush().map_err(fault)
}

fn common(columns: &Columns, out: &mut Out, a: &Text, b: &Text, x: (usize, usize), b_end: usize) {
    if columns.suppress_common {
        return;
    }
    let count = x.1 - x.0;
    for n in 0..count {
        let right = (!columns.left_only).then(|| b.line(b_end - count + n));
        columns.line(out, Some(a.line(x.0 + n)), if columns.left_only { b'(' } else { b' ' }, right);
    }
}

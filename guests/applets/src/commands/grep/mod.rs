//! `grep` and its other names. The whole buffer is searched at once; lines are looked at where something was found.
//!
//! * [`options`]: the command line; [`patterns`]: what is searched for; [`files`]: operands, directories, globs
//! * [`search`]: one input; [`print`]: lines, with what is put before and around them

mod files;
mod options;
mod patterns;
mod print;
mod search;

use crate::{Args, Outcome, report};
use capsule_sys::{FileType, Out, fstat, stat};

pub const HELP: &str = "\
Usage: grep [OPTION]... PATTERNS [FILE]...
Print the lines of each FILE that match one of PATTERNS.
PATTERNS are one or more patterns, separated by newlines.

Patterns:
  -E, --extended-regexp     extended expressions
  -F, --fixed-strings       no expressions, just text
  -G, --basic-regexp        basic expressions (so it is)
  -P, --perl-regexp         PATTERNS is one Perl regular expression
  -e, --regexp=PATTERNS     search for PATTERNS
  -f, --file=FILE           read PATTERNS from FILE, one a line
  -i, --ignore-case         upper and lower case are the same
      --no-ignore-case      they are not (default)
  -w, --word-regexp         whole words only
  -x, --line-regexp         whole lines only
  -z, --null-data           a line ends in a 0 byte, not a newline

Miscellaneous:
  -s, --no-messages         no messages about files that cannot be read
  -v, --invert-match        select the lines that do not match
  -V, --version             print the version
      --help                print this help

Output:
  -m, --max-count=NUM       NUM lines and no more
  -b, --byte-offset         print the byte offset of each output line
  -n, --line-number         print the number of each output line
      --line-buffered       write every line at once
  -H, --with-filename       print the file name of each output line
  -h, --no-filename         print no file names
      --label=LABEL         the name of standard input
  -o, --only-matching       print only what matched, each match on a line
  -q, --quiet, --silent     print nothing
      --binary-files=TYPE   how to treat binary files:
                            'binary', 'text', or 'without-match'
  -a, --text                the same as --binary-files=text
  -I                        the same as --binary-files=without-match
  -d, --directories=ACTION  how to treat directories:
                            'read', 'recurse', or 'skip'
  -D, --devices=ACTION      how to treat devices, FIFOs and sockets:
                            'read' or 'skip'
  -r, --recursive           the same as --directories=recurse
  -R, --dereference-recursive  likewise, and follow all symbolic links
      --include=GLOB        search only files that match GLOB
      --exclude=GLOB        no files named like GLOB
      --exclude-from=FILE   skip files that match a pattern in FILE
      --exclude-dir=GLOB    no directories named like GLOB
  -L, --files-without-match  print only the names of files without a selected line
  -l, --files-with-matches  print only the names of files with a selected line
  -c, --count               print only the number of selected lines
  -T, --initial-tab         make tabs line up
  -Z, --null                print a 0 byte after a file name

Context:
  -B, --before-context=NUM  print NUM lines before
  -A, --after-context=NUM   print NUM lines after
  -C, --context=NUM         print NUM lines before and after
  -NUM                      the same as --context=NUM
      --group-separator=SEP  print SEP between groups of lines
      --no-group-separator  print nothing between them
      --color[=WHEN],
      --colour[=WHEN]       mark what matched: 'always', 'never', or 'auto'
  -U, --binary              keep CR at the end of lines (always so here)

FILE may be -, standard input. Without one, -r means the working directory,
and otherwise standard input is read. One file's name is not printed.
Status: 0 a line was selected, 1 none was, 2 an error
(but 0 where -q had found a line).
";

pub const USAGE: &str = "grep [OPTION]... PATTERNS [FILE]...";

/// The status of an error.
const TROUBLE: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    report::usage_line(USAGE);
    let name = args.argv.first().map(|name| crate::input::base_name(name)).unwrap_or_default();
    // The other names are scripts around `grep` elsewhere, and its messages say so.
    if matches!(name, b"egrep" | b"fgrep") {
        report::set_program(b"grep");
    }
    let mut asked = options::parse(args, name)?;
    let output = fstat(1).ok();
    // What nobody sees is only searched for the status.
    let nowhere = stat(b"/dev/null").ok();
    asked.quiet |= output.zip(nowhere).is_some_and(|(a, b)| (a.dev, a.ino) == (b.dev, b.ino));
    let matcher = patterns::Matcher::new(&asked)?;
    let mut out = Out::stdout();
    let status = {
        let mut search = search::Search::new(&asked, &matcher, &mut out);
        // What is written is not to be read again.
        search.output = output.filter(|output| output.kind == FileType::Regular);
        files::all(&mut search)
    };
    match out.flush() {
        Err(e) if status.is_ok() => Err(report::die(TROUBLE, format_args!("write error: {e}"))),
        _ => status,
    }
}

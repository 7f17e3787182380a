//! `rg`: searches directories, and passes over what is ignored, hidden or binary.
//!
//! * [`options`]: the command line; [`pattern`]: what is searched for
//! * [`walk`]: files to search, with [`ignore`] for ignore files and [`types`] for file types
//! * [`print`]: lines of output; [`multiline`]: matches that go over the ends of lines

mod colors;
mod ignore;
mod json;
mod multiline;
mod options;
mod pattern;
mod print;
mod through;
mod types;
mod walk;

use crate::lines::{Binary, Found, Plan, Searcher};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, FileType, OpenFlags, Out, STDIN, clock, fstat, open, stat};
use options::{Asked, Mode};
use pattern::Matcher;
use print::{Printer, Totals};
use walk::{Sort, Walk};

pub const HELP: &str = "\
Usage: rg [OPTIONS] PATTERN [PATH ...]
Search the files below each PATH (the current directory) for PATTERN.
PATTERN is a regular expression in the syntax of Rust's regex crate. Files named
in .gitignore, .ignore and .rgignore, hidden and binary files are passed over.

Search:
  -e, --regexp PATTERN      a pattern to search for, more than once if need be
  -f, --file FILE           patterns from a file, one a line
  -F, --fixed-strings       patterns are plain text
  -P, --pcre2               patterns of Perl's kind: look-around, back-references
  -i, --ignore-case         upper and lower case are the same
  -s, --case-sensitive      they are not (default)
  -S, --smart-case          they are, unless the pattern has upper case
  -w, --word-regexp         match whole words
  -x, --line-regexp         match whole lines
  -v, --invert-match        print lines that do not match
  -U, --multiline           a match may go over the ends of lines
      --multiline-dotall    '.' matches the end of a line too, with -U
  -m, --max-count NUM       at most NUM lines of each file
  -a, --text                search binary files as if they were text
      --binary              search binary files
      --null-data           lines end in a 0 byte
      --crlf                a line may end in a carriage return and a newline
      --no-unicode          \\w, \\d and case are those of ASCII
      --engine ENGINE       default, pcre2 or auto; --auto-hybrid-regex: auto
      --regex-size-limit NUM[K|M|G], --dfa-size-limit NUM[K|M|G]
  -E, --encoding ENCODING   utf-8, auto or none

Files:
  -g, --glob GLOB           only files that match, or with ! those that do not
      --iglob GLOB          likewise; upper and lower case are the same
      --glob-case-insensitive  so it is for all globs
  -t, --type TYPE           only files of a type; -T, --type-not TYPE: none of it
      --type-list           print all types
      --type-add TYPE:GLOB, --type-clear TYPE
  -., --hidden              hidden files too
  -u, --unrestricted        --no-ignore; -uu: --hidden too; -uuu: --binary too
      --no-ignore           ignore files do not count
      --no-ignore-dot, --no-ignore-exclude, --no-ignore-files,
      --no-ignore-global, --no-ignore-parent, --no-ignore-vcs, --no-require-git
      --ignore-file PATH    another ignore file
  -L, --follow              follow symbolic links
  -z, --search-zip          search in what gzip, bzip2, xz and zstd packed
      --pre COMMAND         search in what COMMAND prints, called with each path
      --pre-glob GLOB       only for files that match
      --max-depth NUM, --max-filesize NUM[K|M|G], --one-file-system
      --sort KEY, --sortr KEY  path, modified, accessed, created or none;
                            --sort-files: by path
  -j, --threads NUM; --mmap, --no-mmap; --no-config: nothing to choose here

Output:
  -n, --line-number; -N, --no-line-number
      --column, --no-column; -b, --byte-offset
  -H, --with-filename; -I, --no-filename
      --heading, --no-heading; -p, --pretty
  -A, --after-context NUM, -B, --before-context NUM, -C, --context NUM
                            lines after, before, around each match
      --context-separator SEP, --no-context-separator,
      --field-match-separator SEP, --field-context-separator SEP
  -c, --count               only how many lines match; --count-matches
      --include-zero        also of files without a match
  -l, --files-with-matches; --files-without-match; --files
  -o, --only-matching       only what matched
  -r, --replace TEXT        with $1 and ${name} for groups
      --passthru            all lines; also --passthrough
  -q, --quiet               nothing
  -0, --null                a 0 byte after file names
  -M, --max-columns NUM     leave out longer lines; --max-columns-preview
      --trim                without blanks at the start
      --vimgrep             a line for each match
      --color WHEN          never, auto, always or ansi
      --colors SPEC         path, line, column or match, then :fg:, :bg: or :style:
                            and a color or style; or :none
      --stats, --json, --line-buffered, --block-buffered, --path-separator SEP,
      --no-messages, --no-ignore-messages, --pcre2-version
  -h, --help; -V, --version

Taken back by a later --no-auto-hybrid-regex, --no-binary, --no-crlf,
--no-fixed-strings, --no-follow, --no-hidden, --no-multiline, --no-pcre2,
--no-pcre2-unicode (the same as --no-unicode), --pcre2-unicode, --unicode,
--no-pre, --no-search-zip, --no-stats, --no-text, --no-trim, --ignore.

On a pipe there are no headings, numbers and colors. Exit status is 0 if
something matched, 1 if not, and 2 if an error occurred.
";

/// The status of an error.
const TROUBLE: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    let asked = options::parse(args)?;
    let mut out = Out::stdout();
    let outcome = if asked.mode == Mode::Files { files(&asked, &mut out) } else { search(&asked, &mut out) };
    match out.flush() {
        Err(e) if outcome.is_ok() => Err(report::die(TROUBLE, format_args!("{e}"))),
        _ => outcome,
    }
}

fn walk(asked: &Asked) -> Walk<'_> {
    let lists = if asked.no_ignore_files { &[] } else { asked.ignore_files.as_slice() };
    for path in lists {
        if let Err(e) = stat(path)
            && !asked.no_messages
            && !asked.no_ignore_messages
        {
            report::plain(&format!("{}: {}\n", String::from_utf8_lossy(path), describe(e)));
        }
    }
    let explicit = lists.iter().map(|path| crate::ignore::List::read(path, asked.sources.ignore_case)).collect();
    Walk::new(asked, asked.sources, explicit)
}

/// The path as it is shown.
fn shown(asked: &Asked, path: &[u8]) -> Vec<u8> {
    match asked.path_separator {
        Some(separator) => path.iter().map(|b| if *b == b'/' { separator } else { *b }).collect(),
        None => path.to_vec(),
    }
}

/// `--files`
fn files(asked: &Asked, out: &mut Out) -> Outcome {
    let mut walk = walk(asked);
    let mut any = false;
    let mut paths = Vec::new();
    let roots = if asked.operands.is_empty() { vec![Vec::new()] } else { asked.operands.clone() };
    for root in &roots {
        match stat(if root.is_empty() { b"." } else { root }) {
            Ok(s) if s.kind == FileType::Directory => walk.below(root, &mut |path| {
                any = true;
                paths.push(path.to_vec());
                !asked.quiet
            }),
            Ok(_) => {
                any = true;
                paths.push(root.clone());
            }
            Err(e) => walk.trouble(root, &describe(e)),
        }
    }
    if let Some((by, reverse)) = asked.sort {
        walk::sort(&mut paths, by, reverse);
    }
    if !asked.quiet {
        for path in &paths {
            out.write(&shown(asked, path));
            out.byte(if asked.null { 0 } else { b'\n' });
        }
    }
    Ok(match (walk.failed, any) {
        (true, _) => TROUBLE,
        (false, true) => 0,
        (false, false) => 1,
    })
}

/// As rg words what the system says.
fn describe(e: Errno) -> String {
    format!("{e} (os error {})", e.linux())
}

struct Search<'a> {
    asked: &'a Asked,
    matcher: &'a Matcher,
    out: &'a mut Out,
    searcher: Searcher,
    totals: Totals,
    with_name: bool,
    matched: bool,
    failed: bool,
}

fn search(asked: &Asked, out: &mut Out) -> Outcome {
    let started = clock(capsule_sys::Clock::Monotonic);
    let matcher = Matcher::new(asked)?;
    if asked.max == Some(0) {
        return Ok(1);
    }
    // Without paths it is standard input, if something is there, or the directory.
    let piped = || fstat(STDIN).is_ok_and(|s| matches!(s.kind, FileType::Regular | FileType::Fifo | FileType::Socket));
    let roots: Vec<Vec<u8>> = match asked.operands.is_empty() {
        true if piped() => vec![b"-".to_vec()],
        true => vec![Vec::new()],
        false => asked.operands.clone(),
    };
    let one_file = match roots.as_slice() {
        [only] => only == b"-" || stat(only).is_ok_and(|s| s.kind != FileType::Directory),
        _ => false,
    };
    let with_name = asked.with_names.unwrap_or(asked.vimgrep || !one_file);
    let mut search = Search {
        asked,
        matcher: &matcher,
        out,
        searcher: Searcher::default(),
        totals: Totals::default(),
        with_name,
        matched: false,
        failed: false,
    };
    let mut walk = walk(asked);
    for root in &roots {
        search.root(root, &mut walk);
        if search.done() {
            break;
        }
    }
    let mut failed = search.failed || walk.failed;
    if asked.operands.is_empty() && search.totals.searched == 0 && !failed {
        failed = true;
        if !asked.no_messages {
            report::plain(
                "No files were searched, which means ripgrep probably applied a filter you didn't expect.\n\
                 Running with --debug will show why files are being skipped.\n",
            );
        }
    }
    if asked.json && !asked.quiet {
        let elapsed = clock(capsule_sys::Clock::Monotonic).saturating_sub(started);
        let summary = json::summary(&search.totals, elapsed);
        search.out.write(summary.as_bytes());
    } else if asked.stats {
        search.stats(clock(capsule_sys::Clock::Monotonic).saturating_sub(started));
    }
    Ok(match (failed, search.matched) {
        (true, true) if asked.quiet => 0,
        (true, _) => TROUBLE,
        (false, true) => 0,
        (false, false) => 1,
    })
}

impl Search<'_> {
    /// Nothing that follows can change the answer.
    fn done(&self) -> bool {
        self.asked.quiet && self.matched && !self.asked.stats || self.out.error().is_some() || self.matcher.failed.get()
    }

    fn root(&mut self, root: &[u8], walk: &mut Walk<'_>) {
        if root == b"-" {
            self.input(STDIN, b"<stdin>", true);
            return;
        }
        let here = root.is_empty() && self.asked.operands.is_empty();
        match stat(if here { b"." } else { root }) {
            Err(e) => walk.trouble(root, &describe(e)),
            Ok(s) if s.kind != FileType::Directory => self.file(root, true),
            Ok(_) => match self.asked.sort {
                // The order of names is that of the walk.
                None | Some((Sort::Path, false)) => walk.below(root, &mut |path| {
                    self.file(path, false);
                    !self.done()
                }),
                Some((by, reverse)) => {
                    let mut paths = Vec::new();
                    walk.below(root, &mut |path| {
                        paths.push(path.to_vec());
                        true
                    });
                    walk::sort(&mut paths, by, reverse);
                    for path in &paths {
                        self.file(path, false);
                        if self.done() {
                            break;
                        }
                    }
                }
            },
        }
    }

    fn file(&mut self, path: &[u8], named: bool) {
        match through::start(self.asked, path) {
            Ok(None) => {}
            Ok(Some(through)) => {
                let all = self.input(through.output.raw(), path, named);
                if let Some(why) = through.finish(all) {
                    self.complain(path, &why);
                }
                return;
            }
            Err(why) => return self.complain(path, &why),
        }
        match open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            Ok(file) => drop(self.input(file.raw(), path, named)),
            Err(e) => self.complain(path, &describe(e)),
        }
    }

    fn complain(&mut self, path: &[u8], why: &str) {
        self.failed = true;
        if !self.asked.no_messages {
            let _ = self.out.flush();
            report::plain(&format!("{}: {why}\n", String::from_utf8_lossy(path)));
        }
    }

    /// Searches what is open, and tells whether to its end; `named`: it was asked for by its name.
    fn input(&mut self, fd: i32, path: &[u8], named: bool) -> bool {
        let asked = self.asked;
        let first = asked.quiet && !asked.stats || matches!(asked.mode, Mode::Names | Mode::NamesWithout);
        // As messages, lines of a binary file are no harm.
        let tells = named || asked.binary;
        let binary = match (asked.text || asked.null_data || asked.json && tells, tells) {
            (true, _) => Binary::Text,
            (false, true) => Binary::Tell,
            (false, false) => Binary::Stop,
        };
        let plan = Plan {
            // No lines around are as good as none asked for.
            before: asked.before.filter(|n| *n > 0),
            after: asked.after.filter(|n| *n > 0),
            invert: asked.invert,
            max: asked.max.unwrap_or(u64::MAX),
            end: if asked.null_data { 0 } else { b'\n' },
            silent: first || asked.mode != Mode::Lines || asked.quiet,
            first,
            numbers: asked.numbers,
            binary,
            waits: !fstat(fd).is_ok_and(|s| s.kind == FileType::Regular),
        };
        let mut printer = Printer {
            asked,
            matcher: self.matcher,
            out: self.out,
            totals: &mut self.totals,
            path: shown(asked, path),
            with_name: self.with_name,
            begun: false,
            matches: 0,
            matched: 0,
            held: None,
            stats: json::Stats::default(),
        };
        let begun = clock(capsule_sys::Clock::Monotonic);
        let found = if self.matcher.is_multiline() {
            multiline::search(fd, plan, &mut printer)
        } else {
            self.searcher.search(fd, 0, plan, &mut printer)
        };
        let mut all = true;
        match found {
            Ok(found) => {
                all = found.selected == 0 || !first && asked.max.is_none();
                let found = Found { selected: if asked.passthru { printer.matched } else { found.selected }, ..found };
                if asked.json {
                    printer.json_end(&found, clock(capsule_sys::Clock::Monotonic).saturating_sub(begun));
                } else {
                    tell(&mut printer, &found, plan.silent);
                }
                self.matched |= match asked.mode {
                    Mode::NamesWithout => found.selected == 0,
                    _ => found.selected > 0,
                };
                self.totals.searched += 1;
                self.totals.bytes += found.bytes;
                self.totals.files += u64::from(found.selected > 0);
            }
            Err(e) => self.complain(path, &describe(e)),
        }
        if self.matcher.failed.get() {
            self.failed = true;
            let _ = self.out.flush();
            report::error(format_args!("{}: the search takes too many steps", String::from_utf8_lossy(path)));
        }
        all && self.out.error().is_none()
    }

    fn stats(&mut self, nanoseconds: u64) {
        let t = &self.totals;
        let seconds = nanoseconds as f64 / 1e9;
        let text = format!(
            "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n\
             {} bytes searched\n{seconds:.6} seconds spent searching\n{seconds:.6} seconds\n",
            t.matches, t.lines, t.files, t.searched, t.printed, t.bytes
        );
        self.out.write(text.as_bytes());
    }
}

/// What is told of a file when it is through: names, counts, and that it is binary.
fn tell(printer: &mut Printer<'_>, found: &Found, silent: bool) {
    let asked = printer.asked;
    if asked.quiet {
        return;
    }
    let count = if asked.mode == Mode::CountMatches { printer.matches } else { found.selected };
    match asked.mode {
        Mode::Count | Mode::CountMatches if count > 0 || asked.include_zero => {
            if printer.with_name {
                printer.name();
                printer.after_name(b":");
            }
            printer.out.write(count.to_string().as_bytes());
            printer.out.write(if asked.crlf { b"\r\n" } else { b"\n" });
        }
        Mode::Names if found.selected > 0 => {
            printer.name();
            printer.after_name(b"\n");
        }
        // A binary file that was not searched to its end is not known to be without.
        Mode::NamesWithout if found.selected == 0 && found.binary.is_none() => {
            printer.name();
            printer.after_name(b"\n");
        }
        Mode::Lines if found.binary_selected && !silent => {
            let offset = found.binary.unwrap_or(0);
            if printer.with_name {
                printer.name();
                printer.out.write(b": ");
            }
            printer.out.write(format!("binary file matches (found \"\\0\" byte around offset {offset})\n").as_bytes());
        }
        _ => {}
    }
}

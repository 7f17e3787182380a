use crate::input::Input;
use crate::options::{Long, NO, OPT, Options, REQ, only, word};
use crate::quote::{self, locale, quoted};
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{Errno, OpenFlags, Out, STDOUT, dup2, open};
use std::cmp::Ordering;

mod compare;
mod key;

use key::{Flags, Key, Order};

pub const HELP: &str = "\
Usage: sort [OPTION]... [FILE]...
  or:  sort [OPTION]... --files0-from=F
Write sorted concatenation of all FILE(s) to standard output.

With no FILE, or when FILE is -, read standard input.

Ordering options:

  -b, --ignore-leading-blanks  ignore leading blanks
  -d, --dictionary-order      consider only blanks and alphanumeric characters
  -f, --ignore-case           fold lower case to upper case characters
  -g, --general-numeric-sort  compare according to general numerical value
  -i, --ignore-nonprinting    consider only printable characters
  -M, --month-sort            compare (unknown) < 'JAN' < ... < 'DEC'
  -h, --human-numeric-sort    compare human readable numbers (e.g., 2K 1G)
  -n, --numeric-sort          compare according to string numerical value
  -R, --random-sort           shuffle, but group identical keys
  -r, --reverse               reverse the result of comparisons
      --sort=WORD             general-numeric -g, human-numeric -h, month -M,
                                numeric -n, random -R, version -V
  -V, --version-sort          natural sort of (version) numbers within text

Other options:

  -c, --check, --check=diagnose-first  check for sorted input; do not sort
  -C, --check=quiet, --check=silent  like -c, but do not report first bad line
      --files0-from=F       read input from the files specified by
                            NUL-terminated names in file F
  -k, --key=KEYDEF          sort via a key; KEYDEF gives location and type
  -m, --merge               merge already sorted files; do not sort
  -o, --output=FILE         write result to FILE instead of standard output
  -s, --stable              stabilize sort by disabling last-resort comparison
  -S, --buffer-size=SIZE    (checked, not needed)
  -t, --field-separator=SEP  use SEP instead of non-blank to blank transition
  -T, --temporary-directory=DIR  (not needed)
      --parallel=N          (checked, not needed)
  -u, --unique              with -c, check for strict ordering;
                              without -c, output only the first of an equal run
  -z, --zero-terminated     line delimiter is NUL, not newline
      --help        display this help and exit
      --version     output version information and exit

KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a
field number and C a character position in the field; both are origin 1.
";

const SORT: char = only(0);
const FILES0: char = only(1);
const CHECK: char = only(2);
const PARALLEL: char = only(3);
const BATCH: char = only(4);

const LONG: &[Long] = &[
    ("ignore-leading-blanks", NO, 'b'),
    ("check", OPT, CHECK),
    ("dictionary-order", NO, 'd'),
    ("ignore-case", NO, 'f'),
    ("files0-from", REQ, FILES0),
    ("general-numeric-sort", NO, 'g'),
    ("ignore-nonprinting", NO, 'i'),
    ("key", REQ, 'k'),
    ("merge", NO, 'm'),
    ("month-sort", NO, 'M'),
    ("numeric-sort", NO, 'n'),
    ("human-numeric-sort", NO, 'h'),
    ("version-sort", NO, 'V'),
    ("random-sort", NO, 'R'),
    ("sort", REQ, SORT),
    ("output", REQ, 'o'),
    ("reverse", NO, 'r'),
    ("stable", NO, 's'),
    ("batch-size", REQ, BATCH),
    ("buffer-size", REQ, 'S'),
    ("field-separator", REQ, 't'),
    ("temporary-directory", REQ, 'T'),
    ("unique", NO, 'u'),
    ("zero-terminated", NO, 'z'),
    ("parallel", REQ, PARALLEL),
];

/// Trouble, as opposed to input that is not in order.
const TROUBLE: u8 = 2;

struct Sorter {
    keys: Vec<Key>,
    global: Flags,
    separator: Option<u8>,
    unique: bool,
    stable: bool,
    end: u8,
    seed: u64,
}

pub fn main(args: &Args) -> Outcome {
    let mut sorter = Sorter {
        keys: Vec::new(),
        global: Flags::default(),
        separator: None,
        unique: false,
        stable: false,
        end: b'\n',
        seed: 0,
    };
    let (mut check, mut output, mut list) = (None, None, None);
    let mut options = Options::new(args, "bcCdfghik:mMno:rRsS:t:T:uVz", LONG).status(TROUBLE);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => set_check(&mut check, 'c')?,
            'C' => set_check(&mut check, 'C')?,
            CHECK => {
                let words = &[("diagnose-first", 'c'), ("quiet", 'C'), ("silent", 'C')];
                set_check(&mut check, opt.value.map_or(Ok('c'), |v| word(v, "--check", words, TROUBLE))?)?;
            }
            'k' => sorter.keys.push(Key::parse(opt.value())?),
            'm' => {}
            'o' => {
                if output.is_some_and(|o| o != opt.value()) {
                    return Err(report::die(TROUBLE, "multiple output files specified"));
                }
                output = Some(opt.value());
            }
            's' => sorter.stable = true,
            'u' => sorter.unique = true,
            'z' => sorter.end = 0,
            't' => sorter.set_separator(opt.value())?,
            'T' => {}
            'S' => {
                let text = opt.value();
                let digits = text.strip_suffix(b"%").unwrap_or(text);
                if number::unsigned(digits, b"bEgGkKmMPtTYZ").is_err() {
                    return Err(report::die(TROUBLE, format_args!("invalid -S argument {}", locale(text))));
                }
            }
            PARALLEL => match number::unsigned(opt.value(), b"") {
                Ok(0) => return Err(report::die(TROUBLE, "number in parallel must be nonzero")),
                Ok(_) | Err(number::Bad::Overflow) => {}
                Err(_) => {
                    let text = format!("invalid --parallel argument {}", locale(opt.value()));
                    return Err(report::die(TROUBLE, text));
                }
            },
            BATCH => match number::unsigned(opt.value(), b"") {
                Ok(n) if n >= 2 => {}
                Ok(_) => {
                    report::error(format_args!("invalid --batch-size argument {}", locale(opt.value())));
                    return Err(report::die(TROUBLE, "minimum --batch-size argument is '2'"));
                }
                Err(_) => {
                    let text = format!("invalid --batch-size argument {}", locale(opt.value()));
                    return Err(report::die(TROUBLE, text));
                }
            },
            FILES0 => list = Some(opt.value()),
            SORT => {
                let words = &[
                    ("general-numeric", 'g'),
                    ("human-numeric", 'h'),
                    ("month", 'M'),
                    ("numeric", 'n'),
                    ("random", 'R'),
                    ("version", 'V'),
                ];
                let letter = word(opt.value(), "--sort", words, TROUBLE)?;
                sorter.global.set(letter as u8);
            }
            letter => drop(sorter.global.set(letter as u8)),
        }
    }
    let mut names: Vec<Vec<u8>> = options.operands().iter().map(|o| o.to_vec()).collect();
    if let Some(list) = list {
        names = files_from(list, &names)?;
    }
    sorter.settle()?;
    if names.is_empty() {
        names.push(b"-".to_vec());
    }
    if let Some(quiet) = check {
        if let Some(extra) = names.get(1) {
            let text = format!("extra operand {} not allowed with -{quiet}", locale(extra));
            return Err(report::die(TROUBLE, text));
        }
        if output.is_some() {
            return Err(report::die(TROUBLE, format_args!("options '-{quiet}o' are incompatible")));
        }
        return sorter.check(&names[0], quiet == 'C');
    }
    sorter.sort(&names, output)
}

fn set_check(check: &mut Option<char>, to: char) -> Result<(), Exit> {
    if check.is_some_and(|c| c != to) {
        return Err(report::die(TROUBLE, "options '-cC' are incompatible"));
    }
    *check = Some(to);
    Ok(())
}

fn files_from(list: &[u8], operands: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Exit> {
    if let Some(extra) = operands.first() {
        report::error(format_args!("extra operand {}", quoted(extra)));
        let text = "file operands cannot be combined with --files0-from\n";
        let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
        return Err(report::try_help(TROUBLE));
    }
    let text = read(list).map_err(|e| report::die(TROUBLE, format_args!("open failed: {}: {e}", quote::name(list))))?;
    let mut names: Vec<Vec<u8>> = text.split(|&b| b == 0).map(<[u8]>::to_vec).collect();
    if names.last().is_some_and(Vec::is_empty) {
        names.pop();
    }
    if names.is_empty() {
        return Err(report::die(TROUBLE, format_args!("no input from {}", quoted(list))));
    }
    for (i, name) in names.iter().enumerate() {
        if name.is_empty() {
            let text = format!("{}:{}: invalid zero-length file name", quote::name(list), i + 1);
            return Err(report::die(TROUBLE, text));
        }
        if list == b"-" && name == b"-" {
            return Err(report::die(TROUBLE, "when reading file names from stdin, no file name of '-' allowed"));
        }
    }
    Ok(names)
}

fn read(name: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut all = Vec::new();
    Input::open(name)?.stream.read_to_end(&mut all)?;
    Ok(all)
}

impl Sorter {
    fn set_separator(&mut self, text: &[u8]) -> Result<(), Exit> {
        let byte = match text {
            [] => return Err(report::die(TROUBLE, "empty tab")),
            b"\\0" => 0,
            [one] => *one,
            _ => return Err(report::die(TROUBLE, format_args!("multi-character tab {}", locale(text)))),
        };
        if self.separator.is_some_and(|before| before != byte) {
            return Err(report::die(TROUBLE, "incompatible tabs"));
        }
        self.separator = Some(byte);
        Ok(())
    }

    /// Keys without options of their own take the global ones.
    fn settle(&mut self) -> Result<(), Exit> {
        for key in &mut self.keys {
            if key.flags.inherits() {
                let (start, end) = (key.flags.start_blanks, key.flags.end_blanks);
                key.flags = self.global;
                key.flags.start_blanks |= start;
                key.flags.end_blanks |= end;
            }
            key.flags.check()?;
        }
        if self.keys.is_empty() && !self.global.inherits() {
            self.global.check()?;
            self.keys.push(Key::whole(self.global));
        }
        if self.keys.iter().any(|k| k.flags.order == Order::Random) {
            self.seed = capsule_sys::random_u64();
        }
        Ok(())
    }

    fn sort(&self, names: &[Vec<u8>], output: Option<&[u8]>) -> Outcome {
        let mut all = Vec::new();
        for name in names {
            let text = read(name).map_err(|e| {
                let what = if e == Errno::EISDIR { "read failed" } else { "cannot read" };
                report::die(TROUBLE, format_args!("{what}: {}: {e}", quote::name(name)))
            })?;
            // The last line of each file ends, even if the file does not say so.
            let ended = text.last().is_none_or(|b| *b == self.end);
            if all.is_empty() {
                all = text;
            } else {
                all.extend_from_slice(&text);
            }
            if !ended {
                all.push(self.end);
            }
        }
        let mut lines = self.lines(&all);
        if self.keys.is_empty() {
            // Whole lines by their bytes: equal ones cannot be told apart, so they need not keep their order.
            lines.sort_unstable_by(|a, b| if self.global.reverse { b.text.cmp(a.text) } else { a.text.cmp(b.text) });
        } else if self.unique || self.stable {
            lines.sort_by(|a, b| self.by_keys(a, b));
        } else {
            lines.sort_unstable_by(|a, b| self.compare(a, b));
        }
        if let Some(target) = output {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
            let opened = open(target, flags, 0o666).and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)));
            opened.map_err(|e| report::die(TROUBLE, format_args!("open failed: {}: {e}", quote::name(target))))?;
        }
        let mut out = Out::stdout();
        let mut before: Option<&compare::Line<'_>> = None;
        for line in &lines {
            if self.unique && before.is_some_and(|before| self.by_keys(before, line) == Ordering::Equal) {
                continue;
            }
            before = Some(line);
            out.write(line.text);
            out.byte(self.end);
        }
        match out.flush() {
            Ok(()) => Ok(0),
            Err(e) => Err(report::die(TROUBLE, format_args!("write failed: 'standard output': {e}"))),
        }
    }

    fn check(&self, name: &[u8], quiet: bool) -> Outcome {
        let all = read(name).map_err(|e| {
            let what = if e == Errno::EISDIR { "read failed" } else { "cannot read" };
            report::die(TROUBLE, format_args!("{what}: {}: {e}", quote::name(name)))
        })?;
        let lines = self.lines(&all);
        for (i, pair) in lines.windows(2).enumerate() {
            let order = if self.unique { self.by_keys(&pair[0], &pair[1]) } else { self.compare(&pair[0], &pair[1]) };
            if order == Ordering::Greater || (self.unique && order == Ordering::Equal) {
                if !quiet {
                    let text = String::from_utf8_lossy(pair[1].text).into_owned();
                    report::error(format_args!("{}:{}: disorder: {text}", quote::name(name), i + 2));
                }
                return Ok(1);
            }
        }
        Ok(0)
    }
}

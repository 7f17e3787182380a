use crate::input::Input;
use crate::options::{Long, NO, OPT, Opt, Options, REQ, only, word};
use crate::quote::{self, locale, quoted};
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{Errno, In, OpenFlags, Out, R_OK, STDOUT, access, dup2, ftruncate, open, stat};

mod chunk;
mod compare;
mod debug;
mod key;
mod merge;
mod obsolete;
mod share;

use chunk::{Chunk, cannot_read, failed};
use key::{Flags, Key, Order};
use merge::{Run, Spill};
use share::Share;

pub const HELP: &str = "\
Usage: sort [OPTION]... [FILE]...
  or:  sort [OPTION]... --files0-from=F
Print the lines of all FILEs, sorted.

Standard input is read where FILE is - or missing.

Ordering options:

  -b, --ignore-leading-blanks  blanks at the front do not count
  -d, --dictionary-order      only blanks, letters and digits count
  -f, --ignore-case           upper and lower case are alike
  -g, --general-numeric-sort  by number, floating point and all
  -i, --ignore-nonprinting    only what can be printed counts
  -M, --month-sort            by month, what is none first
  -h, --human-numeric-sort    by size, such as 2K or 1G
  -n, --numeric-sort          by number
  -R, --random-sort           shuffle, but group identical keys
  -r, --reverse               the other way round
      --sort=WORD             general-numeric -g, human-numeric -h, month -M,
                                numeric -n, random -R, version -V
  -V, --version-sort          natural sort of (version) numbers within text

Other options:

  -c, --check, --check=diagnose-first  only tell whether the input is sorted
  -C, --check=quiet, --check=silent  -c without a message
      --compress-program=PROG  (temporary files are never packed here)
      --files0-from=F       the names of the files are in F,
                            with NUL behind each
  -k, --key=KEYDEF          by this part of a line, see below
  -m, --merge               the files are sorted, so only merge them
  -o, --output=FILE         write to FILE
  -s, --stable              lines that compare equal stay as they come
      --debug               underline the part of the line that was compared
      --batch-size=NMERGE   merge at most NMERGE inputs at once
      --random-source=FILE  take the random bytes from FILE
  -S, --buffer-size=SIZE    use so much memory before temporary files are used
  -t, --field-separator=SEP  fields are separated by SEP, not where blanks begin
  -T, --temporary-directory=DIR  use DIR for temporary files
      --parallel=N          (one thread sorts)
  -u, --unique              of lines that compare equal, the first;
                              with -c, no two may
  -z, --zero-terminated     lines end with NUL
      --help        print this help
      --version     print the version

KEYDEF is F[.C][OPTS][,F[.C][OPTS]]: where the key begins and ends. F is a
field and C a character in it; both count from 1.
";

const SORT: char = only(0);
const FILES0: char = only(1);
const CHECK: char = only(2);
const PARALLEL: char = only(3);
const BATCH: char = only(4);
const DEBUG: char = only(5);
const RANDOM_SOURCE: char = only(6);
const COMPRESS: char = only(7);

const LONG: &[Long] = &[
    ("ignore-leading-blanks", NO, 'b'),
    ("check", OPT, CHECK),
    ("compress-program", REQ, COMPRESS),
    ("debug", NO, DEBUG),
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
    ("random-source", REQ, RANDOM_SOURCE),
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

/// Inputs that are merged at a time.
const DEFAULT_BATCH: usize = 16;

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
    debug: bool,
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
        debug: false,
    };
    let args = &obsolete::rewrite(args);
    let (mut merge_only, mut memory, mut batch, mut temporary) = (false, Share::default(), DEFAULT_BATCH, Vec::new());
    let mut random_source = None;
    let (mut check, mut output, mut list) = (None, None, None);
    let mut options = Options::new(args, "bcCdfghik:mMno:rRsS:t:T:uVy::z", LONG).status(TROUBLE);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => set_check(&mut check, 'c')?,
            'C' => set_check(&mut check, 'C')?,
            CHECK => {
                let words = &[("quiet", 'C'), ("silent", 'C'), ("diagnose-first", 'c')];
                set_check(&mut check, opt.value.map_or(Ok('c'), |v| word(v, "--check", words, 1))?)?;
            }
            'k' => sorter.keys.push(Key::parse(opt.value())?),
            'm' => merge_only = true,
            DEBUG => sorter.debug = true,
            RANDOM_SOURCE => {
                if random_source.is_some_and(|r| r != opt.value()) {
                    return Err(report::die(TROUBLE, "multiple random sources specified"));
                }
                random_source = Some(opt.value());
            }
            COMPRESS => {
                // Temporary files are not compressed: that is not to be seen from outside.
            }
            // Once a memory size, ignored as in GNU's.
            'y' => {}
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
            'T' => temporary.push(opt.value().to_vec()),
            'S' => memory = Share::of(buffer_size(&opt)?),
            PARALLEL => match number::unsigned(opt.value(), b"") {
                Ok(0) => return Err(report::die(TROUBLE, "number in parallel must be nonzero")),
                Ok(_) | Err(number::Bad::Overflow) => {}
                Err(bad) => return Err(number::refuse(TROUBLE, "--parallel", opt.value(), bad)),
            },
            BATCH => match number::unsigned(opt.value(), b"") {
                Ok(n) if n >= 2 => batch = usize::try_from(n).unwrap_or(usize::MAX).min(256),
                Ok(_) => {
                    report::error(format_args!("invalid --batch-size argument {}", locale(opt.value())));
                    return Err(report::die(
                        TROUBLE,
                        format_args!("minimum --batch-size argument is {}", locale(b"2")),
                    ));
                }
                Err(bad) => return Err(number::refuse(TROUBLE, "--batch-size", opt.value(), bad)),
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
                let letter = word(opt.value(), "--sort", words, 1)?;
                sorter.global.set(letter as u8);
            }
            letter => drop(sorter.global.set(letter as u8)),
        }
    }
    let mut names: Vec<Vec<u8>> = options.operands().iter().map(|o| o.to_vec()).collect();
    if let Some(list) = list {
        names = files_from(list, &names)?;
    }
    sorter.settle(random_source)?;
    if names.is_empty() {
        names.push(b"-".to_vec());
    }
    if let Some(other) = check.or(output.is_some().then_some('o')).filter(|_| sorter.debug) {
        return Err(report::die(TROUBLE, format_args!("options '-{other} --debug' are incompatible")));
    }
    if let Some(quiet) = check {
        if let Some(extra) = names.get(1) {
            let text = format!("extra operand {} not allowed with -{quiet}", quoted(extra));
            return Err(report::die(TROUBLE, text));
        }
        if output.is_some() {
            return Err(report::die(TROUBLE, format_args!("options '-{quiet}o' are incompatible")));
        }
        return sorter.check(&names[0], quiet == 'C');
    }
    if sorter.debug {
        sorter.debug_warnings();
    }
    let mut spill = Spill::new(temporary, batch);
    if merge_only { sorter.merge(names, output, &mut spill) } else { sorter.sort(&names, output, &memory, &mut spill) }
}

/// `-S`: a number of KiB, or with a unit; a share of the memory with `%`.
fn buffer_size(opt: &Opt<'_>) -> Result<usize, Exit> {
    let text = opt.value();
    let bytes = match text.strip_suffix(b"%") {
        Some(part) => number::unsigned(part, b"").map(|n| n.saturating_mul(share::MOST_ASKED as u64) / 100),
        None if text.last().is_some_and(u8::is_ascii_digit) => {
            number::unsigned(text, b"").map(|n| n.saturating_mul(1024))
        }
        None => number::unsigned(text, b"bEgGkKmMPtTYZ").or_else(|bad| match bad {
            number::Bad::Overflow => Ok(u64::MAX),
            bad => Err(bad),
        }),
    };
    let bytes = bytes.map_err(|bad| number::refuse(TROUBLE, &opt.shown(), text, bad))?;
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
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
    let text = read(list).map_err(|e| match e {
        Errno::EISDIR => report::die(TROUBLE, format_args!("cannot read file names from {}", quoted(list))),
        e => open_failed(list, e),
    })?;
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

fn open_failed(name: &[u8], e: Errno) -> Exit {
    report::die(TROUBLE, format_args!("open failed: {}: {e}", quote::name(name)))
}

fn read(name: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut all = Vec::new();
    Input::open(name)?.stream.read_to_end(&mut all)?;
    Ok(all)
}

/// Bytes that a random order takes from its source.
const SEED: usize = 16;

/// No more than these: the source may have no end.
fn seed_bytes(name: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut input = Input::open(name)?;
    let stream = &mut input.stream;
    let mut seed = Vec::new();
    while seed.len() < SEED {
        let bytes = stream.fill()?;
        let used = bytes.len().min(SEED - seed.len());
        if used == 0 {
            break;
        }
        seed.extend_from_slice(&bytes[..used]);
        stream.consume(used);
    }
    Ok(seed)
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
    fn settle(&mut self, random_source: Option<&[u8]>) -> Result<(), Exit> {
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
            self.seed = match random_source {
                None => capsule_sys::random_u64(),
                Some(file) => {
                    let seed = seed_bytes(file).map_err(|e| match e {
                        Errno::EISDIR => report::die(TROUBLE, format_args!("{}: read error: {e}", quoted(file))),
                        e => open_failed(file, e),
                    })?;
                    if seed.len() < SEED {
                        return Err(report::die(TROUBLE, format_args!("{}: end of file", quoted(file))));
                    }
                    seed.iter().fold(0, |seed: u64, b| seed.rotate_left(5) ^ u64::from(*b).wrapping_mul(0x9E37_79B9))
                }
            };
        }
        Ok(())
    }

    fn sort(&self, names: &[Vec<u8>], output: Option<&[u8]>, memory: &Share, spill: &mut Spill) -> Outcome {
        check_files(names, output)?;
        let mut runs = Vec::new();
        let mut chunk = Chunk::default();
        for name in names {
            chunk.read(self, name, memory, &mut |full| {
                runs.push(spill.store(full, self)?);
                Ok(())
            })?;
        }
        chunk.sort(self);
        if !runs.is_empty() {
            runs.push(spill.store(&chunk, self)?);
            drop(chunk);
            let runs = spill.reduce(runs, self)?;
            redirect(output)?;
            let mut out = Out::stdout();
            merge::merge(runs, self, &mut out)?;
            return finish(&mut out, output);
        }
        redirect(output)?;
        let mut out = Out::stdout();
        chunk.write(self, &mut out);
        finish(&mut out, output)
    }

    fn merge(&self, names: Vec<Vec<u8>>, output: Option<&[u8]>, spill: &mut Spill) -> Outcome {
        check_files(&names, output)?;
        // An input that is the output is read before it is written.
        let target = output.and_then(|o| stat(o).ok()).map(|s| (s.dev, s.ino));
        let mut runs = Vec::new();
        for name in names {
            if target.is_some() && stat(&name).ok().map(|s| (s.dev, s.ino)) == target {
                let mut chunk = Chunk::default();
                let mut parts = Vec::new();
                chunk.read(self, &name, &Share::default(), &mut |full| {
                    parts.push(spill.store(full, self)?);
                    Ok(())
                })?;
                runs.extend(parts);
                runs.push(spill.store(&chunk, self)?);
            } else {
                runs.push(Run::Named(name));
            }
        }
        let runs = spill.reduce(runs, self)?;
        redirect(output)?;
        let mut out = Out::stdout();
        merge::merge(runs, self, &mut out)?;
        finish(&mut out, output)
    }

    fn put(&self, line: &[u8], out: &mut Out) {
        if self.debug {
            return self.annotate(line, out);
        }
        out.write(line);
        out.byte(self.end);
    }

    fn check(&self, name: &[u8], quiet: bool) -> Outcome {
        let input = Input::open(name).map_err(|e| open_failed(name, e))?;
        let mut stream = In::new(input.fd());
        let (mut line, mut number) = (Vec::new(), 0u64);
        let (mut text, mut before): (Vec<u8>, Option<compare::Record>) = (Vec::new(), None);
        loop {
            line.clear();
            if !stream.read_until(self.end, &mut line).map_err(|e| failed("read failed", name, e))? {
                return Ok(0);
            }
            if line.last() == Some(&self.end) {
                line.pop();
            }
            number += 1;
            let record = self.record(&line, 0, line.len());
            if let Some(old) = &before {
                let order = self.compare((&text, old), (&line, &record));
                if order.is_gt() || (self.unique && order.is_eq()) {
                    if !quiet {
                        let text = quote::raw(&line);
                        report::error(format_args!("{}:{number}: disorder: {text}", quote::name(name)));
                    }
                    return Ok(1);
                }
            }
            std::mem::swap(&mut line, &mut text);
            before = Some(record);
        }
    }
}

/// What cannot be read or written is told before any work is done.
fn check_files(names: &[Vec<u8>], output: Option<&[u8]>) -> Result<(), Exit> {
    for name in names.iter().filter(|n| *n != b"-") {
        access(name, R_OK).map_err(|e| cannot_read(name, e))?;
    }
    match output {
        Some(target) => open_output(target).map(drop),
        None => Ok(()),
    }
}

fn open_output(target: &[u8]) -> Result<capsule_sys::Fd, Exit> {
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC;
    let opened = open(target, flags, 0o666);
    opened.map_err(|e| open_failed(target, e))
}

/// `-o`: standard output from now on.
fn redirect(output: Option<&[u8]>) -> Result<(), Exit> {
    let Some(target) = output else { return Ok(()) };
    let file = open_output(target)?;
    // A device has no length.
    let _ = ftruncate(file.raw(), 0);
    dup2(file.raw(), STDOUT, OpenFlags(0)).map_err(|e| open_failed(target, e))
}

fn finish(out: &mut Out, output: Option<&[u8]>) -> Outcome {
    let name = output.map_or("'standard output'".to_owned(), quote::name);
    // What stdio keeps until the end fails in other words.
    let what = if out.buffered() < 4096 && out.error().is_none() { "fflush failed" } else { "write failed" };
    out.flush().map_err(|e| report::die(TROUBLE, format_args!("{what}: {name}: {e}")))?;
    Ok(0)
}

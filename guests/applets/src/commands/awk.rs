//! awk, with the additions of GNU awk.
//!
//! * `lex`, `parse`, `ast`: the text becomes a tree; `compile`, `op`: the tree becomes steps
//! * `pretty` shows the tree; `vm`: runs them; `value`, `number`, `array`, `record`: what they work on
//! * `input`, `io`, `split`, `format`, `regex`, `sort`, `random`: their tools

mod array;
mod ast;
mod builtins;
mod chars;
mod compile;
mod format;
mod input;
mod io;
mod lex;
mod number;
mod op;
mod parse;
mod pretty;
mod random;
mod record;
mod regex;
mod report;
mod sort;
mod special;
mod split;
mod value;
mod vm;

use crate::options::{Long, NO, OPT, Opt, Options, REQ};
use crate::{Args, Exit, Outcome, quote};
use capsule_sys::{
    Disposition, Errno, OpenFlags, STDERR, STDOUT, Signal, getenv, open, read_to_end, signal_action, stat, write_all,
};
use lex::{Dialect, Source};
use parse::{Found, Loader, Tree};
use report::Place;
use vm::{Modes, Stop, Vm};

pub const HELP: &str = "\
Usage: awk [OPTION]... 'PROGRAM' [FILE | VAR=VALUE]...
  or:  awk [OPTION]... -f PROGFILE [FILE | VAR=VALUE]...
Find patterns in text and do what the PROGRAM says for each.

  -f PROGFILE, --file=PROGFILE      read the program from PROGFILE
  -F FS, --field-separator=FS       what is between the fields
  -v VAR=VAL, --assign=VAR=VAL      set a variable before the program begins
  -b, --characters-as-bytes         every byte is a character
  -c, --traditional                 the language without GNU's additions
  -d[FILE], --dump-variables[=FILE] show the global variables when it has ended
  -e TEXT, --source=TEXT            TEXT is part of the program
  -E FILE, --exec=FILE              as -f, and the last option
  -h, --help                        print this help
  -i FILE, --include=FILE           load FILE once; inplace edits the files
  -k, --csv                         fields are comma separated values
  -l NAME, --load=NAME              load an extension
  -L[WORD], --lint[=WORD]           warn about doubtful constructs
  -n, --non-decimal-data            octal and hexadecimal numbers in the input
  -N, --use-lc-numeric              (there is one way to write numbers here)
  -o[FILE], --pretty-print[=FILE]   show the program, without its comments, and
                                    do not run it
  -O, --optimize                    (always)
  -P, --posix                       the language of POSIX only
  -r, --re-interval                 (always)
  -s, --no-optimize                 (no effect)
  -S, --sandbox                     no commands, no files but the operands
  -C, --copyright; -V, --version    print the version
  -W NAME                           as --NAME
";

const LONG: &[Long] = &[
    ("file", REQ, 'f'),
    ("field-separator", REQ, 'F'),
    ("assign", REQ, 'v'),
    ("characters-as-bytes", NO, 'b'),
    ("traditional", NO, 'c'),
    ("copyright", NO, 'C'),
    ("dump-variables", OPT, 'd'),
    ("debug", OPT, 'D'),
    ("source", REQ, 'e'),
    ("exec", REQ, 'E'),
    ("gen-pot", NO, 'g'),
    ("include", REQ, 'i'),
    ("trace", NO, 'I'),
    ("csv", NO, 'k'),
    ("load", REQ, 'l'),
    ("lint", OPT, 'L'),
    ("bignum", NO, 'M'),
    ("non-decimal-data", NO, 'n'),
    ("use-lc-numeric", NO, 'N'),
    ("pretty-print", OPT, 'o'),
    ("optimize", NO, 'O'),
    ("profile", OPT, 'p'),
    ("posix", NO, 'P'),
    ("re-interval", NO, 'r'),
    ("no-optimize", NO, 's'),
    ("sandbox", NO, 'S'),
    ("lint-old", NO, 't'),
];

/// What becomes of doubtful constructs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lint {
    Off,
    Warn,
    Fatal,
}

/// `-W NAME` is `--NAME`, as POSIX would have it; `-W` itself where there is no such option.
fn spelled<'a>(opt: &Opt<'a>) -> Result<Opt<'a>, Exit> {
    let text = opt.value();
    let (name, value) = match memchr::memchr(b'=', text) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let all = || LONG.iter().copied().chain([("help", NO, 'h'), ("version", NO, 'V')]);
    let exact = all().find(|long| long.0.as_bytes() == name);
    let found = exact.or_else(|| {
        let mut near = all().filter(|long| long.0.as_bytes().starts_with(name));
        near.next().filter(|_| near.next().is_none())
    });
    match found {
        None => Ok(Opt { letter: 'W', value: opt.value, name: None }),
        Some((name, REQ, _)) if value.is_none() => {
            Err(crate::report::usage(1, format_args!("option '-W {name}' requires an argument")))
        }
        Some((name, NO, _)) if value.is_some() => {
            Err(crate::report::usage(1, format_args!("option '-W {name}' doesn't allow an argument")))
        }
        Some((_, _, letter)) => Ok(Opt { letter, value, name: None }),
    }
}

/// A part of the program, in the order of the command line.
enum Part<'a> {
    File(&'a [u8]),
    Text(&'a [u8]),
    Include(&'a [u8]),
}

pub fn main(args: &Args) -> Outcome {
    let mut parts = Vec::new();
    let mut assignments: Vec<&[u8]> = Vec::new();
    let mut separator = None;
    let mut modes = Modes { utf8: quote::is_utf8(), ..Modes::default() };
    let mut loads = Vec::new();
    let (mut lint, mut exec) = (Lint::Off, false);
    let (mut pretty, mut dump) = (None, None);
    let mut options = Options::new(args, "+F:f:v:bcCd::D::e:E:ghi:Ikl:L::nNo::Op::MPrSstVW:", LONG).status(1);
    while let Some(opt) = options.next()? {
        let opt = if opt.letter == 'W' { spelled(&opt)? } else { opt };
        match opt.letter {
            'W' => {
                let text = format!("option `-W {}' unrecognized, ignored", opt.text());
                crate::report::error(text);
            }
            'f' => parts.push(Part::File(opt.value())),
            'F' => separator = Some(opt.value()),
            'v' => assignments.push(opt.value()),
            'b' => modes.utf8 = false,
            'c' => modes.traditional = true,
            'e' => parts.push(Part::Text(opt.value())),
            'E' => {
                parts.push(Part::File(opt.value()));
                exec = true;
                break;
            }
            'i' => parts.push(Part::Include(opt.value())),
            'k' => modes.csv = true,
            'l' => loads.push(opt.value()),
            'L' => {
                lint = match opt.value {
                    Some(b"fatal") => Lint::Fatal,
                    _ => Lint::Warn,
                };
            }
            'n' => modes.non_decimal = true,
            'o' => pretty = Some(opt.value.unwrap_or(b"awkprof.out")),
            'd' => dump = Some(opt.value.unwrap_or(b"awkvars.out")),
            'P' => modes.posix = true,
            'S' => modes.sandbox = true,
            // There is one locale for numbers, one way to run programs, and intervals always count.
            'N' | 'O' | 'r' | 's' => {}
            't' => return Err(crate::report::die(2, "the option -t (--lint-old) is not supported")),
            'h' => return Err(options.help()),
            'V' | 'C' => return Err(options.version()),
            other => {
                let name = LONG.iter().find(|l| l.2 == other).map_or("", |l| l.0);
                let text = format!("option -{other} (--{name}) is not supported here");
                return Err(report::fatal(&Place::default(), text));
            }
        }
    }
    let mut operands = options.operands().into_iter().map(<[u8]>::to_vec);
    let text;
    if !parts.iter().any(|part| matches!(part, Part::File(_) | Part::Text(_))) {
        let Some(program) = operands.next() else {
            let _ = write_all(STDERR, HELP.as_bytes());
            return Err(Exit(1));
        };
        text = program;
        parts.push(Part::Text(&text));
    }
    if modes.posix && modes.traditional {
        report::warn(&Place::default(), "`--posix' overrides `--traditional'");
        modes.traditional = false;
    }
    let dialect = Dialect { posix: modes.posix, traditional: modes.traditional };
    let tree = read_program(&parts, &loads, dialect)?;
    // A program that is shown is not run.
    if let Some(name) = pretty {
        put(name, &pretty::program(&tree), "profile");
        return Ok(0);
    }
    modes.inplace = tree.inplace;
    let fnmatch = tree.fnm;
    let program = compile::compile(tree);
    let name = if exec { args.argv[0].clone() } else { report::name().into_bytes() };
    let argv: Vec<Vec<u8>> = std::iter::once(name).chain(operands).collect();
    // A reader that goes away is an error here, not the end.
    let _ = signal_action(Signal::PIPE, Disposition::Ignore);
    let mut vm = Vm::new(program, modes, &argv, &args.argv);
    if fnmatch {
        vm.set_up_fnmatch();
    }
    let outcome = prepare(&mut vm, separator, modes.traditional, &assignments, lint);
    let outcome = match outcome {
        Ok(()) => {
            let status = vm.execute();
            if let Some(name) = dump {
                put(name, vm.dump_variables().as_bytes(), "variable list");
            }
            Ok(status)
        }
        Err(Stop::Fatal(status)) => Err(Exit(status)),
        Err(_) => Err(Exit(2)),
    };
    vm.abandon_inplace();
    outcome
}

/// Writes what options ask for to a file, or to standard error where that is not to be had.
fn put(name: &[u8], text: &[u8], what: &str) {
    if matches!(name, b"-" | b"/dev/stdout") {
        let _ = write_all(STDOUT, text);
        return;
    }
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
    match open(name, flags, 0o666) {
        Ok(file) => {
            let _ = write_all(file.raw(), text);
        }
        Err(e) => {
            let shown = String::from_utf8_lossy(name);
            crate::report::error(format_args!("warning: could not open `{shown}' for writing: {e}"));
            crate::report::error(format_args!("warning: sending {what} to standard error"));
            let _ = write_all(STDERR, text);
        }
    }
}

/// What the options set before the program begins.
fn prepare(vm: &mut Vm, separator: Option<&[u8]>, old: bool, assignments: &[&[u8]], lint: Lint) -> vm::Run<()> {
    if let Some(separator) = separator {
        // In old programs a lone t is a tab.
        let separator = if separator == b"t" && old { b"\\t" } else { separator };
        let assignment = [b"FS=", separator].concat();
        vm.assign(&assignment)?;
    }
    match lint {
        Lint::Off => {}
        Lint::Warn => drop(vm.assign(b"LINT=1")?),
        Lint::Fatal => drop(vm.assign(b"LINT=fatal")?),
    }
    for assignment in assignments {
        if vm.assign(assignment)? {
            continue;
        }
        let shown = String::from_utf8_lossy(assignment).into_owned();
        let text = match shown.split_once('=') {
            Some((name, _)) => format!("fatal: `{name}' is not a legal variable name"),
            None => {
                report::fault(&Place::default(), format_args!("`{shown}' argument to `-v' not in `var=value' form\n"));
                let _ = write_all(STDERR, HELP.as_bytes());
                return Err(Stop::Fatal(1));
            }
        };
        report::fault(&Place::default(), text);
        return Err(Stop::Fatal(2));
    }
    Ok(())
}

fn read_program(parts: &[Part], loads: &[&[u8]], dialect: Dialect) -> Result<Tree, Exit> {
    let loader = Loader { read: &find_source };
    let mut tree = Tree::new();
    for name in loads {
        let shown = String::from_utf8_lossy(name).into_owned();
        if builtins::extension(&shown).is_none() {
            let text = format!("cannot open shared library `{shown}' for reading: No such file or directory");
            return Err(report::fatal(&Place::default(), text));
        }
        let text = format!("@load \"{shown}\"\n").into_bytes();
        tree.add(Source { file: None, text }, dialect, &loader)?;
    }
    for part in parts {
        match part {
            Part::Text(text) => tree.add(Source { file: None, text: text.to_vec() }, dialect, &loader)?,
            Part::File(name) => match find_source(name) {
                Ok((path, text)) => {
                    tree.note(path);
                    let file = Some(String::from_utf8_lossy(name).into_owned());
                    tree.add(Source { file, text }, dialect, &loader)?;
                }
                Err(errno) => return Err(no_source(name, errno)),
            },
            Part::Include(name) => {
                if !tree.include(name, dialect, &loader, 0)? {
                    let shown = String::from_utf8_lossy(name).into_owned();
                    let text = format!("cannot open source file `{shown}' for reading: No such file or directory");
                    return Err(report::fatal(&Place::default(), text));
                }
            }
        }
    }
    tree.check()?;
    Ok(tree)
}

/// A file that is there and cannot be read is told apart from one that is nowhere.
fn no_source(name: &[u8], errno: Errno) -> Exit {
    let shown = String::from_utf8_lossy(name).into_owned();
    match errno {
        Errno::EISDIR => {
            crate::report::error(format_args!("{shown}:1: error: cannot read source file `{shown}': {errno}"));
            Exit(1)
        }
        Errno::EACCES if stat(name).is_ok() => {
            crate::report::error(format_args!("error: cannot open source file `{shown}' for reading: {errno}"));
            Exit(1)
        }
        errno => {
            let why = if errno == Errno::ELOOP { Errno::ENOENT } else { errno };
            report::fatal(&Place::default(), format!("cannot open source file `{shown}' for reading: {why}"))
        }
    }
}

/// A file of the program: as named, or along `AWKPATH`, with `.awk` behind it or without.
fn find_source(name: &[u8]) -> Found {
    if name == b"-" {
        return Ok((name.to_vec(), read_to_end(capsule_sys::STDIN)?));
    }
    let read = |path: &[u8]| {
        let fd = open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
        Ok((path.to_vec(), read_to_end(fd.raw())?))
    };
    let mut result = read(name);
    if name.contains(&b'/') {
        return result;
    }
    let path = getenv(b"AWKPATH").unwrap_or_else(|| b".:/usr/share/awk".to_vec());
    for suffix in [b"".as_slice(), b".awk"] {
        for folder in path.split(|b| *b == b':') {
            if result.is_ok() {
                return result;
            }
            let folder = if folder.is_empty() { b"." } else { folder };
            result = read(&[folder, b"/", name, suffix].concat()).or(result);
        }
    }
    result
}

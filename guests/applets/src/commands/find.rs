//! `find`: an expression tree ([`expr`]) made by [`parse`], evaluated for every file that [`walk`] meets. Types come from
//! the directory entries; a file's metadata is asked for only when a test needs it.

use crate::quote::locale;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, OpenFlags, STDIN, open, read_to_end};

mod exec;
mod expr;
mod help;
mod kinds;
mod list;
mod parse;
mod printf;
mod tests;
mod walk;

pub use help::HELP;

/// Which symbolic links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    Never,
    /// Those named on the command line.
    Named,
    Always,
}

/// What holds for the whole run.
pub struct Settings {
    follow: Follow,
    least: usize,
    most: usize,
    depth_first: bool,
    one_system: bool,
    ignore_race: bool,
    starts_from: Option<Vec<u8>>,
}

pub fn main(args: &Args) -> Outcome {
    let rest = args.rest();
    let mut follow = Follow::Never;
    let mut at = 0;
    while let Some(arg) = rest.get(at) {
        match arg.as_slice() {
            b"-P" => follow = Follow::Never,
            b"-H" => follow = Follow::Named,
            b"-L" => follow = Follow::Always,
            b"--" => {
                at += 1;
                break;
            }
            b"-D" => {
                at += 1;
                let words = rest.get(at).ok_or_else(|| report::usage(1, "Missing argument after the -D option."))?;
                debug(words)?;
            }
            [b'-', b'O', level @ ..] => optimise(level)?,
            _ => break,
        }
        at += 1;
    }
    let count = rest[at..].iter().take_while(|a| !parse::begins_expression(a, true)).count();
    let (starts, words) = rest[at..].split_at(count);
    let settings = Settings {
        follow,
        least: 0,
        most: usize::MAX,
        depth_first: false,
        one_system: false,
        ignore_race: false,
        starts_from: None,
    };
    let (settings, expr, context) = parse::parse(words, settings)?;
    let mut walk = walk::Walk::new(settings, expr, context);
    match walk.starts_from() {
        None if starts.is_empty() => walk.start(b"."),
        None => {
            for start in starts {
                walk.start(start);
            }
        }
        Some(_) if !starts.is_empty() => {
            report::error(format_args!("extra operand {}", locale(&starts[0])));
            return Err(report::die(1, "file operands cannot be combined with -files0-from"));
        }
        Some(file) => {
            let all = read_names(&file)?;
            let shown = if file == b"-" { locale(b"(standard input)") } else { locale(&file) };
            let all = all.strip_suffix(b"\0").unwrap_or(&all);
            for (number, start) in all.split(|&b| b == 0).enumerate() {
                if start.is_empty() {
                    if !all.is_empty() {
                        report::error(format_args!("{shown}:{}: invalid zero-length file name", number + 1));
                        walk.failed();
                    }
                    continue;
                }
                walk.start(start);
            }
        }
    }
    walk.finish()
}

fn read_names(file: &[u8]) -> Result<Vec<u8>, Exit> {
    let answer = match file {
        b"-" => read_to_end(STDIN),
        _ => open(file, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw())),
    };
    answer.map_err(|e: Errno| match e {
        e if file == b"-" => report::die(1, format_args!("{}: read error: {e}", locale(b"(standard input)"))),
        Errno::EISDIR => report::die(1, format_args!("{}: read error: {e}", locale(file))),
        e => report::die(1, format_args!("cannot open {} for reading: {e}", locale(file))),
    })
}

/// The order of tests is the user's: levels are checked and have no effect.
fn optimise(level: &[u8]) -> Result<(), Exit> {
    let text = String::from_utf8_lossy(level).into_owned();
    if level.is_empty() {
        return Err(report::die(1, "The -O option must be immediately followed by a decimal integer"));
    }
    if !level[0].is_ascii_digit() {
        return Err(report::die(1, "Please specify a decimal number immediately after -O"));
    }
    if !level.iter().all(u8::is_ascii_digit) {
        return Err(report::die(1, format_args!("Invalid optimisation level {text}")));
    }
    if text.parse::<u64>().is_err() {
        return Err(report::die(1, format_args!("Invalid optimisation level {text}: {}", Errno::ERANGE)));
    }
    Ok(())
}

/// The words of `-D`: `help` lists them. There is nothing to trace, and a trace that never comes would mislead.
fn debug(words: &[u8]) -> Result<(), Exit> {
    const KNOWN: &[&[u8]] = &[b"exec", b"opt", b"rates", b"search", b"stat", b"time", b"tree", b"all"];
    if words.is_empty() {
        return Err(report::usage(1, "Empty argument to the -D option."));
    }
    for word in words.split(|&b| b == b',') {
        if word == b"help" {
            let mut out = capsule_sys::Out::stdout();
            out.write(b"Valid arguments for -D:\nexec, opt, rates, search, stat, time, tree, all, help\n");
            return match report::finish(&mut out, 0) {
                Ok(status) => Err(Exit(status)),
                Err(exit) => Err(exit),
            };
        }
        if KNOWN.contains(&word) {
            let word = String::from_utf8_lossy(word);
            return Err(report::die(1, format_args!("-D {word} is not supported: nothing is traced")));
        }
        report::error(format_args!("Ignoring unrecognised debug flag {}", locale(word)));
    }
    Ok(())
}

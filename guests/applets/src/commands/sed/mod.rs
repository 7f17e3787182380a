//! `sed`: the stream editor.
//!
//! * [`script`]: a program as data; [`parse`] reads it, with [`text`] for the escapes in it and [`regex`] for patterns
//! * [`execute`] runs it over [`input`] into [`output`]; [`substitute`] is the `s` command
//! * [`debug`] shows the program and what it does

mod debug;
mod execute;
mod input;
mod output;
mod parse;
mod regex;
mod script;
mod substitute;
mod text;

use crate::input::Input;
use crate::options::{NO, OPT, Options, REQ, only};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::getenv;
use parse::{Parser, Source};

pub const HELP: &str = "\
Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...
Edit each line of the input by a script and print it.

  -n, --quiet, --silent
                 print only what the script prints
      --debug    show the program and what each of its commands does
  -e script, --expression=script
                 add the script to the commands
  -f script-file, --file=script-file
                 add the contents of the file to the commands
  --follow-symlinks
                 edit what a symbolic link names when editing in place
  -i[SUFFIX], --in-place[=SUFFIX]
                 edit files in place (with SUFFIX, keep the old ones)
  -l N, --line-length=N
                 the width of the lines of the `l' command
  --posix
                 no extensions of GNU
  -E, -r, --regexp-extended
                 use extended regular expressions
  -s, --separate
                 each file is an input of its own
      --sandbox
                 refuse the commands e, r and w
  -u, --unbuffered
                 read no more than is needed and write at once
  -z, --null-data
                 lines end in a 0 byte
      --help     print this help
      --version  print the version

With no -e, --expression, -f, or --file option, the first argument that is
no option is the script.  All others are names of input files; without any,
standard input is read.
";

/// What the command line asks for.
pub struct Settings {
    pub quiet: bool,
    pub extended: bool,
    /// No extensions of GNU's.
    pub posix: bool,
    /// `POSIXLY_CORRECT`, or no extensions: the few points where GNU's does otherwise than POSIX says.
    pub posixly: bool,
    pub debug: bool,
    pub sandbox: bool,
    pub separate: bool,
    pub unbuffered: bool,
    pub follow: bool,
    /// In place; the suffix of the backup may be empty.
    pub in_place: Option<Vec<u8>>,
    pub width: usize,
    /// What ends a line.
    pub end: u8,
    pub utf8: bool,
}

/// A wrong script or command line; an input that is not there; an error of reading or writing.
const BAD_USAGE: u8 = 1;
const BAD_INPUT: u8 = 2;
const PANIC: u8 = 4;

const FOLLOW: char = only(0);
const POSIX: char = only(1);
const SANDBOX: char = only(2);
const DEBUG: char = only(3);

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Help);
    let long = &[
        ("binary", NO, 'b'),
        ("regexp-extended", NO, 'r'),
        ("debug", NO, DEBUG),
        ("in-place", OPT, 'i'),
        ("expression", REQ, 'e'),
        ("file", REQ, 'f'),
        ("line-length", REQ, 'l'),
        ("null-data", NO, 'z'),
        ("zero-terminated", NO, 'z'),
        ("quiet", NO, 'n'),
        ("posix", NO, POSIX),
        ("silent", NO, 'n'),
        ("sandbox", NO, SANDBOX),
        ("separate", NO, 's'),
        ("unbuffered", NO, 'u'),
        ("follow-symlinks", NO, FOLLOW),
    ];
    let mut settings = Settings {
        quiet: false,
        extended: false,
        posix: false,
        posixly: getenv(b"POSIXLY_CORRECT").is_some(),
        debug: false,
        sandbox: false,
        separate: false,
        unbuffered: false,
        follow: false,
        in_place: None,
        width: width_from_environment(),
        end: b'\n',
        utf8: quote::is_utf8(),
    };
    let mut sources = Vec::new();
    report::output_fails(PANIC, "couldn't flush stdout");
    let mut options = Options::new(args, "bsnrzuEe:f:l:i::", long);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'n' => settings.quiet = true,
            'e' => sources.push(Source::expression(&sources, opt.value())),
            'f' => sources.push(from_file(opt.value())?),
            'i' => {
                settings.in_place = Some(opt.value.unwrap_or_default().to_vec());
                settings.separate = true;
            }
            'l' => settings.width = leading_number(opt.value()),
            'E' | 'r' => settings.extended = true,
            's' => settings.separate = true,
            'u' => settings.unbuffered = true,
            'z' => settings.end = 0,
            'b' => {}
            FOLLOW => settings.follow = true,
            POSIX => (settings.posix, settings.posixly) = (true, true),
            SANDBOX => settings.sandbox = true,
            DEBUG => settings.debug = true,
            _ => {}
        }
    }
    let mut operands = options.operands();
    if sources.is_empty() {
        if operands.is_empty() {
            return Err(report::try_help(BAD_USAGE));
        }
        sources.push(Source::expression(&sources, operands.remove(0)));
    }
    let script = Parser::new(&mut settings).parse(&sources)?;
    let files = if operands.is_empty() && settings.in_place.is_none() { vec![b"-".as_slice()] } else { operands };
    if files.is_empty() {
        return Err(report::die(PANIC, "no input files"));
    }
    execute::run(script, &settings, &files)
}

/// The width of lines of `l`, from the environment as GNU's takes it.
fn width_from_environment() -> usize {
    let columns = getenv(b"COLS").map_or(0, |text| leading_number(&text));
    if columns > 1 { columns - 1 } else { 70 }
}

/// The digits at the start as a number, as C's `atoi` reads them.
fn leading_number(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).take(9);
    digits.fold(0, |n, b| n * 10 + usize::from(b - b'0'))
}

fn from_file(name: &[u8]) -> Result<Source, Exit> {
    let mut text = Vec::new();
    let file = if name == b"/dev/stdin" { b"-" } else { name };
    let read = Input::open(file).and_then(|mut input| input.stream.read_to_end(&mut text));
    match read {
        Ok(()) => Ok(Source::file(name, text)),
        Err(e) => Err(report::die(PANIC, format_args!("couldn't open file {}: {e}", String::from_utf8_lossy(name)))),
    }
}

//! bc: a calculator of any precision.
//!
//! * `lex`, `parse`: a line becomes statements; `run`: they are carried out; `math`: the functions of `-l`

mod lex;
mod math;
mod parse;
mod random;
mod run;

use crate::options::{Long, NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, Fd, FileType, In, OpenFlags, Out, STDIN, fstat, open};
use lex::Lexer;
use parse::{Item, Parser, Wrong};
use run::{Machine, Stop};
use std::collections::VecDeque;

pub const HELP: &str = "\
Usage: bc [OPTION]... [FILE]...
Compute with numbers of any precision, by the FILEs and then standard input.

  -i, --interactive  (input is never a terminal here)
  -l, --mathlib      the functions s c a l e j, and a scale of 20
  -q, --quiet        print no welcome
  -h, --help         print this help
  -v, --version      print the version
";

const LONG: &[Long] =
    &[("interactive", NO, 'i'), ("mathlib", NO, 'l'), ("quiet", NO, 'q'), ("standard", NO, 's'), ("warn", NO, 'w')];

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Help);
    let mut options = Options::new(args, "hilqswv", LONG);
    let mut library = false;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'l' => library = true,
            'h' => return Err(options.help()),
            'v' => return Err(options.version()),
            's' | 'w' => {
                return Err(report::die(1, format_args!("the option -{} is not supported here", opt.letter)));
            }
            _ => {}
        }
    }
    let mut files: Vec<Fd> = Vec::new();
    let mut inputs = VecDeque::new();
    for name in options.operands() {
        let shown = String::from_utf8_lossy(name).into_owned();
        let opened = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0);
        match opened
            .and_then(|fd| if fstat(fd.raw())?.kind == FileType::Directory { Err(Errno::EISDIR) } else { Ok(fd) })
        {
            Ok(fd) => {
                inputs.push_back((shown, In::new(fd.raw())));
                files.push(fd);
            }
            Err(_) => {
                report::plain(&format!("File {shown} is unavailable.\n"));
                return Ok(1);
            }
        }
    }
    inputs.push_back(("(standard_in)".to_owned(), In::new(STDIN)));
    let mut parser = Parser::new(Lexer::new(inputs));
    let mut machine = Machine::new(Out::stdout(), library);
    loop {
        match parser.item() {
            Ok(Item::End | Item::Quit) => break,
            Ok(Item::Function(_) | Item::Statements(_)) if parser.take_failed() => {}
            Ok(Item::Function(function)) => machine.define(function),
            Ok(Item::Statements(statements)) => match machine.top(&statements, &mut parser.lex) {
                Err(Stop::Halt) => break,
                Err(Stop::Error(text)) => {
                    machine.flush();
                    let place = format!("func={}, adr={}", machine.function_name(), machine.at);
                    report::plain(&format!("Runtime error ({place}): {text}\n"));
                    machine.reset();
                }
                _ => {}
            },
            Err(Wrong(text)) => {
                machine.flush();
                let text = text.unwrap_or_else(|| "syntax error".to_owned());
                report::plain(&format!("{} {}: {text}\n", parser.lex.name, parser.error_line()));
                parser.recover();
                parser.take_failed();
            }
        }
        machine.flush();
        // In the words, and by the name, of what GNU's bc is built upon.
        if let Some(e) = machine.out.error() {
            report::plain(&format!("dc: could not write output file: {e}\n"));
            return Ok(1);
        }
    }
    Ok(u8::from(parser.lex.unreadable))
}

//! What is searched for.

use super::TROUBLE;
use super::options::{Asked, Syntax};
use crate::{Exit, quote, report};
use capsule_regex::{Options, Perl, PerlOptions, Regex, TooMuch, Whole};
use std::cell::Cell;

pub struct Matcher {
    /// None: nothing matches.
    engine: Option<Engine>,
    /// Lines end with a newline, so that many can be searched at once.
    lines: bool,
    end: u8,
    /// A search was given up.
    pub failed: Cell<bool>,
}

enum Engine {
    Posix(Box<Regex>),
    Perl(Box<Perl>),
}

impl Matcher {
    pub fn new(asked: &Asked) -> Result<Matcher, Exit> {
        let lines = asked.end == b'\n';
        if asked.patterns.is_empty() {
            return Ok(Matcher { engine: None, lines, end: asked.end, failed: Cell::new(false) });
        }
        let whole = match (asked.line, asked.word) {
            (true, _) => Whole::Line,
            (false, true) => Whole::Word,
            (false, false) => Whole::No,
        };
        let syntax = match asked.syntax {
            Syntax::Basic => capsule_regex::Syntax::Basic,
            Syntax::Extended => capsule_regex::Syntax::Extended,
            Syntax::Fixed => capsule_regex::Syntax::Literal,
            Syntax::Perl => {
                let engine = Some(Engine::Perl(Box::new(perl(asked, whole)?)));
                return Ok(Matcher { engine, lines, end: asked.end, failed: Cell::new(false) });
            }
        };
        let options = Options {
            syntax,
            ignore_case: asked.ignore_case,
            utf8: quote::is_utf8(),
            multi_line: lines,
            newline_any: !lines,
            lenient: true,
            check_classes: true,
            ..Options::default()
        };
        let patterns: Vec<&[u8]> = asked.patterns.iter().map(Vec::as_slice).collect();
        let regex = match Regex::any_of(&patterns, &options, whole) {
            Ok(regex) => regex,
            Err(error) => {
                // What is wrong with each of them.
                let errors = patterns.iter().filter_map(|one| Regex::any_of(&[one], &options, whole).err());
                let errors: Vec<_> = errors.collect();
                errors.iter().for_each(report::error);
                return Err(if errors.is_empty() { report::die(TROUBLE, error) } else { Exit(TROUBLE) });
            }
        };
        for warning in regex.warnings() {
            report::error(format_args!("warning: {warning}"));
        }
        let engine = Some(Engine::Posix(Box::new(regex)));
        Ok(Matcher { engine, lines, end: asked.end, failed: Cell::new(false) })
    }

    /// The first line from `from` on that matches: its start, and the place behind its end. `text` ends with the end of
    /// a line.
    pub fn line(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let last = text.len() - 1;
        let mut from = from;
        while from <= last {
            let start;
            if self.lines {
                let at = self.find_line(&text[..last], from)?;
                start = memchr::memrchr(self.end, &text[from..at]).map_or(from, |i| from + i + 1);
                from = at;
            } else {
                start = from;
            }
            let end = memchr::memchr(self.end, &text[from..last]).map_or(last, |i| from + i) + 1;
            if self.lines || self.find(&text[start..end - 1], 0).is_some() {
                return Some((start, end));
            }
            from = end;
        }
        None
    }

    fn find_line(&self, text: &[u8], from: usize) -> Option<usize> {
        match self.engine.as_ref()? {
            Engine::Posix(regex) => regex.find_line(text, from),
            Engine::Perl(perl) => perl.find_line(text, from).unwrap_or_else(|TooMuch| self.give_up()),
        }
    }

    /// The match in a line, from a place on.
    pub fn find(&self, line: &[u8], from: usize) -> Option<(usize, usize)> {
        match self.engine.as_ref()? {
            Engine::Posix(regex) => regex.find_at(line, from, false),
            Engine::Perl(perl) => perl.find_at(line, from).unwrap_or_else(|TooMuch| self.give_up()),
        }
    }

    fn give_up<T>(&self) -> Option<T> {
        self.failed.set(true);
        None
    }
}

fn perl(asked: &Asked, whole: Whole) -> Result<Perl, Exit> {
    let [pattern] = asked.patterns.as_slice() else {
        return Err(report::die(TROUBLE, "the -P option only supports a single pattern"));
    };
    let lines = asked.end == b'\n';
    let options = PerlOptions { ignore_case: asked.ignore_case, utf8: quote::is_utf8(), multi_line: lines, lines };
    Perl::new(pattern, &options, whole).map_err(|error| report::die(TROUBLE, error))
}

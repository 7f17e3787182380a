//! What is searched for.

use super::TROUBLE;
use super::options::{Asked, Syntax};
use crate::{Exit, quote, report};
use capsule_regex::{Options, Regex, Whole};

pub struct Matcher {
    /// None: nothing matches.
    regex: Option<Regex>,
    /// Lines end with a newline, so that many can be searched at once.
    lines: bool,
    end: u8,
}

impl Matcher {
    pub fn new(asked: &Asked) -> Result<Matcher, Exit> {
        let lines = asked.end == b'\n';
        if asked.patterns.is_empty() {
            return Ok(Matcher { regex: None, lines, end: asked.end });
        }
        let syntax = match asked.syntax {
            Syntax::Basic => capsule_regex::Syntax::Basic,
            Syntax::Extended => capsule_regex::Syntax::Extended,
            Syntax::Fixed => capsule_regex::Syntax::Literal,
            Syntax::Perl => return Err(report::die(TROUBLE, "the -P option is not supported")),
        };
        let options = Options {
            syntax,
            ignore_case: asked.ignore_case,
            utf8: quote::is_utf8(),
            multi_line: lines,
            newline_any: !lines,
            lenient: true,
            check_classes: true,
        };
        let whole = match (asked.line, asked.word) {
            (true, _) => Whole::Line,
            (false, true) => Whole::Word,
            (false, false) => Whole::No,
        };
        let mut patterns: Vec<&[u8]> = asked.patterns.iter().map(Vec::as_slice).collect();
        // What matches everywhere needs no others beside it.
        if whole == Whole::No && patterns.contains(&b"".as_slice()) {
            patterns = vec![b""];
        }
        let regex = match Regex::any_of(&patterns, &options, whole) {
            Ok(regex) => regex,
            Err(error) => return Err(report::die(TROUBLE, error)),
        };
        for warning in regex.warnings() {
            report::error(format_args!("warning: {warning}"));
        }
        Ok(Matcher { regex: Some(regex), lines, end: asked.end })
    }

    /// The first line from `from` on that matches: its start, and the place behind its end. `text` ends with the end of
    /// a line.
    pub fn line(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let regex = self.regex.as_ref()?;
        let last = text.len() - 1;
        let mut from = from;
        while from <= last {
            let start;
            if self.lines {
                let at = regex.find_line(&text[..last], from)?;
                start = memchr::memrchr(self.end, &text[from..at]).map_or(from, |i| from + i + 1);
                from = at;
            } else {
                start = from;
            }
            let end = memchr::memchr(self.end, &text[from..last]).map_or(last, |i| from + i) + 1;
            if self.lines || regex.is_match(&text[start..end - 1]) {
                return Some((start, end));
            }
            from = end;
        }
        None
    }

    /// The leftmost longest match in a line, from a place on.
    pub fn find(&self, line: &[u8], from: usize) -> Option<(usize, usize)> {
        self.regex.as_ref()?.find_at(line, from, false)
    }
}

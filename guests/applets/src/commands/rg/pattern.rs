//! What is searched for: patterns in the syntax of Rust's regex crate, or of Perl's kind.

use super::options::{Asked, Case, plain};
use crate::Exit;
use capsule_regex::{Groups, Perl, PerlOptions, Whole};
use regex_automata::meta::{self, Cache, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::interpolate;
use regex_automata::{Input, MatchKind};
use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind, Look, Repetition};
use std::cell::{Cell, RefCell};

/// Memory of a compiled pattern.
const MAX_SIZE: usize = 32 << 20;

pub struct Matcher {
    engine: Engine,
    /// Lines are matched by themselves.
    lines: bool,
    end: u8,
    /// A search was given up.
    pub failed: Cell<bool>,
}

enum Engine {
    Rust(Box<(Regex, RefCell<Cache>)>),
    Perl(Box<Perl>),
    /// No patterns: nothing matches.
    None,
}

impl Matcher {
    pub fn new(asked: &Asked) -> Result<Matcher, Exit> {
        let end = if asked.null_data { 0 } else { b'\n' };
        let matcher = |engine| Matcher { engine, lines: !asked.multiline, end, failed: Cell::new(false) };
        if asked.patterns.is_empty() {
            return Ok(matcher(Engine::None));
        }
        let mut patterns = Vec::new();
        for pattern in &asked.patterns {
            match std::str::from_utf8(pattern) {
                Ok(pattern) if asked.fixed => patterns.push(regex_syntax::escape(pattern)),
                Ok(pattern) => patterns.push(pattern.to_owned()),
                Err(_) => return Err(plain("a pattern is not valid UTF-8")),
            }
        }
        let ignore_case = match asked.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !patterns.iter().any(|pattern| has_upper_case(pattern)),
        };
        if asked.perl {
            return perl(&patterns, asked, ignore_case).map(|perl| matcher(Engine::Perl(Box::new(perl))));
        }
        let mut alternatives = Vec::new();
        for pattern in &patterns {
            let parsed = regex_syntax::ParserBuilder::new()
                .utf8(false)
                .unicode(asked.unicode)
                .multi_line(true)
                .dot_matches_new_line(asked.multiline && asked.dot_all)
                .case_insensitive(ignore_case)
                .build()
                .parse(pattern);
            let hir = match parsed {
                Ok(hir) => hir,
                Err(_) if asked.perl_if_needed => {
                    return perl(&patterns, asked, ignore_case).map(|perl| matcher(Engine::Perl(Box::new(perl))));
                }
                Err(error) => return Err(refused(&error.to_string())),
            };
            let ends: &[u8] = if asked.crlf { b"\n\r" } else { &[end] };
            let hir = if asked.multiline { hir } else { within_line(&hir, ends)? };
            alternatives.push(if asked.crlf { before_return(&hir) } else { hir });
        }
        let mut hir = Hir::alternation(alternatives);
        if asked.line {
            let end = if asked.crlf { Look::EndCRLF } else { Look::EndLF };
            hir = Hir::concat(vec![Hir::look(Look::StartLF), hir, Hir::look(end)]);
        } else if asked.word {
            let (start, end) = if asked.unicode {
                (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode)
            } else {
                (Look::WordStartHalfAscii, Look::WordEndHalfAscii)
            };
            hir = Hir::concat(vec![Hir::look(start), hir, Hir::look(end)]);
        }
        let config = meta::Config::new()
            .utf8_empty(false)
            .match_kind(MatchKind::LeftmostFirst)
            .line_terminator(end)
            .nfa_size_limit(Some(limit(asked.size_limit, MAX_SIZE)))
            .hybrid_cache_capacity(limit(asked.cache_limit, 2 << 20));
        let regex = meta::Builder::new().configure(config).build_from_hir(&hir).map_err(|error| {
            plain(&match error.size_limit() {
                Some(limit) => format!("Compiled regex exceeds size limit of {limit} bytes."),
                None => error.to_string(),
            })
        })?;
        let cache = RefCell::new(regex.create_cache());
        Ok(matcher(Engine::Rust(Box::new((regex, cache)))))
    }

    /// The first line from `from` on that matches: its start, and the place behind its end. `text` ends with the end of
    /// a line.
    pub fn line(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let last = text.len() - 1;
        if from > last {
            return None;
        }
        let at = match &self.engine {
            Engine::None => return None,
            Engine::Rust(engine) => {
                let input = Input::new(&text[..last]).range(from..).earliest(true);
                engine.0.search_half_with(&mut engine.1.borrow_mut(), &input)?.offset()
            }
            Engine::Perl(perl) => perl.find_line(&text[..last], from).unwrap_or_else(|_| self.give_up())?,
        };
        let start = memchr::memrchr(self.end, &text[from..at]).map_or(from, |i| from + i + 1);
        let end = memchr::memchr(self.end, &text[at..last]).map_or(last, |i| at + i) + 1;
        Some((start, end))
    }

    /// The first match from a place on.
    pub fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::None => None,
            Engine::Rust(engine) => {
                let input = Input::new(text).range(from..);
                engine.0.search_with(&mut engine.1.borrow_mut(), &input).map(|found| (found.start(), found.end()))
            }
            Engine::Perl(perl) => perl.find_at(text, from).unwrap_or_else(|_| self.give_up()),
        }
    }

    /// All matches, one behind the other.
    pub fn each(&self, text: &[u8], mut then: impl FnMut(usize, usize)) {
        let (mut at, mut last) = (0, usize::MAX);
        while at <= text.len() {
            let Some((start, end)) = self.find(text, at) else { return };
            // Nothing right behind a match is not another.
            if start != end || start != last {
                then(start, end);
            }
            last = end;
            at = end;
            if start == end {
                at += if end < text.len() { capsule_regex::char_len(&text[end..], true) } else { 1 };
            }
        }
    }

    /// The text that stands for the match at a place: groups are put in for `$1` and `${name}`.
    pub fn expand(&self, replacement: &[u8], text: &[u8], start: usize, out: &mut Vec<u8>) {
        match &self.engine {
            Engine::None => {}
            Engine::Rust(engine) => {
                let mut captures = engine.0.create_captures();
                let input = Input::new(text).range(start..);
                engine.0.search_captures_with(&mut engine.1.borrow_mut(), &input, &mut captures);
                expand(replacement, &captures, text, out);
            }
            Engine::Perl(perl) => {
                let mut groups = Groups::new();
                if perl.captures_at(text, start, &mut groups) == Ok(true) {
                    let group = |n: usize, out: &mut Vec<u8>| {
                        if let Some((from, to)) = groups.get(n).copied().flatten() {
                            out.extend_from_slice(&text[from..to]);
                        }
                    };
                    interpolate::bytes(replacement, group, |_| None, out);
                }
            }
        }
    }

    /// A match may go over the end of a line.
    pub fn is_multiline(&self) -> bool {
        !self.lines
    }

    fn give_up<T>(&self) -> Option<T> {
        self.failed.set(true);
        None
    }
}

fn expand(replacement: &[u8], captures: &Captures, text: &[u8], out: &mut Vec<u8>) {
    let group = |n: usize, out: &mut Vec<u8>| {
        if let Some(span) = captures.get_group(n) {
            out.extend_from_slice(&text[span.start..span.end]);
        }
    };
    let pattern = captures.pattern().unwrap_or_default();
    interpolate::bytes(replacement, group, |name| captures.group_info().to_index(pattern, name), out);
}

/// A pattern that cannot be read, with what may help.
fn refused(message: &str) -> Exit {
    let hint = if message.contains("look-around") || message.contains("backreferences") {
        "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around."
    } else {
        ""
    };
    plain(&format!("{message}{hint}"))
}

fn perl(patterns: &[String], asked: &Asked, ignore_case: bool) -> Result<Perl, Exit> {
    let joined;
    let pattern = match patterns {
        [only] => only,
        several => {
            joined = several.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|");
            &joined
        }
    };
    let options = PerlOptions { ignore_case, utf8: true, multi_line: true, lines: !asked.multiline };
    let whole = match (asked.line, asked.word) {
        (true, _) => Whole::Line,
        (_, true) => Whole::Word,
        _ => Whole::No,
    };
    Perl::new(pattern.as_bytes(), &options, whole)
        .map_err(|error| plain(&format!("PCRE2: error compiling pattern: {error}")))
}

/// Whether a letter of the pattern, not of an escape, is in upper case.
fn has_upper_case(pattern: &str) -> bool {
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            if c.is_uppercase() {
                return true;
            }
            continue;
        }
        // `\pL` and `\p{Lu}` are no letters.
        if let Some('p' | 'P' | 'x' | 'u' | 'U') = chars.next()
            && chars.next_if(|c| *c == '{').is_some()
        {
            while chars.next().is_some_and(|c| c != '}') {}
        }
    }
    false
}

/// The pattern where no match has the end of a line in it.
fn within_line(hir: &Hir, ends: &[u8]) -> Result<Hir, Exit> {
    Ok(match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => hir.clone(),
        HirKind::Literal(literal) => {
            if let Some(end) = ends.iter().find(|end| literal.0.contains(end)) {
                let shown = match end {
                    0 => "\\0",
                    b'\r' => "\\r",
                    _ => "\\n",
                };
                return Err(plain(&format!(
                    "the literal '\"{shown}\"' is not allowed in a regex\n\n\
                     Consider enabling multiline mode with the --multiline flag (or -U for short).\n\
                     When multiline mode is enabled, new line characters can be matched."
                )));
            }
            hir.clone()
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            let ends = ends.iter().map(|&end| ClassUnicodeRange::new(end.into(), end.into()));
            class.difference(&regex_syntax::hir::ClassUnicode::new(ends));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            let ends = ends.iter().map(|&end| ClassBytesRange::new(end, end));
            class.difference(&regex_syntax::hir::ClassBytes::new(ends));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(within_line(&repetition.sub, ends)?);
            Hir::repetition(Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => {
            let mut capture = capture.clone();
            capture.sub = Box::new(within_line(&capture.sub, ends)?);
            Hir::capture(capture)
        }
        HirKind::Concat(all) => Hir::concat(all.iter().map(|hir| within_line(hir, ends)).collect::<Result<_, _>>()?),
        HirKind::Alternation(all) => {
            Hir::alternation(all.iter().map(|hir| within_line(hir, ends)).collect::<Result<_, _>>()?)
        }
    })
}

/// The pattern where the end of a line may have a carriage return before it.
fn before_return(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(Look::EndLF) => Hir::look(Look::EndCRLF),
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
        HirKind::Repetition(repetition) => {
            Hir::repetition(Repetition { sub: Box::new(before_return(&repetition.sub)), ..repetition.clone() })
        }
        HirKind::Capture(capture) => {
            let mut capture = capture.clone();
            capture.sub = Box::new(before_return(&capture.sub));
            Hir::capture(capture)
        }
        HirKind::Concat(all) => Hir::concat(all.iter().map(before_return).collect()),
        HirKind::Alternation(all) => Hir::alternation(all.iter().map(before_return).collect()),
    }
}

fn limit(asked: Option<u64>, ours: usize) -> usize {
    asked.map_or(ours, |asked| usize::try_from(asked).unwrap_or(usize::MAX))
}

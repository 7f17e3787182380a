//! Which members are meant, and what they are called on the way in or out.

use crate::glob;
use crate::quote::Style;
use crate::{Exit, report};
use capsule_regex::{Groups, Options, Regex, Syntax};
use std::cell::Cell;

/// A pattern and how it is matched, as the options before it say.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub text: Vec<u8>,
    pub wildcards: bool,
    pub anchored: bool,
    pub ignore_case: bool,
    pub slash: bool,
}

impl Pattern {
    /// Whether it matches the name or a directory above it.
    pub fn matches(&self, name: &[u8]) -> bool {
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let (name, text) = match self.ignore_case {
            true => (name.to_ascii_lowercase(), self.text.to_ascii_lowercase()),
            false => (name.to_vec(), self.text.clone()),
        };
        let text = text.strip_suffix(b"/").unwrap_or(&text);
        let slashes = || memchr::memchr_iter(b'/', &name);
        let starts = std::iter::once(0).chain(slashes().map(|i| i + 1).filter(|_| !self.anchored));
        for start in starts {
            let ends = slashes().filter(|&e| e > start).chain(std::iter::once(name.len()));
            for end in ends {
                let part = &name[start..end];
                let fits = match self.wildcards {
                    false => part == text,
                    // Without slashes in what `*` takes, both have as many.
                    true if !self.slash && count(part) != count(text) => false,
                    true => glob::matches(text, part, false),
                };
                if fits {
                    return true;
                }
            }
        }
        false
    }
}

fn count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'/', text).count()
}

/// `s/…/…/`
pub struct Transform {
    regex: Regex,
    replacement: Vec<u8>,
    global: bool,
    number: usize,
}

impl Transform {
    /// One or more of them, separated by semicolons.
    pub fn parse(text: &[u8]) -> Result<Vec<Transform>, Exit> {
        let bad = |why: &str| report::die(2, format_args!("Invalid transform expression: {why}"));
        let mut all = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let Some((b's', after)) = rest.split_first() else { return Err(bad("expected s")) };
            let Some((&mark, after)) = after.split_first() else { return Err(bad("missing delimiter")) };
            let (pattern, after) = part(after, mark).ok_or_else(|| bad("missing second delimiter"))?;
            let (replacement, after) = part(after, mark).ok_or_else(|| bad("missing third delimiter"))?;
            let end = memchr::memchr(b';', after).unwrap_or(after.len());
            let mut options = Options { utf8: crate::quote::is_utf8(), ..Options::default() };
            let (mut global, mut number) = (false, String::new());
            for &flag in &after[..end] {
                match flag {
                    b'g' => global = true,
                    b'i' => options.ignore_case = true,
                    b'x' => options.syntax = Syntax::Extended,
                    b'0'..=b'9' => number.push(flag as char),
                    // Which kinds of names: all of them here.
                    b'r' | b'R' | b'h' | b'H' | b's' | b'S' => {}
                    _ => {
                        let text = format!("Unknown flag in transform expression: {}", flag as char);
                        return Err(report::die(2, text));
                    }
                }
            }
            let regex = Regex::new(&pattern, &options)
                .map_err(|e| report::die(2, format_args!("Invalid transform expression: {e}")))?;
            all.push(Transform { regex, replacement, global, number: number.parse().unwrap_or(1).max(1) });
            rest = after[end..].strip_prefix(b";").unwrap_or(b"");
        }
        Ok(all)
    }

    pub fn apply(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut groups = Groups::new();
        let (mut from, mut copied, mut nth) = (0, 0, 0);
        while from <= name.len() && self.regex.captures_at(name, from, false, &mut groups) {
            let Some((start, end)) = groups.first().copied().flatten() else { break };
            nth += 1;
            if nth >= self.number {
                out.extend_from_slice(&name[copied..start]);
                self.replace(name, &groups, &mut out);
                copied = end;
                if !self.global {
                    break;
                }
            }
            from = if end > start { end } else { end + 1 };
        }
        out.extend_from_slice(&name[copied.min(name.len())..]);
        out
    }

    fn replace(&self, name: &[u8], groups: &Groups, out: &mut Vec<u8>) {
        let mut rest = self.replacement.iter();
        // \U and \L hold until \E.
        let mut case = 0;
        while let Some(&byte) = rest.next() {
            let from = out.len();
            match byte {
                b'&' => copy(name, groups, 0, out),
                b'\\' => match rest.next() {
                    Some(&digit @ b'0'..=b'9') => copy(name, groups, usize::from(digit - b'0'), out),
                    Some(&letter @ (b'U' | b'L')) => case = letter,
                    Some(b'E') => case = 0,
                    Some(b'n') => out.push(b'\n'),
                    Some(&other) => out.push(other),
                    None => out.push(b'\\'),
                },
                _ => out.push(byte),
            }
            match case {
                b'U' => out[from..].make_ascii_uppercase(),
                b'L' => out[from..].make_ascii_lowercase(),
                _ => {}
            }
        }
    }
}

fn copy(name: &[u8], groups: &Groups, number: usize, out: &mut Vec<u8>) {
    if let Some((start, end)) = groups.get(number).copied().flatten() {
        out.extend_from_slice(&name[start..end]);
    }
}

/// Text up to a delimiter that is not escaped; what follows it.
fn part(text: &[u8], mark: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' if text.get(at + 1) == Some(&mark) => {
                out.push(mark);
                at += 2;
            }
            b'\\' if at + 1 < text.len() => {
                out.extend_from_slice(&text[at..at + 2]);
                at += 2;
            }
            byte if byte == mark => return Some((out, &text[at + 1..])),
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    None
}

/// The members named on the command line.
pub struct Wanted {
    pub patterns: Vec<Pattern>,
    pub seen: Vec<bool>,
}

impl Wanted {
    pub fn new(patterns: Vec<Pattern>) -> Wanted {
        let seen = vec![false; patterns.len()];
        Wanted { patterns, seen }
    }

    pub fn matches(&mut self, name: &[u8]) -> bool {
        if self.patterns.is_empty() {
            return true;
        }
        let mut any = false;
        for (pattern, seen) in self.patterns.iter().zip(&mut self.seen) {
            if pattern.matches(name) {
                *seen = true;
                any = true;
            }
        }
        any
    }

    /// Tells which were not there; whether all were.
    pub fn finish(&self) -> bool {
        for (pattern, _) in self.patterns.iter().zip(&self.seen).filter(|p| !p.1) {
            report::error(format_args!("{}: Not found in archive", shown(&pattern.text)));
        }
        self.seen.iter().all(|s| *s)
    }
}

thread_local! {
    static STYLE: Cell<Style> = const { Cell::new(Style::Escape) };
}

/// How names are shown from now on: `--quoting-style`.
pub fn set_style(style: Style) {
    STYLE.set(style);
}

/// A name as tar shows it: what cannot be printed as C would write it.
pub fn shown(name: &[u8]) -> String {
    let text = crate::quote::show(name, STYLE.get(), crate::quote::is_utf8(), b"");
    // Blanks are as they are, where others escape them.
    if STYLE.get() == Style::Escape { text.replace("\\ ", " ") } else { text }
}

/// Takes so many components away; none when nothing is left.
pub fn strip(name: &[u8], components: usize) -> Option<&[u8]> {
    let mut rest = name;
    for _ in 0..components {
        rest = &rest[rest.iter().take_while(|b| **b == b'/').count()..];
        rest = &rest[memchr::memchr(b'/', rest)?..];
        rest = &rest[rest.iter().take_while(|b| **b == b'/').count()..];
    }
    (!rest.is_empty()).then_some(rest)
}

/// Names lose what would lead out of the directory, and that is told once for each kind of start.
#[derive(Default)]
pub struct Prefixes {
    told: Vec<(Vec<u8>, bool)>,
}

impl Prefixes {
    pub fn remove<'a>(&mut self, name: &'a [u8], links: bool) -> &'a [u8] {
        let mut end = 0;
        // Behind the last `..` that is a component.
        let mut at = 0;
        for part in name.split_inclusive(|&b| b == b'/') {
            at += part.len();
            if matches!(part, b"../" | b"..") {
                end = at;
            }
        }
        end += name[end..].iter().take_while(|b| **b == b'/').count();
        let prefix = &name[..end];
        if !prefix.is_empty() && !self.told.iter().any(|t| t.0 == prefix && t.1 == links) {
            let what = if links { "hard link targets" } else { "member names" };
            report::error(format_args!("Removing leading `{}' from {what}", String::from_utf8_lossy(prefix)));
            self.told.push((prefix.to_vec(), links));
        }
        if end == name.len() { b"." } else { &name[end..] }
    }
}

/// A component that leads up.
pub fn leads_up(name: &[u8]) -> bool {
    name.split(|&b| b == b'/').any(|part| part == b"..")
}

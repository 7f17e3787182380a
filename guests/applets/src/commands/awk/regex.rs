//! Regular expressions, compiled once.

use capsule_regex::{Options, Regex, Syntax};
use std::collections::HashMap;
use std::rc::Rc;

/// So many dynamic ones are kept.
const KEPT: usize = 500;

#[derive(Default)]
pub struct Cache {
    pub utf8: bool,
    pub ignore_case: bool,
    /// Intervals are plain text in traditional awk.
    pub plain_braces: bool,
    constants: Vec<Option<Rc<Regex>>>,
    dynamic: HashMap<Vec<u8>, Rc<Regex>>,
    last: Option<(Vec<u8>, Rc<Regex>)>,
}

fn options(utf8: bool, ignore_case: bool) -> Options {
    Options { syntax: Syntax::Awk, utf8, ignore_case, ..Options::default() }
}

/// Why a text is no regular expression.
pub fn check(source: &[u8]) -> Result<(), String> {
    Regex::new(source, &options(false, false)).map(drop).map_err(|e| e.to_string())
}

/// The escapes that mean nothing, each once; what GNU says about them.
pub fn odd_escapes(source: &[u8], warned: &mut Vec<u8>) -> Vec<String> {
    const KNOWN: &[u8] = br#"afnrtvx01234567<>`'BywWsS{}()|*+?.^$\[]/-b"#;
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'\\', &source[at..]) {
        at += n + 2;
        let Some(&letter) = source.get(at - 1) else { break };
        if KNOWN.contains(&letter) || letter == b'\n' || warned.contains(&letter) {
            continue;
        }
        let shown = char::from(letter);
        if letter.is_ascii_digit() {
            all.push(format!("regexp escape sequence `\\{shown}' treated as plain `{shown}'"));
        } else if letter.is_ascii() {
            warned.push(letter);
            all.push(format!("regexp escape sequence `\\{shown}' is not a known regexp operator"));
        }
    }
    all
}

impl Cache {
    /// Everything again under another case rule.
    pub fn set_ignore_case(&mut self, on: bool) {
        if on != self.ignore_case {
            self.ignore_case = on;
            self.constants.clear();
            self.dynamic.clear();
            self.last = None;
        }
    }

    pub fn compile(&self, source: &[u8]) -> Result<Rc<Regex>, String> {
        let escaped;
        let mut text = source;
        if self.plain_braces {
            escaped = without_intervals(source);
            text = &escaped;
        }
        Regex::new(text, &options(self.utf8, self.ignore_case)).map(Rc::new).map_err(|e| e.to_string())
    }

    /// The program's own, by number.
    #[inline]
    pub fn constant(&mut self, number: u32, source: &[u8]) -> Result<Rc<Regex>, String> {
        let at = number as usize;
        if let Some(Some(regex)) = self.constants.get(at) {
            return Ok(regex.clone());
        }
        let regex = self.compile(source)?;
        if self.constants.len() <= at {
            self.constants.resize(at + 1, None);
        }
        self.constants[at] = Some(regex.clone());
        Ok(regex)
    }

    pub fn dynamic(&mut self, source: &[u8]) -> Result<Rc<Regex>, String> {
        if let Some((text, regex)) = &self.last
            && text == source
        {
            return Ok(regex.clone());
        }
        let regex = match self.dynamic.get(source) {
            Some(regex) => regex.clone(),
            None => {
                let regex = self.compile(source)?;
                if self.dynamic.len() >= KEPT {
                    self.dynamic.clear();
                }
                self.dynamic.insert(source.to_vec(), regex.clone());
                regex
            }
        };
        self.last = Some((source.to_vec(), regex.clone()));
        Ok(regex)
    }
}

/// Braces stand for themselves.
fn without_intervals(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut bracket = false;
    let mut at = 0;
    while at < source.len() {
        match source[at] {
            b'\\' if at + 1 < source.len() => {
                out.extend_from_slice(&source[at..at + 2]);
                at += 2;
                continue;
            }
            b'[' if !bracket => {
                bracket = true;
                out.push(b'[');
                at += 1;
                for first in [b'^', b']'] {
                    if source.get(at) == Some(&first) {
                        out.push(first);
                        at += 1;
                    }
                }
                continue;
            }
            b']' => bracket = false,
            b'{' | b'}' if !bracket => out.push(b'\\'),
            _ => {}
        }
        out.push(source[at]);
        at += 1;
    }
    out
}

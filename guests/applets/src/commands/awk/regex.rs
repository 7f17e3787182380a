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

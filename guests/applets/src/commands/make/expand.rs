//! `$(…)`: references to variables and calls of functions.

use super::variables::{Place, Variable};
use super::words::{after_blanks, pattern_replace, words};
use super::{Bytes, Make};
use crate::Exit;

impl Make {
    pub fn expand(&mut self, text: &[u8]) -> Result<Bytes, Exit> {
        let mut out = Vec::with_capacity(text.len());
        self.expand_into(text, &mut out)?;
        Ok(out)
    }

    pub fn expand_into(&mut self, text: &[u8], out: &mut Bytes) -> Result<(), Exit> {
        let Some(first) = memchr::memchr(b'$', text) else {
            out.extend_from_slice(text);
            return Ok(());
        };
        if self.depth >= super::MAX_NESTING {
            return Err(self.fatal("references nest too deeply"));
        }
        self.depth += 1;
        let done = self.expand_references(text, first, out);
        self.depth -= 1;
        if out.len() > super::MAX_TEXT {
            return Err(self.fatal("a value is too large"));
        }
        done
    }

    fn expand_references(&mut self, text: &[u8], first: usize, out: &mut Bytes) -> Result<(), Exit> {
        out.extend_from_slice(&text[..first]);
        let mut at = first;
        while let Some(&byte) = text.get(at) {
            if byte != b'$' {
                let end = memchr::memchr(b'$', &text[at..]).map_or(text.len(), |i| at + i);
                out.extend_from_slice(&text[at..end]);
                at = end;
                continue;
            }
            match text.get(at + 1) {
                // A dollar at the end is itself.
                None => {
                    out.push(b'$');
                    at += 1;
                }
                Some(b'$') => {
                    out.push(b'$');
                    at += 2;
                }
                Some(&open @ (b'(' | b'{')) => {
                    let close = if open == b'(' { b')' } else { b'}' };
                    let Some(end) = closing(text, at + 2, open, close) else {
                        let inside = &text[at + 2..];
                        let name = inside.split(|&b| super::words::is_blank(b)).next().unwrap_or_default();
                        let message = match super::functions::find(name).filter(|_| name.len() < inside.len()) {
                            Some(function) => {
                                let name = function.name;
                                format!("unterminated call to function '{name}': missing '{}'", close as char)
                            }
                            None => "unterminated variable reference".to_owned(),
                        };
                        return Err(self.fatal_inside(&message));
                    };
                    self.reference(&text[at + 2..end], open, out)?;
                    at = end + 1;
                }
                Some(b) if b.is_ascii_whitespace() => at += 1,
                Some(_) => {
                    self.value_into(&text[at + 1..at + 2], out)?;
                    at += 2;
                }
            }
        }
        Ok(())
    }

    /// What is between the parentheses.
    fn reference(&mut self, inside: &[u8], open: u8, out: &mut Bytes) -> Result<(), Exit> {
        if let Some(name_end) = inside.iter().position(|b| b" \t\n".contains(b)) {
            let name = &inside[..name_end];
            if let Some(function) = super::functions::find(name) {
                return self.call_function(function, after_blanks(&inside[name_end..]), open, out);
            }
        }
        let expanded;
        let inside = if inside.contains(&b'$') {
            expanded = self.expand(inside)?;
            &expanded
        } else {
            inside
        };
        // $(name:.c=.o)
        if let Some(colon) = inside.iter().position(|&b| b == b':')
            && let Some(equals) = inside[colon..].iter().position(|&b| b == b'=').map(|i| colon + i)
            && colon > 0
        {
            let (from, to) = (&inside[colon + 1..equals], &inside[equals + 1..]);
            let mut value = Vec::new();
            self.value_into(&inside[..colon], &mut value)?;
            let replace = |word: &[u8]| match (from.contains(&b'%'), word.strip_suffix(from)) {
                (true, _) => pattern_replace(from, to, word),
                (false, Some(rest)) => [rest, to].concat(),
                (false, None) => word.to_vec(),
            };
            let replaced: Vec<Bytes> = words(&value).map(replace).collect();
            out.extend_from_slice(&replaced.join(&b' '));
            return Ok(());
        }
        let name = inside.to_vec();
        self.value_into(&name, out)
    }

    pub fn warn_undefined(&self, name: &[u8]) {
        if self.flags.warn_undefined {
            self.warn(&format!("warning: undefined variable '{}'", String::from_utf8_lossy(name)));
        }
    }

    /// The expanded value of a variable.
    pub fn value_into(&mut self, name: &[u8], out: &mut Bytes) -> Result<(), Exit> {
        if self.computed(name, out) {
            return Ok(());
        }
        let Some((variable, place)) = self.variable(name) else {
            self.warn_undefined(name);
            return Ok(());
        };
        let variable = variable.clone();
        self.variable_into(name, &variable, place, out)
    }

    fn variable_into(&mut self, name: &[u8], variable: &Variable, place: Place, out: &mut Bytes) -> Result<(), Exit> {
        if variable.append
            && let Some((outer, outer_place)) = self.outer_variable(name, place)
        {
            let outer = outer.clone();
            let before = out.len();
            self.variable_into(name, &outer, outer_place, out)?;
            if out.len() > before {
                out.push(b' ');
            }
        }
        if !variable.recursive {
            out.extend_from_slice(&variable.value);
            return Ok(());
        }
        // $(call f) may use f again, as its arguments change.
        let key = (name.to_vec(), variable.append);
        if self.expanding.contains(&key) && self.calls == 0 {
            let text = format!("Recursive variable '{}' references itself (eventually)", String::from_utf8_lossy(name));
            return Err(self.fatal_inside(&text));
        }
        self.expanding.push(key);
        let outer = self.inside.clone();
        if variable.place.is_some() {
            self.inside = variable.place.clone();
        }
        let done = self.expand_into(&variable.value, out);
        self.inside = outer;
        self.expanding.pop();
        done
    }
}

/// Where the reference that starts before `from` ends.
pub fn closing(text: &[u8], from: usize, open: u8, close: u8) -> Option<usize> {
    let mut count = 1usize;
    for (at, &b) in text.iter().enumerate().skip(from) {
        if b == open {
            count += 1;
        } else if b == close {
            count -= 1;
            if count == 0 {
                return Some(at);
            }
        }
    }
    None
}

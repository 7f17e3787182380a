//! Objects: `{a: 1, "b": 2, $c, (d): 3}`.

use super::lex::Token;
use super::parse::{Parser, Result, one_or};
use super::{Ast, constant};
use crate::natives;
use crate::value::Value;

pub(super) const NEEDS_PARENTHESES: &str = "May need parentheses around object key expression";

type Entry = (Ast, Ast);

impl Parser<'_> {
    pub(super) fn object(&mut self) -> Result<Ast> {
        self.expect("{")?;
        let first = self.start;
        let mut entries = Vec::new();
        if self.accept("}")? {
            return Ok(Ast::Object(entries));
        }
        loop {
            let start = self.start;
            match self.scoped(Self::entry) {
                Ok(entry) => entries.push(entry),
                // Only as long as no pair is complete can the whole end here.
                Err(error) if entries.is_empty() => match self.skip_to(error, &["}", ":"])? {
                    ("}", _) => break,
                    (_, end) => entries.push(self.rest_of_entry(start, end, &["}", ":"])?),
                },
                Err(error) => {
                    let (_, end) = self.skip_to(error, &[":"])?;
                    entries.push(self.rest_of_entry(start, end, &[":"])?);
                }
            }
            while !self.at_mark(",") && !self.at_mark("}") {
                let error = self.unexpected_but("'}'");
                if let (":", end) = self.skip_to(error, &["}", ":"])? {
                    entries.push(self.rest_of_entry(first, end, &["}", ":"])?);
                }
            }
            if !self.accept(",")? || self.at_mark("}") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Ast::Object(entries))
    }

    /// A pair behind a key that is none.
    fn rest_of_entry(&mut self, start: usize, mut end: usize, marks: &[&'static str]) -> Result<Entry> {
        loop {
            self.expect(":")?;
            match self.entry_value() {
                Ok(value) => {
                    self.fault(NEEDS_PARENTHESES, start, end);
                    return Ok((Ast::text(""), value));
                }
                Err(error) => match self.skip_to(error, marks)? {
                    (":", later) => end = later,
                    _ => return Ok((Ast::text(""), Ast::Identity)),
                },
            }
        }
    }

    fn entry(&mut self) -> Result<Entry> {
        let at = self.start;
        let dot = |key: Ast| Ast::Index { base: Box::new(Ast::Identity), key: Box::new(key), optional: false };
        match self.ahead.clone() {
            Token::Binding(name) => {
                self.advance()?;
                let var = if name == "__loc__" { self.location(at) } else { Ast::Var(name.clone(), at, self.before) };
                if name != "__loc__" && self.accept(":")? {
                    let value = self.entry_value()?;
                    return Ok((Ast::Var(name, at, self.before), value));
                }
                Ok((Ast::text(&name), var))
            }
            Token::Name(name) => {
                self.advance()?;
                if self.accept(":")? {
                    return Ok((Ast::text(&name), self.entry_value()?));
                }
                Ok((Ast::text(&name), dot(Ast::text(&name))))
            }
            Token::Quote | Token::Format(_) => {
                let format = self.format()?;
                let key = self.string(format)?;
                if self.accept(":")? {
                    return Ok((key, self.entry_value()?));
                }
                // The key names the field as well.
                Ok((key.clone(), dot(key)))
            }
            Token::Mark("(") => {
                self.advance()?;
                let (key, start, end) = self.key()?;
                let value = self.entry_value()?;
                Ok((self.checked_key(key, start, end), value))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `key):`, and where the key starts and ends.
    pub(super) fn key(&mut self) -> Result<(Ast, usize, usize)> {
        let start = self.start;
        let key = self.pipe()?;
        let end = self.before;
        self.close(")")?;
        self.expect(":")?;
        Ok((key, start, end))
    }

    /// Tells of a key that can be no string.
    pub(super) fn checked_key(&mut self, key: Ast, start: usize, end: usize) -> Ast {
        match constant(&key) {
            Some(value) if !matches!(value, Value::String(_)) => {
                self.fault(natives::bad_key(&value), start, end);
                Ast::text("")
            }
            _ => key,
        }
    }

    /// A value in an object: expressions joined by `|`, no commas, and no names are bound.
    fn entry_value(&mut self) -> Result<Ast> {
        self.nested(|p| {
            let mut stages = Vec::new();
            loop {
                stages.push(p.binary(2)?);
                if !p.accept("|")? {
                    return Ok(one_or(stages, Ast::Pipe));
                }
            }
        })
    }
}

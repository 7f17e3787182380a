//! Patterns: `$x`, `[$a, $b]`, `{a: $x, $b, (key): [$c]}`, alternatives with `?//`.

use super::lex::Token;
use super::object::NEEDS_PARENTHESES;
use super::parse::{Parser, Result};
use super::{Ast, Pattern, PatternKey, SyntaxError};

type Entry = (PatternKey, Option<Pattern>);

impl Parser<'_> {
    pub(super) fn patterns(&mut self) -> Result<Vec<Pattern>> {
        let mut all = vec![self.pattern()?];
        while self.accept("?//")? {
            all.push(self.pattern()?);
        }
        Ok(all)
    }

    fn pattern(&mut self) -> Result<Pattern> {
        self.nested(|p| match p.peek().clone() {
            Token::Binding(name) => {
                p.take()?;
                Ok(Pattern::Var(name))
            }
            Token::Mark("[") => {
                p.take()?;
                let mut items = vec![p.pattern()?];
                while p.accept(",")? {
                    items.push(p.pattern()?);
                }
                if !p.accept("]")? {
                    return Err(p.unexpected_but("',' or ']'"));
                }
                Ok(Pattern::Array(items))
            }
            Token::Mark("{") => {
                p.take()?;
                p.pattern_entries()
            }
            _ => Err(p.unexpected_but("BINDING or '[' or '{'")),
        })
    }

    fn pattern_entries(&mut self) -> Result<Pattern> {
        let first = self.start;
        let mut entries = Vec::new();
        loop {
            let start = self.start;
            match self.pattern_entry() {
                Ok(entry) => entries.push(entry),
                Err(error) => entries.push(self.rest_of_pattern(start, error)?),
            }
            while !self.at_mark(",") && !self.at_mark("}") {
                let error = self.unexpected_but("',' or '}'");
                entries.push(self.rest_of_pattern(first, error)?);
            }
            if self.accept("}")? {
                return Ok(Pattern::Object(entries));
            }
            self.expect(",")?;
        }
    }

    /// A pattern behind a key that is none.
    fn rest_of_pattern(&mut self, start: usize, mut error: SyntaxError) -> Result<Entry> {
        loop {
            self.skip_to(error, &[":"])?;
            self.expect(":")?;
            match self.pattern() {
                Ok(pattern) => {
                    self.fault(NEEDS_PARENTHESES, start, self.before);
                    return Ok((PatternKey::Value(Ast::text("")), Some(pattern)));
                }
                Err(again) => error = again,
            }
        }
    }

    fn pattern_entry(&mut self) -> Result<Entry> {
        let key = match self.peek().clone() {
            Token::Binding(name) => {
                self.take()?;
                let inner = if self.accept(":")? { Some(self.pattern()?) } else { None };
                return Ok((PatternKey::Var(name), inner));
            }
            Token::Name(name) => {
                self.take()?;
                Ast::text(&name)
            }
            Token::Quote | Token::Format(_) => {
                let format = self.format()?;
                self.string(format)?
            }
            Token::Mark("(") => {
                self.take()?;
                let (key, start, end) = self.key()?;
                let pattern = self.pattern()?;
                return Ok((PatternKey::Value(self.checked_key(key, start, end)), Some(pattern)));
            }
            _ => return Err(self.unexpected()),
        };
        self.expect(":")?;
        Ok((PatternKey::Value(key), Some(self.pattern()?)))
    }
}

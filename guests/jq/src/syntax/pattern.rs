//! Patterns: `$x`, `[$a, $b]`, `{a: $x, $b, (key): [$c]}`, alternatives with `?//`.

use super::lex::Token;
use super::parse::{Parser, Result};
use super::{Ast, Pattern, PatternKey};

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
                let mut entries = vec![p.pattern_entry()?];
                while p.accept(",")? {
                    entries.push(p.pattern_entry()?);
                }
                if !p.accept("}")? {
                    return Err(p.unexpected_but("',' or '}'"));
                }
                Ok(Pattern::Object(entries))
            }
            _ => Err(p.unexpected_but("BINDING or '[' or '{'")),
        })
    }

    fn pattern_entry(&mut self) -> Result<(PatternKey, Option<Pattern>)> {
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
            Token::Quote => self.string(None)?,
            Token::Format(name) => {
                self.take()?;
                self.string(Some(name))?
            }
            Token::Mark("(") => {
                self.take()?;
                let key = self.pipe()?;
                self.close(")")?;
                key
            }
            _ => return Err(self.unexpected()),
        };
        self.expect(":")?;
        Ok((PatternKey::Value(key), Some(self.pattern()?)))
    }
}

//! `[[ … ]]`.

use super::ast::{CondExpr, Word};
use super::cursor::{Parsed, Parser, is_meta};

const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

const BINARY: &[&[u8]] =
    &[b"==", b"=~", b"!=", b"=", b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge", b"-nt", b"-ot", b"-ef", b"<", b">"];

impl Parser<'_> {
    /// After `[[`, up to and with `]]`.
    pub(super) fn conditional(&mut self) -> Parsed<CondExpr> {
        let extglob = std::mem::replace(&mut self.options.extglob, true);
        let expr = self.cond_or();
        self.options.extglob = extglob;
        let expr = expr?;
        self.skip_newlines()?;
        if !self.looking_at(b"]]") || !self.peek_at(2).is_none_or(is_meta) {
            return Err(self.cond_error(b"syntax error in conditional expression"));
        }
        self.pos += 2;
        Ok(expr)
    }

    fn cond_or(&mut self) -> Parsed<CondExpr> {
        self.enter()?;
        let mut left = self.cond_and()?;
        loop {
            self.skip_newlines()?;
            if !self.looking_at(b"||") {
                break;
            }
            self.pos += 2;
            left = CondExpr::Or(Box::new(left), Box::new(self.cond_and()?));
        }
        self.leave();
        Ok(left)
    }

    fn cond_and(&mut self) -> Parsed<CondExpr> {
        let mut left = self.cond_term()?;
        loop {
            self.skip_newlines()?;
            if !self.looking_at(b"&&") {
                return Ok(left);
            }
            self.pos += 2;
            left = CondExpr::And(Box::new(left), Box::new(self.cond_term()?));
        }
    }

    fn cond_term(&mut self) -> Parsed<CondExpr> {
        self.enter()?;
        self.skip_newlines()?;
        let expr = match self.peek() {
            None => return Err(self.cond_eof()),
            Some(b'(') => {
                self.pos += 1;
                let inner = self.cond_or()?;
                self.skip_newlines()?;
                if self.peek() != Some(b')') {
                    return Err(self.cond_error(b"expected `)'"));
                }
                self.pos += 1;
                CondExpr::Group(Box::new(inner))
            }
            Some(b'!') if self.peek_at(1).is_none_or(is_meta) => {
                self.pos += 1;
                CondExpr::Not(Box::new(self.cond_term()?))
            }
            Some(b'-')
                if self.peek_at(1).is_some_and(|b| UNARY.contains(&b)) && self.peek_at(2).is_none_or(is_meta) =>
            {
                self.cond_unary()?
            }
            Some(_) => self.cond_binary()?,
        };
        self.leave();
        Ok(expr)
    }

    fn cond_unary(&mut self) -> Parsed<CondExpr> {
        let (pos, line) = (self.pos, self.line);
        let op = self.buf[pos..pos + 2].into();
        self.pos += 2;
        self.skip_blanks();
        // `[[ -f ]]` and `[[ -f == x ]]`: the operator is a word after all.
        if self.looking_at(b"]]") && self.peek_at(2).is_none_or(is_meta) {
            return Err(self.cond_failure(b"unexpected argument `]]' to conditional unary operator".to_vec()));
        }
        let alone =
            self.looking_at(b"&&") || self.looking_at(b"||") || matches!(self.peek(), Some(b')' | b'\n') | None);
        if alone || self.binary_op().is_some_and(|op| op != b"<" && op != b">") {
            (self.pos, self.line) = (pos, line);
            return self.cond_binary();
        }
        let word = self.cond_word()?;
        Ok(CondExpr::Unary(op, word))
    }

    fn cond_binary(&mut self) -> Parsed<CondExpr> {
        let left = self.cond_word()?;
        self.skip_blanks();
        let Some(op) = self.binary_op() else {
            let ends = self.looking_at(b"]]") || self.looking_at(b"&&") || self.looking_at(b"||");
            if ends || self.peek() == Some(b')') {
                return Ok(CondExpr::Word(left));
            }
            let message = match self.peek() {
                None => return Err(self.cond_unexpected(b"conditional binary operator expected")),
                // bash says so and goes on as if nothing had been written.
                Some(b'\n') => {
                    let error = self.cond_unexpected(b"conditional binary operator expected");
                    return Err(self.cond_failure(error.message.clone()));
                }
                Some(_) => b"conditional binary operator expected".to_vec(),
            };
            return Err(self.cond_failure(message));
        };
        self.pos += op.len();
        self.skip_blanks();
        if self.looking_at(b"]]") && self.peek_at(2).is_none_or(is_meta) {
            return Err(self.cond_failure(b"unexpected argument `]]' to conditional binary operator".to_vec()));
        }
        let right = if op == b"=~" { self.regex_word()? } else { self.cond_word()? };
        if right.raw.is_empty() {
            return Err(self.cond_error(b"syntax error in conditional expression"));
        }
        Ok(CondExpr::Binary(op.into(), left, right))
    }

    fn binary_op(&mut self) -> Option<&'static [u8]> {
        let op = BINARY.iter().copied().find(|op| self.looking_at(op))?;
        // `<` and `>` need no blanks around them.
        (op.len() == 1 && op != b"=" || self.peek_at(op.len()).is_none_or(is_meta)).then_some(op)
    }

    fn cond_word(&mut self) -> Parsed<Word> {
        self.skip_blanks();
        if self.looking_at(b"]]") && self.peek_at(2).is_none_or(is_meta) {
            return Err(self.cond_unexpected(b"conditional"));
        }
        let word = self.word()?;
        if word.raw.is_empty() {
            if self.peek().is_none() {
                return Err(self.cond_eof());
            }
            return Err(self.cond_unexpected(b"conditional"));
        }
        Ok(word)
    }

    /// A message alone, without the token and the line.
    fn cond_failure(&mut self, message: Vec<u8>) -> Box<super::SyntaxError> {
        let mut error = self.error(message);
        error.harmless = true;
        error
    }

    fn cond_eof(&mut self) -> Box<super::SyntaxError> {
        self.error(b"unexpected EOF while looking for `]]'".to_vec())
    }

    fn cond_error(&mut self, message: &[u8]) -> Box<super::SyntaxError> {
        let mut error = self.unexpected();
        error.then = Some((error.line, error.message.clone()));
        error.message = message.to_vec();
        error
    }

    fn cond_unexpected(&mut self, expected: &[u8]) -> Box<super::SyntaxError> {
        let mut error = self.unexpected();
        let near = error.message.clone();
        let token = near.strip_prefix(b"syntax error near unexpected token ").unwrap_or(&near).to_vec();
        error.message = match expected {
            b"conditional" => [b"syntax error in conditional expression: unexpected token ", &token[..]].concat(),
            _ => [b"unexpected token ", &token[..], b", ", expected].concat(),
        };
        let inner = token.strip_prefix(b"`").and_then(|t| t.strip_suffix(b"'")).unwrap_or(&token).to_vec();
        error.then = Some((error.line, [b"syntax error near `", &inner[..], b"'"].concat()));
        error
    }
}

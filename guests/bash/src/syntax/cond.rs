//! `[[ … ]]`.

use super::ast::{CondExpr, Word};
use super::cursor::{Parsed, Parser, is_meta};

const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

const BINARY: &[&[u8]] =
    &[b"==", b"=~", b"!=", b"=", b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge", b"-nt", b"-ot", b"-ef", b"<", b">"];

impl Parser<'_> {
    /// After `[[`, up to and with `]]`.
    pub(super) fn conditional(&mut self) -> Parsed<CondExpr> {
        let line = self.line;
        let expr = self.cond_or()?;
        self.skip_newlines()?;
        if !self.at_cond_end() {
            let mut message = b"syntax error in conditional expression".to_vec();
            match self.cond_token() {
                Some(_) if self.peek().is_none() => message = b"unexpected EOF while looking for `]]'".to_vec(),
                Some(token) => message = [&message[..], b": unexpected token `", &token, b"'"].concat(),
                None => {}
            }
            let mut error = self.cond_failure(message);
            error.line = line;
            return Err(error);
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
            Some(b'(') => {
                let line = self.line;
                self.pos += 1;
                let inner = self.cond_or().map_err(|mut error| {
                    error.then.get_or_insert_with(|| (line, b"expected `)'".to_vec()));
                    error
                })?;
                self.skip_newlines()?;
                if self.peek() != Some(b')') {
                    let message = match self.cond_token_or_word() {
                        Some(token) => [b"unexpected token `", &token[..], b"', expected `)'"].concat(),
                        None => b"expected `)'".to_vec(),
                    };
                    return Err(self.cond_failure(message));
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
            _ => self.cond_binary()?,
        };
        self.leave();
        Ok(expr)
    }

    fn cond_unary(&mut self) -> Parsed<CondExpr> {
        let op = self.buf[self.pos..self.pos + 2].into();
        self.pos += 2;
        self.skip_blanks();
        let word = self.cond_argument("unary")?;
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
            let mut message = b"conditional binary operator expected".to_vec();
            if let Some(token) = self.cond_token() {
                message = [b"unexpected token `", &token[..], b"', ", &message].concat();
            }
            return Err(self.cond_failure(message));
        };
        self.pos += op.len();
        self.skip_blanks();
        let right = if op == b"=~" && !matches!(self.peek(), None | Some(b'\n' | b'<' | b'>')) && !self.at_cond_end() {
            self.regex_word()?
        } else {
            // Patterns are extended ones, whatever shopt says.
            let pattern = matches!(op, b"==" | b"!=" | b"=");
            let extglob = self.options.extglob;
            self.options.extglob |= pattern;
            let word = self.cond_argument("binary");
            self.options.extglob = extglob;
            word?
        };
        Ok(CondExpr::Binary(op.into(), left, right))
    }

    fn binary_op(&mut self) -> Option<&'static [u8]> {
        let op = BINARY.iter().copied().find(|op| self.looking_at(op))?;
        // `<` and `>` need no blanks around them.
        (op.len() == 1 && op != b"=" || self.peek_at(op.len()).is_none_or(is_meta)).then_some(op)
    }

    fn at_cond_end(&mut self) -> bool {
        self.looking_at(b"]]") && self.peek_at(2).is_none_or(is_meta)
    }

    /// What stands here when it is no word.
    fn cond_token(&mut self) -> Option<Vec<u8>> {
        match self.peek() {
            None => Some(b"EOF".to_vec()),
            Some(b'\n') => Some(b"newline".to_vec()),
            Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => None,
            Some(b) if is_meta(b) => Some(self.token_text()),
            Some(_) => None,
        }
    }

    fn cond_token_or_word(&mut self) -> Option<Vec<u8>> {
        match self.cond_token() {
            None => Some(self.token_text()),
            token => token,
        }
    }

    /// The word after an operator.
    fn cond_argument(&mut self, kind: &str) -> Parsed<Word> {
        if self.at_cond_end() || self.cond_token().is_some() {
            let token = self.cond_token_or_word().unwrap_or_default();
            let end = format!("' to conditional {kind} operator");
            let message = [b"unexpected argument `", &token[..], end.as_bytes()].concat();
            return Err(self.cond_failure(message));
        }
        self.word()
    }

    /// The word an expression begins with.
    fn cond_word(&mut self) -> Parsed<Word> {
        self.skip_blanks();
        if self.at_cond_end() {
            return Err(self.cond_failure(Vec::new()));
        }
        if let Some(token) = self.cond_token() {
            let message = [b"unexpected token `", &token[..], b"' in conditional command"].concat();
            return Err(self.cond_failure(message));
        }
        self.word()
    }

    /// A message alone, or not even that; bash leaves the status as it is and reads no further.
    fn cond_failure(&mut self, message: Vec<u8>) -> Box<super::SyntaxError> {
        let mut error = self.error(message);
        error.harmless = self.peek().is_some();
        error
    }
}

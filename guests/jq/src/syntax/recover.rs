//! Going on behind an error, so that one run tells all of them. Where that can be is as in jq's own parser: behind
//! brackets, in the pairs of objects, behind `then` and `catch`, `.` and `break`.
//!
//! After an error nothing is told until three tokens were good, as what follows at once is mostly its echo.

use super::lex::Token;
use super::parse::{Parser, Result};
use super::{Ast, SyntaxError};

/// How many good tokens it takes until errors are told again.
pub(super) const QUIET: u8 = 3;

impl Parser<'_> {
    /// Takes note of an error that some rule can go on behind; where the text it is about ends. An error when there is
    /// nothing left to go on with.
    pub(super) fn recover(&mut self, error: SyntaxError) -> Result<usize> {
        if self.aborted {
            return Err(error);
        }
        let end = self.end;
        let at_once = self.quiet == QUIET;
        self.note(error);
        if at_once {
            self.discard()?;
        }
        self.quiet = QUIET;
        Ok(end)
    }

    /// Tells an error, unless it follows another one closely.
    pub(super) fn note(&mut self, error: SyntaxError) {
        if self.quiet == 0 {
            self.lexer.faults.push(error);
        }
    }

    /// Tells what is wrong with something that was read as a whole.
    pub(super) fn fault(&mut self, message: impl Into<String>, at: usize, end: usize) {
        self.lexer.faults.push(SyntaxError::new(message, at, end));
    }

    /// Leaves a token out. Not even that is possible at the end.
    fn discard(&mut self) -> Result<()> {
        if self.ahead == Token::End {
            self.aborted = true;
            return Err(self.unexpected());
        }
        (self.ahead, self.start, self.end) = self.lexer.next();
        Ok(())
    }

    /// Goes on at the first of some marks; which one it is, and where what was left out ends.
    pub(super) fn skip_to(&mut self, error: SyntaxError, marks: &[&'static str]) -> Result<(&'static str, usize)> {
        let mut end = self.recover(error)?;
        loop {
            if let Some(mark) = marks.iter().find(|mark| self.at_mark(mark)) {
                return Ok((mark, end));
            }
            end = self.end;
            self.discard()?;
        }
    }

    /// What stands between brackets, or nothing if that has an error.
    pub(super) fn within(&mut self, close: &'static str, rule: impl FnOnce(&mut Self) -> Result<Ast>) -> Result<Ast> {
        match rule(self) {
            Ok(ast) => Ok(ast),
            Err(error) => {
                self.skip_to(error, &[close])?;
                self.expect(close)?;
                Ok(Ast::Identity)
            }
        }
    }

    /// A rule that began at `start`, or an error of its own that tells of the whole.
    pub(super) fn or_fault(
        &mut self,
        start: usize,
        message: &str,
        rule: impl FnOnce(&mut Self) -> Result<Ast>,
    ) -> Result<Ast> {
        match rule(self) {
            Ok(ast) => Ok(ast),
            Err(error) => {
                let end = self.recover(error)?;
                self.fault(message, start, end);
                Ok(Ast::Identity)
            }
        }
    }
}

//! Compound commands.

use super::ast::*;
use super::command::Reserved;
use super::cursor::{Parsed, Parser, is_meta};
use super::word::{Stop, finish};
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    /// The command a reserved word begins; None when it begins none (the caller reads a simple command then).
    pub(super) fn compound(&mut self, word: Reserved) -> Parsed<Option<CommandKind>> {
        Ok(Some(match word {
            Reserved::If => CommandKind::If(Box::new(self.if_clause(Reserved::If)?)),
            Reserved::While | Reserved::Until => self.while_loop(word)?,
            Reserved::For => self.for_loop()?,
            Reserved::Select => {
                self.expect(Reserved::Select)?;
                CommandKind::Select(Box::new(self.for_rest()?))
            }
            Reserved::Case => self.case()?,
            Reserved::OpenBrace => CommandKind::Group(self.group()?),
            Reserved::OpenCond => {
                self.pos += 2;
                CommandKind::Cond(Box::new(self.conditional()?))
            }
            Reserved::Function => self.function_keyword()?,
            Reserved::Coproc => self.coproc()?,
            // In a pipeline `a | ! b` and `a | time b` are errors, as in bash.
            Reserved::Bang | Reserved::Time => return Err(self.unexpected()),
            _ => return Err(self.unexpected()),
        }))
    }

    /// At `(`: an arithmetic command or a subshell.
    pub(super) fn parenthesised(&mut self) -> Parsed<CommandKind> {
        if self.peek_at(1) == Some(b'(') {
            let (pos, line) = (self.pos, self.line);
            self.pos += 2;
            if let Some(arith) = self.arith_until_parens()? {
                return Ok(CommandKind::Arith(Box::new(arith)));
            }
            (self.pos, self.line) = (pos, line);
        }
        self.pos += 1;
        let list = self.required_list()?;
        self.close_paren()?;
        Ok(CommandKind::Subshell(list))
    }

    fn close_paren(&mut self) -> Parsed<()> {
        self.skip_blanks();
        if self.peek() != Some(b')') {
            return Err(self.unexpected());
        }
        self.pos += 1;
        Ok(())
    }

    fn group(&mut self) -> Parsed<List> {
        self.expect(Reserved::OpenBrace)?;
        let list = self.required_list()?;
        self.expect(Reserved::CloseBrace)?;
        Ok(list)
    }

    fn if_clause(&mut self, word: Reserved) -> Parsed<If> {
        self.enter()?;
        self.expect(word)?;
        let test = self.required_list()?;
        self.expect(Reserved::Then)?;
        let then = self.required_list()?;
        let otherwise = match self.reserved() {
            Some(Reserved::Elif) => Else::Elif(Box::new(self.if_clause(Reserved::Elif)?)),
            Some(Reserved::Else) => {
                self.expect(Reserved::Else)?;
                let list = self.required_list()?;
                self.expect(Reserved::Fi)?;
                Else::Else(list)
            }
            _ => {
                self.expect(Reserved::Fi)?;
                Else::None
            }
        };
        self.leave();
        Ok(If { test, then, otherwise })
    }

    fn while_loop(&mut self, word: Reserved) -> Parsed<CommandKind> {
        self.expect(word)?;
        let test = self.required_list()?;
        let body = self.do_group()?;
        Ok(CommandKind::While(Box::new(WhileLoop { until: word == Reserved::Until, test, body })))
    }

    fn do_group(&mut self) -> Parsed<List> {
        self.expect(Reserved::Do)?;
        let body = self.required_list()?;
        self.expect(Reserved::Done)?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Parsed<CommandKind> {
        self.expect(Reserved::For)?;
        self.skip_blanks();
        if self.looking_at(b"((") {
            return self.arith_for();
        }
        Ok(CommandKind::For(Box::new(self.for_rest()?)))
    }

    fn for_rest(&mut self) -> Parsed<ForLoop> {
        self.expand_alias_after();
        let variable = self.word()?;
        if variable.raw.is_empty() {
            return Err(self.unexpected());
        }
        self.expand_alias_after();
        let mut words = None;
        if self.peek() == Some(b';') && self.peek_at(1) != Some(b';') {
            self.pos += 1;
            self.skip_newlines()?;
        } else {
            self.skip_newlines()?;
            if self.looking_at(b"in") && self.peek_at(2).is_none_or(is_meta) {
                self.pos += 2;
                words = Some(self.words_to_separator()?);
            }
        }
        self.skip_newlines()?;
        let body = self.loop_body()?;
        Ok(ForLoop { variable, words, body })
    }

    /// `do … done`, or the old `{ … }`.
    fn loop_body(&mut self) -> Parsed<List> {
        self.expand_alias();
        if self.reserved() == Some(Reserved::OpenBrace) { self.group() } else { self.do_group() }
    }

    fn words_to_separator(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.expand_alias_after();
            match self.peek() {
                Some(b'\n') => {
                    self.newline()?;
                    return Ok(words);
                }
                Some(b';') => {
                    self.pos += 1;
                    return Ok(words);
                }
                None => return Err(self.unexpected_eof()),
                _ => {}
            }
            let word = self.word()?;
            if word.raw.is_empty() {
                return Err(self.unexpected());
            }
            words.push(word);
        }
    }

    fn arith_for(&mut self) -> Parsed<CommandKind> {
        self.pos += 2;
        let line = self.line;
        let Some(arith) = self.arith_until_parens()? else { return Err(self.unclosed(b')', line)) };
        let written = [b"((", &arith.word.raw[..], b"))"].concat();
        const REQUIRED: &[u8] = b"syntax error: arithmetic expression required";
        let mut sections = split_semicolons(arith.word).into_iter();
        let count = sections.len();
        let (Some(init), Some(test), Some(step), None) =
            (sections.next(), sections.next(), sections.next(), sections.next())
        else {
            let message: &[u8] = if count > 3 { b"syntax error: `;' unexpected" } else { REQUIRED };
            let mut error = self.error(message.to_vec());
            error.then = Some((error.line, [b"syntax error: `", &written[..], b"'"].concat()));
            return Err(error);
        };
        self.skip_blanks();
        if self.peek() == Some(b';') {
            self.pos += 1;
        }
        self.skip_newlines()?;
        let body = self.loop_body()?;
        Ok(CommandKind::ArithFor(Box::new(ArithForLoop { init, test, step, body })))
    }

    fn case(&mut self) -> Parsed<CommandKind> {
        self.expect(Reserved::Case)?;
        self.skip_blanks();
        let subject = self.word()?;
        if subject.raw.is_empty() {
            return Err(self.unexpected());
        }
        self.skip_newlines()?;
        if !(self.looking_at(b"in") && self.peek_at(2).is_none_or(is_meta)) {
            return Err(self.unexpected());
        }
        self.pos += 2;
        let mut clauses = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.reserved() == Some(Reserved::Esac) {
                break;
            }
            let mut patterns = Vec::new();
            if self.peek() == Some(b'(') {
                self.pos += 1;
            }
            loop {
                self.skip_blanks();
                let pattern = self.word()?;
                if pattern.raw.is_empty() {
                    return Err(self.unexpected());
                }
                patterns.push(pattern);
                self.skip_blanks();
                match self.peek() {
                    Some(b'|') => self.pos += 1,
                    Some(b')') => break,
                    _ => return Err(self.unexpected()),
                }
            }
            self.pos += 1;
            let body = self.compound_list()?;
            self.skip_blanks();
            let end = if self.looking_at(b";;&") {
                self.pos += 3;
                CaseEnd::TestNext
            } else if self.looking_at(b";;") {
                self.pos += 2;
                CaseEnd::Break
            } else if self.looking_at(b";&") {
                self.pos += 2;
                CaseEnd::FallThrough
            } else if self.reserved() == Some(Reserved::Esac) {
                CaseEnd::Break
            } else {
                return Err(self.unexpected());
            };
            clauses.push(CaseClause { patterns, body, end });
        }
        self.expect(Reserved::Esac)?;
        Ok(CommandKind::Case(Box::new(Case { subject, clauses })))
    }

    fn function_keyword(&mut self) -> Parsed<CommandKind> {
        self.expect(Reserved::Function)?;
        self.skip_blanks();
        let name = self.word()?;
        if name.raw.is_empty() {
            return Err(self.unexpected());
        }
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            let (pos, line) = (self.pos, self.line);
            self.pos += 1;
            self.skip_blanks();
            if self.peek() == Some(b')') {
                self.pos += 1;
            } else {
                (self.pos, self.line) = (pos, line);
            }
        }
        self.function_body(name.raw)
    }

    pub(super) fn function_body(&mut self, name: Bytes) -> Parsed<CommandKind> {
        self.skip_newlines()?;
        let line = self.line;
        self.expand_alias();
        let starts = self.peek() == Some(b'(')
            || matches!(
                self.reserved(),
                Some(
                    Reserved::If
                        | Reserved::For
                        | Reserved::Select
                        | Reserved::While
                        | Reserved::Until
                        | Reserved::Case
                        | Reserved::OpenBrace
                        | Reserved::OpenCond
                )
            );
        if !starts {
            return Err(self.unexpected());
        }
        let command = self.command()?;
        Ok(CommandKind::Function(Box::new(FunctionDefinition { name, body: Rc::new(FunctionBody { command, line }) })))
    }

    fn coproc(&mut self) -> Parsed<CommandKind> {
        self.expect(Reserved::Coproc)?;
        self.skip_blanks();
        if self.peek() == Some(b'(') || self.reserved().is_some() {
            let body = self.command()?;
            return Ok(CommandKind::Coproc(Box::new(Coproc { name: None, body })));
        }
        let (pos, line) = (self.pos, self.line);
        let name = self.word()?;
        self.skip_blanks();
        if !name.raw.is_empty() && (self.peek() == Some(b'(') || self.reserved().is_some()) {
            let body = self.command()?;
            return Ok(CommandKind::Coproc(Box::new(Coproc { name: Some(name), body })));
        }
        (self.pos, self.line) = (pos, line);
        let line = self.line;
        let body = self.simple(line)?;
        Ok(CommandKind::Coproc(Box::new(Coproc { name: None, body })))
    }

    /// The right side of `=~`.
    pub(super) fn regex_word(&mut self) -> Parsed<Word> {
        self.word_until(Stop::Regex)
    }
}

/// The three expressions of `for ((…;…;…))`.
fn split_semicolons(word: Word) -> Vec<ArithText> {
    let mut sections: Vec<Vec<Part>> = vec![Vec::new()];
    for part in word.parts {
        match part {
            Part::Literal(text) => {
                for (i, piece) in text.split(|&b| b == b';').enumerate() {
                    if i > 0 {
                        sections.push(Vec::new());
                    }
                    if let (false, Some(section)) = (piece.is_empty(), sections.last_mut()) {
                        section.push(Part::Literal(piece.into()));
                    }
                }
            }
            part => {
                if let Some(section) = sections.last_mut() {
                    section.push(part);
                }
            }
        }
    }
    // The raw text of a section is cut the same way; quotes cannot hide a semicolon here.
    let raws: Vec<Bytes> = if sections.len() == 3 {
        let mut raws: Vec<Bytes> = word.raw.split(|&b| b == b';').map(Into::into).collect();
        raws.resize(3, Box::default());
        raws
    } else {
        vec![Box::default(); sections.len()]
    };
    sections
        .into_iter()
        .zip(raws)
        .map(|(parts, raw)| ArithText { word: finish(parts, raw), parsed: OnceCell::new() })
        .collect()
}

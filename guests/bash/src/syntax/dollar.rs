//! What a dollar sign or a backquote begins, and process substitution.

use super::ast::{ArithText, Bytes, CommandSub, Param, ParamName, ParamOp, Part, ProcessSub, SubForm, Word};
use super::cursor::{Ends, Parsed, Parser};
use super::word::{Parts, Stop};
use crate::names::{Name, is_name_byte, is_name_start};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

impl Parser<'_> {
    /// At a `$`. `quoted`: inside double quotes.
    pub(super) fn dollar(&mut self, parts: &mut Parts, quoted: bool) -> Parsed<()> {
        let start = self.pos;
        self.pos += 1;
        let part = match self.peek_joined() {
            Some(b'(') => {
                if self.peek_at(1) == Some(b'(') {
                    let (pos, line) = (self.pos, self.line);
                    self.pos += 2;
                    if let Some(arith) = self.arith_until_parens()? {
                        parts.part(Part::Arith(Rc::new(arith)));
                        return Ok(());
                    }
                    // No expression: bash takes what the outer parentheses hold.
                    (self.pos, self.line) = (pos + 1, line);
                    self.arith_parts(b'(', b')', false)?;
                    (self.pos, self.line) = (pos, line);
                }
                self.pos += 1;
                Part::Command(Rc::new(self.command_sub()?))
            }
            Some(b'{') => {
                self.pos += 1;
                self.braced_param(start, quoted)?
            }
            Some(b'[') => {
                self.pos += 1;
                let word = self.arith_parts(b'[', b']', false)?.unwrap_or_default();
                Part::Arith(Rc::new(ArithText { word, parsed: OnceCell::new() }))
            }
            Some(b'\'') if !quoted => {
                self.pos += 1;
                Part::Quoted(self.ansi_quoted()?)
            }
            Some(b'"') if !quoted => {
                self.pos += 1;
                Part::Double(self.double_quoted(false)?)
            }
            Some(b) if is_name_start(b) => {
                let from = self.pos;
                while self.peek_joined().is_some_and(is_name_byte) {
                    self.pos += 1;
                }
                let text = self.text_since(from);
                self.plain_param(ParamName::Variable(Name::new(&text)), start)
            }
            Some(b) if b.is_ascii_digit() => {
                self.pos += 1;
                self.plain_param(ParamName::Positional(usize::from(b - b'0')), start)
            }
            Some(b @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.pos += 1;
                self.plain_param(ParamName::Special(b), start)
            }
            _ => {
                parts.push(b'$');
                return Ok(());
            }
        };
        parts.part(part);
        Ok(())
    }

    fn plain_param(&self, name: ParamName, start: usize) -> Part {
        let raw = self.text_since(start);
        Part::Param(Rc::new(Param { name, subscript: None, indirect: false, length: false, op: ParamOp::None, raw }))
    }

    /// After `$((` or `((`: the expression and the closing `))`; None when the parentheses close otherwise.
    pub(super) fn arith_until_parens(&mut self) -> Parsed<Option<ArithText>> {
        let Some(word) = self.arith_parts(b'(', b')', true)? else { return Ok(None) };
        Ok(Some(ArithText { word, parsed: OnceCell::new() }))
    }

    /// Text of an expression up to the closing byte (doubled when `twice`).
    pub(super) fn arith_parts(&mut self, open: u8, close: u8, twice: bool) -> Parsed<Option<Word>> {
        let outer = self.raw_text;
        self.raw_text = outer + 1;
        let word = self.arith_parts_inner(open, close, twice);
        self.raw_text = outer;
        word
    }

    fn arith_parts_inner(&mut self, open: u8, close: u8, twice: bool) -> Parsed<Option<Word>> {
        self.enter()?;
        let (start, line) = (self.pos, self.line);
        let mut parts = Parts::default();
        let mut nesting = 0usize;
        loop {
            match self.peek() {
                None => return Err(self.unclosed(close, line)),
                Some(b'\\') => {
                    self.pos += 1;
                    match self.peek() {
                        Some(b'\n') => self.advance(),
                        Some(b @ (b'$' | b'`' | b'\\' | b'"')) => {
                            self.pos += 1;
                            parts.part(Part::Quoted([b].into()));
                        }
                        _ => parts.push(b'\\'),
                    }
                }
                Some(b'$') => self.dollar(&mut parts, true)?,
                Some(b'`') => {
                    let part = self.backquote(true)?;
                    parts.part(part);
                }
                Some(b'"') => self.pos += 1,
                Some(b'\'') => {
                    // bash finds the end with the quotes in mind and then takes them as text.
                    let (from, line) = (self.pos, self.line);
                    if self.single_quoted().is_ok() && twice {
                        let text = self.text_since(from);
                        parts.extend(&text);
                    } else {
                        (self.pos, self.line) = (from + 1, line);
                        parts.push(b'\'');
                    }
                }
                Some(b) if b == open => {
                    nesting += 1;
                    parts.push(b);
                    self.pos += 1;
                }
                Some(b) if b == close => {
                    if nesting == 0 {
                        let raw = self.text_since(start);
                        self.pos += 1;
                        if twice {
                            if self.peek() != Some(close) {
                                self.leave();
                                return Ok(None);
                            }
                            self.pos += 1;
                        }
                        self.leave();
                        return Ok(Some(super::word::finish(parts.finish(), raw)));
                    }
                    nesting -= 1;
                    parts.push(b);
                    self.pos += 1;
                }
                Some(b) => {
                    self.advance();
                    parts.push(b);
                }
            }
        }
    }

    /// After `$(`, or `<(` and the like.
    pub(super) fn command_sub(&mut self) -> Parsed<CommandSub> {
        let (start, line) = (self.pos, self.line);
        // After `$((` that turned out to be no expression, or inside what is itself kept as text.
        let raw = self.raw_text > 0 || self.peek() == Some(b'(');
        let outer = std::mem::replace(&mut self.raw_text, 0);
        let body = self.nested_list();
        self.raw_text = outer;
        let body = body?;
        let text: Bytes = self.buf[start..self.pos - 1].into();
        Ok(CommandSub {
            line: (self.line == line).then_some(line),
            text,
            body: OnceCell::from(Rc::new(body)),
            form: if raw { SubForm::Raw } else { SubForm::Laid },
            placed: RefCell::default(),
        })
    }

    /// A list up to `)`, inside a word.
    fn nested_list(&mut self) -> Parsed<super::ast::List> {
        self.enter()?;
        let pending = std::mem::take(&mut self.pending);
        let alias_next = self.alias_next.take();
        let mut result = self.compound_list();
        if result.is_ok() && self.peek() != Some(b')') {
            result = Err(match self.peek() {
                None => self.unclosed(b')', self.line),
                Some(_) => self.unexpected(),
            });
        }
        let body = match result {
            Err(mut error) if self.peek().is_some() => {
                error.ends = Ends::Shell;
                return Err(error);
            }
            result => result?,
        };
        if !self.pending.is_empty() {
            self.here_docs_cut_short();
        }
        self.pos += 1;
        self.pending = pending;
        self.alias_next = alias_next;
        self.leave();
        Ok(body)
    }

    /// At `<(` or `>(`.
    pub(super) fn process_sub(&mut self) -> Parsed<Part> {
        let reads = self.peek() == Some(b'<');
        self.pos += 2;
        let sub = self.command_sub()?;
        Ok(Part::Process(Rc::new(ProcessSub { sub, reads })))
    }

    /// At a backquote. In double quotes `\"` loses its backslash too.
    pub(super) fn backquote(&mut self, quoted: bool) -> Parsed<Part> {
        let line = self.line;
        self.pos += 1;
        let mut text = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.unclosed(b'`', line)),
                Some(b'`') => break,
                Some(b'\\') => {
                    self.pos += 1;
                    match self.peek() {
                        Some(b @ (b'$' | b'`' | b'\\')) => {
                            self.pos += 1;
                            text.push(b);
                        }
                        Some(b'"') if quoted => {
                            self.pos += 1;
                            text.push(b'"');
                        }
                        Some(b'\n') => self.advance(),
                        _ => text.push(b'\\'),
                    }
                }
                Some(b) => {
                    self.advance();
                    text.push(b);
                }
            }
        }
        self.pos += 1;
        Ok(Part::Command(Rc::new(CommandSub {
            text: text.into(),
            body: OnceCell::new(),
            line: None,
            form: SubForm::Backquoted,
            placed: RefCell::default(),
        })))
    }

    /// A subscript, at `[`.
    pub(super) fn subscript(&mut self) -> Parsed<super::ast::Subscript> {
        use super::ast::Subscript;
        self.pos += 1;
        if let (Some(b @ (b'@' | b'*')), Some(b']')) = (self.peek(), self.peek_at(1)) {
            self.pos += 2;
            return Ok(if b == b'@' { Subscript::At } else { Subscript::Star });
        }
        let outer = self.raw_text;
        self.raw_text = outer + 1;
        let word = self.word_until(Stop::Bracket);
        self.raw_text = outer;
        let word = word?;
        self.pos += 1;
        Ok(Subscript::Index(Rc::new(ArithText { word, parsed: OnceCell::new() })))
    }
}

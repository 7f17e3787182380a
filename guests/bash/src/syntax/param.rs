//! `${…}`.

use super::ast::{ArithText, Param, ParamName, ParamOp, Part, ReplaceKind};
use super::cursor::{Parsed, Parser};
use super::word::{Parts, Stop, finish};
use crate::names::{Name, is_name_byte, is_name_start};
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    /// After `${`; `start` is at the dollar sign.
    pub(super) fn braced_param(&mut self, start: usize, quoted: bool) -> Parsed<Part> {
        self.enter()?;
        let outer = self.raw_text;
        self.raw_text = outer + 1;
        let part = self.braced_part(start, quoted);
        self.raw_text = outer;
        self.leave();
        part
    }

    fn braced_part(&mut self, start: usize, quoted: bool) -> Parsed<Part> {
        let (from, line) = (self.pos, self.line);
        if let Some(mut param) = self.try_param(quoted)? {
            param.raw = self.text_since(start);
            return Ok(Part::Param(Rc::new(param)));
        }
        (self.pos, self.line) = (from, line);
        self.parts(if quoted { Stop::BraceQuoted } else { Stop::Brace })?;
        self.pos += 1;
        Ok(Part::Bad(self.text_since(start)))
    }

    /// None: bad substitution.
    fn try_param(&mut self, quoted: bool) -> Parsed<Option<Param>> {
        let mut param = Param {
            name: ParamName::Special(b'#'),
            subscript: None,
            indirect: false,
            length: false,
            op: ParamOp::None,
            raw: Box::default(),
        };
        if self.peek() == Some(b'#') {
            let (pos, line) = (self.pos, self.line);
            self.pos += 1;
            if let Some(name) = self.param_name() {
                param.name = name;
                if matches!(name, ParamName::Variable(_)) && self.peek() == Some(b'[') {
                    param.subscript = Some(self.subscript()?);
                }
                if self.peek() == Some(b'}') {
                    self.pos += 1;
                    param.length = true;
                    return Ok(Some(param));
                }
            }
            (self.pos, self.line) = (pos, line);
            param.subscript = None;
        }
        if self.peek() == Some(b'!') {
            let next = self.peek_at(1);
            let after = self.peek_at(2);
            let named = next.is_some_and(is_name_byte)
                || (matches!(next, Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!'))
                    && matches!(after, Some(b'}' | b'[' | b':' | b'-' | b'+' | b'%' | b'/' | b'^' | b',' | b'@')));
            if named {
                self.pos += 1;
                param.indirect = true;
            }
        }
        let Some(name) = self.param_name() else { return Ok(None) };
        param.name = name;
        if let ParamName::Variable(_) = name {
            if self.peek() == Some(b'[') {
                param.subscript = Some(self.subscript()?);
            } else if param.indirect && matches!(self.peek(), Some(b'@' | b'*')) && self.peek_at(1) == Some(b'}') {
                param.op = ParamOp::Names { star: self.peek() == Some(b'*') };
                self.pos += 2;
                return Ok(Some(param));
            }
        }
        // `${#^}` is no length, and the number of parameters has no case.
        let counting = name == ParamName::Special(b'#');
        let Some(op) = self.param_op(quoted, counting)? else { return Ok(None) };
        param.op = op;
        if self.peek() != Some(b'}') {
            return Ok(None);
        }
        self.pos += 1;
        Ok(Some(param))
    }

    fn param_name(&mut self) -> Option<ParamName> {
        match self.peek_joined()? {
            b if is_name_start(b) => {
                let start = self.pos;
                while self.peek_joined().is_some_and(is_name_byte) {
                    self.pos += 1;
                }
                Some(ParamName::Variable(Name::new(&self.text_since(start))))
            }
            b if b.is_ascii_digit() => {
                let mut n = 0usize;
                while let Some(b) = self.peek().filter(u8::is_ascii_digit) {
                    n = n.saturating_mul(10).saturating_add(usize::from(b - b'0'));
                    self.pos += 1;
                }
                Some(ParamName::Positional(n))
            }
            b @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.pos += 1;
                Some(ParamName::Special(b))
            }
            _ => None,
        }
    }

    fn param_op(&mut self, quoted: bool, counting: bool) -> Parsed<Option<ParamOp>> {
        let word_stop = if quoted { Stop::BraceQuoted } else { Stop::Brace };
        let Some(b) = self.peek_joined() else { return Err(self.unclosed(b'}', self.line)) };
        let next = self.peek_at(1);
        let op = match b {
            b'}' => ParamOp::None,
            b'-' | b'=' | b'?' | b'+' => {
                self.pos += 1;
                ParamOp::Unset { kind: b, colon: false, word: self.word_until(word_stop)? }
            }
            b':' => match next {
                Some(kind @ (b'-' | b'=' | b'?' | b'+')) => {
                    self.pos += 2;
                    ParamOp::Unset { kind, colon: true, word: self.word_until(word_stop)? }
                }
                _ => {
                    self.pos += 1;
                    return self.substring();
                }
            },
            b'#' | b'%' => {
                let longest = next == Some(b);
                self.pos += 1 + usize::from(longest);
                let pattern = self.word_until(Stop::Brace)?;
                match b {
                    b'#' => ParamOp::RemovePrefix { longest, pattern },
                    _ => ParamOp::RemoveSuffix { longest, pattern },
                }
            }
            b'/' => {
                let kind = match next {
                    Some(b'/') => ReplaceKind::All,
                    Some(b'#') => ReplaceKind::Prefix,
                    Some(b'%') => ReplaceKind::Suffix,
                    _ => ReplaceKind::First,
                };
                self.pos += 1 + usize::from(kind != ReplaceKind::First);
                let mut pattern = self.word_until(Stop::Slash)?;
                // `${x////-}`: a slash right after the operator belongs to the pattern.
                if kind == ReplaceKind::All && pattern.parts.is_empty() && self.peek() == Some(b'/') {
                    self.pos += 1;
                    let mut rest = self.word_until(Stop::Slash)?;
                    rest.parts.insert(0, Part::Literal(b"/"[..].into()));
                    pattern = finish(rest.parts, [b"/", &rest.raw[..]].concat().into());
                }
                let with = if self.peek() == Some(b'/') {
                    self.pos += 1;
                    Some(self.word_until(Stop::Brace)?)
                } else {
                    None
                };
                ParamOp::Replace { kind, pattern, with }
            }
            b'^' | b',' | b'~' if !counting => {
                let every = next == Some(b);
                self.pos += 1 + usize::from(every);
                let pattern = self.word_until(Stop::Brace)?;
                ParamOp::Case { kind: b, every, pattern: (!pattern.parts.is_empty()).then_some(pattern) }
            }
            // An unknown letter is an error only where the variable is set.
            b'@' if self.peek_at(2) == Some(b'}') && next.is_some_and(|n| n != b'}') => {
                self.pos += 2;
                ParamOp::Transform(next.unwrap_or(b'Q'))
            }
            _ => return Ok(None),
        };
        Ok(Some(op))
    }

    /// After the colon of `${x:offset:length}`.
    fn substring(&mut self) -> Parsed<Option<ParamOp>> {
        let offset = self.substring_part(true)?;
        if offset.word.raw.is_empty() && self.peek() == Some(b'}') {
            return Ok(None);
        }
        let length = if self.peek() == Some(b':') {
            self.pos += 1;
            Some(self.substring_part(false)?)
        } else {
            None
        };
        Ok(Some(ParamOp::Substring { offset, length }))
    }

    /// Up to the `:` that is not part of `?:`, or `}`.
    fn substring_part(&mut self, colon_ends: bool) -> Parsed<ArithText> {
        let (start, line) = (self.pos, self.line);
        let mut parts = Parts::default();
        let (mut parens, mut questions) = (0u32, 0u32);
        loop {
            match self.peek() {
                None => return Err(self.unclosed(b'}', line)),
                Some(b'}') => break,
                Some(b':') if colon_ends && parens == 0 && questions == 0 => break,
                Some(b'$') => self.dollar(&mut parts, true)?,
                Some(b'`') => {
                    let part = self.backquote(true)?;
                    parts.part(part);
                }
                Some(b'"') => self.pos += 1,
                Some(b'\'') => {
                    let text = self.single_quoted()?;
                    parts.extend(&text);
                }
                Some(b'\\') => {
                    self.pos += 1;
                    if self.peek() == Some(b'\n') {
                        self.advance();
                    }
                }
                Some(b) => {
                    match b {
                        b'(' => parens += 1,
                        b')' => parens = parens.saturating_sub(1),
                        b'?' => questions += 1,
                        b':' => questions = questions.saturating_sub(1),
                        _ => {}
                    }
                    self.advance();
                    parts.push(b);
                }
            }
        }
        Ok(ArithText { word: finish(parts.finish(), self.text_since(start)), parsed: OnceCell::new() })
    }
}

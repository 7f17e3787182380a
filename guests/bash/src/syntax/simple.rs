//! Simple commands, assignments and redirections.

use super::ast::*;
use super::cursor::{Ends, Parsed, Parser, Pending, is_meta};
use super::word::{Stop, finish, name_bad};
use crate::names::{Name, is_name_byte, is_name_start};
use std::cell::OnceCell;
use std::rc::Rc;

/// Builtins whose arguments may be assignments (with arrays).
const DECLARATIONS: &[&[u8]] = &[b"declare", b"typeset", b"local", b"export", b"readonly", b"alias", b"eval", b"let"];

impl Parser<'_> {
    /// The command's line is that of the end of its first token; a word must see the second one first, which may be a
    /// parenthesis.
    pub(super) fn simple(&mut self, mut line: u32) -> Parsed<Command> {
        let mut simple = SimpleCommand::default();
        let mut redirects = Vec::new();
        let mut declaration = false;
        loop {
            let (words, tokens) = (simple.words.len(), simple.words.len() + simple.assignments.len() + redirects.len());
            if (words, tokens) == (0, 1) || (words, tokens) == (2, 2) {
                line = self.line;
            }
            self.skip_blanks();
            if (words, tokens) == (1, 1) {
                line = self.line;
            }
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if self.peek().is_none_or(|b| is_meta(b) && !self.process_sub_here()) {
                break;
            }
            if simple.words.is_empty() && !(simple.assignments.is_empty() && redirects.is_empty()) {
                self.expand_alias();
            } else {
                self.expand_alias_after();
            }
            if self.peek().is_none_or(|b| is_meta(b) && !self.process_sub_here()) {
                break;
            }
            if simple.words.is_empty() || declaration {
                let start = self.pos;
                if let Some(assignment) = self.assignment()? {
                    if simple.words.is_empty() {
                        simple.assignments.push(assignment);
                    } else {
                        let raw = self.text_since(start);
                        let word = self.assignment_word(start, &raw, assignment)?;
                        simple.words.push(word);
                    }
                    continue;
                }
            }
            let word = self.word()?;
            if word.raw.is_empty() {
                break;
            }
            if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
                self.skip_blanks();
                if self.peek() == Some(b'(') {
                    self.pos += 1;
                    self.skip_blanks();
                    if self.peek() == Some(b')') {
                        self.pos += 1;
                        let kind = self.function_body(word.raw)?;
                        return Ok(Command { kind, redirects, line });
                    }
                    if self.peek().is_none() {
                        return Err(self.unexpected_token(b"newline"));
                    }
                    return Err(self.unexpected());
                }
            }
            if simple.words.is_empty() {
                declaration = DECLARATIONS.contains(&&*word.raw);
            }
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Command { kind: CommandKind::Simple(simple), redirects, line })
    }

    fn process_sub_here(&mut self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(')
    }

    /// An argument of `declare` and its like, both as a word and as an assignment.
    fn assignment_word(&mut self, start: usize, raw: &[u8], mut assignment: Assignment) -> Parsed<Word> {
        let mut word = match &mut assignment.value {
            AssignedValue::Array(elements) => {
                // One line, one blank between elements, as bash keeps it.
                let open = raw.iter().position(|&b| b == b'(').unwrap_or(raw.len());
                let items: Vec<&[u8]> = elements.iter().map(|element| &element.raw[..]).collect();
                let text: Bytes = [&raw[..open], b"(", &items.join(&b' ')[..], b")"].concat().into();
                finish(vec![Part::Quoted(text.clone())], text)
            }
            AssignedValue::Scalar(value) => {
                name_bad(&mut value.parts, raw);
                let (end, line) = (self.pos, self.line);
                self.pos = start;
                let word = self.word()?;
                (self.pos, self.line) = (end, line);
                word
            }
        };
        word.assignment = Some(Rc::new(assignment));
        Ok(word)
    }

    /// `name=`, `name+=`, `name[…]=`; None (and nothing taken) when it is something else.
    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        if !self.peek().is_some_and(is_name_start) {
            return Ok(None);
        }
        let mut len = 1;
        while self.peek_at(len).is_some_and(is_name_byte) {
            len += 1;
        }
        let start = self.pos;
        let line = self.line;
        let name_end = start + len;
        let subscript = match self.peek_at(len) {
            Some(b'[') => {
                self.pos = name_end;
                if !self.subscript_closes() {
                    self.pos = start;
                    return Ok(None);
                }
                let subscript = self.subscript()?;
                Some(subscript)
            }
            _ => {
                self.pos = name_end;
                None
            }
        };
        let append = self.peek_joined() == Some(b'+') && self.peek_at(1) == Some(b'=');
        if !append && self.peek_joined() != Some(b'=') {
            (self.pos, self.line) = (start, line);
            return Ok(None);
        }
        self.pos += 1 + usize::from(append);
        let name = Name::new(&self.buf[start..name_end]);
        let value = if self.peek_joined() == Some(b'(') {
            self.pos += 1;
            AssignedValue::Array(self.array_literal()?)
        } else {
            AssignedValue::Scalar(self.word()?)
        };
        Ok(Some(Assignment { name, subscript, append, value }))
    }

    /// Whether the `[` here has its `]` followed by `=` or `+=`: else it is a glob.
    fn subscript_closes(&mut self) -> bool {
        let (mut depth, mut i) = (0u32, 0);
        loop {
            match self.peek_at(i) {
                None => return false,
                Some(b'\n') => return false,
                Some(b'\\') => i += 1,
                Some(quote @ (b'\'' | b'"' | b'`')) => {
                    i += 1;
                    while let Some(b) = self.peek_at(i) {
                        if b == quote {
                            break;
                        }
                        i += 1 + usize::from(b == b'\\' && quote != b'\'');
                    }
                }
                Some(b'$') if matches!(self.peek_at(i + 1), Some(b'(' | b'{')) => {
                    // Nested expansions: count their brackets away.
                    let close = if self.peek_at(i + 1) == Some(b'(') { b')' } else { b'}' };
                    let open = if close == b')' { b'(' } else { b'{' };
                    let mut nested = 0u32;
                    i += 1;
                    while let Some(b) = self.peek_at(i) {
                        if b == open {
                            nested += 1;
                        } else if b == close {
                            nested -= 1;
                            if nested == 0 {
                                break;
                            }
                        }
                        i += 1;
                    }
                }
                Some(b'[') => depth += 1,
                Some(b']') => {
                    depth -= 1;
                    if depth == 0 {
                        return match self.peek_at(i + 1) {
                            Some(b'=') => true,
                            Some(b'+') => self.peek_at(i + 2) == Some(b'='),
                            _ => false,
                        };
                    }
                }
                Some(b' ' | b'\t' | b';' | b'&' | b'|' | b'<' | b'>') if depth == 0 => return false,
                Some(_) => {}
            }
            i += 1;
        }
    }

    /// After `=(`.
    pub(super) fn array_literal(&mut self) -> Parsed<Vec<ArrayElement>> {
        self.enter()?;
        let mut elements = Vec::new();
        let opened = self.line;
        loop {
            self.skip_newlines()?;
            match self.peek() {
                None => {
                    let mut error = self.unclosed(b')', opened);
                    error.ends = Ends::Line;
                    return Err(error);
                }
                Some(b')') => {
                    self.pos += 1;
                    break;
                }
                _ => {}
            }
            let start = self.pos;
            let mut key = None;
            let mut append = false;
            if self.peek() == Some(b'[') && self.subscript_closes() {
                key = Some(match self.subscript()? {
                    // `[@]=x` and `[*]=x`: keys of associative arrays.
                    Subscript::At => literal_index(b"@"),
                    Subscript::Star => literal_index(b"*"),
                    index => index,
                });
                append = self.peek() == Some(b'+');
                self.pos += 1 + usize::from(append);
            }
            let value = self.word()?;
            if value.raw.is_empty() && key.is_none() || self.peek() == Some(b'(') {
                let mut error = self.unexpected();
                error.ends = Ends::Line;
                return Err(error);
            }
            elements.push(ArrayElement { key, append, value, raw: self.text_since(start) });
        }
        self.leave();
        Ok(elements)
    }

    /// A redirection, when one stands here.
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let mut len = 0;
        let target = match self.peek() {
            Some(b'<' | b'>') => RedirectFd::Default,
            Some(b'&') if self.peek_at(1) == Some(b'>') => RedirectFd::Default,
            Some(b) if b.is_ascii_digit() => {
                let mut number = 0i32;
                while let Some(b) = self.peek_at(len).filter(u8::is_ascii_digit) {
                    number = number.saturating_mul(10).saturating_add(i32::from(b - b'0'));
                    len += 1;
                }
                RedirectFd::Number(number)
            }
            Some(b'{') if self.peek_at(1).is_some_and(is_name_start) => {
                len = 1;
                while self.peek_at(len).is_some_and(is_name_byte) {
                    len += 1;
                }
                if self.peek_at(len) == Some(b'[') {
                    while self.peek_at(len).is_some_and(|b| b != b'}' && !is_meta(b)) {
                        len += 1;
                    }
                }
                if self.peek_at(len) != Some(b'}') {
                    return Ok(None);
                }
                len += 1;
                RedirectFd::Variable(self.buf[self.pos + 1..self.pos + len - 1].into())
            }
            _ => return Ok(None),
        };
        // Not further than that: behind the end of a line stands what the command itself may read.
        if !matches!(self.peek_at(len), Some(b'<' | b'>' | b'&')) {
            return Ok(None);
        }
        let op = match (self.peek_at(len), self.peek_at(len + 1)) {
            (Some(b'<' | b'>'), Some(b'(')) if len == 0 => return Ok(None),
            (Some(b'<'), Some(b'<')) => match self.peek_at(len + 2) {
                Some(b'<') => (RedirectOp::HereString, 3),
                Some(b'-') => (RedirectOp::HereDoc { strip_tabs: true }, 3),
                _ => (RedirectOp::HereDoc { strip_tabs: false }, 2),
            },
            (Some(b'<'), Some(b'&')) => (RedirectOp::DupIn, 2),
            (Some(b'<'), Some(b'>')) => (RedirectOp::ReadWrite, 2),
            (Some(b'<'), _) => (RedirectOp::Read, 1),
            (Some(b'>'), Some(b'>')) => (RedirectOp::Append, 2),
            (Some(b'>'), Some(b'&')) => (RedirectOp::DupOut, 2),
            (Some(b'>'), Some(b'|')) => (RedirectOp::Clobber, 2),
            (Some(b'>'), _) => (RedirectOp::Write, 1),
            (Some(b'&'), Some(b'>')) if len == 0 => match self.peek_at(2) {
                Some(b'>') => (RedirectOp::AppendBoth, 3),
                _ => (RedirectOp::WriteBoth, 2),
            },
            _ => return Ok(None),
        };
        self.pos += len + op.1;
        self.skip_blanks();
        let line = self.line;
        let word = self.word()?;
        if word.raw.is_empty() {
            return Err(self.unexpected());
        }
        let here_doc = match op.0 {
            RedirectOp::HereDoc { strip_tabs } => {
                let doc = Rc::new(HereDoc {
                    body: OnceCell::new(),
                    delimiter: unquote(&word.raw),
                    quoted: word.raw.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\')),
                });
                self.pending.push(Pending { doc: Rc::clone(&doc), strip_tabs, line });
                Some(doc)
            }
            _ => None,
        };
        Ok(Some(Redirect { target, op: op.0, word, here_doc }))
    }
}

fn literal_index(text: &[u8]) -> Subscript {
    let word = finish(vec![Part::Literal(text.into())], text.into());
    Subscript::Index(Rc::new(ArithText { word, parsed: OnceCell::new() }))
}

/// The delimiter of a here-document: quotes removed, nothing expanded.
fn unquote(raw: &[u8]) -> Bytes {
    let mut out = Vec::new();
    let mut i = 0;
    while i < raw.len() {
        match raw[i] {
            b'\'' => {
                let end = raw[i + 1..].iter().position(|&b| b == b'\'').map_or(raw.len(), |n| i + 1 + n);
                out.extend_from_slice(&raw[i + 1..end]);
                i = end;
            }
            b'"' => {
                i += 1;
                while i < raw.len() && raw[i] != b'"' {
                    if raw[i] == b'\\' && matches!(raw.get(i + 1), Some(b'"' | b'\\' | b'$' | b'`')) {
                        i += 1;
                    }
                    out.push(raw[i]);
                    i += 1;
                }
            }
            b'\\' => {
                i += 1;
                out.extend(raw.get(i));
            }
            b'$' if raw.get(i + 1) == Some(&b'\'') => {}
            b => out.push(b),
        }
        i += 1;
    }
    out.into()
}

/// Makes the parts of a subscript given as text at run time (`unset 'a[x]'`, `read 'a[1]'`).
impl Parser<'_> {
    pub fn subscript_text(&mut self) -> Parsed<Word> {
        self.word_until(Stop::Bracket)
    }

    /// `(…)` given as text at run time (`declare "a=(1 2)"`).
    pub fn array_text(&mut self) -> Parsed<Vec<ArrayElement>> {
        self.pos += 1;
        self.array_literal()
    }

    /// The whole text as an assignment; None when it is none (`set -k`).
    pub fn assignment_text(&mut self) -> Option<Assignment> {
        self.assignment().ok().flatten().filter(|_| self.pos == self.buf.len())
    }

    /// The whole text as the inside of double quotes (prompts, `${x@P}`).
    pub fn double_quoted_text(&mut self) -> Parsed<Word> {
        let mut parts = super::word::Parts::default();
        while let Some(b) = self.peek() {
            match b {
                b'\\' => self.backslash_in_double(&mut parts, true),
                b'$' => self.dollar(&mut parts, true)?,
                b'`' => {
                    let part = self.backquote(true)?;
                    parts.part(part);
                }
                b => {
                    self.advance();
                    parts.push(b);
                }
            }
        }
        Ok(finish(vec![Part::Double(parts.finish())], self.buf.clone().into()))
    }

    /// The whole text as one word in which blanks are text too (`compgen -W`).
    pub fn word_list_text(&mut self) -> Parsed<Word> {
        let mut parts = super::word::Parts::default();
        while let Some(b) = self.peek() {
            match b {
                b'\\' => {
                    self.pos += 1;
                    if let Some(b) = self.peek() {
                        self.advance();
                        parts.part(Part::Quoted([b].into()));
                    }
                }
                b'\'' => {
                    let text = self.single_quoted()?;
                    parts.part(Part::Quoted(text));
                }
                b'"' => {
                    self.pos += 1;
                    let inner = self.double_quoted(false)?;
                    parts.part(Part::Double(inner));
                }
                b'$' => self.dollar(&mut parts, false)?,
                b'`' => {
                    let part = self.backquote(false)?;
                    parts.part(part);
                }
                b => {
                    self.advance();
                    parts.push(b);
                }
            }
        }
        let raw = self.buf.clone().into();
        let mut word = finish(parts.finish(), raw);
        word.plain = None;
        Ok(word)
    }

    /// The whole text as one parameter expansion (`${!ref}` where ref is `a[1]`); None when it is none.
    pub fn param_text(&mut self) -> Parsed<Part> {
        self.braced_param(0, true)
    }

    /// The whole text as the text of an expression.
    pub fn arith_text(&mut self) -> Parsed<Word> {
        self.buf.push(b')');
        let word = self.arith_parts(0, b')', false)?;
        Ok(word.unwrap_or_default())
    }
}

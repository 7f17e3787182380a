//! Lists, pipelines, and which command starts here.

use super::ast::{AndOr, AndOrOp, Command, CommandKind, List, ListItem, Pipeline, TimeFormat};
use super::cursor::{Parsed, Parser, is_meta};

/// Reserved words, where a command may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reserved {
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    Select,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    Function,
    Coproc,
    Time,
    Bang,
    OpenBrace,
    CloseBrace,
    OpenCond,
}

const RESERVED: &[(&[u8], Reserved)] = &[
    (b"if", Reserved::If),
    (b"then", Reserved::Then),
    (b"elif", Reserved::Elif),
    (b"else", Reserved::Else),
    (b"fi", Reserved::Fi),
    (b"for", Reserved::For),
    (b"select", Reserved::Select),
    (b"while", Reserved::While),
    (b"until", Reserved::Until),
    (b"do", Reserved::Do),
    (b"done", Reserved::Done),
    (b"case", Reserved::Case),
    (b"esac", Reserved::Esac),
    (b"function", Reserved::Function),
    (b"coproc", Reserved::Coproc),
    (b"time", Reserved::Time),
    (b"!", Reserved::Bang),
    (b"{", Reserved::OpenBrace),
    (b"}", Reserved::CloseBrace),
    (b"[[", Reserved::OpenCond),
];

impl Parser<'_> {
    /// The next complete command: everything up to the end of its line. None at the end of the text.
    pub fn next_command(&mut self) -> Parsed<Option<List>> {
        self.drop_consumed();
        self.depth = 0;
        self.raw_text = 0;
        self.alias_next = None;
        self.pending.clear();
        self.skip_newlines()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        self.command_start = self.pos;
        let mut list = List::default();
        loop {
            let and_or = self.and_or()?;
            self.skip_blanks();
            let background = self.separator()?;
            let end = background.is_none();
            let newline = background.is_none();
            list.items.push(ListItem { and_or, background: background == Some(true), newline });
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => {
                    self.newline()?;
                    break;
                }
                None => {
                    if !self.pending.is_empty() {
                        self.read_here_docs()?;
                    }
                    break;
                }
                Some(_) if end => return Err(self.unexpected()),
                Some(_) => {}
            }
        }
        Ok(Some(list))
    }

    /// The text of the command read last, without its last newline.
    pub fn command_source(&self) -> &[u8] {
        let text = &self.buf[self.command_start.min(self.pos)..self.pos];
        text.strip_suffix(b"\n").unwrap_or(text)
    }

    /// After an error: nothing on this line can be trusted.
    pub fn skip_line(&mut self) {
        while let Some(b) = self.peek() {
            self.advance();
            if b == b'\n' {
                break;
            }
        }
    }

    /// `;` (Some(false)) or `&` (Some(true)).
    fn separator(&mut self) -> Parsed<Option<bool>> {
        match self.peek() {
            Some(b';') if !matches!(self.peek_at(1), Some(b';' | b'&')) => {
                self.pos += 1;
                Ok(Some(false))
            }
            Some(b'&') if !matches!(self.peek_at(1), Some(b'&' | b'>')) => {
                self.pos += 1;
                Ok(Some(true))
            }
            _ => Ok(None),
        }
    }

    /// Commands up to something that cannot start one: the caller checks what.
    pub(super) fn compound_list(&mut self) -> Parsed<List> {
        self.enter()?;
        let mut list = List::default();
        loop {
            self.skip_newlines()?;
            if self.at_list_end()? {
                break;
            }
            let and_or = self.and_or()?;
            self.skip_blanks();
            let background = self.separator()?;
            list.items.push(ListItem { and_or, background: background == Some(true), newline: background.is_none() });
            if background.is_none() {
                self.skip_blanks();
                if self.peek() == Some(b'\n') {
                    continue;
                }
                break;
            }
        }
        self.leave();
        Ok(list)
    }

    fn at_list_end(&mut self) -> Parsed<bool> {
        use Reserved::*;
        match self.peek() {
            None | Some(b')') => return Ok(true),
            Some(b';') if matches!(self.peek_at(1), Some(b';' | b'&')) => return Ok(true),
            _ => {}
        }
        self.expand_alias();
        Ok(matches!(self.reserved(), Some(Then | Elif | Else | Fi | Do | Done | Esac | CloseBrace)))
    }

    /// A list with at least one command.
    pub(super) fn required_list(&mut self) -> Parsed<List> {
        let list = self.compound_list()?;
        if list.items.is_empty() {
            return Err(self.unexpected());
        }
        Ok(list)
    }

    fn and_or(&mut self) -> Parsed<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let op = if self.looking_at(b"&&") {
                AndOrOp::And
            } else if self.looking_at(b"||") {
                AndOrOp::Or
            } else {
                break;
            };
            self.pos += 2;
            self.skip_newlines()?;
            rest.push((op, self.pipeline()?));
        }
        Ok(AndOr { first, rest })
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut pipeline = Pipeline { negated: false, time: None, stages: Vec::new() };
        let mut prefixed = false;
        loop {
            self.skip_blanks();
            self.expand_alias();
            match self.reserved() {
                Some(Reserved::Bang) => {
                    self.pos += 1;
                    pipeline.negated = !pipeline.negated;
                }
                Some(Reserved::Time) => {
                    self.pos += 4;
                    self.skip_blanks();
                    pipeline.time.get_or_insert(TimeFormat::Bash);
                    if self.looking_at(b"-p") && self.peek_at(2).is_none_or(is_meta) {
                        self.pos += 2;
                        pipeline.time = Some(TimeFormat::Posix);
                        self.skip_blanks();
                    }
                    if self.looking_at(b"--") && self.peek_at(2).is_none_or(is_meta) {
                        self.pos += 2;
                    }
                }
                _ => break,
            }
            prefixed = true;
        }
        self.skip_blanks();
        if prefixed && matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
            return Ok(pipeline);
        }
        loop {
            let mut command = self.command()?;
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                pipeline.stages.push(command);
                return Ok(pipeline);
            }
            self.pos += 1;
            if self.peek() == Some(b'&') {
                self.pos += 1;
                command.redirects.push(super::ast::Redirect {
                    target: super::ast::RedirectFd::Number(2),
                    op: super::ast::RedirectOp::DupOut,
                    word: super::word::finish(vec![super::ast::Part::Literal(b"1"[..].into())], b"1"[..].into()),
                    here_doc: None,
                });
            }
            pipeline.stages.push(command);
            self.skip_newlines()?;
        }
    }

    pub(super) fn command(&mut self) -> Parsed<Command> {
        self.enter()?;
        self.skip_blanks();
        self.expand_alias();
        let line = self.line;
        let kind = match self.peek() {
            Some(b'(') => Some(self.parenthesised()?),
            _ => match self.reserved() {
                Some(word) => self.compound(word)?,
                None => None,
            },
        };
        let command = match kind {
            Some(CommandKind::Function(definition)) => {
                Command { kind: CommandKind::Function(definition), redirects: Vec::new(), line }
            }
            Some(CommandKind::Coproc(coproc)) => {
                Command { kind: CommandKind::Coproc(coproc), redirects: Vec::new(), line }
            }
            Some(kind) => {
                let mut redirects = Vec::new();
                loop {
                    self.skip_blanks();
                    match self.redirect()? {
                        Some(redirect) => redirects.push(redirect),
                        None => break,
                    }
                }
                Command { kind, redirects, line }
            }
            None => self.simple(line)?,
        };
        self.leave();
        Ok(command)
    }

    /// The reserved word that stands here, not taken.
    pub(super) fn reserved(&mut self) -> Option<Reserved> {
        let first = self.peek()?;
        if !(first.is_ascii_lowercase() || matches!(first, b'!' | b'{' | b'}' | b'[')) {
            return None;
        }
        let mut len = 1;
        while len < 9 && self.peek_at(len).is_some_and(|b| b.is_ascii_lowercase() || b == b'[') {
            len += 1;
        }
        if !self.peek_at(len).is_none_or(is_meta) {
            // `!` may touch an opening parenthesis or nothing else; `{` and `}` must stand alone.
            return None;
        }
        let text = &self.buf[self.pos..self.pos + len];
        RESERVED.iter().find(|(word, _)| *word == text).map(|&(_, reserved)| reserved)
    }

    /// Takes this reserved word or fails.
    pub(super) fn expect(&mut self, word: Reserved) -> Parsed<()> {
        self.skip_blanks();
        if self.reserved() != Some(word) {
            return Err(self.unexpected());
        }
        self.pos += RESERVED.iter().find(|(_, r)| *r == word).map_or(0, |(text, _)| text.len());
        Ok(())
    }

    /// Replaces an alias that stands here by its text, again and again.
    pub(super) fn expand_alias(&mut self) {
        let Some(aliases) = self.options.aliases.clone() else { return };
        while let Some(true) = self.expand_alias_once(&aliases) {}
    }

    /// Expands an alias where the one before it allows that.
    pub(super) fn expand_alias_after(&mut self) {
        self.skip_blanks();
        if self.alias_next.is_some_and(|at| self.pos >= at) {
            self.alias_next = None;
            self.expand_alias();
        }
    }

    fn expand_alias_once(&mut self, aliases: &super::AliasMap) -> Option<bool> {
        let mut len = 0;
        while let Some(b) = self.peek_at(len) {
            if is_meta(b) {
                break;
            }
            if matches!(b, b'\'' | b'"' | b'\\' | b'$' | b'`') {
                return None;
            }
            len += 1;
        }
        let here = self.pos;
        self.aliases_in_use.retain(|(_, end)| here < *end);
        let name = &self.buf[here..here + len];
        let value = aliases.get(name)?;
        if self.aliases_in_use.iter().any(|(used, _)| **used == *name) {
            return None;
        }
        let grown = value.len() as isize - len as isize;
        for (_, end) in &mut self.aliases_in_use {
            *end = end.saturating_add_signed(grown);
        }
        self.aliases_in_use.push((name.into(), here + value.len().max(1)));
        // An enclosing alias's mark moves with the text.
        self.alias_next = self.alias_next.map(|at| at.saturating_add_signed(grown));
        if matches!(value.last(), Some(b' ' | b'\t')) {
            let end = here + value.len();
            self.alias_next = Some(self.alias_next.map_or(end, |at| at.min(end)));
        }
        self.buf.splice(here..here + len, value.iter().copied());
        self.skip_blanks();
        Some(true)
    }
}

impl Parser<'_> {
    /// Nothing but blanks and comments is left.
    pub fn at_end(&mut self) -> bool {
        let (pos, line) = (self.pos, self.line);
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                break;
            }
            self.advance();
        }
        let end = self.peek().is_none();
        (self.pos, self.line) = (pos, line);
        end
    }
}

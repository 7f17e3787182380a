//! The text being parsed and the place in it. Text comes line by line, so that a script on standard input is read no
//! further than what runs needs.

use super::ast::HereDoc;
use crate::names::FastMap;
use std::rc::Rc;

/// How deep constructs may nest, whatever the stack would allow.
pub const MAX_DEPTH: u32 = 2000;

/// Where more text comes from.
pub trait Input {
    /// The next line with its newline; None at the end.
    fn next_line(&mut self) -> Option<Vec<u8>>;
}

/// All the text is there from the start.
impl Input for () {
    fn next_line(&mut self) -> Option<Vec<u8>> {
        None
    }
}

pub type AliasMap = FastMap<Box<[u8]>, Box<[u8]>>;

#[derive(Clone, Default)]
pub struct ParseOptions {
    pub extglob: bool,
    pub posix: bool,
    /// Set when `expand_aliases` is on.
    pub aliases: Option<Rc<AliasMap>>,
}

/// What a syntax error ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ends {
    /// The text it is in: a script, an eval.
    #[default]
    Text,
    /// The line: an error in an array literal.
    Line,
    /// The shell: an error in a command substitution.
    Shell,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub message: Vec<u8>,
    pub line: u32,
    /// The line the error is in; shown after the message when the token was unexpected.
    pub source: Option<Vec<u8>>,
    /// bash leaves the status alone after some errors in `[[ ]]`.
    pub harmless: bool,
    /// How much of the shell it ends.
    pub ends: Ends,
    /// A second message (an unclosed quote also ends the file).
    pub then: Option<(u32, Vec<u8>)>,
}

pub type Parsed<T> = Result<T, Box<SyntaxError>>;

pub(super) struct Pending {
    pub doc: Rc<HereDoc>,
    pub strip_tabs: bool,
    pub line: u32,
}

pub struct Parser<'a> {
    pub(super) buf: Vec<u8>,
    pub(super) pos: usize,
    pub(super) line: u32,
    input: &'a mut dyn Input,
    ended: bool,
    /// The last line of a script has a newline, also where it is missing; that of a word has what it has.
    pub is_script: bool,
    pub options: ParseOptions,
    pub(super) pending: Vec<Pending>,
    pub(super) depth: u32,
    /// Above 0: inside what bash keeps as text until it is expanded.
    pub(super) raw_text: u32,
    /// Aliases being expanded, with the end of their text: they are not expanded again inside it.
    pub(super) aliases_in_use: Vec<(Box<[u8]>, usize)>,
    /// A word that starts here or later may be an alias too (the alias before it ended in a blank).
    pub(super) alias_next: Option<usize>,
    /// `(line, message)` for the shell to show.
    pub warnings: Vec<(u32, Vec<u8>)>,
    /// Where the command read last starts in the text.
    pub(super) command_start: usize,
    /// The lines up to here were taken by [`Parser::take_lines`].
    lines_taken: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: Vec<u8>, line: u32, input: &'a mut dyn Input, options: ParseOptions) -> Parser<'a> {
        Parser {
            buf: text,
            pos: 0,
            line,
            input,
            ended: false,
            is_script: false,
            options,
            pending: Vec::new(),
            depth: 0,
            raw_text: 0,
            aliases_in_use: Vec::new(),
            alias_next: None,
            warnings: Vec::new(),
            command_start: 0,
            lines_taken: 0,
        }
    }

    pub fn line(&self) -> u32 {
        self.line
    }

    fn fill(&mut self) -> bool {
        if self.ended {
            return false;
        }
        match self.input.next_line() {
            Some(line) => {
                // NUL bytes are dropped from scripts, as bash does.
                self.buf.extend(line.into_iter().filter(|&b| b != 0));
                true
            }
            None => {
                self.ended = true;
                let open = self.is_script && !matches!(self.buf.last(), None | Some(b'\n' | b'\\'));
                if open {
                    self.buf.push(b'\n');
                }
                open
            }
        }
    }

    /// The lines the parser has come to since it was last asked, for `set -v`.
    pub fn take_lines(&mut self) -> &[u8] {
        let from = self.lines_taken;
        let inside = self.pos > from && self.buf[self.pos - 1] != b'\n';
        let rest = if inside {
            memchr::memchr(b'\n', &self.buf[self.pos..]).map_or(self.buf.len(), |n| self.pos + n + 1)
        } else {
            self.pos
        };
        self.lines_taken = rest.max(from);
        &self.buf[from..self.lines_taken]
    }

    /// Forget text that has been run.
    pub(super) fn drop_consumed(&mut self) {
        if self.pos > 1 << 16 {
            self.buf.drain(..self.pos);
            self.lines_taken = self.lines_taken.saturating_sub(self.pos);
            for (_, end) in &mut self.aliases_in_use {
                *end = end.saturating_sub(self.pos);
            }
            self.pos = 0;
        }
    }

    pub(super) fn peek(&mut self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&mut self, ahead: usize) -> Option<u8> {
        loop {
            if let Some(&b) = self.buf.get(self.pos + ahead) {
                return Some(b);
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// The byte after line continuations, which are skipped.
    pub(super) fn peek_joined(&mut self) -> Option<u8> {
        loop {
            let b = self.peek()?;
            if b != b'\\' || self.peek_at(1) != Some(b'\n') {
                return Some(b);
            }
            self.pos += 2;
            self.line += 1;
        }
    }

    /// Whether `text` comes next. Looks no further than it must: input may be a terminal or a pipe.
    pub(super) fn looking_at(&mut self, text: &[u8]) -> bool {
        text.iter().enumerate().all(|(i, &b)| self.peek_at(i) == Some(b))
    }

    pub(super) fn advance(&mut self) {
        if self.buf.get(self.pos) == Some(&b'\n') && !self.in_alias() {
            self.line += 1;
        }
        self.pos += 1;
    }

    /// Whether the text here is that of an alias: its lines are none of the script's.
    fn in_alias(&self) -> bool {
        self.aliases_in_use.iter().any(|(_, end)| self.pos < *end)
    }

    /// Skips blanks, line continuations and comments, but no newline.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => {
                    self.pos += 2;
                    self.line += 1;
                }
                Some(b'#') => {
                    while !matches!(self.peek(), None | Some(b'\n')) {
                        let rest = &self.buf[self.pos..];
                        self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    }
                }
                _ => return,
            }
        }
    }

    /// Takes a newline and reads the here-documents announced on its line.
    pub(super) fn newline(&mut self) -> Parsed<()> {
        self.advance();
        if self.pending.is_empty() { Ok(()) } else { self.read_here_docs() }
    }

    pub(super) fn skip_newlines(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || crate::stack::is_deep() {
            return Err(self.error(b"nested too deeply".to_vec()));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn error(&self, message: Vec<u8>) -> Box<SyntaxError> {
        Box::new(SyntaxError {
            message,
            line: self.line,
            source: None,
            then: None,
            harmless: false,
            ends: Ends::default(),
        })
    }

    pub(super) fn unexpected_eof(&self) -> Box<SyntaxError> {
        let mut error = self.error(b"syntax error: unexpected end of file".to_vec());
        // The end is on a line of its own, even when the last line has no newline.
        error.line += u32::from(self.buf.last() != Some(&b'\n'));
        error
    }

    /// The text ended inside a quote or an expansion that began at `line`.
    pub(super) fn unclosed(&self, close: u8, line: u32) -> Box<SyntaxError> {
        let mut message = b"unexpected EOF while looking for matching `".to_vec();
        message.push(close);
        message.push(b'\'');
        Box::new(SyntaxError { message, line, source: None, then: None, harmless: false, ends: Ends::default() })
    }

    /// The whole line at `pos`.
    pub(super) fn source_line(&mut self) -> Vec<u8> {
        while !self.buf[self.pos.min(self.buf.len())..].contains(&b'\n') && self.fill() {}
        let pos = self.pos.min(self.buf.len());
        let start = self.buf[..pos].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let end = self.buf[pos..].iter().position(|&b| b == b'\n').map_or(self.buf.len(), |i| pos + i);
        self.buf[start..end].to_vec()
    }

    /// What stands here is not what the grammar allows.
    pub(super) fn unexpected(&mut self) -> Box<SyntaxError> {
        self.skip_blanks();
        let token = match self.peek() {
            None => return self.unexpected_eof(),
            Some(b'\n') => b"newline".to_vec(),
            Some(_) => self.token_text(),
        };
        self.unexpected_token(&token)
    }

    pub(super) fn unexpected_token(&mut self, token: &[u8]) -> Box<SyntaxError> {
        let message = [b"syntax error near unexpected token `", token, b"'"].concat();
        let source = self.source_line();
        Box::new(SyntaxError {
            message,
            line: self.line,
            source: Some(source),
            then: None,
            harmless: false,
            ends: Ends::default(),
        })
    }

    pub(super) fn token_text(&mut self) -> Vec<u8> {
        const OPERATORS: &[&[u8]] = &[
            b";;&", b";;", b";&", b"&&", b"&>>", b"&>", b"||", b"|&", b"<<<", b"<<-", b"<<", b"<&", b"<>", b">>",
            b">&", b">|", b";", b"&", b"|", b"<", b">", b"(", b")",
        ];
        if let Some(op) = OPERATORS.iter().find(|op| self.looking_at(op)) {
            return op.to_vec();
        }
        let (start, line) = (self.pos, self.line);
        let text = match self.word() {
            Ok(word) => word.raw.to_vec(),
            Err(_) => self.buf[start..start + 1].to_vec(),
        };
        (self.pos, self.line) = (start, line);
        text
    }

    /// The bytes from `start` to here, without line continuations.
    pub(super) fn text_since(&self, start: usize) -> Box<[u8]> {
        let text = &self.buf[start..self.pos];
        if memchr::memmem::find(text, b"\\\n").is_none() {
            return text.into();
        }
        // Inside single quotes a backslash and a newline stay; inside double quotes a single one is none, but in a
        // substitution there it is.
        let mut out = Vec::with_capacity(text.len());
        let (mut i, mut single, mut open) = (0, false, Vec::new());
        while i < text.len() {
            let doubled = open.last() == Some(&b'"');
            match text[i] {
                b'\'' if !doubled => single = !single,
                b'"' if doubled => drop(open.pop()),
                b'"' if !single => open.push(b'"'),
                b'(' if !single && (!doubled || i > 0 && text[i - 1] == b'$') => open.push(b'('),
                b')' if !single && open.last() == Some(&b'(') => drop(open.pop()),
                b'\\' if !single => {
                    if text.get(i + 1) == Some(&b'\n') {
                        i += 2;
                        continue;
                    }
                    out.push(b'\\');
                    i += 1;
                    if i == text.len() {
                        break;
                    }
                }
                _ => {}
            }
            out.push(text[i]);
            i += 1;
        }
        out.into()
    }
}

/// What ends an unquoted word.
pub(super) fn is_meta(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

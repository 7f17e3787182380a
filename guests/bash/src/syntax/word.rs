//! Words: quoting and what ends them.

use super::ast::{Bytes, Part, Word};
use super::cursor::{Parsed, Parser, is_meta};
use super::escape::{Decoded, EscapeStyle, decode_escape};

/// Where a run of word parts ends, and which quotes count in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// At a blank or an operator.
    Word,
    /// At `}`; blanks are text.
    Brace,
    /// At `}`, inside double quotes: single quotes are text.
    BraceQuoted,
    /// At `/` or `}`.
    Slash,
    /// At the `]` that closes.
    Bracket,
    /// At the `)` that closes an extended pattern.
    Paren,
    /// A regular expression of `[[ =~ ]]`: parentheses, bars and angle brackets are text.
    Regex,
}

/// Collects parts; neighbouring literals become one.
#[derive(Default)]
pub(super) struct Parts {
    pub done: Vec<Part>,
    text: Vec<u8>,
}

impl Parts {
    pub fn push(&mut self, b: u8) {
        self.text.push(b);
    }

    pub fn extend(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    pub fn part(&mut self, part: Part) {
        self.flush();
        self.done.push(part);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Part::Literal(std::mem::take(&mut self.text).into()));
        }
    }

    /// A backslash made one byte literal.
    fn escaped(&mut self, b: u8) {
        self.flush();
        if let Some(Part::Quoted(text)) = self.done.last_mut() {
            let mut longer = std::mem::take(text).into_vec();
            longer.push(b);
            *text = longer.into();
        } else {
            self.done.push(Part::Quoted([b].into()));
        }
    }

    pub fn finish(mut self) -> Vec<Part> {
        self.flush();
        self.done
    }
}

impl Parser<'_> {
    /// A word; empty when none stands here.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let start = self.pos;
        let parts = self.parts(Stop::Word)?;
        let raw = self.text_since(start);
        let dollar_quote = raw.windows(2).any(|w| w == b"$'" || w == b"$\"");
        Ok(finish(parts, if dollar_quote { plain_quotes(&raw) } else { raw }))
    }

    pub(super) fn word_until(&mut self, stop: Stop) -> Parsed<Word> {
        let start = self.pos;
        let parts = self.parts(stop)?;
        Ok(finish(parts, self.text_since(start)))
    }

    pub(super) fn parts(&mut self, stop: Stop) -> Parsed<Vec<Part>> {
        self.enter()?;
        let mut parts = Parts::default();
        // Unclosed brackets (Bracket), parentheses (Paren, Regex).
        let mut nesting = 0u32;
        // Single quotes in `"${x-'}'}"` are text, but hide the brace.
        let mut single = false;
        let opening = (self.line, self.pos);
        loop {
            let Some(b) = self.peek() else {
                match stop {
                    Stop::Word | Stop::Regex => break,
                    Stop::Brace | Stop::BraceQuoted | Stop::Slash => return Err(self.unclosed(b'}', opening.0)),
                    Stop::Bracket => return Err(self.unclosed(b']', opening.0)),
                    Stop::Paren => return Err(self.unclosed(b')', opening.0)),
                }
            };
            match b {
                b'\\' => self.backslash(stop, &mut parts),
                b'\'' if stop != Stop::BraceQuoted => {
                    let text = self.single_quoted()?;
                    parts.part(Part::Quoted(text));
                }
                b'"' => {
                    self.pos += 1;
                    let inner = self.double_quoted(stop == Stop::BraceQuoted)?;
                    parts.part(Part::Double(inner));
                }
                b'$' => self.dollar(&mut parts, stop == Stop::BraceQuoted)?,
                b'`' => {
                    let part = self.backquote(stop == Stop::BraceQuoted)?;
                    parts.part(part);
                }
                b'?' | b'*' | b'+' | b'@' | b'!'
                    if self.options.extglob
                        && !matches!(
                            stop,
                            Stop::Regex | Stop::Brace | Stop::Slash | Stop::BraceQuoted | Stop::Bracket
                        )
                        && self.peek_at(1) == Some(b'(') =>
                {
                    parts.extend(&[b, b'(']);
                    self.pos += 2;
                    for part in self.parts(Stop::Paren)? {
                        match part {
                            Part::Literal(text) => parts.extend(&text),
                            part => parts.part(part),
                        }
                    }
                    parts.push(b')');
                }
                b'\'' => {
                    single = !single;
                    parts.push(b);
                    self.pos += 1;
                }
                b'}' if single => {
                    parts.push(b);
                    self.pos += 1;
                }
                _ => {
                    if self.ends(b, stop, &mut nesting, &mut parts)? {
                        break;
                    }
                }
            }
        }
        self.leave();
        Ok(parts.finish())
    }

    /// Takes an ordinary byte, or says that the word ends here (closing bytes are taken, except those of `Word`).
    fn ends(&mut self, b: u8, stop: Stop, nesting: &mut u32, parts: &mut Parts) -> Parsed<bool> {
        match stop {
            Stop::Word if is_meta(b) => {
                if matches!(b, b'<' | b'>') && self.peek_at(1) == Some(b'(') {
                    let part = self.process_sub()?;
                    parts.part(part);
                    return Ok(false);
                }
                return Ok(true);
            }
            Stop::Brace | Stop::Slash if matches!(b, b'<' | b'>') && self.peek_at(1) == Some(b'(') => {
                let part = self.process_sub()?;
                parts.part(part);
                return Ok(false);
            }
            Stop::Brace | Stop::BraceQuoted | Stop::Slash if b == b'}' => return Ok(true),
            Stop::Slash if b == b'/' => return Ok(true),
            Stop::Bracket => match b {
                b'[' => *nesting += 1,
                b']' if *nesting == 0 => return Ok(true),
                b']' => *nesting -= 1,
                _ => {}
            },
            Stop::Paren => match b {
                b'(' => *nesting += 1,
                b')' if *nesting == 0 => {
                    self.pos += 1;
                    return Ok(true);
                }
                b')' => *nesting -= 1,
                _ => {}
            },
            Stop::Regex => match b {
                b'(' => *nesting += 1,
                b')' if *nesting > 0 => *nesting -= 1,
                b' ' | b'\t' | b'\n' if *nesting == 0 => return Ok(true),
                b')' | b';' if *nesting == 0 => return Ok(true),
                b'&' if *nesting == 0 && self.peek_at(1) == Some(b'&') => return Ok(true),
                b'|' if *nesting == 0 && self.peek_at(1) == Some(b'|') => return Ok(true),
                _ => {}
            },
            _ => {}
        }
        if b == b'\n' {
            self.line += 1;
        }
        parts.push(b);
        self.pos += 1;
        if stop == Stop::Word {
            // The common case, a run of letters, in one go.
            let run = self.buf[self.pos..].iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'/').count();
            let (from, to) = (self.pos, self.pos + run);
            parts.text.extend_from_slice(&self.buf[from..to]);
            self.pos = to;
        }
        Ok(false)
    }

    fn backslash(&mut self, stop: Stop, parts: &mut Parts) {
        self.pos += 1;
        match self.peek() {
            None => parts.push(b'\\'),
            Some(b'\n') => self.advance(),
            Some(b) if stop == Stop::BraceQuoted && !matches!(b, b'$' | b'`' | b'"' | b'\\' | b'}') => {
                parts.push(b'\\');
            }
            Some(b) => {
                self.pos += 1;
                parts.escaped(b);
            }
        }
    }

    /// `'…'`, at the opening quote.
    pub(super) fn single_quoted(&mut self) -> Parsed<Bytes> {
        let (start, line) = (self.pos + 1, self.line);
        self.pos += 1;
        loop {
            match self.peek() {
                None => return Err(self.unclosed(b'\'', line)),
                Some(b'\'') => break,
                Some(_) => self.advance(),
            }
        }
        let text = self.buf[start..self.pos].into();
        self.pos += 1;
        Ok(text)
    }

    /// `$'…'`, after the opening quote.
    pub(super) fn ansi_quoted(&mut self) -> Parsed<Bytes> {
        let (start, line) = (self.pos, self.line);
        loop {
            match self.peek() {
                None => return Err(self.unclosed(b'\'', line)),
                Some(b'\'') => break,
                Some(b'\\') => {
                    self.pos += 1;
                    if self.peek().is_some() {
                        self.advance();
                    }
                }
                Some(_) => self.advance(),
            }
        }
        let text = decode_ansi(&self.buf[start..self.pos]);
        self.pos += 1;
        Ok(text.into())
    }

    /// `"…"`, after the opening quote. Quotes within a quoted `${…}` end the outer ones: any backslash quotes there.
    pub(super) fn double_quoted(&mut self, within: bool) -> Parsed<Vec<Part>> {
        self.enter()?;
        let (start, line) = (self.pos, self.line);
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None => return Err(self.unclosed(b'"', line)),
                Some(b'"') => break,
                Some(b'\\') if within => self.backslash(Stop::Word, &mut parts),
                Some(b'\\') => self.backslash_in_double(&mut parts, true),
                Some(b'$') => self.dollar(&mut parts, true)?,
                Some(b'`') => {
                    let part = self.backquote(true)?;
                    parts.part(part);
                }
                Some(b) => {
                    self.advance();
                    parts.push(b);
                }
            }
        }
        let mut parts = parts.finish();
        if parts.iter().any(|part| matches!(part, Part::Bad(_))) {
            name_bad(&mut parts, &self.text_since(start));
        }
        self.pos += 1;
        self.leave();
        Ok(parts)
    }

    /// A backslash in double quotes or a here-document (where `"` is no special character).
    pub(super) fn backslash_in_double(&mut self, parts: &mut Parts, quote: bool) {
        self.pos += 1;
        match self.peek() {
            Some(b'\n') => self.advance(),
            Some(b @ (b'$' | b'`' | b'\\')) => {
                self.pos += 1;
                parts.escaped(b);
            }
            Some(b'"') if quote => {
                self.pos += 1;
                parts.escaped(b'"');
            }
            _ => parts.push(b'\\'),
        }
    }
}

/// The content of `$'…'`; a NUL ends it, as in C.
pub(super) fn decode_ansi(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while i < text.len() {
        let b = text[i];
        i += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        if let Decoded::Taken(n) = decode_escape(&text[i..], EscapeStyle::Dollar, &mut out) {
            i += n;
        }
    }
    if let Some(nul) = out.iter().position(|&b| b == 0) {
        out.truncate(nul);
    }
    out
}

/// `$'…'` and `$"…"` written with plain quotes, as bash keeps them. What stands inside double quotes and substitutions stays
/// as it is: there `$"` is a dollar and the end of a string.
fn plain_quotes(raw: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(raw.len());
    // What closes the quotes, substitutions and braces around this place.
    let mut open: Vec<u8> = Vec::new();
    let mut i = 0;
    while i < raw.len() {
        let (inner, next) = (open.last().copied(), raw.get(i + 1).copied());
        let plain = open.iter().all(|&b| b == b'}');
        let mut end = i + 1;
        match (raw[i], next) {
            (b'\\', _) => end = i + 2,
            (b'\'', _) if plain || inner == Some(b')') => {
                end = raw[i + 1..].iter().position(|&b| b == b'\'').map_or(raw.len(), |n| i + n + 2);
            }
            (b'$', Some(b'"')) if plain => {
                i += 1;
                continue;
            }
            (b'$', Some(b'\'')) if plain => {
                let mut end = i + 2;
                while end < raw.len() && raw[end] != b'\'' {
                    end += 1 + usize::from(raw[end] == b'\\');
                }
                let end = end.min(raw.len());
                out.push(b'\'');
                for b in decode_ansi(&raw[i + 2..end]) {
                    if b == b'\'' { out.extend_from_slice(b"'\\''") } else { out.push(b) }
                }
                out.push(b'\'');
                i = end + 1;
                continue;
            }
            (b'$', Some(bracket @ (b'(' | b'{'))) => {
                open.push(if bracket == b'(' { b')' } else { b'}' });
                end = i + 2;
            }
            (b, _) if Some(b) == inner => {
                open.pop();
            }
            (b @ (b'"' | b'`'), _) => open.push(b),
            (b'(', _) if inner == Some(b')') => open.push(b')'),
            _ => {}
        }
        let end = end.min(raw.len());
        out.extend_from_slice(&raw[i..end]);
        i = end;
    }
    out.into()
}

/// A substitution that makes no sense is reported with all of the text it stands in.
pub(super) fn name_bad(parts: &mut [Part], raw: &[u8]) {
    for part in parts {
        if let Part::Bad(text) = part {
            *text = raw.into();
        }
    }
}

/// Makes a word of its parts and notes what can be known before it runs.
pub(super) fn finish(mut parts: Vec<Part>, raw: Bytes) -> Word {
    name_bad(&mut parts, &raw);
    let braces = parts.iter().any(|part| matches!(part, Part::Literal(text) if text.contains(&b'{')));
    let plain = plain_value(&parts, braces);
    Word { parts, raw, plain, assignment: None, braces }
}

fn plain_value(parts: &[Part], braces: bool) -> Option<Bytes> {
    if braces {
        return None;
    }
    let mut value = Vec::new();
    for part in parts {
        match part {
            Part::Literal(text) => {
                if text.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'~' | b'(' | b'\\')) {
                    return None;
                }
                value.extend_from_slice(text);
            }
            Part::Quoted(text) => value.extend_from_slice(text),
            Part::Double(inner) => {
                for part in inner {
                    match part {
                        Part::Literal(text) | Part::Quoted(text) => value.extend_from_slice(text),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    Some(value.into())
}

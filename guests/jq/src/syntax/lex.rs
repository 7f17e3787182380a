//! Tokens of a program. What is inside a string are tokens too, so the brackets that are open decide what a `)` is.

use super::{Dialect, SyntaxError};
use crate::json;
use crate::number;
use crate::value::Value;
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name, perhaps with modules in front: `lib::name`. Keywords too.
    Name(String),
    /// `.name`
    Field(String),
    /// `$name`
    Binding(String),
    /// `@name`
    Format(String),
    Number(Value),
    /// The start of a string.
    Quote,
    /// Text in a string, its escapes replaced.
    Text(String),
    /// `\(` in a string.
    Interpolation,
    /// The `)` that ends it.
    InterpolationEnd,
    QuoteEnd,
    /// An operator or a bracket.
    Mark(&'static str),
    Invalid,
    End,
}

/// Longest first: the first that fits is it.
const MARKS: &[&str] = &[
    "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", "..", ".", "[", "]", "(", ")", "{",
    "}", "|", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "?", "$",
];

pub const KEYWORDS: &[&str] = &[
    "and", "as", "break", "catch", "def", "elif", "else", "end", "foreach", "if", "import", "include", "label",
    "module", "or", "reduce", "then", "try",
];

impl Token {
    /// A name that is no keyword.
    pub fn identifier(&self) -> Option<String> {
        match self {
            Token::Name(name) if !KEYWORDS.contains(&name.as_str()) => Some(name.clone()),
            _ => None,
        }
    }

    /// As error messages name it.
    pub fn describe(&self) -> String {
        match self {
            Token::Name(name) if KEYWORDS.contains(&name.as_str()) => name.clone(),
            Token::Name(_) => "IDENT".into(),
            Token::Field(_) => "FIELD".into(),
            Token::Binding(name) if name == "__loc__" => "$__loc__".into(),
            Token::Binding(_) => "BINDING".into(),
            Token::Format(_) => "FORMAT".into(),
            Token::Number(_) => "LITERAL".into(),
            Token::Quote => "QQSTRING_START".into(),
            Token::Text(_) => "QQSTRING_TEXT".into(),
            Token::Interpolation => "QQSTRING_INTERP_START".into(),
            Token::InterpolationEnd => "QQSTRING_INTERP_END".into(),
            Token::QuoteEnd => "QQSTRING_END".into(),
            Token::Mark(mark) if mark.len() == 1 => format!("'{mark}'"),
            Token::Mark(mark) => (*mark).into(),
            Token::Invalid => "INVALID_CHARACTER".into(),
            Token::End => "end of file".into(),
        }
    }
}

/// What is open, and so how the next bytes are read.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// A bracket, and what closes it.
    Bracket(u8),
    Text,
    Interpolation,
}

pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    dialect: Dialect,
    open: Vec<Open>,
    /// What was read last, white space and comments included: where the end is told to be.
    last: (usize, usize),
    /// What is wrong with single tokens.
    pub faults: Vec<SyntaxError>,
}

/// How long the name at the start is; 0 for none.
fn name(bytes: &[u8]) -> usize {
    let starts = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    if starts { bytes.iter().take_while(|b| is_of_name(**b)).count() } else { 0 }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// As [`name`], perhaps with modules in front.
fn qualified(bytes: &[u8]) -> usize {
    let mut len = name(bytes);
    while len > 0 && bytes[len..].starts_with(b"::") && name(&bytes[len + 2..]) > 0 {
        len += 2 + name(&bytes[len + 2..]);
    }
    len
}

fn owned(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8], dialect: Dialect) -> Lexer<'a> {
        Lexer { text, at: 0, dialect, open: Vec::new(), last: (0, 0), faults: Vec::new() }
    }

    /// What comes behind the last token.
    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Leaves out bytes that belong to the last token.
    pub fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// The next token, where it starts and where it ends.
    pub fn next(&mut self) -> (Token, usize, usize) {
        let inside = self.open.last() == Some(&Open::Text);
        if !inside {
            self.skip_blanks();
        }
        if self.at >= self.text.len() {
            return (Token::End, self.last.0, self.last.1);
        }
        let start = self.at;
        let (token, len) = if inside { self.in_text() } else { self.plain() };
        self.at += len;
        self.last = (start, self.at);
        if let Token::Text(_) = token {
            return (self.unescaped(start), start, self.at);
        }
        (token, start, self.at)
    }

    fn skip_blanks(&mut self) {
        loop {
            let blanks = self.rest().iter().take_while(|b| b" \t\r\n".contains(b)).count();
            if blanks > 0 {
                self.last = (self.at, self.at + blanks);
                self.at += blanks;
            } else if self.rest().first() == Some(&b'#') {
                self.at = comment_end(self.text, self.at);
                self.last = (self.at - 1, self.at);
            } else {
                return;
            }
        }
    }

    /// A token in a string, and its length. Text comes in pieces: escapes, and what has none.
    fn in_text(&mut self) -> (Token, usize) {
        let rest = self.rest();
        match rest {
            [b'"', ..] => {
                self.open.pop();
                (Token::QuoteEnd, 1)
            }
            [b'\\', b'(', ..] => {
                self.open.push(Open::Interpolation);
                (Token::Interpolation, 2)
            }
            [b'\\'] => (Token::Invalid, 1),
            [b'\\', ..] => (Token::Text(String::new()), escapes(rest)),
            _ => (Token::Text(String::new()), memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len())),
        }
    }

    /// The text from `start` to here, its escapes replaced.
    fn unescaped(&mut self, start: usize) -> Token {
        let raw = &self.text[start..self.at];
        if raw[0] != b'\\' {
            return Token::Text(owned(raw));
        }
        match json::unescape(raw) {
            Ok(text) => Token::Text(text),
            Err(fault) => {
                let quoted = format!("\"{}\"", String::from_utf8_lossy(raw));
                let message = match json::parse_one(quoted.as_bytes()) {
                    Err(fault) => fault.message,
                    Ok(_) => fault.into(),
                };
                let message = format!("{message} (while parsing '{quoted}')");
                self.faults.push(SyntaxError::new(message, start, self.at));
                Token::Text(String::new())
            }
        }
    }

    /// A token outside of strings, and its length.
    fn plain(&mut self) -> (Token, usize) {
        let rest = self.rest();
        let len = qualified(rest);
        if len > 0 {
            return (Token::Name(owned(&rest[..len])), len);
        }
        match rest[0] {
            b'"' => {
                self.open.push(Open::Text);
                return (Token::Quote, 1);
            }
            b'.' if name(&rest[1..]) > 0 => {
                let len = self.field_length(rest);
                return (Token::Field(owned(&rest[1..len])), len);
            }
            b'$' if qualified(&rest[1..]) > 0 => {
                let len = 1 + qualified(&rest[1..]);
                return (Token::Binding(owned(&rest[1..len])), len);
            }
            b'@' if rest.get(1).is_some_and(|b| is_of_name(*b)) => {
                let len = 1 + rest[1..].iter().take_while(|b| is_of_name(**b)).count();
                return (Token::Format(owned(&rest[..len])), len);
            }
            b'0'..=b'9' | b'.' if rest[0] != b'.' || rest.get(1).is_some_and(u8::is_ascii_digit) => {
                let len = number_length(rest);
                return (self.number(&rest[..len]), len);
            }
            _ => {}
        }
        match MARKS.iter().find(|mark| rest.starts_with(mark.as_bytes())) {
            Some(mark) => (self.mark(mark), mark.len()),
            None => (Token::Invalid, 1),
        }
    }

    fn field_length(&self, rest: &[u8]) -> usize {
        let mut len = 1 + name(&rest[1..]);
        // `.runs-on` is one key where no jq has to be pleased.
        while self.dialect == Dialect::Yq && rest[len..].first() == Some(&b'-') {
            let more = rest[len + 1..].iter().take_while(|b| is_of_name(**b)).count();
            if more == 0 {
                break;
            }
            len += 1 + more;
        }
        len
    }

    fn number(&mut self, digits: &[u8]) -> Token {
        Token::Number(match number::parse(digits) {
            Some(number::Parsed::Plain(value)) => Value::Number(value),
            Some(number::Parsed::Exact(literal)) => Value::Literal(Rc::new(literal)),
            None => {
                self.faults.push(SyntaxError::new("Invalid numeric literal", self.at, self.at + digits.len()));
                Value::Null
            }
        })
    }

    /// A mark; a bracket that closes what is not open is none.
    fn mark(&mut self, mark: &'static str) -> Token {
        match mark.as_bytes()[0] {
            b'(' => self.open.push(Open::Bracket(b')')),
            b'[' => self.open.push(Open::Bracket(b']')),
            b'{' => self.open.push(Open::Bracket(b'}')),
            closing @ (b')' | b']' | b'}') => match self.open.last() {
                Some(Open::Bracket(expected)) if *expected == closing => drop(self.open.pop()),
                Some(Open::Interpolation) if closing == b')' => {
                    self.open.pop();
                    return Token::InterpolationEnd;
                }
                _ => return Token::Invalid,
            },
            _ => {}
        }
        Token::Mark(mark)
    }
}

/// How long the escapes at the start are.
fn escapes(rest: &[u8]) -> usize {
    let mut len = 0;
    while let [b'\\', letter, ..] = &rest[len..] {
        match letter {
            b'(' => break,
            b'u' => len += 2 + rest[len + 2..].iter().take(4).take_while(|b| b.is_ascii_alphanumeric()).count(),
            lead => len += 1 + character_length(*lead).min(rest.len() - len - 1),
        }
    }
    len
}

/// How many bytes the character has that begins with this one.
fn character_length(lead: u8) -> usize {
    match lead {
        0..=0xbf => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

/// A comment ends with its line, unless an odd number of backslashes stands before the end.
fn comment_end(text: &[u8], mut at: usize) -> usize {
    loop {
        let Some(newline) = memchr::memchr(b'\n', &text[at..]) else { return text.len() };
        let line = &text[at..at + newline];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let slashes = line.iter().rev().take_while(|&&b| b == b'\\').count();
        at += newline;
        if slashes % 2 == 0 {
            return at;
        }
        at += 1;
    }
}

fn number_length(rest: &[u8]) -> usize {
    let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut len = digits(0);
    if rest.get(len) == Some(&b'.') {
        len += 1 + digits(len + 1);
    }
    if matches!(rest.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(rest.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits(len + 1 + sign);
        if exponent > 0 {
            len += 1 + sign + exponent;
        }
    }
    len
}

//! Tokens of a program.

use super::{Dialect, SyntaxError};
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
    /// The start of a string; what is in it is the parser's affair.
    Quote,
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
    "and", "as", "catch", "def", "elif", "else", "end", "foreach", "if", "import", "include", "label", "module", "or",
    "reduce", "then", "try", "__loc__",
];

impl Token {
    /// As error messages name it.
    pub fn describe(&self) -> String {
        match self {
            Token::Name(name) if KEYWORDS.contains(&name.as_str()) => name.clone(),
            Token::Name(_) => "IDENT".into(),
            Token::Field(_) => "FIELD".into(),
            Token::Binding(_) => "BINDING".into(),
            Token::Format(_) => "FORMAT".into(),
            Token::Number(_) => "LITERAL".into(),
            Token::Quote => "QQSTRING_START".into(),
            Token::Mark(mark) if mark.len() == 1 => format!("'{mark}'"),
            Token::Mark(mark) => (*mark).into(),
            Token::Invalid => "INVALID_CHARACTER".into(),
            Token::End => "end of file".into(),
        }
    }
}

/// The token at `at` and where it ends; white space and comments before it are skipped. Its start comes with it.
pub fn token(text: &[u8], mut at: usize, dialect: Dialect) -> Result<(Token, usize, usize), SyntaxError> {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'#') => at = comment_end(text, at),
            _ => break,
        }
    }
    let rest = &text[at..];
    let Some(&first) = rest.first() else { return Ok((Token::End, at, at)) };
    let name = |bytes: &[u8]| -> usize {
        let starts = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        if starts { bytes.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count() } else { 0 }
    };
    let qualified = |bytes: &[u8]| -> usize {
        let mut len = name(bytes);
        while len > 0 && bytes[len..].starts_with(b"::") && name(&bytes[len + 2..]) > 0 {
            len += 2 + name(&bytes[len + 2..]);
        }
        len
    };
    let owned = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let len = qualified(rest);
    if len > 0 {
        return Ok((Token::Name(owned(&rest[..len])), at, at + len));
    }
    match first {
        b'"' => return Ok((Token::Quote, at, at + 1)),
        b'.' if name(&rest[1..]) > 0 => {
            let mut len = 1 + name(&rest[1..]);
            // `.runs-on` is one key where no jq has to be pleased.
            while dialect == Dialect::Yq && rest[len..].first() == Some(&b'-') {
                let more = rest[len + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                if more == 0 {
                    break;
                }
                len += 1 + more;
            }
            return Ok((Token::Field(owned(&rest[1..len])), at, at + len));
        }
        b'$' if qualified(&rest[1..]) > 0 => {
            let len = 1 + qualified(&rest[1..]);
            return Ok((Token::Binding(owned(&rest[1..len])), at, at + len));
        }
        b'@' if name(&rest[1..]) > 0 || rest.get(1).is_some_and(u8::is_ascii_alphanumeric) => {
            let len = 1 + rest[1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            return Ok((Token::Format(owned(&rest[..len])), at, at + len));
        }
        b'0'..=b'9' | b'.' if first != b'.' || rest.get(1).is_some_and(u8::is_ascii_digit) => {
            let len = number_length(rest);
            let value = match number::parse(&rest[..len]) {
                Some(number::Parsed::Plain(value)) => Value::Number(value),
                Some(number::Parsed::Exact(literal)) => Value::Literal(Rc::new(literal)),
                None => return Err(SyntaxError::new("Invalid numeric literal", at)),
            };
            return Ok((Token::Number(value), at, at + len));
        }
        _ => {}
    }
    match MARKS.iter().find(|mark| rest.starts_with(mark.as_bytes())) {
        Some(mark) => Ok((Token::Mark(mark), at, at + mark.len())),
        None => Ok((Token::Invalid, at, at + 1)),
    }
}

/// Where the token at `at` starts and ends; at the end of the text, the white space or the token that is last.
pub fn extent(text: &[u8], at: usize, dialect: Dialect) -> (usize, usize) {
    if at < text.len() {
        return match token(text, at, dialect) {
            Ok((_, start, end)) if start < end => (start, end),
            _ => (at, at + 1),
        };
    }
    let end = text.len();
    let blank = text.iter().rev().take_while(|b| b" \t\r\n".contains(b)).count();
    if blank > 0 {
        return (end - blank, end);
    }
    let ends_there =
        |from: &usize| matches!(token(text, *from, dialect), Ok((_, start, stop)) if start == *from && stop == end);
    (end.saturating_sub(LONGEST)..end).find(ends_there).map_or((end.saturating_sub(1), end), |from| (from, end))
}

/// How far back the last token is looked for.
const LONGEST: usize = 100;

/// A comment ends with its line, unless an odd number of backslashes stands before the end.
fn comment_end(text: &[u8], mut at: usize) -> usize {
    loop {
        let Some(newline) = memchr::memchr(b'\n', &text[at..]) else { return text.len() };
        let line = &text[at..at + newline];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let slashes = line.iter().rev().take_while(|&&b| b == b'\\').count();
        at += newline + 1;
        if slashes % 2 == 0 {
            return at;
        }
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

//! Tokens of JSON out of blocks that may end anywhere.

use crate::number;
use crate::value::{Text, Value};
use std::rc::Rc;

/// What is wrong with the input, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub message: String,
}

pub enum Token {
    /// `[` or `{`.
    Open(u8),
    /// `]` or `}`.
    Close(u8),
    Colon,
    Comma,
    Scalar(Value),
    /// The record separator of a JSON text sequence.
    Separator,
    /// The block is used up.
    More,
    End,
}

/// How many recent keys are shared: documents repeat few of them.
const KEYS: usize = 512;
/// Longer keys are hardly repeated.
const LONG_KEY: usize = 40;

pub struct Tokens {
    buf: Vec<u8>,
    at: usize,
    ended: bool,
    /// Newlines before `buf`, and how many bytes of the line `buf` starts in came before it.
    lines: usize,
    column: usize,
    /// Whether a byte order mark may still come.
    start: bool,
    keys: Vec<Option<Text>>,
}

impl Tokens {
    pub fn new() -> Tokens {
        Tokens { buf: Vec::new(), at: 0, ended: false, lines: 0, column: 0, start: true, keys: vec![None; KEYS] }
    }

    /// Adds input behind what is there.
    pub fn feed(&mut self, block: &[u8]) {
        self.forget();
        self.buf.extend_from_slice(block);
        if self.start && self.buf.len() >= 3 {
            self.start = false;
            if self.buf.starts_with(b"\xef\xbb\xbf") {
                self.buf.drain(..3);
            }
        }
    }

    /// No more input follows.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// A new file: lines are counted from its start.
    pub fn restart_lines(&mut self) {
        self.forget();
        self.lines = 0;
        self.column = 0;
    }

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Drops what is used, and keeps count of lines.
    fn forget(&mut self) {
        let used = &self.buf[..self.at];
        self.lines += memchr::memchr_iter(b'\n', used).count();
        self.column = match memchr::memrchr(b'\n', used) {
            Some(last) => used.len() - last - 1,
            None => self.column + used.len(),
        };
        self.buf.drain(..self.at);
        self.at = 0;
    }

    /// How many newlines the lines that are begun have; what is not read yet is not known.
    pub fn line(&self) -> usize {
        let used = memchr::memchr_iter(b'\n', &self.buf[..self.at]).count();
        let last = self.at > 0 && self.buf[self.at - 1] == b'\n';
        let ahead = !last && memchr::memchr(b'\n', &self.buf[self.at..]).is_some();
        self.lines + used + usize::from(ahead)
    }

    /// A fault at the byte before `end`.
    pub fn fault_at(&self, message: &str, end: usize) -> Fault {
        let used = &self.buf[..end.min(self.buf.len())];
        let line = 1 + self.lines + memchr::memchr_iter(b'\n', used).count();
        let column = match memchr::memrchr(b'\n', used) {
            Some(last) => used.len() - last - 1,
            None => self.column + used.len(),
        };
        let eof = if self.ended && end > self.buf.len() { " at EOF" } else { "" };
        Fault { message: format!("{message}{eof} at line {line}, column {column}") }
    }

    /// A fault at the last byte used.
    pub fn fault(&self, message: &str) -> Fault {
        self.fault_at(message, self.at)
    }

    /// A fault that is seen so many bytes later.
    pub fn fault_behind(&self, message: &str, more: usize) -> Fault {
        self.fault_at(message, self.at + more)
    }

    /// A fault at the end of the input.
    pub fn fault_at_end(&self, message: &str) -> Fault {
        self.fault_at(message, self.buf.len() + 1)
    }

    /// Skips the rest of the line.
    pub fn skip_line(&mut self) {
        let from = self.at.min(self.buf.len());
        self.at = memchr::memchr(b'\n', &self.buf[from..]).map_or(self.buf.len(), |n| from + n + 1);
    }

    /// Skips to behind the next record separator or to the end of what is there.
    pub fn skip_text(&mut self) {
        self.at = memchr::memchr(0x1e, &self.buf[self.at..]).map_or(self.buf.len(), |n| self.at + n);
    }

    /// The next token. `key` asks for strings as keys, which are shared.
    pub fn next(&mut self, key: bool) -> Result<Token, Fault> {
        if self.start {
            if !self.ended && self.buf.len() < 3 && b"\xef\xbb\xbf".starts_with(&self.buf) {
                return Ok(Token::More);
            }
            self.start = false;
        }
        while let Some(&byte) = self.buf.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'"' => return self.string(key),
                b'[' | b'{' => {
                    self.at += 1;
                    return Ok(Token::Open(byte));
                }
                b']' | b'}' => {
                    self.at += 1;
                    return Ok(Token::Close(byte));
                }
                b':' => {
                    self.at += 1;
                    return Ok(Token::Colon);
                }
                b',' => {
                    self.at += 1;
                    return Ok(Token::Comma);
                }
                0x1e => {
                    self.at += 1;
                    return Ok(Token::Separator);
                }
                _ => return self.word(),
            }
        }
        Ok(if self.ended { Token::End } else { Token::More })
    }

    /// A number or one of the words.
    fn word(&mut self) -> Result<Token, Fault> {
        let rest = &self.buf[self.at..];
        let delimiter =
            |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b'"' | 0x1e);
        let Some(len) = rest.iter().position(delimiter).or(self.ended.then_some(rest.len())) else {
            return Ok(Token::More);
        };
        let word = &rest[..len];
        let value = match word {
            b"null" => Value::Null,
            b"true" => Value::Bool(true),
            b"false" => Value::Bool(false),
            b"nan" | b"NaN" | b"-nan" | b"-NaN" => Value::Number(f64::NAN),
            b"Infinity" | b"infinity" => Value::Number(f64::INFINITY),
            b"-Infinity" | b"-infinity" => Value::Number(f64::NEG_INFINITY),
            // A plus in front is allowed here, as in `tonumber`.
            _ => match number::parse(word.strip_prefix(b"+").unwrap_or(word)) {
                Some(number::Parsed::Plain(value)) => Value::Number(value),
                Some(number::Parsed::Exact(literal)) => Value::Literal(Rc::new(literal)),
                None => {
                    let message = match word[0] {
                        _ if word.starts_with(b"nan") => "Invalid numeric literal",
                        b't' | b'f' | b'n' => "Invalid literal",
                        b'\'' => "Invalid string literal; expected \", but got '",
                        _ => "Invalid numeric literal",
                    };
                    return Err(self.fault_at(message, self.at + len + 1));
                }
            },
        };
        self.at += len;
        Ok(Token::Scalar(value))
    }

    fn string(&mut self, key: bool) -> Result<Token, Fault> {
        let body = self.at + 1;
        let mut at = body;
        let mut escaped = false;
        let end = loop {
            match memchr::memchr2(b'"', b'\\', &self.buf[at..]) {
                Some(n) if self.buf[at + n] == b'"' => break at + n,
                Some(n) => {
                    escaped = true;
                    at += n + 2;
                    if at > self.buf.len() {
                        return self.unfinished();
                    }
                }
                None => return self.unfinished(),
            }
        };
        let bytes = &self.buf[body..end];
        if bytes.iter().any(|&b| b < 0x20) {
            let message = "Invalid string: control characters from U+0000 through U+001F must be escaped";
            return Err(self.fault_at(message, end + 1));
        }
        let text = if escaped {
            match unescape(bytes) {
                Ok(text) => Rc::new(text),
                Err(message) => return Err(self.fault_at(message, end + 1)),
            }
        } else if key && bytes.len() <= LONG_KEY {
            let slot = bytes.iter().fold(bytes.len(), |hash, &b| hash.wrapping_mul(31).wrapping_add(b.into())) % KEYS;
            match &self.keys[slot] {
                Some(known) if known.as_bytes() == bytes => known.clone(),
                _ => {
                    let text = Rc::new(super::text(bytes.to_vec()));
                    self.keys[slot] = Some(text.clone());
                    text
                }
            }
        } else {
            Rc::new(super::text(bytes.to_vec()))
        };
        self.at = end + 1;
        Ok(Token::Scalar(Value::String(text)))
    }

    fn unfinished(&self) -> Result<Token, Fault> {
        if self.ended { Err(self.fault_at_end("Unfinished string")) } else { Ok(Token::More) }
    }
}

/// Replaces the escapes of a string, or tells what is wrong with one.
pub fn unescape(bytes: &[u8]) -> Result<String, &'static str> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let unit = |rest: &[u8]| {
        let digits = rest.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    loop {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        let Some(&letter) = rest.get(1) else { break };
        rest = &rest[2..];
        match letter {
            b'"' | b'\\' | b'/' => out.push(letter),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let mut code = unit(rest).ok_or(match rest.len() {
                    0..4 => "Invalid \\uXXXX escape",
                    _ => "Invalid characters in \\uXXXX escape",
                })?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&code) {
                    let low = rest.strip_prefix(b"\\u").and_then(unit).filter(|low| (0xdc00..0xe000).contains(low));
                    let low = low.ok_or("Invalid \\uXXXX\\uXXXX surrogate pair escape")?;
                    rest = &rest[6..];
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                }
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err("Invalid escape"),
        }
    }
    Ok(super::text(out))
}

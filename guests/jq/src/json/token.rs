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
    /// A word or a string that such a separator cuts off: what it means as a word, or what is wrong with it.
    Cut(Result<Value, &'static str>),
    /// The block is used up.
    More,
    End,
}

/// How many recent keys are shared: documents repeat few of them.
const KEYS: usize = 512;
/// Longer keys are hardly repeated.
const LONG_KEY: usize = 40;

const SEPARATOR: u8 = 0x1e;
const ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub struct Tokens {
    buf: Vec<u8>,
    at: usize,
    ended: bool,
    /// Newlines before `buf`, and how many bytes of the line `buf` starts in came before it.
    lines: usize,
    column: usize,
    /// Newlines in earlier files.
    earlier: usize,
    /// Whether a byte order mark may still come.
    start: bool,
    /// Whether this is a sequence of texts with separators in front.
    sequence: bool,
    /// Whether the first separator is still to come.
    waiting: bool,
    /// Whether white space was the last thing that was used.
    blank: bool,
    keys: Vec<Option<Text>>,
}

impl Tokens {
    pub fn new(sequence: bool) -> Tokens {
        Tokens {
            buf: Vec::new(),
            at: 0,
            ended: false,
            lines: 0,
            column: 0,
            earlier: 0,
            start: true,
            sequence,
            waiting: sequence,
            blank: false,
            keys: vec![None; KEYS],
        }
    }

    /// Adds input behind what is there.
    pub fn feed(&mut self, block: &[u8]) {
        self.forget();
        self.buf.extend_from_slice(block);
    }

    /// No more input follows.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// A new file: its lines are counted from its start, but faults are placed in all of the input.
    pub fn restart_lines(&mut self) {
        self.forget();
        self.earlier = self.lines;
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
        self.lines + used + usize::from(ahead) - self.earlier
    }

    /// A fault at the byte before `end`.
    pub fn fault_at(&self, message: &str, end: usize) -> Fault {
        let used = &self.buf[..end.min(self.buf.len())];
        let line = 1 + self.lines + memchr::memchr_iter(b'\n', used).count();
        let column = match memchr::memrchr(b'\n', used) {
            Some(last) => used.len() - last - 1,
            None => self.column + used.len(),
        };
        let at_end = self.ended && end > self.buf.len();
        let eof = if at_end { " at EOF" } else { "" };
        let separated = at_end || used.last() == Some(&SEPARATOR);
        let resync = if self.sequence && !separated { " (need RS to resync)" } else { "" };
        Fault { message: format!("{message}{eof} at line {line}, column {column}{resync}") }
    }

    /// A fault at the last byte used.
    pub fn fault(&self, message: &str) -> Fault {
        self.fault_at(message, self.at)
    }

    /// A fault that is seen so many bytes later.
    pub fn fault_behind(&mut self, message: &str, more: usize) -> Fault {
        let end = self.at + more;
        self.at = end.min(self.buf.len());
        self.fault_at(message, end)
    }

    /// A fault at the end of the input.
    pub fn fault_at_end(&self, message: &str) -> Fault {
        self.fault_at(message, self.buf.len() + 1)
    }

    /// Skips the rest of the line.
    pub fn skip_line(&mut self) {
        if self.at == 0 || self.buf[self.at - 1] != b'\n' {
            let from = self.at;
            self.at = memchr::memchr(b'\n', &self.buf[from..]).map_or(self.buf.len(), |n| from + n + 1);
        }
    }

    /// Whether the input has ended and nothing of it is left.
    pub fn is_used_up(&self) -> bool {
        self.ended && self.at >= self.buf.len()
    }

    /// Whether white space was the last thing that was used.
    pub fn is_blank(&self) -> bool {
        self.blank
    }

    /// The mark directly behind a word.
    pub fn mark_behind(&mut self, word: &Value) -> Option<Token> {
        let byte = *self.buf.get(self.at)?;
        if matches!(word, Value::String(_)) {
            return None;
        }
        self.mark(byte)
    }

    fn mark(&mut self, byte: u8) -> Option<Token> {
        let token = match byte {
            b'[' | b'{' => Token::Open(byte),
            b']' | b'}' => Token::Close(byte),
            b':' => Token::Colon,
            b',' => Token::Comma,
            SEPARATOR if self.sequence => Token::Separator,
            _ => return None,
        };
        self.at += 1;
        Some(token)
    }

    /// Leaves a byte order mark out; false if more has to be known.
    fn skip_order_mark(&mut self) -> Result<bool, Fault> {
        let same = self.buf.iter().zip(ORDER_MARK).take_while(|(a, b)| a == b).count();
        if same == self.buf.len() && same < ORDER_MARK.len() && !self.ended {
            return Ok(false);
        }
        self.start = false;
        self.buf.drain(..same);
        if same > 0 && same < ORDER_MARK.len() && !self.buf.is_empty() && !self.sequence {
            return Err(Fault { message: "Malformed BOM".into() });
        }
        Ok(true)
    }

    /// Leaves out what is before the first separator; false if that is all there is.
    fn skip_to_separator(&mut self) -> Result<bool, Fault> {
        let found = memchr::memchr(SEPARATOR, &self.buf[self.at..]);
        self.at = found.map_or(self.buf.len(), |n| self.at + n + 1);
        self.waiting = found.is_none();
        if self.waiting && self.ended {
            return Err(self.fault_at_end("Unfinished abandoned text"));
        }
        Ok(!self.waiting)
    }

    /// The next token. `key` asks for strings as keys, which are shared.
    pub fn next(&mut self, key: bool) -> Result<Token, Fault> {
        if self.start && !self.skip_order_mark()? || self.waiting && !self.skip_to_separator()? {
            return Ok(Token::More);
        }
        while let Some(&byte) = self.buf.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.at += 1;
                    self.blank = true;
                }
                b'"' => {
                    let token = self.string(key);
                    self.blank &= matches!(token, Ok(Token::More));
                    return token;
                }
                SEPARATOR if self.sequence => {
                    self.at += 1;
                    return Ok(Token::Separator);
                }
                _ => {
                    let token = match self.mark(byte) {
                        Some(mark) => Ok(mark),
                        None => self.word(),
                    };
                    self.blank &= matches!(token, Ok(Token::More));
                    return token;
                }
            }
        }
        Ok(if self.ended { Token::End } else { Token::More })
    }

    /// A number or one of the words.
    fn word(&mut self) -> Result<Token, Fault> {
        let rest = &self.buf[self.at..];
        let delimiter = |b: &u8| match b {
            b' ' | b'\t' | b'\r' | b'\n' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b'"' => true,
            b => self.sequence && *b == SEPARATOR,
        };
        let Some(len) = rest.iter().position(delimiter).or(self.ended.then_some(rest.len())) else {
            return Ok(Token::More);
        };
        let value = word_value(&rest[..len]);
        if self.sequence && rest.get(len) == Some(&SEPARATOR) {
            self.at += len + 1;
            return Ok(Token::Cut(value));
        }
        let end = self.at + len;
        match value {
            Ok(value) => {
                self.at = end;
                Ok(Token::Scalar(value))
            }
            Err(message) => {
                // What ends it is used too.
                self.at = (end + 1).min(self.buf.len());
                Err(self.fault_at(message, end + 1))
            }
        }
    }

    fn string(&mut self, key: bool) -> Result<Token, Fault> {
        let body = self.at + 1;
        let mut at = body;
        let mut escaped = false;
        let cut = if self.sequence { SEPARATOR } else { b'"' };
        let end = loop {
            match memchr::memchr3(b'"', b'\\', cut, &self.buf[at..]) {
                Some(n) if self.sequence && self.buf[at + n] == SEPARATOR => return Ok(self.cut_string(body, at + n)),
                Some(n) if self.buf[at + n] == b'"' => break at + n,
                Some(n) => {
                    escaped = true;
                    at += n + 2;
                    if self.sequence && self.buf.get(at - 1) == Some(&SEPARATOR) {
                        return Ok(self.cut_string(body, at - 1));
                    }
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
            self.at = end + 1;
            return Err(self.fault(message));
        }
        let text = if escaped {
            match unescape(bytes) {
                Ok(text) => Rc::new(text),
                Err(message) => {
                    self.at = end + 1;
                    return Err(self.fault(message));
                }
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

    fn unfinished(&mut self) -> Result<Token, Fault> {
        if !self.ended {
            return Ok(Token::More);
        }
        self.at = self.buf.len();
        Err(self.fault_at_end("Unfinished string"))
    }

    /// A string from `body` on that a separator at `end` cuts off.
    fn cut_string(&mut self, body: usize, end: usize) -> Token {
        self.at = end + 1;
        if body == end { Token::Separator } else { Token::Cut(word_value(&self.buf[body..end])) }
    }
}

/// What a word means, or what is wrong with it.
fn word_value(word: &[u8]) -> Result<Value, &'static str> {
    // A number ends with a NUL.
    let number = &word[..memchr::memchr(0, word).unwrap_or(word.len())];
    Ok(match (word, number) {
        (b"null", _) => Value::Null,
        (b"true", _) => Value::Bool(true),
        (b"false", _) => Value::Bool(false),
        ([b'\'', ..], _) => return Err("Invalid string literal; expected \", but got '"),
        ([b't' | b'f', ..] | [b'n', b'u', ..], _) => return Err("Invalid literal"),
        (_, b"nan" | b"NaN" | b"-nan" | b"-NaN") => Value::Number(f64::NAN),
        (_, b"Infinity" | b"infinity") => Value::Number(f64::INFINITY),
        (_, b"-Infinity" | b"-infinity") => Value::Number(f64::NEG_INFINITY),
        // A plus in front is allowed here, as in `tonumber`.
        _ => match number::parse(number.strip_prefix(b"+").unwrap_or(number)) {
            Some(number::Parsed::Plain(value)) => Value::Number(value),
            Some(number::Parsed::Exact(literal)) => Value::Literal(Rc::new(literal)),
            None => return Err("Invalid numeric literal"),
        },
    })
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

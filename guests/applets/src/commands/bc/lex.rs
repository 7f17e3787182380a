//! The words of bc, line by line: standard input is read no further than the program needs.

use crate::report;
use capsule_sys::In;
use std::collections::VecDeque;

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    Number(Vec<u8>),
    String(Vec<u8>),
    Name(String),
    Word(&'static str),
    Mark(&'static str),
    Newline,
    End,
}

const WORDS: &[&str] = &[
    "auto", "break", "continue", "define", "else", "for", "halt", "ibase", "if", "last", "length", "limits", "obase",
    "print", "quit", "read", "return", "scale", "sqrt", "void", "warranty", "while", "random", "history",
];
const MARKS: &[&str] = &[
    "++", "+=", "+", "--", "-=", "-", "*=", "*", "/=", "/", "%=", "%", "^=", "^", "==", "=", "<=", "<", ">=", ">",
    "!=", "!", "&&", "||", "&", "(", ")", "[", "]", "{", "}", ",", ";",
];

/// Where the text comes from: files one after the other, then standard input.
pub struct Lexer {
    inputs: VecDeque<(String, In)>,
    pub name: String,
    pub line: usize,
    text: Vec<u8>,
    at: usize,
    /// A character was met that means nothing: what stands on its line is not carried out.
    pub bad: bool,
    /// Something could not be read.
    pub unreadable: bool,
}

impl Lexer {
    pub fn new(inputs: VecDeque<(String, In)>) -> Lexer {
        let name = inputs.front().map_or_else(|| "(standard_in)".to_owned(), |i| i.0.clone());
        Lexer { inputs, name, line: 0, text: Vec::new(), at: 0, bad: false, unreadable: false }
    }

    /// The next line of the current input; false at the end of all.
    fn fill(&mut self) -> bool {
        while let Some((name, input)) = self.inputs.front_mut() {
            self.text.clear();
            self.at = 0;
            let more = input.read_until(b'\n', &mut self.text).unwrap_or_else(|_| {
                let line = if self.name == *name { self.line } else { 0 };
                report::plain(&format!("{name} {}: read() in flex scanner failed\n", line + 1));
                self.unreadable = true;
                false
            });
            if more {
                if self.name != *name {
                    self.name = name.clone();
                    self.line = 0;
                }
                self.line += 1;
                return true;
            }
            self.inputs.pop_front();
        }
        false
    }

    /// A line for `read()`.
    pub fn read_line(&mut self) -> Option<Vec<u8>> {
        let (text, at, line) = (std::mem::take(&mut self.text), self.at, self.line);
        let found = self.fill();
        let read = std::mem::replace(&mut self.text, text);
        (self.at, self.line) = (at, line + usize::from(found));
        found.then_some(read)
    }

    /// The rest of the line is not looked at.
    pub fn skip_line(&mut self) {
        self.at = self.text.len();
    }

    pub fn next(&mut self) -> Token {
        loop {
            if self.at >= self.text.len() && !self.fill() {
                return Token::End;
            }
            let rest = &self.text[self.at..];
            match rest[0] {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if rest.get(1) == Some(&b'\n') => self.at += 2,
                b'\n' => {
                    self.at += 1;
                    return Token::Newline;
                }
                b'#' => self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                b'/' if rest.get(1) == Some(&b'*') => {
                    self.at += 2;
                    if !self.comment() {
                        return Token::End;
                    }
                }
                b'"' => {
                    if let Some(text) = self.string() {
                        return Token::String(text);
                    }
                    self.illegal(b'"');
                }
                b'0'..=b'9' | b'A'..=b'Z' => return self.number(),
                b'.' => {
                    if rest.get(1).is_some_and(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) {
                        return self.number();
                    }
                    self.at += 1;
                    return Token::Word("last");
                }
                b'a'..=b'z' => {
                    let n =
                        rest.iter().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'_').count();
                    let word = String::from_utf8_lossy(&rest[..n]).into_owned();
                    self.at += n;
                    return match WORDS.iter().find(|w| **w == word) {
                        Some(word) => Token::Word(word),
                        None => Token::Name(word),
                    };
                }
                other => {
                    if let Some(mark) = MARKS.iter().find(|m| rest.starts_with(m.as_bytes())) {
                        self.at += mark.len();
                        return Token::Mark(mark);
                    }
                    self.at += 1;
                    self.illegal(other);
                }
            }
        }
    }

    /// Whether `[]` is next.
    pub fn peek_array(&self) -> bool {
        let rest = self.text[self.at..].trim_ascii_start();
        rest.strip_prefix(b"[").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"]"))
    }

    fn comment(&mut self) -> bool {
        loop {
            if let Some(n) = memchr::memmem::find(&self.text[self.at..], b"*/") {
                self.at += n + 2;
                return true;
            }
            if !self.fill() {
                report::plain("EOF encountered in a comment.\n");
                return false;
            }
        }
    }

    /// A text, which may have several lines; none when it never ends, and then only its quote is taken.
    fn string(&mut self) -> Option<Vec<u8>> {
        self.at += 1;
        let start = self.at;
        let mut searched = start;
        loop {
            if let Some(n) = memchr::memchr(b'"', &self.text[searched..]) {
                self.at = searched + n + 1;
                return Some(self.text[start..searched + n].to_vec());
            }
            searched = self.text.len();
            if !self.more() {
                return None;
            }
        }
    }

    /// One more line of the same input behind those at hand.
    fn more(&mut self) -> bool {
        let Some((_, input)) = self.inputs.front_mut() else { return false };
        let found = input.read_until(b'\n', &mut self.text).unwrap_or(false);
        self.line += usize::from(found);
        found
    }

    fn illegal(&mut self, byte: u8) {
        self.bad = true;
        let shown = match byte {
            b' '..=b'~' => char::from(byte).to_string(),
            0..=31 => format!("^{}", char::from(byte + b'@')),
            _ => format!("\\{byte:03o}"),
        };
        let text = format!("{} {}: illegal character: {shown}\n", self.name, self.line);
        report::plain(&text);
    }

    /// Digits may go on in the next line behind a backslash.
    fn number(&mut self) -> Token {
        let mut out = Vec::new();
        let mut point = false;
        while let Some(&b) = self.text.get(self.at) {
            match b {
                b'0'..=b'9' | b'A'..=b'Z' => out.push(b),
                b'.' if !point => {
                    point = true;
                    out.push(b);
                }
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    if !self.fill() {
                        break;
                    }
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        Token::Number(out)
    }
}

//! The words of a program.

use super::number;
use super::report::{self, Place};
use crate::Exit;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    Begin,
    BeginFile,
    Break,
    Case,
    Continue,
    Default,
    Delete,
    Do,
    Else,
    End,
    EndFile,
    Exit,
    For,
    Function,
    Getline,
    If,
    In,
    Next,
    NextFile,
    Print,
    Printf,
    Return,
    Switch,
    While,
}

const KEYWORDS: &[(&str, Keyword)] = &[
    ("BEGIN", Keyword::Begin),
    ("BEGINFILE", Keyword::BeginFile),
    ("END", Keyword::End),
    ("ENDFILE", Keyword::EndFile),
    ("break", Keyword::Break),
    ("case", Keyword::Case),
    ("continue", Keyword::Continue),
    ("default", Keyword::Default),
    ("delete", Keyword::Delete),
    ("do", Keyword::Do),
    ("else", Keyword::Else),
    ("exit", Keyword::Exit),
    ("for", Keyword::For),
    ("func", Keyword::Function),
    ("function", Keyword::Function),
    ("getline", Keyword::Getline),
    ("if", Keyword::If),
    ("in", Keyword::In),
    ("next", Keyword::Next),
    ("nextfile", Keyword::NextFile),
    ("print", Keyword::Print),
    ("printf", Keyword::Printf),
    ("return", Keyword::Return),
    ("switch", Keyword::Switch),
    ("while", Keyword::While),
];

/// What traditional awk does not have as words of the language.
const GNU_KEYWORDS: &[Keyword] =
    &[Keyword::BeginFile, Keyword::EndFile, Keyword::Switch, Keyword::Case, Keyword::Default];

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    Number(f64),
    String(Vec<u8>),
    Name(String),
    /// A name with a parenthesis right behind it.
    FunctionName(String),
    Builtin(&'static super::builtins::Builtin),
    Keyword(Keyword),
    /// Punctuation and operators, as written.
    Mark(&'static str),
    /// `+=` and the like: the operator's first character; `=` for plain assignment.
    Assign(u8),
    Newline,
    End,
}

const MARKS: &[&str] = &[
    "|&", "||", "|", "&&", "++", "+", "--", "-", "**", "*", "==", "=", "!=", "!~", "!", "<=", "<", ">=", ">>", ">",
    "~", "^", "%", "/", "?", ":", "(", ")", "[", "]", "{", "}", "$", ",", ";", "@",
];

/// A text of the program: a file, or what the command line gave.
#[derive(Clone, Debug)]
pub struct Source {
    /// None for the command line.
    pub file: Option<String>,
    pub text: Vec<u8>,
}

/// Which dialect is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dialect {
    pub posix: bool,
    pub traditional: bool,
}

impl Dialect {
    pub fn gnu(self) -> bool {
        !self.posix && !self.traditional
    }
}

pub struct Lexer<'a> {
    pub source: &'a Source,
    pub dialect: Dialect,
    pub at: usize,
    pub line: u32,
    /// Where the last token began.
    pub start: usize,
    /// The line it is on.
    pub token_line: u32,
    ended: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a Source, dialect: Dialect) -> Lexer<'a> {
        Lexer { source, dialect, at: 0, line: 1, start: 0, token_line: 1, ended: false }
    }

    pub fn place(&self) -> Place<'a> {
        Place { file: self.source.file.as_deref(), line: self.token_line }
    }

    fn text(&self) -> &'a [u8] {
        &self.source.text
    }

    fn peek(&self) -> Option<u8> {
        self.text().get(self.at).copied()
    }

    /// The line of the last token and a mark below it.
    pub fn complain(&self, message: &str) -> Exit {
        let text = self.text();
        let start = self.start.min(text.len());
        let begin = memchr::memrchr(b'\n', &text[..start]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |i| start + i);
        let line = &text[begin..end];
        let mark: Vec<u8> = text[begin..start].iter().map(|b| if *b == b'\t' { b'\t' } else { b' ' }).collect();
        report::at_line(&self.place(), line);
        report::at_line(&self.place(), &[&mark, b"^ ".as_slice(), message.as_bytes()].concat());
        Exit(1)
    }

    fn skip_blanks(&mut self) -> Result<(), Exit> {
        while let Some(b) = self.peek() {
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' => {
                    let rest = &self.text()[self.at + 1..];
                    match rest {
                        [b'\n', ..] => self.at += 2,
                        [b'\r', b'\n', ..] => self.at += 3,
                        [] => {
                            self.at += 1;
                            return Ok(());
                        }
                        _ => {
                            self.start = self.at;
                            self.token_line = self.line;
                            self.start += 1;
                            return Err(self.complain("backslash not last character on line"));
                        }
                    }
                    self.line += 1;
                }
                b'#' => {
                    let rest = &self.text()[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        Ok(())
    }

    pub fn next(&mut self) -> Result<Token, Exit> {
        self.skip_blanks()?;
        self.start = self.at;
        self.token_line = self.line;
        let Some(b) = self.peek() else {
            // A last line without its end has one all the same.
            let ended = self.ended || self.text().last().is_none_or(|b| *b == b'\n');
            self.ended = true;
            return Ok(if ended { Token::End } else { Token::Newline });
        };
        match b {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Token::Newline)
            }
            b'"' => self.string().map(Token::String),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.text().get(self.at + 1).is_some_and(u8::is_ascii_digit) => Ok(self.number()),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            0 => {
                let text = "error: invalid character '\\000' in source code";
                Err(report::fatal(&self.place(), text))
            }
            _ => self.mark(b),
        }
    }

    fn mark(&mut self, b: u8) -> Result<Token, Exit> {
        let rest = &self.text()[self.at..];
        for (operator, first) in
            [("+=", b'+'), ("-=", b'-'), ("*=", b'*'), ("/=", b'/'), ("%=", b'%'), ("^=", b'^'), ("**=", b'^')]
        {
            if rest.starts_with(operator.as_bytes()) {
                self.at += operator.len();
                return Ok(Token::Assign(first));
            }
        }
        for mark in MARKS {
            if rest.starts_with(mark.as_bytes()) {
                self.at += mark.len();
                return Ok(match *mark {
                    "=" => Token::Assign(b'='),
                    "**" => Token::Mark("^"),
                    mark => Token::Mark(mark),
                });
            }
        }
        self.at += 1;
        let shown = if b.is_ascii_graphic() { (b as char).to_string() } else { format!("\\{b:03o}") };
        self.start = self.at - 1;
        report::fault(&self.place(), format_args!("error: invalid char '{shown}' in expression"));
        Err(self.complain("syntax error"))
    }

    fn number(&mut self) -> Token {
        let rest = &self.text()[self.at..];
        // Hexadecimal and octal constants are GNU's; input never is either.
        if self.dialect.gnu()
            && let [b'0', second, ..] = rest
            && (matches!(second, b'x' | b'X') && rest.get(2).is_some_and(u8::is_ascii_hexdigit)
                || second.is_ascii_digit())
        {
            let hex = matches!(second, b'x' | b'X');
            let digits = rest.iter().skip(if hex { 2 } else { 0 });
            let n = if hex {
                2 + digits.take_while(|b| b.is_ascii_hexdigit()).count()
            } else {
                digits.take_while(|b| b.is_ascii_digit()).count()
            };
            let decimal = matches!(rest.get(n), Some(b'.' | b'e' | b'E')) && !hex;
            if !decimal {
                self.at += n;
                return Token::Number(number::any_base(&rest[..n]));
            }
        }
        let (value, used) = number::scan(rest);
        self.at += used.max(1);
        Token::Number(value)
    }

    fn word(&mut self) -> Result<Token, Exit> {
        let text = self.text();
        let part = |at: usize| text[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let mut end = self.at + part(self.at);
        if self.dialect.gnu()
            && text[end..].starts_with(b"::")
            && text.get(end + 2).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        {
            end += 2 + part(end + 2);
        }
        let name = String::from_utf8_lossy(&text[self.at..end]).into_owned();
        self.at = end;
        if let Some((space, _)) = name.split_once("::") {
            self.check_space(space, &name)?;
        }
        let plain = name.strip_prefix("awk::").unwrap_or(&name);
        if let Ok(i) = KEYWORDS.binary_search_by(|k| k.0.cmp(plain)) {
            let keyword = KEYWORDS[i].1;
            if self.dialect.gnu() || !GNU_KEYWORDS.contains(&keyword) {
                return Ok(Token::Keyword(keyword));
            }
        }
        if let Some(builtin) = super::builtins::find(plain)
            && (self.dialect.gnu() || builtin.posix)
        {
            return Ok(Token::Builtin(builtin));
        }
        Ok(if self.peek() == Some(b'(') { Token::FunctionName(name) } else { Token::Name(name) })
    }

    /// Words of the language do not name namespaces, nor parts of qualified names.
    fn check_space(&self, space: &str, name: &str) -> Result<(), Exit> {
        let reserved =
            |word: &str| KEYWORDS.binary_search_by(|k| k.0.cmp(word)).is_ok() || super::builtins::find(word).is_some();
        if reserved(space) {
            let text = format!("error: using reserved identifier `{space}' as a namespace is not allowed");
            report::fault(&self.place(), text);
            let mut here = Lexer { ..*self };
            here.start = self.at;
            // The mark stands under what follows.
            let _ = here.skip_blanks();
            here.start = here.at;
            return Err(here.complain("syntax error"));
        }
        let second = &name[space.len() + 2..];
        // What only GNU has may be a name of somebody else.
        let taken = reserved(second) && super::builtins::find(second).is_none_or(|b| b.posix);
        if space != "awk" && taken {
            let text = format!(
                "error: using reserved identifier `{second}' as second component of a qualified name is not allowed"
            );
            report::fault(&self.place(), text);
            return Err(self.complain("syntax error"));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<Vec<u8>, Exit> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                None | Some(b'\n') => {
                    return Err(self.complain("unterminated string"));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    let rest = &self.text()[self.at..];
                    let lines = memchr::memchr_iter(b'\n', &rest[..rest.len().min(3)]).count();
                    if rest.len() < 2 {
                        self.at += 1;
                        return Err(self.complain("unterminated string"));
                    }
                    let place = self.place();
                    let used = escape(rest, &mut out, Some(&place));
                    if rest[..used].contains(&b'\n') {
                        self.line += lines.min(1) as u32;
                    }
                    self.at += used;
                }
                Some(b) => {
                    out.push(b);
                    self.at += 1;
                }
            }
        }
    }

    /// The token at hand as it is written.
    pub fn spelling(&self) -> String {
        String::from_utf8_lossy(self.text().get(self.start..self.at).unwrap_or_default()).into_owned()
    }

    /// The rest of a regular expression; the slash that opens it is the last token, read as `/` or `/=`.
    pub fn regex(&mut self) -> Result<Vec<u8>, Exit> {
        self.at = self.start + 1;
        let text = self.text();
        let mut bracket = 0;
        let begin = self.at;
        loop {
            match self.peek() {
                None | Some(b'\n') => {
                    let at_end = self.peek().is_none() && self.place().file.is_some();
                    self.start += 1;
                    return Err(self.complain(if at_end {
                        "unterminated regexp at end of file"
                    } else {
                        "unterminated regexp"
                    }));
                }
                Some(0) => {
                    return Err(report::fatal(&self.place(), "error: invalid character '\\000' in source code"));
                }
                Some(b'\\') => {
                    if text.get(self.at + 1) == Some(&0) {
                        self.at += 1;
                        continue;
                    }
                    if text.get(self.at + 1) == Some(&b'\n') {
                        self.line += 1;
                    }
                    self.at += 2;
                    continue;
                }
                Some(b'[') => {
                    let next = text.get(self.at + 1);
                    if bracket == 0 {
                        bracket = 1;
                        // A bracket that closes stands for itself when it comes first.
                        let caret = usize::from(next == Some(&b'^'));
                        if text.get(self.at + 1 + caret) == Some(&b']') {
                            self.at += 1 + caret;
                        }
                    } else if matches!(next, Some(b':' | b'.' | b'=')) {
                        bracket += 1;
                        self.at += 1;
                    }
                }
                Some(b']') if bracket > 1 => {
                    if matches!(text[self.at - 1], b':' | b'.' | b'=') {
                        bracket -= 1;
                    } else {
                        bracket = 0;
                    }
                }
                Some(b']') if bracket == 1 => bracket = 0,
                Some(b'/') if bracket == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        let raw = &text[begin..self.at];
        self.at += 1;
        let mut out = Vec::with_capacity(raw.len());
        let mut i = 0;
        while i < raw.len() {
            // A backslash joins lines.
            if raw[i] == b'\\' && raw.get(i + 1) == Some(&b'\n') {
                i += 2;
                continue;
            }
            if raw[i] == b'\\' && raw.get(i + 1) == Some(&b'/') {
                i += 1;
            } else if raw[i] == b'\\' && i + 1 < raw.len() {
                out.push(raw[i]);
                i += 1;
            }
            out.push(raw[i]);
            i += 1;
        }
        Ok(out)
    }
}

/// One escape at the beginning of `text`; how long it was. A `place` asks for warnings.
pub fn escape(text: &[u8], out: &mut Vec<u8>, place: Option<&Place>) -> usize {
    let Some(&letter) = text.get(1) else {
        out.push(b'\\');
        return 1;
    };
    let plain = match letter {
        b'"' => b'"',
        b'\\' => b'\\',
        b'/' if place.is_none() => b'/',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\n' => return 2,
        b'\r' if text.get(2) == Some(&b'\n') => return 3,
        b'0'..=b'7' => {
            let n = text[1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = text[1..=n].iter().fold(0u32, |v, b| v * 8 + u32::from(b - b'0'));
            out.push(value as u8);
            return n + 1;
        }
        b'x' => {
            let n = text[2..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
            if n == 0 {
                if let Some(place) = place {
                    report::warn(place, "no hex digits in `\\x' escape sequence");
                }
                out.push(b'x');
                return 2;
            }
            let value = text[2..2 + n].iter().fold(0, |v, &b| v * 16 + char::from(b).to_digit(16).unwrap_or(0));
            out.push(value as u8);
            return n + 2;
        }
        other => {
            if let Some(place) = place {
                let shown = String::from_utf8_lossy(&text[1..text.len().min(2)]).into_owned();
                report::warn(place, format_args!("escape sequence `\\{shown}' treated as plain `{shown}'"));
            }
            other
        }
    };
    out.push(plain);
    2
}

/// A string with its escapes, as in `-v` and assignments among the operands.
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'\\' {
            at += escape(&text[at..], &mut out, None);
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}

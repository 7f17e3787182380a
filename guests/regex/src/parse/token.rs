//! What the next bytes of a pattern are, outside of brackets.

use super::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    End,
    Unit(Unit),
    Any,
    Bracket,
    Star,
    Plus,
    Question,
    OpenInterval,
    CloseInterval,
    Open,
    Close,
    Alt,
    Look(Look),
    /// `\w`, or `\W`.
    Word(bool),
    /// `\s`, or `\S`.
    Space(bool),
    Back(usize),
    TrailingBackslash,
}

impl Parser<'_> {
    /// The next token and its length. `caret`: a `^` here is an anchor in a basic expression too.
    pub fn peek(&self, caret: bool) -> (Token, usize) {
        let rest = &self.text[self.at..];
        let Some(&b) = rest.first() else { return (Token::End, 0) };
        let extended = self.extended;
        let emacs = self.options.syntax == Syntax::Emacs;
        let token = match b {
            b'\\' => return self.escape(&rest[1..]),
            b'.' => Token::Any,
            b'[' => Token::Bracket,
            b'*' => Token::Star,
            b'+' if extended || emacs => Token::Plus,
            b'?' if extended || emacs => Token::Question,
            b'{' if extended => Token::OpenInterval,
            b'}' if extended => Token::CloseInterval,
            b'(' if extended => Token::Open,
            b')' if extended => Token::Close,
            b'|' if extended => Token::Alt,
            b'^' if extended || caret => self.line_start(),
            b'$' if extended
                || rest.len() == 1
                || rest[1..].starts_with(b"\\)")
                || rest[1..].starts_with(b"\\|") && !self.options.posix =>
            {
                self.line_end()
            }
            _ => {
                let (unit, len) = unit::first(rest, self.options.utf8);
                return (Token::Unit(unit), len);
            }
        };
        (token, 1)
    }

    fn line_start(&self) -> Token {
        Token::Look(if self.options.multi_line { Look::LineStart } else { Look::Start })
    }

    fn line_end(&self) -> Token {
        Token::Look(if self.options.multi_line { Look::LineEnd } else { Look::End })
    }

    fn escape(&self, rest: &[u8]) -> (Token, usize) {
        let Some(&b) = rest.first() else { return (Token::TrailingBackslash, 1) };
        let basic = !self.extended;
        if self.options.syntax == Syntax::Awk
            && let Some((byte, len)) = awk_escape(rest)
        {
            return (Token::Unit(Unit::Byte(byte)), 1 + len);
        }
        let awk = self.options.syntax == Syntax::Awk;
        let intervals = self.options.syntax == Syntax::Basic;
        let gnu = !self.options.posix;
        let token = match b {
            b'(' if basic => Token::Open,
            b')' if basic => Token::Close,
            b'{' if intervals => Token::OpenInterval,
            b'}' if intervals => Token::CloseInterval,
            b'|' if basic && gnu => Token::Alt,
            b'+' if intervals && gnu => Token::Plus,
            b'?' if intervals && gnu => Token::Question,
            b'1'..=b'9' if !awk => Token::Back(usize::from(b - b'0')),
            b'w' | b'W' | b's' | b'S' | b'b' | b'B' | b'<' | b'>' | b'`' | b'\'' if !gnu => Token::Unit(Unit::Byte(b)),
            b'w' | b'W' => Token::Word(b == b'w'),
            b's' | b'S' => Token::Space(b == b's'),
            b'b' if !awk => Token::Look(Look::WordEdge),
            b'y' if awk => Token::Look(Look::WordEdge),
            b'B' => Token::Look(Look::NotWordEdge),
            b'<' => Token::Look(Look::WordStart),
            b'>' => Token::Look(Look::WordEnd),
            // Where each line is a text of its own.
            b'`' if self.options.multi_line && self.options.lenient => self.line_start(),
            b'\'' if self.options.multi_line && self.options.lenient => self.line_end(),
            b'`' => Token::Look(Look::TextStart),
            b'\'' => Token::Look(Look::TextEnd),
            _ => {
                let (unit, len) = unit::first(rest, self.options.utf8);
                return (Token::Unit(unit), 1 + len);
            }
        };
        (token, 2)
    }
}

/// An escape of awk after its backslash: the byte and its length.
pub fn awk_escape(rest: &[u8]) -> Option<(u8, usize)> {
    let byte = match *rest.first()? {
        b'n' => b'\n',
        b't' => b'\t',
        b'f' => 12,
        b'v' => 11,
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'0'..=b'7' => {
            let len = rest.iter().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
            return Some((rest[..len].iter().fold(0, |n: u8, b| n.wrapping_mul(8).wrapping_add(b - b'0')), len));
        }
        b'x' => {
            let digits = rest[1..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
            let hex = std::str::from_utf8(&rest[1..=digits]).ok()?;
            return Some((u8::from_str_radix(hex, 16).ok()?, 1 + digits));
        }
        _ => return None,
    };
    Some((byte, 1))
}

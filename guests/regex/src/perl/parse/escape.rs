//! What follows a backslash.

use super::*;
use regex_syntax::hir::{Class, ClassUnicode, HirKind};

/// Puts characters into a set.
type Fill = fn(&mut Builder);

/// A set that a backslash and a letter stand for, and whether the others are meant.
pub(super) fn shorthand(letter: u8, ucp: bool) -> Option<(Fill, bool)> {
    let fill: Fill = match letter.to_ascii_lowercase() {
        b'd' if ucp => |set| set.property(r"\p{Nd}"),
        b'w' if ucp => |set| set.property(r"[\p{L}\p{N}_]"),
        b's' if ucp => |set| set.property(r"\s"),
        b'd' => |set| set.ascii(u8::is_ascii_digit),
        b'w' => |set| set.ascii(|b| b.is_ascii_alphanumeric() || *b == b'_'),
        b's' => |set| set.ascii(|b| matches!(b, b'\t'..=b'\r' | b' ')),
        b'h' => |set| {
            set.ascii(|b| matches!(b, b'\t' | b' '));
            for (from, to) in [
                (0xa0, 0xa0),
                (0x1680, 0x1680),
                (0x180e, 0x180e),
                (0x2000, 0x200a),
                (0x202f, 0x202f),
                (0x205f, 0x205f),
                (0x3000, 0x3000),
            ] {
                set.codes(from, to);
            }
        },
        b'v' => |set| {
            set.ascii(|b| matches!(b, b'\n'..=b'\r'));
            set.codes(0x85, 0x85);
            set.codes(0x2028, 0x2029);
        },
        _ => return None,
    };
    Some((fill, letter.is_ascii_uppercase()))
}

impl Parser<'_> {
    pub(super) fn escape(&mut self) -> Result<Ast, Error> {
        self.at += 1;
        let Some(letter) = self.peek() else { return Err(TRAILING_BACKSLASH) };
        if let Some((fill, negated)) = shorthand(letter, self.ucp) {
            self.at += 1;
            let mut set = Builder::new(self.utf8);
            fill(&mut set);
            if negated {
                set.negate();
            }
            return Ok(self.set(set));
        }
        let ast = match letter {
            b'A' => Ast::Look(Look::TextStart),
            b'z' => Ast::Look(Look::TextEnd),
            b'Z' => Ast::Look(Look::LastLineEnd),
            b'G' => Ast::Look(Look::SearchStart),
            b'b' => Ast::Look(Look::WordEdge),
            b'B' => Ast::Look(Look::NotWordEdge),
            b'K' => Ast::Keep,
            b'N' if !self.rest()[1..].starts_with(b"{U+") => Ast::Any,
            // A byte, whatever it is a part of; only where characters are bytes.
            b'C' if !self.utf8 => Ast::AnyAtAll,
            b'R' => self.newline(),
            b'X' => self.cluster()?,
            b'p' | b'P' => {
                let set = self.property()?;
                return Ok(self.set(set));
            }
            b'k' | b'g' => return self.reference(letter),
            b'1'..=b'9' => {
                let digits = self.rest().iter().take_while(|b| b.is_ascii_digit()).count();
                let text = String::from_utf8_lossy(&self.rest()[..digits]).into_owned();
                let n: usize = text.parse().map_err(|_| NO_GROUP)?;
                if n < 10 || n <= self.groups {
                    self.at += digits;
                    return Ok(Ast::Back(Reference::Number(n), self.flags.ignore_case));
                }
                let unit = self.character()?;
                return Ok(self.literal(unit));
            }
            _ => {
                let unit = self.character()?;
                return Ok(self.literal(unit));
            }
        };
        self.at += 1;
        Ok(ast)
    }

    /// An escape that is one character, at the letter behind the backslash.
    pub(super) fn character(&mut self) -> Result<Unit, Error> {
        let Some(letter) = self.peek() else { return Err(TRAILING_BACKSLASH) };
        self.at += 1;
        let byte = match letter {
            b'a' => 7,
            b'e' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'c' => {
                let next = self.peek().ok_or(CONTROL_AT_END)?;
                self.at += 1;
                next.to_ascii_uppercase() ^ 0x40
            }
            b'0'..=b'7' => {
                self.at -= 1;
                let most = 3;
                let len = self.rest().iter().take(most).take_while(|b| matches!(b, b'0'..=b'7')).count();
                let n = self.rest()[..len].iter().fold(0u32, |n, b| n * 8 + u32::from(b - b'0'));
                self.at += len;
                return self.code(n);
            }
            b'o' if self.eat(b"{") => {
                let n = self.number_until(b'}', 8)?;
                return self.code(n);
            }
            b'N' if !self.utf8 && self.rest().starts_with(b"{U+") => return Err(ONLY_UNICODE),
            b'N' if self.eat(b"{U+") => {
                let n = self.number_until(b'}', 16)?;
                return self.code(n);
            }
            b'x' if self.eat(b"{") => {
                let n = self.number_until(b'}', 16)?;
                return self.code(n);
            }
            b'x' => {
                let len = self.rest().iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
                let digit = |b: &u8| char::from(*b).to_digit(16).unwrap_or(0);
                let n = self.rest()[..len].iter().fold(0, |n, b| n * 16 + digit(b));
                self.at += len;
                return self.code(n);
            }
            b'F' | b'L' | b'l' | b'U' | b'u' => return Err(UNSUPPORTED),
            letter if letter.is_ascii_alphanumeric() => return Err(BAD_ESCAPE),
            _ => {
                self.at -= 1;
                let (unit, len) = unit::first(self.rest(), self.utf8);
                self.at += len;
                return Ok(unit);
            }
        };
        self.code(byte.into())
    }

    fn code(&self, n: u32) -> Result<Unit, Error> {
        if self.utf8 {
            return char::from_u32(n).map(Unit::Char).ok_or(BIG_CODE);
        }
        u8::try_from(n).map(Unit::Byte).map_err(|_| BIG_CODE)
    }

    /// `\p{Name}`, `\p{^Name}` or `\pL`, at the `p`.
    pub(super) fn property(&mut self) -> Result<Builder, Error> {
        let negated = self.peek() == Some(b'P');
        self.at += 1;
        let (name, len) = match self.rest() {
            [b'{', rest @ ..] => {
                let len = memchr::memchr(b'}', rest).ok_or(BAD_PROPERTY)?;
                (&rest[..len], len + 2)
            }
            [letter, ..] => (std::slice::from_ref(letter), 1),
            [] => return Err(BAD_PROPERTY),
        };
        let (inverse, name) = match name {
            [b'^', rest @ ..] => (true, rest),
            _ => (false, name),
        };
        let name = std::str::from_utf8(name).map_err(|_| BAD_PROPERTY)?;
        let mut set = Builder::new(self.utf8);
        match name {
            "Any" => set.codes(0, 0x10_ffff),
            "Xan" | "Xwd" | "Xsp" | "Xps" => {
                set.classes(&class(match name {
                    "Xan" => r"[\p{L}\p{N}]",
                    "Xwd" => r"[\p{L}\p{N}_]",
                    _ => r"[\s\x0b]",
                })?);
            }
            // Letters that have case.
            "L&" => set.classes(&class(r"[\p{Lu}\p{Ll}\p{Lt}]")?),
            name if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => {
                set.classes(&class(&format!(r"\p{{{name}}}"))?);
            }
            _ => return Err(BAD_PROPERTY),
        }
        if negated != inverse {
            set.negate();
        }
        self.at += len;
        Ok(set)
    }

    /// `\R`: a newline of any kind, as one.
    fn newline(&self) -> Ast {
        let mut one = Builder::new(self.utf8);
        one.ascii(|b| matches!(b, b'\n'..=b'\r'));
        one.codes(0x85, 0x85);
        one.codes(0x2028, 0x2029);
        let unit = |b: u8| Ast::Unit(if self.utf8 { Unit::Char(b.into()) } else { Unit::Byte(b) });
        let both = Ast::Cat(vec![unit(b'\r'), unit(b'\n')]);
        Ast::Atomic(Box::new(Ast::Alt(vec![both, self.set(one)])))
    }

    /// `\X`: a character with the marks that join it.
    fn cluster(&self) -> Result<Ast, Error> {
        let mut marks = Builder::new(self.utf8);
        marks.classes(&class(r"[\p{M}\u{200d}]")?);
        let inner = Box::new(self.set(marks));
        let marks = Ast::Repeat { inner, least: 0, most: None, kind: Kind::Possessive };
        Ok(Ast::Atomic(Box::new(Ast::Cat(vec![Ast::AnyAtAll, marks]))))
    }
}

fn class(pattern: &str) -> Result<ClassUnicode, Error> {
    match regex_syntax::parse(pattern).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => Ok(class),
        // One character, or nothing.
        Ok(HirKind::Literal(_) | HirKind::Empty) | Err(_) => Err(BAD_PROPERTY),
        Ok(_) => Err(BAD_PROPERTY),
    }
}

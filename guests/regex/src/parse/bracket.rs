//! Bracket expressions.

use super::token::awk_escape;
use super::*;

enum Element {
    Unit(Unit),
    /// A class is in the set already.
    Class,
    Close,
    /// A `-` that is not alone.
    Hyphen,
}

impl Parser<'_> {
    /// The expression whose `[` is taken.
    pub fn bracket(&mut self) -> Result<Node, Error> {
        let mut set = Builder::new(self.options.utf8);
        if self.at == self.text.len() {
            return Err(BAD_PATTERN);
        }
        let negated = self.text.get(self.at) == Some(&b'^');
        self.at += usize::from(negated);
        let mut first = true;
        let start = self.at;
        let mut plain = true;
        loop {
            let element = match self.element(&mut set, first)? {
                Element::Close => break,
                // A hyphen stands for itself only where it cannot be a range.
                Element::Hyphen if first || self.text.get(self.at) == Some(&b']') => Element::Unit(Unit::Byte(b'-')),
                Element::Hyphen => return Err(BAD_RANGE),
                element => element,
            };
            first = false;
            let range = self.text.get(self.at) == Some(&b'-') && self.text.get(self.at + 1) != Some(&b']');
            plain &= !range && matches!(element, Element::Unit(_));
            match element {
                Element::Unit(from) if range => {
                    self.at += 1;
                    let to = match self.element(&mut set, true)? {
                        Element::Unit(to) => to,
                        Element::Hyphen => Unit::Byte(b'-'),
                        _ => return Err(BAD_RANGE),
                    };
                    self.range(&mut set, from, to)?;
                }
                Element::Unit(unit) => self.range(&mut set, unit, unit)?,
                // A class is no end of a range.
                Element::Class if range => return Err(BAD_RANGE),
                _ => {}
            }
        }
        let inside = &self.text[start..self.at - 1];
        if self.options.check_classes
            && plain
            && inside.starts_with(b":")
            && inside.ends_with(b":")
            && inside.iter().any(|b| *b != b':')
        {
            return Err(BAD_CLASS_SYNTAX);
        }
        if self.options.ignore_case {
            set.fold();
        }
        if negated {
            set.negate();
        }
        // Where each line is a text of its own, `[[:space:]]` takes no newline either.
        let lines = self.options.lenient && self.options.multi_line;
        if lines || negated && !self.options.newline_any {
            set.remove(b'\n');
        }
        Ok(Node::Set(Rc::new(set.build())))
    }

    /// One element. `]` is one too when it is `first`.
    fn element(&mut self, set: &mut Builder, first: bool) -> Result<Element, Error> {
        let rest = &self.text[self.at..];
        let Some(&b) = rest.first() else { return Err(OPEN_BRACKET) };
        match (b, rest.get(1)) {
            (b']', _) if !first => {
                self.at += 1;
                return Ok(Element::Close);
            }
            (b'-', _) => {
                self.at += 1;
                return Ok(Element::Hyphen);
            }
            (b'[', Some(kind @ (b':' | b'.' | b'='))) => return self.named(*kind, set),
            (b'\\', Some(_)) if self.options.syntax == Syntax::Awk => {
                let (unit, len) = match awk_escape(&rest[1..]) {
                    Some((byte, len)) => (Unit::Byte(byte), len),
                    None => unit::first(&rest[1..], self.options.utf8),
                };
                self.at += 1 + len;
                return Ok(Element::Unit(unit));
            }
            _ => {}
        }
        let (unit, len) = unit::first(rest, self.options.utf8);
        self.at += len;
        Ok(Element::Unit(unit))
    }

    /// `[:class:]`, `[.symbol.]`, `[=equivalents=]`
    fn named(&mut self, kind: u8, set: &mut Builder) -> Result<Element, Error> {
        let rest = &self.text[self.at + 2..];
        let end = rest.windows(2).position(|w| w == [kind, b']']).ok_or(OPEN_BRACKET)?;
        let name = &rest[..end];
        self.at += end + 4;
        if kind == b':' {
            set.named(name, self.options.ignore_case)?;
            return Ok(Element::Class);
        }
        // The locales here know no symbol of more than one character, and only a character itself as its equivalent.
        match name.is_empty() {
            false if unit::first(name, self.options.utf8).1 == name.len() => {
                let unit = unit::first(name, self.options.utf8).0;
                if kind == b'=' {
                    self.range(set, unit, unit)?;
                    return Ok(Element::Class);
                }
                Ok(Element::Unit(unit))
            }
            _ => Err(BAD_COLLATION),
        }
    }

    fn range(&self, set: &mut Builder, from: Unit, to: Unit) -> Result<(), Error> {
        let widen = |unit| match unit {
            Unit::Byte(b) if self.options.utf8 && b < 128 => Unit::Char(b.into()),
            other => other,
        };
        match (widen(from), widen(to)) {
            (Unit::Char(from), Unit::Char(to)) if from <= to => set.chars(from, to),
            (Unit::Byte(from), Unit::Byte(to)) if from <= to => (from..=to).for_each(|b| set.byte(b)),
            _ => return Err(BAD_RANGE),
        }
        Ok(())
    }
}

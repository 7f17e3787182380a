//! `[…]`

use super::escape::shorthand;
use super::*;

enum Item {
    Unit(Unit),
    /// Something that is in the set already.
    Several,
}

impl Parser<'_> {
    /// The class whose `[` is taken.
    pub(super) fn class(&mut self) -> Result<Ast, Error> {
        let start = self.at;
        let negated = self.eat(b"^");
        let mut set = Builder::new(self.utf8);
        let mut first = true;
        let mut quoting = false;
        loop {
            let Some(b) = self.peek() else { return Err(OPEN_CLASS) };
            if quoting && self.eat(b"\\E") {
                quoting = false;
                continue;
            }
            if !quoting {
                if b == b']' && !first {
                    self.at += 1;
                    break;
                }
                if self.eat(b"\\Q") {
                    quoting = true;
                    continue;
                }
                if self.eat(b"\\E") || self.flags.more_extended && matches!(b, b' ' | b'\t') && self.eat(&[b]) {
                    continue;
                }
            }
            first = false;
            let item = if quoting { self.quoted() } else { self.item(&mut set)? };
            let range = !quoting && self.peek() == Some(b'-') && self.text.get(self.at + 1).is_some_and(|b| *b != b']');
            match item {
                Item::Several if range && !matches!(self.text.get(self.at + 1), Some(b'[')) => return Err(BAD_RANGE),
                Item::Unit(from) if range => {
                    self.at += 1;
                    match self.item(&mut set)? {
                        Item::Unit(to) => self.range(&mut set, from, to)?,
                        Item::Several => return Err(BAD_RANGE),
                    }
                }
                Item::Unit(unit) => self.range(&mut set, unit, unit)?,
                Item::Several => {}
            }
        }
        // `[:alpha:]` by itself is a slip.
        let inside = &self.text[start..self.at - 1];
        if inside.len() > 2 && inside.starts_with(b":") && inside.ends_with(b":") {
            return Err(MISPLACED_CLASS);
        }
        if self.flags.ignore_case {
            set.fold();
        }
        if negated {
            set.negate();
        }
        Ok(self.set(set))
    }

    fn quoted(&mut self) -> Item {
        let (unit, len) = unit::first(self.rest(), self.utf8);
        self.at += len;
        Item::Unit(unit)
    }

    fn item(&mut self, set: &mut Builder) -> Result<Item, Error> {
        let rest = self.rest();
        match rest {
            [] => Err(OPEN_CLASS),
            [b'[', b':', after @ ..] => {
                let letters = after.iter().take_while(|b| b.is_ascii_lowercase() || **b == b'^').count();
                if !after[letters..].starts_with(b":]") {
                    return Ok(self.quoted());
                }
                let (negated, name) = match &after[..letters] {
                    [b'^', name @ ..] => (true, name),
                    name => (false, name),
                };
                let mut named = Builder::new(self.utf8);
                match name {
                    b"word" => named.ascii(|b| b.is_ascii_alphanumeric() || *b == b'_'),
                    b"ascii" => named.ascii(|_| true),
                    name => named.ascii_named(name, self.flags.ignore_case).map_err(|_| NO_CLASS)?,
                }
                if negated {
                    named.negate();
                }
                set.union(&named.build());
                self.at += letters + 4;
                Ok(Item::Several)
            }
            [b'\\'] => Err(TRAILING_BACKSLASH),
            [b'\\', letter, ..] => {
                let letter = *letter;
                self.at += 1;
                if let Some((fill, negated)) = shorthand(letter, self.ucp) {
                    self.at += 1;
                    let mut some = Builder::new(self.utf8);
                    fill(&mut some);
                    if negated {
                        some.negate();
                    }
                    set.union(&some.build());
                    return Ok(Item::Several);
                }
                match letter {
                    b'p' | b'P' => {
                        let some = self.property()?;
                        set.union(&some.build());
                        Ok(Item::Several)
                    }
                    b'b' => {
                        self.at += 1;
                        Ok(Item::Unit(Unit::Byte(8)))
                    }
                    b'8' | b'9' => {
                        self.at += 1;
                        Ok(Item::Unit(Unit::Byte(letter)))
                    }
                    _ => self.character().map(Item::Unit),
                }
            }
            _ => Ok(self.quoted()),
        }
    }

    fn range(&self, set: &mut Builder, from: Unit, to: Unit) -> Result<(), Error> {
        let widen = |unit| match unit {
            Unit::Byte(b) if self.utf8 && b < 128 => Unit::Char(b.into()),
            other => other,
        };
        match (widen(from), widen(to)) {
            (Unit::Char(from), Unit::Char(to)) if from <= to => set.chars(from, to),
            (Unit::Byte(from), Unit::Byte(to)) if from <= to => (from..=to).for_each(|b| set.byte(b)),
            _ => return Err(RANGE_ORDER),
        }
        Ok(())
    }
}

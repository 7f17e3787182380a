//! What both machines ask of a text: the next unit, and whether a condition holds at a place.

use crate::node::Look;
use crate::program::Step;
use crate::unit::{self, Unit};

#[derive(Clone, Copy)]
pub struct Text<'t> {
    pub bytes: &'t [u8],
    pub utf8: bool,
    pub not_bol: bool,
}

impl Text<'_> {
    /// How many bytes of the text a step takes at a place.
    pub fn take(&self, step: &Step, at: usize) -> Option<usize> {
        let &b = self.bytes.get(at)?;
        match step {
            Step::Byte(want) => (*want == b && (!self.utf8 || self.unit(at).0 == Unit::Byte(b))).then_some(1),
            Step::Char(want) if want.is_ascii() => (*want == char::from(b)).then_some(1),
            Step::Char(want) => {
                let (unit, len) = self.unit(at);
                (unit == Unit::Char(*want)).then_some(len)
            }
            Step::Any => match self.unit(at) {
                (Unit::Byte(_), _) if self.utf8 => None,
                (_, len) => Some(len),
            },
            Step::Set(set) => {
                let (unit, len) = self.unit(at);
                let inside = match unit {
                    Unit::Char(c) => set.has_char(c),
                    Unit::Byte(b) => set.has_byte(b),
                };
                inside.then_some(len)
            }
            _ => None,
        }
    }

    pub fn unit(&self, at: usize) -> (Unit, usize) {
        unit::first(&self.bytes[at..], self.utf8)
    }

    pub fn holds(&self, look: Look, at: usize) -> bool {
        let before = || at > 0 && unit::is_word(unit::before(self.bytes, at, self.utf8));
        let after = || at < self.bytes.len() && unit::is_word(self.unit(at).0);
        match look {
            Look::Start => at == 0 && !self.not_bol,
            Look::LineStart => {
                if at == 0 {
                    !self.not_bol
                } else {
                    self.bytes[at - 1] == b'\n'
                }
            }
            Look::TextStart => at == 0,
            Look::End | Look::TextEnd => at == self.bytes.len(),
            Look::LineEnd => self.bytes.get(at).is_none_or(|b| *b == b'\n'),
            Look::WordEdge => before() != after(),
            Look::NotWordEdge => before() == after(),
            Look::WordStart => !before() && after(),
            Look::WordEnd => before() && !after(),
            Look::NotAfterWord => !before(),
            Look::NotBeforeWord => !after(),
        }
    }
}

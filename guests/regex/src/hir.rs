//! The tree in the form that regex-automata compiles.

use crate::node::{Look, Node};
use crate::set::Set;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look as HirLook, Repetition,
};

/// Which texts it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alphabet {
    /// Each byte is a character.
    Bytes,
    /// Texts of ASCII only.
    Ascii,
    Utf8,
}

pub fn hir(node: &Node, alphabet: Alphabet) -> Hir {
    match node {
        Node::Empty => Hir::empty(),
        Node::Byte(b) => Hir::literal([*b]),
        Node::Char(c) => Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Node::Any => match alphabet {
            Alphabet::Bytes => bytes(u128::MAX, u128::MAX),
            Alphabet::Ascii => bytes(u128::MAX, 0),
            Alphabet::Utf8 => Hir::class(Class::Unicode(ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]))),
        },
        Node::Set(one) => set(one, alphabet),
        Node::Look(one) => Hir::look(look(*one)),
        // A text with a back-reference is tried with what the group may match: a superset.
        Node::Back(_) => Hir::empty(),
        Node::Group(_, inner) => hir(inner, alphabet),
        Node::Cat(all) => Hir::concat(all.iter().map(|node| hir(node, alphabet)).collect()),
        Node::Alt(all) => Hir::alternation(all.iter().map(|node| hir(node, alphabet)).collect()),
        Node::Repeat(inner, min, max) => {
            let sub = Box::new(hir(inner, alphabet));
            Hir::repetition(Repetition { min: *min, max: *max, greedy: true, sub })
        }
    }
}

fn set(set: &Set, alphabet: Alphabet) -> Hir {
    match alphabet {
        Alphabet::Bytes => bytes(set.low, set.high),
        Alphabet::Ascii => bytes(set.low, 0),
        Alphabet::Utf8 => {
            let mut class = set.wide().clone();
            class.union(&ClassUnicode::new(
                runs(set.low).map(|(a, b)| ClassUnicodeRange::new(char::from(a), char::from(b))),
            ));
            let class = Hir::class(Class::Unicode(class));
            if set.high == 0 { class } else { Hir::alternation(vec![class, bytes(0, set.high)]) }
        }
    }
}

fn bytes(low: u128, high: u128) -> Hir {
    let ranges = runs(low).chain(runs(high).map(|(a, b)| (a + 128, b + 128)));
    Hir::class(Class::Bytes(ClassBytes::new(ranges.map(|(a, b)| ClassBytesRange::new(a, b)))))
}

/// The ranges of ones.
fn runs(mut bits: u128) -> impl Iterator<Item = (u8, u8)> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let from = bits.trailing_zeros();
        let len = (!(bits >> from)).trailing_zeros();
        let to = from + len - 1;
        bits = if to == 127 { 0 } else { bits >> (to + 1) << (to + 1) };
        Some((from as u8, to as u8))
    })
}

/// Words are of ASCII: where they are not, no automaton is asked.
fn look(look: Look) -> HirLook {
    match look {
        Look::Start | Look::TextStart => HirLook::Start,
        Look::End | Look::TextEnd => HirLook::End,
        Look::LineStart => HirLook::StartLF,
        Look::LineEnd => HirLook::EndLF,
        Look::WordEdge => HirLook::WordAscii,
        Look::NotWordEdge => HirLook::WordAsciiNegate,
        Look::WordStart => HirLook::WordStartAscii,
        Look::WordEnd => HirLook::WordEndAscii,
        Look::NotAfterWord => HirLook::WordStartHalfAscii,
        Look::NotBeforeWord => HirLook::WordEndHalfAscii,
    }
}

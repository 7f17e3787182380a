//! A pattern of Perl's kind as a tree.

use crate::set::Set;
use crate::unit::Unit;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Ast {
    Empty,
    Fail,
    Unit(Unit),
    /// `.`: anything but a newline.
    Any,
    /// `.` where it matches a newline too.
    AnyAtAll,
    Set(Rc<Set>),
    Look(Look),
    /// The text of a group again; upper and lower case may be the same.
    Back(Reference, bool),
    Group(usize, Box<Ast>),
    /// What it matched first is all it matches.
    Atomic(Box<Ast>),
    Around {
        behind: bool,
        negated: bool,
        inner: Box<Ast>,
    },
    Repeat {
        inner: Box<Ast>,
        least: u32,
        most: Option<u32>,
        kind: Kind,
    },
    Cat(Vec<Ast>),
    Alt(Vec<Ast>),
    /// The pattern of a group again; the whole pattern is group 0.
    Call(Reference),
    If(Condition, Box<Ast>, Box<Ast>),
    /// `\K`: the match begins here.
    Keep,
    Verb(Verb),
}

/// What happens where the way back leads through it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    /// There is no match at all.
    Commit,
    /// There is none that starts where this one does.
    Prune,
    /// There is none that starts before this place.
    Skip,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reference {
    Number(usize),
    Name(Vec<u8>),
}

#[derive(Clone, Debug)]
pub enum Condition {
    Group(Reference),
    Around(Box<Ast>),
    /// `(?(DEFINE)…)` is only there to be called.
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Greedy,
    Lazy,
    Possessive,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    TextStart,
    LineStart,
    TextEnd,
    /// Also before a newline at the end.
    LastLineEnd,
    LineEnd,
    WordEdge,
    NotWordEdge,
    /// No part of a word before, or behind.
    NotAfterWord,
    NotBeforeWord,
    /// `\G`: where the search began.
    SearchStart,
}

impl Ast {
    /// How many characters it takes, where that is always the same.
    pub fn width(&self) -> Option<usize> {
        match self {
            Ast::Empty | Ast::Fail | Ast::Look(_) | Ast::Around { .. } | Ast::Keep | Ast::Verb(_) => Some(0),
            Ast::Unit(_) | Ast::Any | Ast::AnyAtAll | Ast::Set(_) => Some(1),
            Ast::Back(..) | Ast::Call(_) => None,
            Ast::Group(_, inner) | Ast::Atomic(inner) => inner.width(),
            Ast::Repeat { inner, least, most, .. } => {
                if *most != Some(*least) {
                    return None;
                }
                inner.width()?.checked_mul(*least as usize)
            }
            Ast::Cat(all) => all.iter().try_fold(0usize, |sum, ast| sum.checked_add(ast.width()?)),
            Ast::Alt(all) => {
                let first = all.first()?.width()?;
                all.iter().all(|ast| ast.width() == Some(first)).then_some(first)
            }
            Ast::If(_, yes, no) => yes.width().filter(|width| no.width() == Some(*width)),
        }
    }

    pub fn nullable(&self) -> bool {
        match self {
            Ast::Fail | Ast::Unit(_) | Ast::Any | Ast::AnyAtAll | Ast::Set(_) => false,
            Ast::Group(_, inner) | Ast::Atomic(inner) => inner.nullable(),
            Ast::Repeat { inner, least, .. } => *least == 0 || inner.nullable(),
            Ast::Cat(all) => all.iter().all(Ast::nullable),
            Ast::Alt(all) => all.iter().any(Ast::nullable),
            _ => true,
        }
    }
}

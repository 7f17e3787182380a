//! A pattern as a tree.

use crate::set::Set;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Node {
    Empty,
    /// One byte: every literal of the byte mode, and what is not a character in the UTF-8 mode.
    Byte(u8),
    Char(char),
    Any,
    Set(Rc<Set>),
    Look(Look),
    Back(usize),
    Group(usize, Box<Node>),
    Cat(Vec<Node>),
    Alt(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
}

/// What must hold between two characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// `^`: the start of the text unless it is not the start of a line.
    Start,
    End,
    /// `^` and `$` at every newline too.
    LineStart,
    LineEnd,
    /// `` \` `` and `\'`.
    TextStart,
    TextEnd,
    WordEdge,
    NotWordEdge,
    WordStart,
    WordEnd,
    /// No part of a word before, or behind.
    NotAfterWord,
    NotBeforeWord,
}

impl Look {
    /// Asks which characters are parts of words.
    pub fn is_word(self) -> bool {
        use Look::{NotAfterWord, NotBeforeWord, NotWordEdge, WordEdge, WordEnd, WordStart};
        matches!(self, WordEdge | NotWordEdge | WordStart | WordEnd | NotAfterWord | NotBeforeWord)
    }
}

impl Node {
    /// Whether this or something inside is such.
    pub fn any(&self, test: &mut dyn FnMut(&Node) -> bool) -> bool {
        test(self)
            || match self {
                Node::Group(_, inner) | Node::Repeat(inner, ..) => inner.any(test),
                Node::Cat(all) | Node::Alt(all) => all.iter().any(|node| node.any(test)),
                _ => false,
            }
    }

    pub fn has_look(&self, test: impl Fn(Look) -> bool) -> bool {
        self.any(&mut |node| matches!(node, Node::Look(look) if test(*look)))
    }

    /// Whether it can match nothing (a back-reference can).
    pub fn nullable(&self) -> bool {
        match self {
            Node::Empty | Node::Look(_) | Node::Back(_) => true,
            Node::Byte(_) | Node::Char(_) | Node::Any | Node::Set(_) => false,
            Node::Group(_, inner) => inner.nullable(),
            Node::Cat(all) => all.iter().all(Node::nullable),
            Node::Alt(all) => all.iter().any(Node::nullable),
            Node::Repeat(inner, least, _) => *least == 0 || inner.nullable(),
        }
    }
}

//! The pattern as a regular one that matches all that it matches: where that does not, nothing need be tried.

use super::ast::{Ast, Condition, Look, Reference};
use crate::node::{self, Node};
use crate::set::{Builder, Set};
use crate::unit::Unit;
use std::rc::Rc;

pub struct Relaxed {
    pub node: Node,
    /// It matches nothing else.
    pub exact: bool,
}

pub fn relax(ast: &Ast, names: &[(Vec<u8>, usize)], utf8: bool, lines: bool) -> Relaxed {
    let mut relax = Relax { names, utf8, lines, exact: true };
    let node = relax.node(ast);
    Relaxed { node, exact: relax.exact }
}

struct Relax<'a> {
    names: &'a [(Vec<u8>, usize)],
    utf8: bool,
    /// Lines are searched many at a time; no match has a newline in it.
    lines: bool,
    exact: bool,
}

impl Relax<'_> {
    fn node(&mut self, ast: &Ast) -> Node {
        match ast {
            Ast::Empty | Ast::Keep => Node::Empty,
            Ast::Fail => Node::Set(Rc::new(Builder::new(self.utf8).build())),
            Ast::Unit(Unit::Char(c)) => {
                self.exact &= *c != '\n';
                Node::Char(*c)
            }
            Ast::Unit(Unit::Byte(b)) => {
                self.exact &= *b != b'\n';
                Node::Byte(*b)
            }
            Ast::Any => self.all(false),
            Ast::AnyAtAll => self.all(!self.lines),
            Ast::Set(set) if self.lines && set.has_byte(b'\n') => {
                let mut other = Set::clone(set);
                other.low &= !(1 << b'\n');
                Node::Set(Rc::new(other))
            }
            Ast::Set(set) => Node::Set(set.clone()),
            Ast::Look(look) => self.look(*look),
            Ast::Group(n, inner) => Node::Group(*n, Box::new(self.node(inner))),
            Ast::Cat(all) => Node::Cat(all.iter().map(|ast| self.node(ast)).collect()),
            Ast::Alt(all) => Node::Alt(all.iter().map(|ast| self.node(ast)).collect()),
            Ast::Repeat { inner, least, most, kind } => {
                self.exact &= *kind != super::ast::Kind::Possessive;
                match most {
                    Some(0) => Node::Empty,
                    _ => Node::Repeat(Box::new(self.node(inner)), *least, *most),
                }
            }
            Ast::Atomic(inner) => {
                self.exact = false;
                self.node(inner)
            }
            Ast::Around { .. } | Ast::Verb(_) => {
                self.exact = false;
                Node::Empty
            }
            Ast::Back(reference, _) => {
                self.exact = false;
                let numbers: Vec<usize> = match reference {
                    Reference::Number(n) => vec![*n],
                    Reference::Name(name) => {
                        self.names.iter().filter(|known| known.0 == *name).map(|known| known.1).collect()
                    }
                };
                match numbers.as_slice() {
                    [n] => Node::Back(*n),
                    _ => self.anything(),
                }
            }
            Ast::Call(_) => {
                self.exact = false;
                self.anything()
            }
            Ast::If(condition, yes, no) => {
                self.exact = false;
                match condition {
                    Condition::Never => Node::Empty,
                    _ => Node::Alt(vec![self.node(yes), self.node(no)]),
                }
            }
        }
    }

    fn look(&mut self, look: Look) -> Node {
        Node::Look(match look {
            Look::TextStart if self.lines => node::Look::LineStart,
            Look::TextEnd | Look::LastLineEnd if self.lines => node::Look::LineEnd,
            Look::TextStart => node::Look::TextStart,
            Look::TextEnd => node::Look::TextEnd,
            Look::LineStart if self.lines => node::Look::LineStart,
            Look::LineEnd => node::Look::LineEnd,
            _ => {
                self.exact = false;
                return Node::Empty;
            }
        })
    }

    fn all(&self, newline: bool) -> Node {
        let mut set = Builder::new(self.utf8);
        set.negate();
        if !newline {
            set.remove(b'\n');
        }
        Node::Set(Rc::new(set.build()))
    }

    /// Any text, of whatever bytes.
    fn anything(&self) -> Node {
        let one = Node::Alt(vec![self.all(!self.lines), self.odd()]);
        Node::Repeat(Box::new(one), 0, None)
    }

    /// Bytes that are no characters.
    fn odd(&self) -> Node {
        let mut set = Builder::new(self.utf8);
        (128..=255).for_each(|b| set.byte(b));
        Node::Set(Rc::new(set.build()))
    }
}

//! The tree of an arithmetic expression.

use crate::names::Name;
use std::cell::OnceCell;
use std::rc::Rc;

#[derive(Debug)]
pub enum Expr {
    Number(i64),
    Load(Place),
    Unary(UnaryOp, Box<Expr>),
    /// The offset is where the right operand starts in the text: a division by zero names it.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, u32),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// `=`, or `op=` with the operator.
    Assign(Place, Option<BinaryOp>, Box<Expr>, u32),
    /// `++x`, `--x`, `x++`, `x--`.
    Step {
        place: Place,
        by: i64,
        post: bool,
    },
}

#[derive(Debug)]
pub struct Place {
    pub name: Name,
    pub subscript: Option<Index>,
}

/// `[text]`: a number's expression for indexed arrays, a key for associative ones.
#[derive(Debug)]
pub struct Index {
    pub text: Box<[u8]>,
    pub expr: OnceCell<Rc<Expr>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    BitNot,
    Minus,
    Plus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

//! The language as text: tokens, and the tree a program is parsed into.

mod lex;
mod object;
mod operator;
mod parse;
mod pattern;
mod recover;

pub use parse::{constant, parse};

/// Whose programs these are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Jq,
    /// Keys may have hyphens: `.runs-on`; `a as $x ireduce (init; update)`; names in `env(NAME)`.
    Yq,
}

use crate::value::Value;

/// What is wrong with a program, and where: bytes of its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    pub message: String,
    pub at: usize,
    pub end: usize,
}

impl SyntaxError {
    pub fn new(message: impl Into<String>, at: usize, end: usize) -> SyntaxError {
        SyntaxError { message: message.into(), at, end }
    }
}

/// A module or a main program.
#[derive(Debug, Default)]
pub struct Module {
    /// The directive `module {…};`.
    pub meta: Option<Value>,
    pub imports: Vec<Import>,
    pub defs: Vec<Def>,
    /// Nothing in a library.
    pub main: Option<Ast>,
}

#[derive(Debug)]
pub struct Import {
    pub path: String,
    /// `as NAME` or `as $NAME`; `include` has none.
    pub alias: Option<String>,
    pub is_data: bool,
    pub meta: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Def {
    pub name: String,
    pub params: Vec<Param>,
    pub body: Ast,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    /// `$name`: the value, not the filter.
    pub is_value: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Math {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assignment {
    /// `=`
    Set,
    /// `|=`
    Update,
    /// `+=` and its like.
    Math(Math),
    /// `//=`
    Alternative,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Math(Math),
    Compare(Comparison),
    And,
    Or,
    Alternative,
    Assign(Assignment),
}

#[derive(Clone, Debug)]
pub enum Part {
    Text(String),
    Value(Ast),
}

#[derive(Clone, Debug)]
pub enum Pattern {
    Var(String),
    Array(Vec<Pattern>),
    /// A key and what its value is taken apart into; `$name` binds the value too.
    Object(Vec<(PatternKey, Option<Pattern>)>),
}

#[derive(Clone, Debug)]
pub enum PatternKey {
    Var(String),
    Value(Ast),
}

#[derive(Clone, Debug)]
pub enum Ast {
    Identity,
    /// `..`
    Recurse,
    Literal(Value),
    /// A string with values inside; the format they are put through.
    Text(Option<String>, Vec<Part>),
    /// `@base64` on its own.
    Format(String),
    Array(Option<Box<Ast>>),
    Object(Vec<(Ast, Ast)>),
    Index {
        base: Box<Ast>,
        key: Box<Ast>,
        optional: bool,
    },
    Slice {
        base: Box<Ast>,
        from: Option<Box<Ast>>,
        to: Option<Box<Ast>>,
        optional: bool,
    },
    Each {
        base: Box<Ast>,
        optional: bool,
    },
    Negate(Box<Ast>),
    Pipe(Vec<Ast>),
    Comma(Vec<Ast>),
    Binary(Binary, Box<Ast>, Box<Ast>),
    Try(Box<Ast>, Option<Box<Ast>>),
    /// Conditions with their branches; without `else` the input passes.
    If(Vec<(Ast, Ast)>, Option<Box<Ast>>),
    Reduce {
        source: Box<Ast>,
        patterns: Vec<Pattern>,
        init: Box<Ast>,
        update: Box<Ast>,
    },
    Foreach {
        source: Box<Ast>,
        patterns: Vec<Pattern>,
        init: Box<Ast>,
        update: Box<Ast>,
        extract: Option<Box<Ast>>,
    },
    As {
        source: Box<Ast>,
        patterns: Vec<Pattern>,
        body: Box<Ast>,
    },
    Label(String, Box<Ast>),
    /// Where it starts and ends.
    Break(String, usize, usize),
    /// As [`Ast::Break`].
    Var(String, usize, usize),
    /// `$__loc__`: the line.
    Location(usize),
    Call(String, Vec<Ast>, usize),
    Def(Box<Def>, Box<Ast>),
}

impl Ast {
    pub fn text(text: &str) -> Ast {
        Ast::Literal(Value::from(text))
    }

    pub fn var(name: &str) -> Ast {
        Ast::Var(name.to_owned(), 0, 0)
    }
}

//! A program as a tree, names resolved to slots.

use super::builtins::Builtin;

/// A variable: a slot of all, or of the function's frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Var {
    Global(u32),
    Local(u32),
}

/// What `a` is in `a[i]`.
#[derive(Clone, Debug)]
pub enum Base {
    Var(Var),
    /// An element that is itself an array.
    Element(Box<Base>, Vec<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Debug)]
pub enum Expr {
    Number(f64),
    String(Vec<u8>),
    /// Alone it asks whether the record matches.
    Regex(Vec<u8>),
    TypedRegex(Vec<u8>),
    Var(Var),
    Field(Box<Expr>),
    Element(Base, Vec<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    /// `+=` and the like, by the operator's character.
    Update(u8, Box<Expr>, Box<Expr>),
    /// Whether the new value is the result, and what is added.
    Step {
        target: Box<Expr>,
        add: f64,
        before: bool,
    },
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Plus(Box<Expr>),
    /// The first operand, then operators with theirs: chains are long but flat.
    Arithmetic(Box<Expr>, Vec<(u8, Expr)>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    Match {
        negate: bool,
        text: Box<Expr>,
        regex: Box<Expr>,
    },
    Concat(Vec<Expr>),
    In(Vec<Expr>, Base),
    Call {
        function: u32,
        args: Vec<Expr>,
        line: u32,
    },
    Indirect {
        name: Box<Expr>,
        args: Vec<Expr>,
        line: u32,
    },
    Builtin {
        which: &'static Builtin,
        args: Vec<Expr>,
        line: u32,
    },
    Getline {
        from: From,
        target: Option<Box<Expr>>,
        line: u32,
    },
    /// In parentheses.
    Group(Box<Expr>),
    /// `(a, b)`: only before `in`, or as all that is printed.
    List(Vec<Expr>),
}

#[derive(Clone, Debug)]
pub enum From {
    Main,
    File(Box<Expr>),
    Command(Box<Expr>),
    Coprocess(Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    File,
    Append,
    Pipe,
    Coprocess,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub line: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Expr(Expr),
    Print { args: Vec<Expr>, to: Option<(To, Expr)>, format: bool },
    If(Vec<(Expr, Statement)>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    Do(Box<Statement>, Expr),
    For(Option<Box<Statement>>, Option<Expr>, Option<Box<Statement>>, Box<Statement>),
    ForIn(Var, Base, Box<Statement>),
    Switch(Expr, Vec<(Label, Vec<Statement>)>),
    Break,
    Continue,
    Next,
    NextFile,
    Exit(Option<Expr>),
    Return(Option<Expr>),
    Delete(Base, Vec<Expr>),
    Block(Vec<Statement>),
}

#[derive(Clone, Debug)]
pub enum Label {
    Value(Expr),
    Regex(Vec<u8>),
    Default,
}

impl Label {
    /// A value as text, by which two of them are the same.
    pub fn text(&self) -> Option<Vec<u8>> {
        match self {
            Label::Value(Expr::String(text)) => Some(text.to_vec()),
            Label::Value(Expr::Number(n)) => Some(n.to_string().into_bytes()),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Pattern {
    Begin,
    End,
    BeginFile,
    EndFile,
    Always,
    When(Expr),
    Range(Expr, Expr),
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub pattern: Pattern,
    /// None prints the record.
    pub body: Option<Vec<Statement>>,
    pub line: u32,
    pub source: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    pub name: String,
    pub params: Vec<String>,
    pub body: Option<Vec<Statement>>,
    pub line: u32,
    pub source: u32,
}

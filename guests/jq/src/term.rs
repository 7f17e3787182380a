//! Programs ready to run: names resolved to distances, known functions to their code.

use crate::natives::Native;
use crate::syntax::{Comparison, Math};
use crate::value::{Text, Value};

/// A program: its main term and the functions it calls.
#[derive(Debug)]
pub struct Program {
    pub main: Term,
    pub functions: Vec<Function>,
}

#[derive(Debug)]
pub struct Function {
    pub body: Term,
}

#[derive(Debug)]
pub struct Term {
    pub op: Op,
    /// Gives exactly one value or an error, with no more stack than its height asks for.
    pub simple: bool,
    /// A path with one place in it: `.a[$i].b`.
    pub place: bool,
    /// How deep simple terms below it nest.
    pub height: u16,
}

pub type Sub = Box<Term>;

/// Where a function was defined, seen from a call.
#[derive(Clone, Copy, Debug)]
pub enum Scope {
    /// At the outermost level: it sees no variables.
    Root,
    /// This many bindings up.
    Up(u32),
}

#[derive(Debug)]
pub enum Piece {
    Text(String),
    Value(Term),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Json,
    Csv,
    Tsv,
    Html,
    Uri,
    UriDecode,
    Sh,
    Base64,
    Base64Decode,
    Base32,
    Base32Decode,
}

#[derive(Debug)]
pub enum Op {
    Identity,
    Literal(Value),
    /// A variable, this many bindings up.
    Var(u32),
    /// A filter given as an argument.
    Param(u32),
    Field {
        base: Sub,
        key: Text,
        optional: bool,
    },
    Index {
        base: Sub,
        key: Sub,
        optional: bool,
    },
    Slice {
        base: Sub,
        from: Option<Sub>,
        to: Option<Sub>,
        optional: bool,
    },
    Each {
        base: Sub,
        optional: bool,
    },
    Text {
        format: Format,
        pieces: Vec<Piece>,
    },
    Format(Format),
    Array(Option<Sub>),
    Object(Vec<(Term, Term)>),
    Negate(Sub),
    Pipe(Vec<Term>),
    Comma(Vec<Term>),
    Math(Math, Sub, Sub),
    Compare(Comparison, Sub, Sub),
    And(Sub, Sub),
    Or(Sub, Sub),
    Alternative(Sub, Sub),
    /// `paths = value`
    Set {
        paths: Sub,
        value: Sub,
    },
    /// `paths |= update`
    Update {
        paths: Sub,
        update: Sub,
    },
    /// `paths += value`; without a sign it is `//=`.
    MathUpdate {
        math: Option<Math>,
        paths: Sub,
        value: Sub,
    },
    Try {
        body: Sub,
        catch: Option<Sub>,
    },
    /// The next one when one fails.
    TryEach(Vec<Term>),
    If {
        condition: Sub,
        then: Sub,
        otherwise: Sub,
    },
    /// Binds the item, then the update runs on the state.
    Reduce {
        source: Sub,
        init: Sub,
        update: Sub,
    },
    Foreach {
        source: Sub,
        init: Sub,
        update: Sub,
        extract: Option<Sub>,
    },
    /// Binds each output of the source for the body.
    As {
        source: Sub,
        body: Sub,
    },
    Label(Sub),
    Break(u32),
    Call {
        function: usize,
        scope: Scope,
        args: Vec<Term>,
    },
    Native {
        native: Native,
        args: Vec<Term>,
    },
    Empty,
    Error(Option<Sub>),
    Path(Sub),
    GetPath(Sub),
    Limit {
        count: Sub,
        body: Sub,
    },
    First(Sub),
    Last(Sub),
    Range {
        from: Sub,
        to: Sub,
        by: Option<Sub>,
    },
    /// `..`: every value below, the outer ones first.
    Recurse,
    Input,
    Inputs,
    Halt(Option<Sub>),
}

/// Simple terms nest no deeper: they are run by recursion.
pub const MAX_HEIGHT: u16 = 60;

impl Term {
    pub fn new(op: Op) -> Term {
        let (mut simple, place) = (op.is_simple(), op.is_place());
        let mut height = 0;
        op.each_part(|part| height = height.max(part.height));
        height = height.saturating_add(1);
        simple &= height < MAX_HEIGHT;
        Term { op, simple, place, height }
    }

    pub fn literal(value: impl Into<Value>) -> Term {
        Term::new(Op::Literal(value.into()))
    }
}

impl Op {
    /// Whether this gives exactly one value or an error.
    fn is_simple(&self) -> bool {
        let mut parts = true;
        self.each_part(|part| parts &= part.simple);
        match self {
            Op::Identity | Op::Literal(_) | Op::Var(_) | Op::Format(_) | Op::Array(None) => true,
            Op::Field { optional: false, .. }
            | Op::Index { optional: false, .. }
            | Op::Slice { optional: false, .. } => parts,
            Op::Text { .. }
            | Op::Array(Some(_))
            | Op::Object(_)
            | Op::Negate(_)
            | Op::Pipe(_)
            | Op::Math(..)
            | Op::Compare(..)
            | Op::And(..)
            | Op::Or(..)
            | Op::Alternative(..)
            | Op::If { .. }
            | Op::As { .. }
            | Op::GetPath(_)
            | Op::Native { .. } => parts,
            Op::Try { catch: Some(_), .. } => parts,
            Op::Set { paths, value } | Op::MathUpdate { paths, value, .. } => {
                paths.place && paths.height < MAX_HEIGHT && value.simple
            }
            Op::Update { paths, update } => paths.place && paths.height < MAX_HEIGHT && update.simple,
            _ => false,
        }
    }

    /// Whether this is a path to one place.
    fn is_place(&self) -> bool {
        match self {
            Op::Identity => true,
            Op::Field { base, optional: false, .. } => base.place,
            Op::Index { base, key, optional: false } => base.place && key.simple,
            Op::Slice { base, from, to, optional: false } => {
                base.place && from.iter().chain(to).all(|bound| bound.simple)
            }
            Op::GetPath(path) => path.simple,
            Op::Pipe(stages) => stages.iter().all(|stage| stage.place),
            _ => false,
        }
    }

    /// The terms right below.
    pub fn each_part(&self, mut each: impl FnMut(&Term)) {
        match self {
            Op::Identity
            | Op::Literal(_)
            | Op::Var(_)
            | Op::Param(_)
            | Op::Format(_)
            | Op::Array(None)
            | Op::Break(_)
            | Op::Empty
            | Op::Error(None)
            | Op::Recurse
            | Op::Input
            | Op::Inputs
            | Op::Halt(None) => {}
            Op::Field { base: one, .. }
            | Op::Each { base: one, .. }
            | Op::Array(Some(one))
            | Op::Negate(one)
            | Op::Label(one)
            | Op::Error(Some(one))
            | Op::Path(one)
            | Op::GetPath(one)
            | Op::First(one)
            | Op::Last(one)
            | Op::Halt(Some(one)) => each(one),
            Op::Index { base: a, key: b, .. }
            | Op::Math(_, a, b)
            | Op::Compare(_, a, b)
            | Op::And(a, b)
            | Op::Or(a, b)
            | Op::Alternative(a, b)
            | Op::Set { paths: a, value: b }
            | Op::Update { paths: a, update: b }
            | Op::MathUpdate { paths: a, value: b, .. }
            | Op::As { source: a, body: b }
            | Op::Limit { count: a, body: b } => {
                each(a);
                each(b);
            }
            Op::Slice { base, from, to, .. } => {
                each(base);
                from.iter().chain(to).for_each(|bound| each(bound));
            }
            Op::Text { pieces, .. } => {
                for piece in pieces {
                    if let Piece::Value(term) = piece {
                        each(term);
                    }
                }
            }
            Op::Object(entries) => {
                for (key, value) in entries {
                    each(key);
                    each(value);
                }
            }
            Op::Pipe(terms) | Op::Comma(terms) | Op::TryEach(terms) => terms.iter().for_each(each),
            Op::Call { args, .. } | Op::Native { args, .. } => args.iter().for_each(each),
            Op::Try { body, catch } => {
                each(body);
                catch.iter().for_each(|catch| each(catch));
            }
            Op::If { condition, then, otherwise } => {
                each(condition);
                each(then);
                each(otherwise);
            }
            Op::Reduce { source, init, update } => {
                each(source);
                each(init);
                each(update);
            }
            Op::Foreach { source, init, update, extract } => {
                each(source);
                each(init);
                each(update);
                extract.iter().for_each(|extract| each(extract));
            }
            Op::Range { from, to, by } => {
                each(from);
                each(to);
                by.iter().for_each(|by| each(by));
            }
        }
    }
}

//! What is still to be done with a value.

use super::Path;
use super::env::Env;
use crate::natives::Native;
use crate::syntax::{Comparison, Math};
use crate::term::{Format, Piece, Term};
use crate::value::{Object, Text, Value};
use std::rc::Rc;

/// A chain of frames; the end of it is the program's output.
#[derive(Clone, Default)]
pub struct Next<'p>(pub Option<Rc<Frame<'p>>>);

#[derive(Clone)]
pub struct Frame<'p> {
    pub kind: Kind<'p>,
    pub env: Env<'p>,
    pub next: Next<'p>,
    pub depth: u32,
}

impl Drop for Next<'_> {
    fn drop(&mut self) {
        // A long chain must not take the stack when it goes.
        let mut next = self.0.take();
        while let Some(frame) = next {
            next = Rc::into_inner(frame).and_then(|mut frame| frame.next.0.take());
        }
    }
}

/// Numbers are heights in the stack of choices, where the state is.
#[derive(Clone)]
pub enum Kind<'p> {
    /// The rest of a pipe.
    Pipe(&'p [Term]),
    Field(&'p Text, bool),
    Each(bool),
    /// The key is known; now for the base.
    IndexKey {
        base: &'p Term,
        input: Value,
        path: Path,
        optional: bool,
    },
    IndexAt {
        key: Value,
        optional: bool,
    },
    SliceFrom {
        base: &'p Term,
        to: Option<&'p Term>,
        input: Value,
        path: Path,
        optional: bool,
    },
    SliceTo {
        base: &'p Term,
        from: Value,
        input: Value,
        path: Path,
        optional: bool,
    },
    GetPath {
        input: Value,
        path: Path,
    },
    Text {
        format: Format,
        pieces: &'p [Piece],
        after: String,
        input: Value,
        path: Path,
    },
    Collect {
        height: usize,
    },
    ObjectKey {
        entries: &'p [(Term, Term)],
        done: Object,
        input: Value,
        path: Path,
    },
    ObjectValue {
        entries: &'p [(Term, Term)],
        done: Object,
        key: Value,
        input: Value,
        path: Path,
    },
    Negate {
        path: Path,
    },
    MathRight {
        math: Math,
        left: &'p Term,
        input: Value,
        path: Path,
    },
    MathLeft {
        math: Math,
        right: Value,
        path: Path,
    },
    CompareRight {
        comparison: Comparison,
        left: &'p Term,
        input: Value,
        path: Path,
    },
    CompareLeft {
        comparison: Comparison,
        right: Value,
        path: Path,
    },
    Logic {
        and: bool,
        right: &'p Term,
        input: Value,
        path: Path,
    },
    Truth {
        path: Path,
    },
    Alternative {
        height: usize,
    },
    Protected {
        height: usize,
    },
    If {
        then: &'p Term,
        otherwise: &'p Term,
        input: Value,
        path: Path,
    },
    As {
        body: &'p Term,
        input: Value,
        path: Path,
    },
    ReduceInit {
        source: &'p Term,
        update: &'p Term,
        input: Value,
        path: Path,
    },
    ReduceItem {
        height: usize,
        update: &'p Term,
    },
    ReduceStore {
        height: usize,
    },
    ForeachInit {
        source: &'p Term,
        update: &'p Term,
        extract: Option<&'p Term>,
        input: Value,
        path: Path,
    },
    ForeachItem {
        height: usize,
        update: &'p Term,
        extract: Option<&'p Term>,
    },
    ForeachStore {
        height: usize,
        extract: Option<&'p Term>,
    },
    /// Arguments are evaluated from the last to the first.
    Native {
        native: Native,
        args: &'p [Term],
        known: Vec<Value>,
        input: Value,
        path: Path,
    },
    Error,
    Halt {
        input: Value,
    },
    Path {
        path: Path,
    },
    LimitCount {
        body: &'p Term,
        input: Value,
        path: Path,
    },
    Limit {
        height: usize,
    },
    First {
        height: usize,
    },
    Last {
        height: usize,
    },
    RangeFrom {
        to: &'p Term,
        by: Option<&'p Term>,
        input: Value,
        path: Path,
    },
    RangeTo {
        from: Value,
        by: Option<&'p Term>,
        input: Value,
        path: Path,
    },
    RangeBy {
        from: Value,
        to: Value,
        path: Path,
    },
    /// The value of `paths = value`, `paths += value`.
    SetValue {
        paths: &'p Term,
        input: Value,
        path: Path,
    },
    SetAt {
        height: usize,
        value: Value,
    },
    MathUpdateValue {
        math: Option<Math>,
        paths: &'p Term,
        input: Value,
        path: Path,
    },
    MathUpdateAt {
        height: usize,
        math: Option<Math>,
        value: Value,
    },
    UpdateAt {
        height: usize,
        update: &'p Term,
    },
    UpdateStore {
        height: usize,
        keys: Vec<Value>,
        pending: usize,
    },
}

//! What is wrong with the names in a program. All of it is told that jq tells: of each function the errors of its own
//! code or, if it has none, those of the functions inside it; nothing of functions that are never called.

use super::{CompileError, Compiler, Source, explain};
use crate::syntax::SyntaxError;
use crate::term::{Op, Term};
use std::collections::HashSet;
use std::rc::Rc;

/// What was found in one function.
#[derive(Default)]
pub(super) struct Faults {
    direct: Vec<(Rc<Source>, SyntaxError)>,
    inner: Vec<Inner>,
    /// The functions it calls.
    calls: Vec<usize>,
}

/// A function inside another: an argument, or a definition with its number.
struct Inner {
    id: Option<usize>,
    faults: Faults,
}

impl Faults {
    /// An error with all there is to tell, if there is any.
    pub(super) fn told(&self) -> Result<(), CompileError> {
        let mut called = HashSet::new();
        loop {
            let before = called.len();
            self.follow(&mut called);
            if called.len() == before {
                break;
            }
        }
        let mut messages = Vec::new();
        self.list(&called, &mut messages);
        if messages.is_empty() { Ok(()) } else { Err(CompileError(messages)) }
    }

    fn reached(&self, called: &HashSet<usize>) -> impl Iterator<Item = &Faults> {
        let reached = |inner: &&Inner| inner.id.is_none_or(|id| called.contains(&id));
        self.inner.iter().filter(reached).map(|inner| &inner.faults)
    }

    fn follow(&self, called: &mut HashSet<usize>) {
        called.extend(&self.calls);
        let reached: Vec<_> = self.reached(called).collect();
        reached.into_iter().for_each(|faults| faults.follow(called));
    }

    fn list(&self, called: &HashSet<usize>, messages: &mut Vec<String>) {
        let mut seen = Vec::new();
        for (source, error) in &self.direct {
            // What sugar compiles twice is told once.
            if !seen.contains(&error.at) {
                seen.push(error.at);
                messages.push(explain(error, &source.file, &source.text));
            }
        }
        if self.direct.is_empty() {
            self.reached(called).for_each(|faults| faults.list(called, messages));
        }
    }

    /// How many inner functions there are so far.
    pub(super) fn mark(&self) -> usize {
        self.inner.len()
    }

    /// Puts the inner functions from `middle` on in front of those from `start` on.
    pub(super) fn swap(&mut self, start: usize, middle: usize) {
        self.inner[start..].rotate_left(middle - start);
    }

    pub(super) fn called(&mut self, id: usize) {
        self.calls.push(id);
    }

    /// Adds what was found later but stands before: `later` is all that was found since it was new.
    pub(super) fn append(&mut self, later: Faults) {
        self.direct.extend(later.direct);
        self.inner.extend(later.inner);
        self.calls.extend(later.calls);
    }
}

impl Compiler<'_> {
    /// Something that nobody defined.
    pub(super) fn undefined(&mut self, name: &str, at: usize, end: usize) -> Term {
        let error = SyntaxError::new(format!("{name} is not defined"), at, end);
        self.faults.direct.push((self.source.clone(), error));
        Term::new(Op::Empty)
    }

    /// Compiles something and keeps what is wrong with it apart.
    pub(super) fn apart<T>(&mut self, each: impl FnOnce(&mut Self) -> T) -> (T, Faults) {
        let outer = std::mem::take(&mut self.faults);
        let result = each(self);
        (result, std::mem::replace(&mut self.faults, outer))
    }

    /// Compiles what is a function of its own for jq: an argument.
    pub(super) fn closure<T>(&mut self, each: impl FnOnce(&mut Self) -> T) -> T {
        self.inner(None, each)
    }

    /// Compiles the body of a definition.
    pub(super) fn function_faults<T>(&mut self, id: usize, each: impl FnOnce(&mut Self) -> T) -> T {
        self.inner(Some(id), each)
    }

    fn inner<T>(&mut self, id: Option<usize>, each: impl FnOnce(&mut Self) -> T) -> T {
        let (result, faults) = self.apart(each);
        self.faults.inner.push(Inner { id, faults });
        result
    }
}

//! Where to go on when a value is used up, and the state that lives until then.

use super::env::Env;
use super::frame::Next;
use super::{Do, Machine, Path};
use crate::term::Term;
use crate::value::Value;

pub enum Choice<'p> {
    Eval {
        term: &'p Term,
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    },
    /// The rest of a comma list.
    Comma {
        rest: &'p [Term],
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    },
    /// The rest of an array or an object.
    Items {
        items: Value,
        at: usize,
        path: Path,
        next: Next<'p>,
    },
    Range {
        at: f64,
        to: f64,
        by: f64,
        path: Path,
        next: Next<'p>,
    },
    /// Values below, to be visited: for each open container how far it is.
    Descend {
        open: Vec<(Value, usize, Path)>,
        next: Next<'p>,
    },
    Inputs {
        next: Next<'p>,
    },
    Try {
        catch: Option<&'p Term>,
        env: Env<'p>,
        path: Path,
        next: Next<'p>,
    },
    TryEach {
        rest: &'p [Term],
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    },
    Alternative {
        found: bool,
        other: &'p Term,
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    },
    /// Errors from here on are not for what is protected at this height.
    Passed(usize),
    Collect {
        items: Vec<Value>,
        path: Path,
        next: Next<'p>,
    },
    /// Reduce, and assignments: the state is the result.
    State {
        state: Value,
        path: Path,
        next: Next<'p>,
    },
    /// Foreach: only the state.
    Foreach {
        state: Value,
    },
    Limit {
        left: f64,
    },
    Last {
        last: Option<(Value, Path)>,
        next: Next<'p>,
    },
    /// `|=`: the state, and the paths whose update gave nothing.
    Update {
        state: Value,
        gone: Vec<Value>,
        path: Path,
        next: Next<'p>,
    },
    /// The update of one path gave nothing.
    Gone {
        height: usize,
        keys: Vec<Value>,
    },
}

impl<'p> Machine<'p, '_> {
    /// Goes on with a choice.
    pub(super) fn take(&mut self, choice: Choice<'p>) -> Do<'p> {
        match choice {
            Choice::Eval { term, env, input, path, next } => {
                self.path = path;
                Do::Eval(term, env, input, next)
            }
            Choice::Comma { rest, env, input, path, next } => {
                self.path = path;
                self.comma(rest, env, input, next)
            }
            Choice::Items { items, at, path, next } => self.items(items, at, path, next),
            Choice::Range { at, to, by, path, next } => self.range(at, to, by, path, next),
            Choice::Descend { open, next } => self.descend(open, next),
            Choice::Inputs { next } => self.inputs(next),
            Choice::Alternative { found, other, env, input, path, next } => {
                self.path = path;
                if found { Do::Backtrack } else { Do::Eval(other, env, input, next) }
            }
            Choice::Collect { items, path, next } => {
                self.path = path;
                Do::Return(Value::array(items), next)
            }
            Choice::State { state, path, next } => {
                self.path = path;
                Do::Return(state, next)
            }
            Choice::Last { last, next } => match last {
                Some((value, path)) => {
                    self.path = path;
                    Do::Return(value, next)
                }
                None => Do::Backtrack,
            },
            Choice::Update { state, gone, path, next } => {
                self.path = path;
                if gone.is_empty() {
                    return Do::Return(state, next);
                }
                match crate::paths::delete(state, gone) {
                    Ok(value) => Do::Return(value, next),
                    Err(message) => Do::Raise(message.into()),
                }
            }
            Choice::Gone { height, keys } => {
                if let Some(Choice::Update { gone, .. }) = self.choices.get_mut(height) {
                    gone.push(Value::array(keys));
                }
                Do::Backtrack
            }
            Choice::Try { .. }
            | Choice::TryEach { .. }
            | Choice::Passed(_)
            | Choice::Foreach { .. }
            | Choice::Limit { .. } => Do::Backtrack,
        }
    }
}

//! What each term does with an input.

use super::choice::Choice;
use super::env::{Env, Slot};
use super::frame::{Kind, Next};
use super::{Do, Machine, Outcome, Path, Step, Stop, keys_of};
use crate::json::to_string;
use crate::natives::{self, described};
use crate::paths;
use crate::term::{Op, Piece, Scope, Term};
use crate::value::{Object, Value};
use std::rc::Rc;

/// Turns an error into the raising of it.
macro_rules! attempt {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(stop) => return Do::Raise(stop.into()),
        }
    };
}
pub(super) use attempt;

impl<'p> Machine<'p, '_> {
    pub(super) fn eval(&mut self, term: &'p Term, env: Env<'p>, input: Value, next: Next<'p>) -> Do<'p> {
        if term.simple && self.path.is_none() {
            return Do::Return(attempt!(self.simple(term, &env, input)), next);
        }
        match &term.op {
            Op::Identity => Do::Return(input, next),
            Op::Literal(value) => Do::Return(value.clone(), next),
            Op::Var(up) => Do::Return(env.var(*up).clone(), next),
            Op::Param(up) => match env.filter(*up) {
                Some((term, env)) => Do::Eval(term, env.clone(), input, next),
                None => Do::Backtrack,
            },
            Op::Field { base, key, optional } => match base.op {
                Op::Identity => self.follow(input, Value::String(key.clone()), *optional, next),
                _ => self.eval_then(base, env, input, Kind::Field(key, *optional), next),
            },
            Op::Index { base, key, optional } => {
                let path = self.path.take();
                let kind = Kind::IndexKey { base, input: input.clone(), path, optional: *optional };
                self.eval_then(key, env, input, kind, next)
            }
            Op::Slice { base, from, to, optional } => {
                let path = self.path.take();
                let (to, optional) = (to.as_deref(), *optional);
                let kind = Kind::SliceFrom { base, to, input: input.clone(), path, optional };
                match from {
                    Some(from) => self.eval_then(from, env, input, kind, next),
                    None => Do::Return(Value::Null, Self::frame(kind, env, next)),
                }
            }
            Op::Each { base, optional } => match base.op {
                Op::Identity => self.each(input, *optional, next),
                _ => self.eval_then(base, env, input, Kind::Each(*optional), next),
            },
            Op::Text { format, pieces } => {
                let path = self.path.take();
                self.text(*format, pieces, String::new(), env, input, path, next)
            }
            Op::Format(format) => Do::Return(attempt!(natives::format(*format, &input)).into(), next),
            Op::Array(None) => Do::Return(Value::array(Vec::new()), next),
            Op::Array(Some(inner)) => {
                let path = self.path.take();
                let height = self.choices.len();
                attempt!(self.push(Choice::Collect { items: Vec::new(), path, next }));
                self.eval_then(inner, env, input, Kind::Collect { height }, Next::default())
            }
            Op::Object(entries) => {
                let path = self.path.take();
                self.object(entries, Object::default(), env, input, path, next)
            }
            Op::Negate(inner) => {
                let path = self.path.take();
                self.eval_then(inner, env, input, Kind::Negate { path }, next)
            }
            Op::Pipe(stages) => self.pipe(stages, env, input, next),
            Op::Comma(items) => self.comma(items, env, input, next),
            Op::Math(math, left, right) => {
                let path = self.path.take();
                let kind = Kind::MathRight { math: *math, left, input: input.clone(), path };
                self.eval_then(right, env, input, kind, next)
            }
            Op::Compare(comparison, left, right) => {
                let path = self.path.take();
                let kind = Kind::CompareRight { comparison: *comparison, left, input: input.clone(), path };
                self.eval_then(right, env, input, kind, next)
            }
            Op::And(left, right) | Op::Or(left, right) => {
                let path = self.path.take();
                let and = matches!(term.op, Op::And(..));
                let kind = Kind::Logic { and, right, input: input.clone(), path };
                self.eval_then(left, env, input, kind, next)
            }
            Op::Alternative(first, other) => {
                let height = self.choices.len();
                attempt!(self.push(Choice::Alternative {
                    found: false,
                    other,
                    env: env.clone(),
                    input: input.clone(),
                    path: self.path.clone(),
                    next: next.clone(),
                }));
                self.eval_then(first, env, input, Kind::Alternative { height }, next)
            }
            Op::Set { paths, value } => {
                let path = self.path.take();
                let kind = Kind::SetValue { paths, input: input.clone(), path };
                self.eval_then(value, env, input, kind, next)
            }
            Op::MathUpdate { math, paths, value } => {
                let path = self.path.take();
                let kind = Kind::MathUpdateValue { math: *math, paths, input: input.clone(), path };
                self.eval_then(value, env, input, kind, next)
            }
            Op::Update { paths, update } => {
                let path = self.path.take();
                let height = self.choices.len();
                attempt!(self.push(Choice::Update { state: input.clone(), gone: Vec::new(), path, next }));
                self.track(&input);
                self.eval_then(paths, env, input, Kind::UpdateAt { height, update }, Next::default())
            }
            Op::Try { body, catch } => {
                let catch = catch.as_deref();
                if body.simple && self.path.is_none() {
                    return match self.simple(body, &env, input) {
                        Ok(value) => Do::Return(value, next),
                        Err(Stop::Error(error)) => match catch {
                            Some(catch) => Do::Eval(catch, env, error, next),
                            None => Do::Backtrack,
                        },
                        Err(stop) => Do::Raise(stop),
                    };
                }
                let height = self.choices.len();
                let (env, path) = (env, self.path.clone());
                attempt!(self.push(Choice::Try { catch, env: env.clone(), path, next: next.clone() }));
                self.eval_then(body, env, input, Kind::Protected { height }, next)
            }
            Op::TryEach(terms) => self.try_each(terms, env, input, next),
            Op::If { condition, then, otherwise } => {
                if condition.simple {
                    let yes = attempt!(self.simple_ref(condition, &env, &input)).is_true();
                    return Do::Eval(if yes { then } else { otherwise }, env, input, next);
                }
                let path = self.path.take();
                let kind = Kind::If { then, otherwise, input: input.clone(), path };
                self.eval_then(condition, env, input, kind, next)
            }
            Op::As { source, body } => {
                if source.simple {
                    let value = attempt!(self.simple_ref(source, &env, &input));
                    return Do::Eval(body, env.bind(Slot::Var(value)), input, next);
                }
                let path = self.path.take();
                let kind = Kind::As { body, input: input.clone(), path };
                self.eval_then(source, env, input, kind, next)
            }
            Op::Reduce { source, init, update } => {
                let path = self.path.clone();
                let kind = Kind::ReduceInit { source, update, input: input.clone(), path };
                self.eval_then(init, env, input, kind, next)
            }
            Op::Foreach { source, init, update, extract } => {
                let path = self.path.clone();
                let extract = extract.as_deref();
                let kind = Kind::ForeachInit { source, update, extract, input: input.clone(), path };
                self.eval_then(init, env, input, kind, next)
            }
            Op::Label(body) => {
                let env = env.bind(Slot::Label(self.choices.len()));
                Do::Eval(body, env, input, next)
            }
            Op::Break(up) => {
                self.choices.truncate(env.label(*up));
                Do::Backtrack
            }
            Op::Call { function, scope, args } => {
                let mut inner = match scope {
                    Scope::Root => Env::default(),
                    Scope::Up(count) => env.up(*count),
                };
                for arg in args {
                    // A filter handed on is the filter itself: no chain of them grows.
                    let slot = match &arg.op {
                        Op::Param(up) => match env.filter(*up) {
                            Some((term, env)) => Slot::Filter(term, env.clone()),
                            None => Slot::Filter(arg, env.clone()),
                        },
                        _ => Slot::Filter(arg, env.clone()),
                    };
                    inner = inner.bind(slot);
                }
                match self.program.functions.get(*function) {
                    Some(function) => Do::Eval(&function.body, inner, input, next),
                    None => Do::Backtrack,
                }
            }
            Op::Native { native, args } => {
                let path = self.path.take();
                self.native(*native, args, Vec::new(), env, input, path, next)
            }
            Op::Empty => Do::Backtrack,
            Op::Error(None) => Do::Raise(Stop::Error(input)),
            Op::Error(Some(message)) => {
                self.path = None;
                self.eval_then(message, env, input, Kind::Error, next)
            }
            Op::Path(paths) => {
                let path = self.path.take();
                self.track(&input);
                self.eval_then(paths, env, input, Kind::Path { path }, next)
            }
            Op::GetPath(keys) => {
                let path = self.path.take();
                let kind = Kind::GetPath { input: input.clone(), path };
                self.eval_then(keys, env, input, kind, next)
            }
            Op::Limit { count, body } => {
                let path = self.path.take();
                let kind = Kind::LimitCount { body, input: input.clone(), path };
                self.eval_then(count, env, input, kind, next)
            }
            Op::First(body) => {
                let height = self.choices.len();
                self.eval_then(body, env, input, Kind::First { height }, next)
            }
            Op::Last(body) => {
                let height = self.choices.len();
                attempt!(self.push(Choice::Last { last: None, next }));
                self.eval_then(body, env, input, Kind::Last { height }, Next::default())
            }
            Op::Range { from, to, by } => {
                let path = self.path.take();
                let kind = Kind::RangeFrom { to, by: by.as_deref(), input: input.clone(), path };
                self.eval_then(from, env, input, kind, next)
            }
            Op::Recurse => {
                if input.is_container() {
                    let open = vec![(input.clone(), 0, self.path.clone())];
                    attempt!(self.push(Choice::Descend { open, next: next.clone() }));
                }
                Do::Return(input, next)
            }
            Op::Input => match self.context.host.input() {
                Some(value) => Do::Return(attempt!(value), next),
                None => Do::Raise(Stop::Error("break".into())),
            },
            Op::Inputs => self.inputs(next),
            Op::Halt(None) => Do::Raise(Stop::Halt(0, None)),
            Op::Halt(Some(status)) => {
                self.path = None;
                self.eval_then(status, env, input.clone(), Kind::Halt { input }, next)
            }
        }
    }

    /// From here on the path to what is found is kept.
    pub(super) fn track(&mut self, input: &Value) {
        self.path = Some(Rc::new(Step { key: None, value: input.clone(), before: None }));
    }

    /// The keys of the path that ends with this value.
    pub(super) fn finish_path(&self, value: &Value) -> Outcome<Vec<Value>> {
        match &self.path {
            Some(step) if step.value.is_same(value) => Ok(keys_of(&self.path)),
            _ => Err(Stop::Error(format!("Invalid path expression with result {}", shorten(value)).into())),
        }
    }

    pub(super) fn pipe(&mut self, stages: &'p [Term], env: Env<'p>, mut input: Value, next: Next<'p>) -> Do<'p> {
        let mut rest = stages;
        while let Some((first, after)) = rest.split_first() {
            if after.is_empty() {
                return Do::Eval(first, env, input, next);
            }
            if !first.simple || self.path.is_some() {
                return self.eval_then(first, env, input, Kind::Pipe(after), next);
            }
            input = attempt!(self.simple(first, &env, input));
            rest = after;
        }
        Do::Return(input, next)
    }

    pub(super) fn comma(&mut self, items: &'p [Term], env: Env<'p>, input: Value, next: Next<'p>) -> Do<'p> {
        let Some((first, rest)) = items.split_first() else { return Do::Backtrack };
        if !rest.is_empty() {
            let path = self.path.clone();
            let choice = Choice::Comma { rest, env: env.clone(), input: input.clone(), path, next: next.clone() };
            attempt!(self.push(choice));
        }
        Do::Eval(first, env, input, next)
    }

    pub(super) fn try_each(&mut self, terms: &'p [Term], env: Env<'p>, input: Value, next: Next<'p>) -> Do<'p> {
        let Some((first, rest)) = terms.split_first() else { return Do::Backtrack };
        if rest.is_empty() {
            return Do::Eval(first, env, input, next);
        }
        let height = self.choices.len();
        let path = self.path.clone();
        let choice = Choice::TryEach { rest, env: env.clone(), input: input.clone(), path, next: next.clone() };
        attempt!(self.push(choice));
        self.eval_then(first, env, input, Kind::Protected { height }, next)
    }

    /// The value at a key, and the path to it.
    pub(super) fn follow(&mut self, value: Value, key: Value, optional: bool, next: Next<'p>) -> Do<'p> {
        if let Some(step) = &self.path
            && !step.value.is_same(&value)
        {
            let message = format!(
                "Invalid path expression near attempt to access element {} of {}",
                to_string(&key),
                shorten(&value)
            );
            return Do::Raise(Stop::Error(message.into()));
        }
        match paths::get(&value, &key) {
            Ok(found) => {
                self.extend(key, &found);
                Do::Return(found, next)
            }
            Err(_) if optional => Do::Backtrack,
            Err(message) => Do::Raise(Stop::Error(message.into())),
        }
    }

    fn extend(&mut self, key: Value, found: &Value) {
        if let Some(step) = self.path.take() {
            self.path = Some(Rc::new(Step { key: Some(key), value: found.clone(), before: Some(step) }));
        }
    }

    pub(super) fn get_path(&mut self, value: Value, keys: &Value, next: Next<'p>) -> Do<'p> {
        let Some(list) = keys.as_array() else {
            return Do::Raise(Stop::Error("Path must be specified as an array".into()));
        };
        if let Some(step) = &self.path
            && !step.value.is_same(&value)
        {
            let message = format!(
                "Invalid path expression near attempt to access element {} of {}",
                to_string(keys),
                shorten(&value)
            );
            return Do::Raise(Stop::Error(message.into()));
        }
        let found = attempt!(paths::get_path(&value, list));
        for key in list {
            self.extend(key.clone(), &found);
        }
        Do::Return(found, next)
    }

    pub(super) fn each(&mut self, value: Value, optional: bool, next: Next<'p>) -> Do<'p> {
        if let Some(step) = &self.path
            && !step.value.is_same(&value)
        {
            let message = format!("Invalid path expression near attempt to iterate through {}", shorten(&value));
            return Do::Raise(Stop::Error(message.into()));
        }
        if value.is_container() {
            return self.items(value, 0, self.path.clone(), next);
        }
        if optional {
            return Do::Backtrack;
        }
        let message = format!("Cannot iterate over {}", described(&value));
        Do::Raise(Stop::Error(message.into()))
    }

    /// Gives the item at `at`, and the later ones when it comes back.
    pub(super) fn items(&mut self, items: Value, at: usize, path: Path, next: Next<'p>) -> Do<'p> {
        let Some((value, more)) = item(&items, at) else { return Do::Backtrack };
        let found = value.clone();
        self.path = path.as_ref().map(|step| {
            Rc::new(Step { key: Some(key_of(&items, at)), value: found.clone(), before: Some(step.clone()) })
        });
        if more {
            attempt!(self.push(Choice::Items { items, at: at + 1, path, next: next.clone() }));
        }
        Do::Return(found, next)
    }

    /// The next value below, outer ones first.
    pub(super) fn descend(&mut self, mut open: Vec<(Value, usize, Path)>, next: Next<'p>) -> Do<'p> {
        while let Some((container, at, path)) = open.last_mut() {
            let Some((value, _)) = item(container, *at) else {
                open.pop();
                continue;
            };
            let found = value.clone();
            self.path = path.as_ref().map(|step| {
                Rc::new(Step { key: Some(key_of(container, *at)), value: found.clone(), before: Some(step.clone()) })
            });
            *at += 1;
            if found.is_container() {
                open.push((found.clone(), 0, self.path.clone()));
            }
            attempt!(self.push(Choice::Descend { open, next: next.clone() }));
            return Do::Return(found, next);
        }
        Do::Backtrack
    }

    pub(super) fn range(&mut self, at: f64, to: f64, by: f64, path: Path, next: Next<'p>) -> Do<'p> {
        if !((by > 0.0 && at < to) || (by < 0.0 && at > to)) {
            return Do::Backtrack;
        }
        let after = at + by;
        if (by > 0.0 && after < to) || (by < 0.0 && after > to) {
            let choice = Choice::Range { at: after, to, by, path: path.clone(), next: next.clone() };
            attempt!(self.push(choice));
        }
        self.path = path;
        Do::Return(Value::Number(at), next)
    }

    pub(super) fn inputs(&mut self, next: Next<'p>) -> Do<'p> {
        match self.context.host.input() {
            Some(value) => {
                let value = attempt!(value);
                attempt!(self.push(Choice::Inputs { next: next.clone() }));
                Do::Return(value, next)
            }
            None => Do::Backtrack,
        }
    }

    /// A text with values in it: the last value varies slowest.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn text(
        &mut self,
        format: crate::term::Format,
        pieces: &'p [Piece],
        mut after: String,
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    ) -> Do<'p> {
        let mut rest = pieces;
        while let Some((last, before)) = rest.split_last() {
            match last {
                Piece::Text(text) => after.insert_str(0, text),
                Piece::Value(term) => {
                    let kind = Kind::Text { format, pieces: before, after, input: input.clone(), path };
                    return self.eval_then(term, env, input, kind, next);
                }
            }
            rest = before;
        }
        self.path = path;
        Do::Return(after.into(), next)
    }

    pub(super) fn object(
        &mut self,
        entries: &'p [(Term, Term)],
        done: Object,
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    ) -> Do<'p> {
        match entries.first() {
            Some((key, _)) => {
                let kind = Kind::ObjectKey { entries, done, input: input.clone(), path };
                self.eval_then(key, env, input, kind, next)
            }
            None => {
                self.path = path;
                Do::Return(Value::object(done), next)
            }
        }
    }

    /// Calls a native when all arguments are known; `known` has them from the last on.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn native(
        &mut self,
        native: natives::Native,
        args: &'p [Term],
        mut known: Vec<Value>,
        env: Env<'p>,
        input: Value,
        path: Path,
        next: Next<'p>,
    ) -> Do<'p> {
        match args.split_last() {
            Some((last, args)) => {
                let kind = Kind::Native { native, args, known, input: input.clone(), path };
                self.eval_then(last, env, input, kind, next)
            }
            None => {
                known.reverse();
                let value = attempt!(native.run(&mut self.context, input, &mut known));
                self.path = path;
                Do::Return(value, next)
            }
        }
    }
}

/// The item at a place, and whether more follow.
fn item(items: &Value, at: usize) -> Option<(&Value, bool)> {
    let (value, len) = match items {
        Value::Array(array) => (array.0.get(at)?, array.0.len()),
        Value::Object(object) => (&object.entries().get(at)?.1, object.len()),
        _ => return None,
    };
    Some((value, at + 1 < len))
}

fn key_of(items: &Value, at: usize) -> Value {
    match items {
        Value::Object(object) => object.entries().get(at).map_or(Value::Null, |e| Value::String(e.0.clone())),
        _ => Value::Number(at as f64),
    }
}

/// A value as it is shown in messages.
pub(super) fn shorten(value: &Value) -> String {
    natives::shortened(value)
}

//! What each frame does with the value it waited for.

use super::choice::Choice;
use super::env::Slot;
use super::eval::attempt;
use super::frame::{Frame, Kind, Next};
use super::{Do, Machine, Stop};
use crate::natives;
use crate::paths;
use crate::value::{Object, Value};
use std::rc::Rc;

/// An object a slice is described by.
pub fn slice_key(from: Value, to: Value) -> Value {
    Value::object(Object::from([("start", from), ("end", to)]))
}

impl<'p> Machine<'p, '_> {
    pub(super) fn resume(&mut self, frame: Rc<Frame<'p>>, value: Value) -> Do<'p> {
        let Frame { kind, env, next, .. } = Rc::try_unwrap(frame).unwrap_or_else(|shared| (*shared).clone());
        match kind {
            Kind::Pipe(rest) => self.pipe(rest, env, value, next),
            Kind::Field(key, optional) => self.follow(value, Value::String(key.clone()), optional, next),
            Kind::Each(optional) => self.each(value, optional, next),
            Kind::IndexKey { base, input, path, optional } => {
                self.path = path;
                match base.op {
                    crate::term::Op::Identity => self.follow(input, value, optional, next),
                    _ => self.eval_then(base, env, input, Kind::IndexAt { key: value, optional }, next),
                }
            }
            Kind::IndexAt { key, optional } => self.follow(value, key, optional, next),
            Kind::SliceFrom { base, to, input, path, optional } => {
                let kind = Kind::SliceTo { base, from: value, input: input.clone(), path, optional };
                match to {
                    Some(to) => self.eval_then(to, env, input, kind, next),
                    None => Do::Return(Value::Null, Self::frame(kind, env, next)),
                }
            }
            Kind::SliceTo { base, from, input, path, optional } => {
                self.path = path;
                let key = slice_key(from, value);
                self.eval_then(base, env, input, Kind::IndexAt { key, optional }, next)
            }
            Kind::GetPath { input, path } => {
                self.path = path;
                self.get_path(input, &value, next)
            }
            Kind::Text { format, pieces, mut after, input, path } => {
                after.insert_str(0, &attempt!(natives::format(format, &value)));
                self.text(format, pieces, after, env, input, path, next)
            }
            Kind::Collect { height } => {
                if let Some(Choice::Collect { items, .. }) = self.choices.get_mut(height) {
                    items.push(value);
                }
                Do::Backtrack
            }
            Kind::ObjectKey { entries, done, input, path } => match entries.first() {
                Some((_, term)) => {
                    let kind = Kind::ObjectValue { entries, done, key: value, input: input.clone(), path };
                    self.eval_then(term, env, input, kind, next)
                }
                None => Do::Backtrack,
            },
            Kind::ObjectValue { entries, mut done, key, input, path } => {
                let Value::String(key) = key else {
                    return Do::Raise(Stop::Error(natives::bad_key(&key).into()));
                };
                done.insert(key, value);
                self.object(entries.get(1..).unwrap_or_default(), done, env, input, path, next)
            }
            Kind::Negate { path } => {
                self.path = path;
                Do::Return(attempt!(natives::negate(value)), next)
            }
            Kind::MathRight { math, left, input, path } => {
                let kind = Kind::MathLeft { math, right: value, path };
                self.eval_then(left, env, input, kind, next)
            }
            Kind::MathLeft { math, right, path } => {
                self.path = path;
                Do::Return(attempt!(natives::math(math, value, right)), next)
            }
            Kind::CompareRight { comparison, left, input, path } => {
                let kind = Kind::CompareLeft { comparison, right: value, path };
                self.eval_then(left, env, input, kind, next)
            }
            Kind::CompareLeft { comparison, right, path } => {
                self.path = path;
                Do::Return(attempt!(natives::compare(comparison, &value, &right)), next)
            }
            Kind::Logic { and, right, input, path } => {
                if value.is_true() != and {
                    self.path = path;
                    return Do::Return(Value::Bool(!and), next);
                }
                self.eval_then(right, env, input, Kind::Truth { path }, next)
            }
            Kind::Truth { path } => {
                self.path = path;
                Do::Return(value.is_true().into(), next)
            }
            Kind::Alternative { height } => {
                if !value.is_true() {
                    return Do::Backtrack;
                }
                if let Some(Choice::Alternative { found, .. }) = self.choices.get_mut(height) {
                    *found = true;
                }
                self.leave(height, value, next)
            }
            Kind::Protected { height } => self.leave(height, value, next),
            Kind::If { then, otherwise, input, path } => {
                self.path = path;
                Do::Eval(if value.is_true() { then } else { otherwise }, env, input, next)
            }
            Kind::As { body, input, path } => {
                self.path = path;
                Do::Eval(body, env.bind(Slot::Var(value)), input, next)
            }
            Kind::ReduceInit { source, update, input, path } => {
                let height = self.choices.len();
                self.path = path.clone();
                attempt!(self.push(Choice::State { state: value, path, next }));
                self.eval_then(source, env, input, Kind::ReduceItem { height, update }, Next::default())
            }
            Kind::ReduceItem { height, update } => {
                let state = self.take_state(height);
                let env = env.bind(Slot::Var(value));
                if update.simple && self.path.is_none() {
                    let state = attempt!(self.simple(update, &env, state));
                    self.store(height, state);
                    return Do::Backtrack;
                }
                self.eval_then(update, env, state, Kind::ReduceStore { height }, next)
            }
            Kind::ReduceStore { height } => {
                self.store(height, value);
                Do::Backtrack
            }
            Kind::ForeachInit { source, update, extract, input, path } => {
                let height = self.choices.len();
                self.path = path;
                attempt!(self.push(Choice::Foreach { state: value }));
                self.eval_then(source, env, input, Kind::ForeachItem { height, update, extract }, next)
            }
            Kind::ForeachItem { height, update, extract } => {
                let state = self.take_state(height);
                let env = env.bind(Slot::Var(value));
                self.eval_then(update, env, state, Kind::ForeachStore { height, extract }, next)
            }
            Kind::ForeachStore { height, extract } => {
                self.store(height, value.clone());
                match extract {
                    Some(extract) => Do::Eval(extract, env, value, next),
                    None => Do::Return(value, next),
                }
            }
            Kind::Native { native, args, mut known, input, path } => {
                known.push(value);
                self.native(native, args, known, env, input, path, next)
            }
            Kind::Error => Do::Raise(Stop::Error(value)),
            Kind::Halt { input } => match value.as_number() {
                Some(status) => Do::Raise(Stop::Halt(status as i32, Some(input))),
                None => Do::Raise(Stop::Error(
                    format!("{} halt_error/1: number required", natives::described(&input)).into(),
                )),
            },
            Kind::Path { path } => {
                let keys = attempt!(self.finish_path(&value));
                self.path = path;
                Do::Return(Value::array(keys), next)
            }
            Kind::LimitCount { body, input, path } => {
                self.path = path;
                let left = match &value {
                    Value::Null | Value::Bool(_) => -1.0,
                    // What is no number cannot be counted down.
                    other => match other.as_number() {
                        Some(left) => left,
                        None => return Do::Raise(Stop::Error(natives::not_subtracted(other).into())),
                    },
                };
                if left < 0.0 {
                    return Do::Raise(Stop::Error("limit doesn't support negative count".into()));
                }
                if left == 0.0 {
                    return Do::Backtrack;
                }
                let height = self.choices.len();
                attempt!(self.push(Choice::Limit { left }));
                self.eval_then(body, env, input, Kind::Limit { height }, next)
            }
            Kind::Limit { height } => {
                if let Some(Choice::Limit { left }) = self.choices.get_mut(height) {
                    *left -= 1.0;
                    if *left <= 0.0 {
                        self.choices.truncate(height);
                    }
                }
                Do::Return(value, next)
            }
            Kind::First { height } => {
                self.choices.truncate(height);
                Do::Return(value, next)
            }
            Kind::Last { height } => {
                let path = self.path.clone();
                if let Some(Choice::Last { last, .. }) = self.choices.get_mut(height) {
                    *last = Some((value, path));
                }
                Do::Backtrack
            }
            Kind::RangeFrom { to, by, input, path } => {
                let kind = Kind::RangeTo { from: value, by, input: input.clone(), path };
                self.eval_then(to, env, input, kind, next)
            }
            Kind::RangeTo { from, by, input, path } => {
                let kind = Kind::RangeBy { from, to: value, path };
                match by {
                    Some(by) => self.eval_then(by, env, input, kind, next),
                    None => Do::Return(Value::Number(1.0), Self::frame(kind, env, next)),
                }
            }
            Kind::RangeBy { from, to, path } => match (from.as_number(), to.as_number(), value.as_number()) {
                (Some(from), Some(to), Some(by)) => self.range(from, to, by, path, next),
                _ => Do::Raise(Stop::Error("Range bounds must be numeric".into())),
            },
            Kind::SetValue { paths, input, path } => {
                if paths.place {
                    self.path = path;
                    return Do::Return(attempt!(self.set_place(paths, &env, input, value)), next);
                }
                let height = self.choices.len();
                attempt!(self.push(Choice::State { state: input.clone(), path, next }));
                self.track(&input);
                self.eval_then(paths, env, input, Kind::SetAt { height, value }, Next::default())
            }
            Kind::SetAt { height, value: wanted } => {
                let keys = attempt!(self.finish_path(&value));
                let mut state = self.take_state(height);
                attempt!(paths::set_path(&mut state, &keys, wanted));
                self.store(height, state);
                Do::Backtrack
            }
            Kind::MathUpdateValue { math, paths, input, path } => {
                if paths.place {
                    self.path = path;
                    return Do::Return(attempt!(self.math_update_place(math, paths, &env, input, value)), next);
                }
                let height = self.choices.len();
                attempt!(self.push(Choice::State { state: input.clone(), path, next }));
                self.track(&input);
                self.eval_then(paths, env, input, Kind::MathUpdateAt { height, math, value }, Next::default())
            }
            Kind::MathUpdateAt { height, math, value: operand } => {
                let keys = attempt!(self.finish_path(&value));
                let mut state = self.take_state(height);
                let old = attempt!(paths::take_path(&mut state, &keys));
                let new = attempt!(natives::math_update(math, old, operand));
                attempt!(paths::set_path(&mut state, &keys, new));
                self.store(height, state);
                Do::Backtrack
            }
            Kind::UpdateAt { height, update } => {
                let keys = attempt!(self.finish_path(&value));
                drop(value);
                self.path = None;
                let Some(Choice::Update { state, .. }) = self.choices.get_mut(height) else { return Do::Backtrack };
                let old = attempt!(paths::take_path(state, &keys));
                let pending = self.choices.len();
                if update.simple {
                    let new = attempt!(self.simple(update, &env, old));
                    return self.store_update(height, &keys, new);
                }
                attempt!(self.push(Choice::Gone { height, keys: keys.clone() }));
                self.eval_then(update, env, old, Kind::UpdateStore { height, keys, pending }, Next::default())
            }
            Kind::UpdateStore { height, keys, pending } => {
                // The first value counts.
                self.choices.truncate(pending);
                self.store_update(height, &keys, value)
            }
        }
    }

    /// A protected term gave a value: what follows is not protected.
    fn leave(&mut self, height: usize, value: Value, next: Next<'p>) -> Do<'p> {
        if self.choices.len() == height + 1 {
            self.choices.pop();
        } else {
            attempt!(self.push(Choice::Passed(height)));
        }
        Do::Return(value, next)
    }

    fn take_state(&mut self, height: usize) -> Value {
        match self.choices.get_mut(height) {
            Some(Choice::State { state, .. } | Choice::Foreach { state }) => std::mem::take(state),
            _ => Value::Null,
        }
    }

    fn store(&mut self, height: usize, value: Value) {
        if let Some(Choice::State { state, .. } | Choice::Foreach { state }) = self.choices.get_mut(height) {
            *state = value;
        }
    }

    fn store_update(&mut self, height: usize, keys: &[Value], value: Value) -> Do<'p> {
        if let Some(Choice::Update { state, .. }) = self.choices.get_mut(height) {
            attempt!(paths::set_path(state, keys, value));
        }
        Do::Backtrack
    }
}

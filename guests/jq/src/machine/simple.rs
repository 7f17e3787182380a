//! Terms that give exactly one value: run at once, by recursion no deeper than the term is high.

use super::env::{Env, Slot};
use super::resume::slice_key;
use super::{Machine, Outcome, Stop};
use crate::natives;
use crate::paths;
use crate::syntax::Math;
use crate::term::{Op, Piece, Term};
use crate::value::{Object, Value};

impl<'p> Machine<'p, '_> {
    /// With an input that may be used up: what nobody else holds is changed in place.
    pub(super) fn simple(&mut self, term: &'p Term, env: &Env<'p>, input: Value) -> Outcome<Value> {
        match &term.op {
            Op::Identity => Ok(input),
            Op::Pipe(stages) => {
                let mut value = input;
                for stage in stages {
                    value = self.simple(stage, env, value)?;
                }
                Ok(value)
            }
            Op::Math(math, left, right) => {
                let right = self.simple_ref(right, env, &input)?;
                let left = self.simple(left, env, input)?;
                Ok(natives::math(*math, left, right)?)
            }
            Op::If { condition, then, otherwise } => {
                let yes = self.simple_ref(condition, env, &input)?.is_true();
                self.simple(if yes { then } else { otherwise }, env, input)
            }
            Op::As { source, body } => {
                let value = self.simple_ref(source, env, &input)?;
                self.simple(body, &env.bind(Slot::Var(value)), input)
            }
            Op::Set { paths, value } => {
                let value = self.simple_ref(value, env, &input)?;
                self.set_place(paths, env, input, value)
            }
            Op::MathUpdate { math, paths, value } => {
                let value = self.simple_ref(value, env, &input)?;
                self.math_update_place(*math, paths, env, input, value)
            }
            Op::Update { paths, update } => {
                let mut keys = Vec::new();
                self.place(paths, env, &input, &mut keys)?;
                let mut state = input;
                let old = paths::take_path(&mut state, &keys)?;
                let new = self.simple(update, env, old)?;
                paths::set_path(&mut state, &keys, new)?;
                Ok(state)
            }
            Op::Native { native, args } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.simple_ref(arg, env, &input)?);
                }
                Ok(native.run(&mut self.context, input, &mut values)?)
            }
            _ => self.simple_ref(term, env, &input),
        }
    }

    pub(super) fn simple_ref(&mut self, term: &'p Term, env: &Env<'p>, input: &Value) -> Outcome<Value> {
        match &term.op {
            Op::Identity => Ok(input.clone()),
            Op::Literal(value) => Ok(value.clone()),
            Op::Var(up) => Ok(env.var(*up).clone()),
            Op::Field { base, key, .. } => {
                if let Op::Identity = base.op {
                    return Ok(paths::get_field(input, key)?);
                }
                let base = self.simple_ref(base, env, input)?;
                Ok(paths::get_field(&base, key)?)
            }
            Op::Index { base, key, .. } => {
                let key = self.simple_ref(key, env, input)?;
                let base = self.simple_ref(base, env, input)?;
                Ok(paths::get(&base, &key)?)
            }
            Op::Slice { base, from, to, .. } => {
                let from = self.bound(from.as_deref(), env, input)?;
                let to = self.bound(to.as_deref(), env, input)?;
                let base = self.simple_ref(base, env, input)?;
                Ok(paths::get(&base, &slice_key(from, to))?)
            }
            Op::Text { format, pieces } => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(plain) => text += plain,
                        Piece::Value(term) => {
                            let value = self.simple_ref(term, env, input)?;
                            text += &natives::format(*format, &value)?;
                        }
                    }
                }
                Ok(text.into())
            }
            Op::Format(format) => Ok(natives::format(*format, input)?.into()),
            Op::Array(inner) => {
                let items = match inner {
                    Some(inner) => vec![self.simple_ref(inner, env, input)?],
                    None => Vec::new(),
                };
                Ok(Value::array(items))
            }
            Op::Object(entries) => {
                let mut object = Object::default();
                for (key, value) in entries {
                    let key = match self.simple_ref(key, env, input)? {
                        Value::String(key) => key,
                        other => return Err(natives::bad_key(&other).into()),
                    };
                    object.insert(key, self.simple_ref(value, env, input)?);
                }
                Ok(Value::object(object))
            }
            Op::Negate(inner) => Ok(natives::negate(self.simple_ref(inner, env, input)?)?),
            Op::Math(math, left, right) => {
                let right = self.simple_ref(right, env, input)?;
                let left = self.simple_ref(left, env, input)?;
                Ok(natives::math(*math, left, right)?)
            }
            Op::Compare(comparison, left, right) => {
                let right = self.simple_ref(right, env, input)?;
                let left = self.simple_ref(left, env, input)?;
                Ok(natives::compare(*comparison, &left, &right)?)
            }
            Op::And(left, right) => {
                let yes = self.simple_ref(left, env, input)?.is_true() && self.simple_ref(right, env, input)?.is_true();
                Ok(yes.into())
            }
            Op::Or(left, right) => {
                let yes = self.simple_ref(left, env, input)?.is_true() || self.simple_ref(right, env, input)?.is_true();
                Ok(yes.into())
            }
            Op::Alternative(first, other) => match self.simple_ref(first, env, input)? {
                value if value.is_true() => Ok(value),
                _ => self.simple_ref(other, env, input),
            },
            Op::Try { body, catch: Some(catch) } => match self.simple_ref(body, env, input) {
                Err(Stop::Error(error)) => self.simple(catch, env, error),
                other => other,
            },
            Op::If { condition, then, otherwise } => {
                let yes = self.simple_ref(condition, env, input)?.is_true();
                self.simple_ref(if yes { then } else { otherwise }, env, input)
            }
            Op::As { source, body } => {
                let value = self.simple_ref(source, env, input)?;
                self.simple_ref(body, &env.bind(Slot::Var(value)), input)
            }
            Op::Pipe(stages) => {
                let Some((first, rest)) = stages.split_first() else { return Ok(input.clone()) };
                let mut value = self.simple_ref(first, env, input)?;
                for stage in rest {
                    value = self.simple(stage, env, value)?;
                }
                Ok(value)
            }
            Op::GetPath(keys) => {
                let keys = self.simple_ref(keys, env, input)?;
                match keys.as_array() {
                    Some(keys) => Ok(paths::get_path(input, keys)?),
                    None => Err(Stop::Error("Path must be specified as an array".into())),
                }
            }
            Op::Native { .. } | Op::Set { .. } | Op::MathUpdate { .. } | Op::Update { .. } => {
                self.simple(term, env, input.clone())
            }
            _ => Err(Stop::Error("not a simple term".into())),
        }
    }

    fn bound(&mut self, term: Option<&'p Term>, env: &Env<'p>, input: &Value) -> Outcome<Value> {
        term.map_or(Ok(Value::Null), |term| self.simple_ref(term, env, input))
    }

    /// The keys of the one place a term names.
    fn place(&mut self, term: &'p Term, env: &Env<'p>, input: &Value, keys: &mut Vec<Value>) -> Outcome<()> {
        match &term.op {
            Op::Field { base, key, .. } => {
                self.place(base, env, input, keys)?;
                keys.push(Value::String(key.clone()));
            }
            Op::Index { base, key, .. } => {
                let key = self.simple_ref(key, env, input)?;
                self.place(base, env, input, keys)?;
                keys.push(key);
            }
            Op::Slice { base, from, to, .. } => {
                let from = self.bound(from.as_deref(), env, input)?;
                let to = self.bound(to.as_deref(), env, input)?;
                self.place(base, env, input, keys)?;
                keys.push(slice_key(from, to));
            }
            Op::GetPath(path) => {
                let path = self.simple_ref(path, env, input)?;
                match path.as_array() {
                    Some(path) => keys.extend_from_slice(path),
                    None => return Err(Stop::Error("Path must be specified as an array".into())),
                }
            }
            Op::Pipe(stages) => {
                let mut at = input.clone();
                for (n, stage) in stages.iter().enumerate() {
                    let from = keys.len();
                    self.place(stage, env, &at, keys)?;
                    if n + 1 < stages.len() {
                        at = paths::get_path(&at, &keys[from..])?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn set_place(&mut self, paths: &'p Term, env: &Env<'p>, input: Value, value: Value) -> Outcome<Value> {
        let mut keys = Vec::new();
        self.place(paths, env, &input, &mut keys)?;
        let mut state = input;
        paths::set_path(&mut state, &keys, value)?;
        Ok(state)
    }

    pub(super) fn math_update_place(
        &mut self,
        math: Option<Math>,
        paths: &'p Term,
        env: &Env<'p>,
        input: Value,
        value: Value,
    ) -> Outcome<Value> {
        let mut keys = Vec::new();
        self.place(paths, env, &input, &mut keys)?;
        let mut state = input;
        let old = paths::take_path(&mut state, &keys)?;
        let new = natives::math_update(math, old, value)?;
        paths::set_path(&mut state, &keys, new)?;
        Ok(state)
    }
}

//! JSON values: shared, copied when written to while shared.

mod object;

use crate::number::Literal;
pub use object::Object;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

/// A string. The buffer is a `String` so that appending to one that nobody else holds is cheap.
pub type Text = Rc<String>;

#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    /// A number whose text says more than a double holds.
    Literal(Rc<Literal>),
    String(Text),
    Array(Rc<Array>),
    Object(Rc<Object>),
}

/// The items of an array.
#[derive(Clone, Debug, Default)]
pub struct Array(pub Vec<Value>);

/// How deep the drop of nested values may recurse before the rest is put off.
const DROP_DEPTH: u32 = 200;

/// Values nested deeper are not compared: whoever compares asks [`too_deep`].
const MAX_COMPARED: usize = 10_000;

thread_local! {
    static TOO_DEEP: Cell<bool> = const { Cell::new(false) };
    static DROPPING: Cell<u32> = const { Cell::new(0) };
    static LATER: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Drops values that may be nested deeper than the stack is.
fn bury(values: impl Iterator<Item = Value>) {
    let depth = DROPPING.get();
    if depth >= DROP_DEPTH {
        LATER.with_borrow_mut(|later| later.extend(values.filter(Value::is_container)));
        return;
    }
    DROPPING.set(depth + 1);
    values.for_each(drop);
    DROPPING.set(depth);
    if depth == 0 {
        while let Some(value) = LATER.with_borrow_mut(Vec::pop) {
            DROPPING.set(1);
            drop(value);
            DROPPING.set(0);
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if self.0.iter().any(Value::is_container) {
            bury(std::mem::take(&mut self.0).into_iter());
        }
    }
}

impl Value {
    pub fn text(text: impl Into<String>) -> Value {
        Value::String(Rc::new(text.into()))
    }

    pub fn array(items: Vec<Value>) -> Value {
        Value::Array(Rc::new(Array(items)))
    }

    pub fn object(object: Object) -> Value {
        Value::Object(Rc::new(object))
    }

    pub fn is_container(&self) -> bool {
        matches!(self, Value::Array(_) | Value::Object(_))
    }

    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Null | Value::Bool(false))
    }

    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(n) => Some(*n),
            Value::Literal(literal) => Some(literal.value),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(array) => Some(&array.0),
            _ => None,
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) | Value::Literal(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }

    /// Whether it is the very same value, not only an equal one.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            (Value::Literal(a), Value::Literal(b)) => Rc::ptr_eq(a, b),
            (Value::String(a), Value::String(b)) => Rc::ptr_eq(a, b),
            (Value::Array(a), Value::Array(b)) => Rc::ptr_eq(a, b),
            (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) | Value::Literal(_) => 3,
            Value::String(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        }
    }

    /// The order of two values that hold no others; `None` when both are arrays or both are objects.
    fn scalar_order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => Some(number_order(*a, *b)),
            (Value::Literal(a), Value::Literal(b)) => Some(a.compare(b)),
            (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => None,
            _ => match (self.as_number(), other.as_number()) {
                (Some(a), Some(b)) => Some(number_order(a, b)),
                _ => Some(self.rank().cmp(&other.rank())),
            },
        }
    }

    /// jq's order: null, false, true, numbers, strings, arrays, objects.
    pub fn compare(&self, other: &Value) -> Ordering {
        if let Some(order) = self.scalar_order(other) {
            return order;
        }
        // Pairs still to compare, innermost first: values nest deeper than the stack does.
        let mut open: Vec<Pairs> = Vec::new();
        match Pairs::open(self, other) {
            Ok(pairs) => open.push(pairs),
            Err(order) => return order,
        }
        let mut depth = 1;
        while let Some(top) = open.last_mut() {
            if depth > MAX_COMPARED {
                TOO_DEEP.set(true);
                return Ordering::Equal;
            }
            let Some((a, b)) = top.next() else {
                let order = top.rest();
                if order != Ordering::Equal {
                    return order;
                }
                open.pop();
                depth -= 1;
                continue;
            };
            match a.scalar_order(b) {
                Some(Ordering::Equal) => {}
                Some(order) => return order,
                None => match Pairs::open(a, b) {
                    Ok(pairs) => {
                        open.push(pairs);
                        depth += 1;
                    }
                    Err(order) => return order,
                },
            }
        }
        Ordering::Equal
    }
}

/// Whether a comparison since the last question met values nested too deeply to compare.
pub fn too_deep() -> bool {
    TOO_DEEP.take()
}

/// Not a number comes before every number, itself too.
pub fn number_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(if a.is_nan() { Ordering::Less } else { Ordering::Greater })
}

/// Two containers of the same kind, walked side by side.
enum Pairs<'a> {
    Arrays(&'a [Value], &'a [Value], usize),
    /// Objects have the same keys when it comes to their values.
    Objects(Vec<(&'a Value, &'a Value)>, usize),
}

impl<'a> Pairs<'a> {
    fn open(a: &'a Value, b: &'a Value) -> Result<Pairs<'a>, Ordering> {
        match (a, b) {
            (Value::Array(a), Value::Array(b)) => Ok(Pairs::Arrays(&a.0, &b.0, 0)),
            (Value::Object(a), Value::Object(b)) => {
                let (left, right) = (a.sorted(), b.sorted());
                let keys = left.iter().map(|e| e.0.as_bytes()).cmp(right.iter().map(|e| e.0.as_bytes()));
                if keys != Ordering::Equal {
                    return Err(keys);
                }
                Ok(Pairs::Objects(left.into_iter().zip(right).map(|(l, r)| (l.1, r.1)).collect(), 0))
            }
            _ => Err(a.rank().cmp(&b.rank())),
        }
    }

    fn next(&mut self) -> Option<(&'a Value, &'a Value)> {
        match self {
            Pairs::Arrays(a, b, at) => {
                let pair = (a.get(*at)?, b.get(*at)?);
                *at += 1;
                Some(pair)
            }
            Pairs::Objects(pairs, at) => {
                let pair = *pairs.get(*at)?;
                *at += 1;
                Some(pair)
            }
        }
    }

    fn rest(&self) -> Ordering {
        match self {
            Pairs::Arrays(a, b, _) => a.len().cmp(&b.len()),
            Pairs::Objects(..) => Ordering::Equal,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::String(a), Value::String(b)) => Rc::ptr_eq(a, b) || a == b,
            (Value::Array(a), Value::Array(b)) if a.0.len() != b.0.len() => false,
            (Value::Object(a), Value::Object(b)) if a.len() != b.len() => false,
            _ => self.compare(other) == Ordering::Equal,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Number(value)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Value {
        Value::Number(value as f64)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::text(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::text(value)
    }
}

impl From<Vec<Value>> for Value {
    fn from(value: Vec<Value>) -> Value {
        Value::array(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_values_are_compared_and_dropped() {
        let build = |depth: usize| {
            let mut value = Value::Null;
            for _ in 0..depth {
                value = Value::array(vec![value]);
            }
            value
        };
        assert!(build(5000) == build(5000));
        assert!(!too_deep());
        assert!(build(200_000) == build(200_000));
        assert!(too_deep());
    }

    #[test]
    fn order_of_kinds() {
        let mut values = [
            Value::object(Object::default()),
            Value::array(vec![]),
            Value::from("a"),
            Value::from(1.0),
            Value::Bool(true),
            Value::Bool(false),
            Value::Null,
        ];
        values.sort_by(Value::compare);
        let kinds: Vec<_> = values.iter().map(Value::kind).collect();
        assert_eq!(kinds, ["null", "boolean", "boolean", "number", "string", "array", "object"]);
    }
}

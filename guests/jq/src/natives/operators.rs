//! `+ - * / %`, comparisons, the sign.

use super::{Result, described, wrong, wrong_pair};
use crate::paths;
use crate::syntax::{Comparison, Math};
use crate::value::{Value, too_deep};
use std::cmp::Ordering;
use std::rc::Rc;

/// A repeated string is no longer than this.
const MAX_TEXT: f64 = 536_870_911.0;

pub fn math(math: Math, a: Value, b: Value) -> Result<Value> {
    match math {
        Math::Add => add(a, b),
        Math::Subtract => subtract(a, b),
        Math::Multiply => multiply(a, b),
        Math::Divide => divide(&a, &b),
        Math::Remainder => remainder(&a, &b),
    }
}

/// The new value of `old OP= operand`; without a sign it is `//=`.
pub fn math_update(sign: Option<Math>, old: Value, operand: Value) -> Result<Value> {
    match sign {
        Some(sign) => math(sign, old, operand),
        None => Ok(if old.is_true() { old } else { operand }),
    }
}

pub fn add(a: Value, b: Value) -> Result<Value> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Ok(Value::Number(a + b)),
        (Value::Null, b) => Ok(b),
        (a, Value::Null) => Ok(a),
        (Value::String(mut a), Value::String(b)) => {
            if a.is_empty() {
                return Ok(Value::String(b));
            }
            Rc::make_mut(&mut a).push_str(&b);
            Ok(Value::String(a))
        }
        (Value::Array(mut a), Value::Array(b)) => {
            if a.0.is_empty() {
                return Ok(Value::Array(b));
            }
            let items = &mut Rc::make_mut(&mut a).0;
            match Rc::try_unwrap(b) {
                Ok(mut b) => items.append(&mut b.0),
                Err(b) => items.extend_from_slice(&b.0),
            }
            Ok(Value::Array(a))
        }
        (Value::Object(mut a), Value::Object(b)) => {
            if a.is_empty() {
                return Ok(Value::Object(b));
            }
            let object = Rc::make_mut(&mut a);
            for (key, value) in b.entries() {
                object.insert(key.clone(), value.clone());
            }
            Ok(Value::Object(a))
        }
        (a, b) => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => Ok(Value::Number(a + b)),
            _ => wrong_pair(&a, &b, "added"),
        },
    }
}

fn subtract(a: Value, b: Value) -> Result<Value> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(Value::Number(a - b));
    }
    match (a, b) {
        (Value::Array(mut a), Value::Array(b)) => {
            Rc::make_mut(&mut a).0.retain(|item| !b.0.contains(item));
            Ok(Value::Array(a))
        }
        (a, b) => wrong_pair(&a, &b, "subtracted"),
    }
}

fn multiply(a: Value, b: Value) -> Result<Value> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(Value::Number(a * b));
    }
    match (a, b) {
        (Value::String(text), count) | (count, Value::String(text)) if count.as_number().is_some() => {
            let count = count.as_number().unwrap_or(0.0);
            if count < 0.0 || count.is_nan() {
                return Ok(Value::Null);
            }
            let count = count.floor();
            if count * text.len() as f64 > MAX_TEXT {
                return Err("Repeat string result too long".into());
            }
            Ok(text.repeat(count as usize).into())
        }
        (mut a @ Value::Object(_), b @ Value::Object(_)) => {
            paths::merge(&mut a, b)?;
            Ok(a)
        }
        (a, b) => wrong_pair(&a, &b, "multiplied"),
    }
}

fn divide(a: &Value, b: &Value) -> Result<Value> {
    if let (Some(x), Some(y)) = (a.as_number(), b.as_number()) {
        if y == 0.0 {
            return wrong_pair(a, b, "divided because the divisor is zero");
        }
        return Ok(Value::Number(x / y));
    }
    match (a, b) {
        (Value::String(text), Value::String(by)) => Ok(super::texts::split(text, by)),
        _ => wrong_pair(a, b, "divided"),
    }
}

fn remainder(a: &Value, b: &Value) -> Result<Value> {
    let (Some(x), Some(y)) = (a.as_number(), b.as_number()) else {
        return wrong_pair(a, b, "divided (remainder)");
    };
    if x.is_nan() || y.is_nan() {
        return Ok(Value::Number(f64::NAN));
    }
    // Integers, cut to what fits.
    let (n, by) = (x as i64, (y as i64).unsigned_abs());
    if by == 0 {
        return wrong_pair(a, b, "divided (remainder) because the divisor is zero");
    }
    let rest = (n.unsigned_abs() % by) as i64;
    Ok(Value::Number(if n < 0 { -rest } else { rest } as f64))
}

pub fn compare(comparison: Comparison, a: &Value, b: &Value) -> Result<Value> {
    let holds = match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Less => a.compare(b) == Ordering::Less,
        Comparison::LessEqual => a.compare(b) != Ordering::Greater,
        Comparison::Greater => a.compare(b) == Ordering::Greater,
        Comparison::GreaterEqual => a.compare(b) != Ordering::Less,
    };
    if too_deep() {
        return Err(match comparison {
            Comparison::Equal | Comparison::NotEqual => "Equality check too deep".into(),
            _ => "Comparison too deep".into(),
        });
    }
    Ok(Value::Bool(holds))
}

pub fn negate(value: Value) -> Result<Value> {
    match &value {
        // Zero has no sign of its own in decimal arithmetic.
        Value::Number(n) => Ok(Value::Number(if *n == 0.0 { 0.0 } else { -n })),
        Value::Literal(literal) => Ok(Value::Literal(Rc::new(literal.negated()))),
        other => wrong(other, "cannot be negated"),
    }
}

/// The message of `value - 1`.
pub fn not_subtracted(value: &Value) -> String {
    format!("{} and {} cannot be subtracted", described(value), described(&Value::Number(1.0)))
}

/// The number a value has to be.
pub fn number(value: &Value) -> Result<f64> {
    value.as_number().ok_or_else(|| format!("{} number required", described(value)))
}

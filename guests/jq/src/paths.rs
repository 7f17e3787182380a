//! Getting, setting and deleting along paths.

use crate::natives::described;
use crate::value::{Array, Object, Text, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// An array grows to no more items by setting one: a typing mistake must not take all memory.
const MAX_INDEX: f64 = 536_870_911.0;

/// Paths are no longer than values can be deep.
const MAX_PATH: usize = 10_000;

type Result<T> = std::result::Result<T, String>;

fn check_length(keys: &[Value]) -> Result<()> {
    if keys.len() > MAX_PATH { Err("Path too deep".into()) } else { Ok(()) }
}

fn cannot_index(value: &Value, key: &Value) -> String {
    format!("Cannot index {} with {}", value.kind(), described(key))
}

/// `.key`
pub fn get_field(value: &Value, key: &Text) -> Result<Value> {
    match value {
        Value::Object(object) => Ok(object.get(key).cloned().unwrap_or_default()),
        Value::Null => Ok(Value::Null),
        _ => Err(cannot_index(value, &Value::String(key.clone()))),
    }
}

/// Where an index points in an array of this length, if anywhere.
fn position(index: f64, len: usize) -> Option<usize> {
    let at = index.floor();
    let at = if at < 0.0 { at + len as f64 } else { at };
    (at >= 0.0 && at < len as f64).then_some(at as usize)
}

const BAD_SLICE: &str = "Array/string slice indices must be integers";

/// The bounds of a slice of this length.
fn bounds(key: &Object, len: usize) -> Result<(usize, usize)> {
    let read = |name: &str, otherwise: f64| match key.get(name) {
        None | Some(Value::Null) => Ok(otherwise),
        Some(value) => value.as_number().ok_or_else(|| BAD_SLICE.to_owned()),
    };
    if !key.contains("start") || !key.contains("end") {
        return Err(BAD_SLICE.into());
    }
    let size = len as f64;
    let (mut from, mut to) = (read("start", 0.0)?, read("end", size)?);
    from += if from < 0.0 { size } else { 0.0 };
    to += if to < 0.0 { size } else { 0.0 };
    let from = from.clamp(0.0, size).floor() as usize;
    let to = to.clamp(0.0, size).ceil() as usize;
    Ok((from, to.max(from)))
}

/// `value[key]`
pub fn get(value: &Value, key: &Value) -> Result<Value> {
    match (value, key) {
        (Value::Object(_), Value::String(key)) => get_field(value, key),
        (Value::Array(array), Value::Number(_) | Value::Literal(_)) => {
            let index = key.as_number().unwrap_or(f64::NAN);
            Ok(position(index, array.0.len()).and_then(|at| array.0.get(at)).cloned().unwrap_or_default())
        }
        (Value::Array(array), Value::Object(slice)) => {
            let (from, to) = bounds(slice, array.0.len())?;
            Ok(Value::array(array.0[from..to].to_vec()))
        }
        (Value::String(text), Value::Object(slice)) => {
            let len = if text.is_ascii() { text.len() } else { text.chars().count() };
            let (from, to) = bounds(slice, len)?;
            if text.is_ascii() {
                return Ok(Value::from(&text[from..to]));
            }
            Ok(text.chars().skip(from).take(to - from).collect::<String>().into())
        }
        (Value::Array(array), Value::Array(wanted)) => Ok(indices_of(&array.0, &wanted.0)),
        (Value::Null, Value::String(_) | Value::Number(_) | Value::Literal(_) | Value::Object(_)) => Ok(Value::Null),
        _ => Err(cannot_index(value, key)),
    }
}

/// Where a run of items starts in an array.
pub fn indices_of(items: &[Value], wanted: &[Value]) -> Value {
    if wanted.is_empty() {
        return Value::array(Vec::new());
    }
    let found = items.windows(wanted.len()).enumerate().filter(|(_, run)| *run == wanted);
    Value::array(found.map(|(at, _)| Value::from(at)).collect())
}

/// `getpath`: beyond null everything is null.
pub fn get_path(value: &Value, keys: &[Value]) -> Result<Value> {
    check_length(keys)?;
    let mut at = value.clone();
    for key in keys {
        if matches!(at, Value::Null) {
            return Ok(Value::Null);
        }
        at = get(&at, key)?;
    }
    Ok(at)
}

/// Takes the value at a path out, to be set again: what nobody else holds is not copied. Null where there is none.
pub fn take_path(root: &mut Value, keys: &[Value]) -> Result<Value> {
    let mut at = root;
    for (n, key) in keys.iter().enumerate() {
        at = match (at, key) {
            (Value::Object(object), Value::String(key)) => {
                if !object.contains(key) {
                    return Ok(Value::Null);
                }
                Rc::make_mut(object).slot(key)
            }
            (Value::Array(array), Value::Number(index)) => match position(*index, array.0.len()) {
                Some(at) => &mut Rc::make_mut(array).0[at],
                None => return Ok(Value::Null),
            },
            (other, _) => return get_path(other, &keys[n..]),
        };
    }
    Ok(std::mem::take(at))
}

/// `setpath`, in place.
pub fn set_path(root: &mut Value, keys: &[Value], value: Value) -> Result<()> {
    check_length(keys)?;
    let mut at = root;
    for (n, key) in keys.iter().enumerate() {
        at = match key {
            Value::String(key) => {
                if matches!(at, Value::Null) {
                    *at = Value::object(Object::default());
                }
                match at {
                    Value::Object(object) => Rc::make_mut(object).slot(key),
                    other => return Err(cannot_index(other, &Value::String(key.clone()))),
                }
            }
            Value::Number(_) | Value::Literal(_) => {
                if matches!(at, Value::Null) {
                    *at = Value::array(Vec::new());
                }
                match at {
                    Value::Array(array) => item_slot(array, key.as_number().unwrap_or(0.0))?,
                    other => return Err(cannot_index(other, key)),
                }
            }
            Value::Object(slice) => {
                let mut part = get(at, key)?;
                set_path(&mut part, &keys[n + 1..], value)?;
                return set_slice(at, slice, part);
            }
            other => {
                get(at, other)?;
                return Err(format!("Cannot update field at {} index of {}", other.kind(), at.kind()));
            }
        };
    }
    *at = value;
    Ok(())
}

fn item_slot(array: &mut Rc<Array>, index: f64) -> Result<&mut Value> {
    let items = &mut Rc::make_mut(array).0;
    let mut at = if index.is_nan() { 0.0 } else { index.floor() };
    if at < 0.0 {
        at += items.len() as f64;
        if at < 0.0 {
            return Err("Out of bounds negative array index".into());
        }
    }
    if at > MAX_INDEX {
        return Err("Array index too large".into());
    }
    let at = at as usize;
    if at >= items.len() {
        items.resize(at + 1, Value::Null);
    }
    Ok(&mut items[at])
}

fn set_slice(at: &mut Value, slice: &Object, part: Value) -> Result<()> {
    if matches!(at, Value::Null) {
        *at = Value::array(Vec::new());
    }
    let array = match at {
        Value::Array(array) => array,
        Value::String(_) => return Err("Cannot update string slices".into()),
        other => return Err(format!("Cannot update field at object index of {}", other.kind())),
    };
    let Value::Array(part) = part else {
        return Err("A slice of an array can only be assigned another array".into());
    };
    let (from, to) = bounds(slice, array.0.len())?;
    Rc::make_mut(array).0.splice(from..to, part.0.iter().cloned());
    Ok(())
}

/// `delpaths`: the last paths first, so that indices stay what they were.
pub fn delete(mut root: Value, mut paths: Vec<Value>) -> Result<Value> {
    for path in &paths {
        match path.as_array() {
            Some(keys) => check_length(keys)?,
            None => return Err(format!("Path must be specified as array, not {}", path.kind())),
        }
    }
    paths.sort_by(|a, b| b.compare(a));
    let mut rest = &paths[..];
    while let Some(first) = rest.first().and_then(Value::as_array) {
        let Some((last, parent)) = first.split_last() else { return Ok(Value::Null) };
        // All that go from the same parent go at once.
        let same =
            |path: &Value| path.as_array().is_some_and(|p| p.len() == first.len() && p[..parent.len()] == *parent);
        let count = rest.iter().take_while(|path| same(path)).count();
        let mut keys: Vec<&Value> = rest[..count].iter().filter_map(|p| p.as_array()?.last()).collect();
        keys.push(last);
        delete_below(&mut root, parent, &keys)?;
        rest = &rest[count..];
    }
    Ok(root)
}

fn delete_below(root: &mut Value, parent: &[Value], keys: &[&Value]) -> Result<()> {
    let mut at = root;
    for (n, key) in parent.iter().enumerate() {
        at = match (at, key) {
            (Value::Null, _) => return Ok(()),
            (Value::Object(object), Value::String(key)) => {
                if !object.contains(key) {
                    return Ok(());
                }
                Rc::make_mut(object).slot(key)
            }
            (Value::Array(array), Value::Number(index)) => match position(*index, array.0.len()) {
                Some(at) => &mut Rc::make_mut(array).0[at],
                None => return Ok(()),
            },
            (other, key) => {
                // A slice: what is deleted is deleted from a copy of it.
                let mut part = get(other, key)?;
                delete_below(&mut part, &parent[n + 1..], keys)?;
                return set_path(other, std::slice::from_ref(key), part);
            }
        };
    }
    delete_keys(at, keys)
}

fn delete_keys(at: &mut Value, keys: &[&Value]) -> Result<()> {
    match at {
        Value::Null => Ok(()),
        Value::Object(object) => {
            let mut names = Vec::new();
            for key in keys {
                match key {
                    Value::String(name) => names.push(name.as_str()),
                    other => return Err(format!("Cannot delete {} field of object", other.kind())),
                }
            }
            Rc::make_mut(object).remove(&names);
            Ok(())
        }
        Value::Array(array) => {
            let len = array.0.len();
            let mut ranges = Vec::new();
            for key in keys {
                match key {
                    Value::Number(_) | Value::Literal(_) => {
                        ranges.extend(position(key.as_number().unwrap_or(f64::NAN), len).map(|at| (at, at + 1)));
                    }
                    Value::Object(slice) => ranges.push(bounds(slice, len)?),
                    other => return Err(format!("Cannot delete {} element of array", other.kind())),
                }
            }
            ranges.sort_unstable();
            let (mut at, mut next) = (0, 0);
            Rc::make_mut(array).0.retain(|_| {
                while next < ranges.len() && ranges[next].1 <= at {
                    next += 1;
                }
                let gone = ranges[next..].iter().take_while(|r| r.0 <= at).any(|r| at < r.1);
                at += 1;
                !gone
            });
            Ok(())
        }
        other => Err(format!("Cannot delete fields from {}", other.kind())),
    }
}

/// `has`
pub fn has(value: &Value, key: &Value) -> Result<bool> {
    match (value, key) {
        (Value::Null, _) => Ok(false),
        (Value::Object(object), Value::String(key)) => Ok(object.contains(key)),
        (Value::Array(array), Value::Number(_) | Value::Literal(_)) => {
            let index = key.as_number().unwrap_or(f64::NAN);
            Ok(index >= 0.0 && index < array.0.len() as f64)
        }
        _ => Err(format!("Cannot check whether {} has a {} key", value.kind(), key.kind())),
    }
}

/// How deep `contains` and `*` go into values: they recurse.
const MAX_DEPTH: usize = 1000;

/// `contains`
pub fn contains(value: &Value, wanted: &Value) -> Result<bool> {
    contains_within(value, wanted, 0)
}

fn contains_within(value: &Value, wanted: &Value, depth: usize) -> Result<bool> {
    if depth > MAX_DEPTH {
        return Err("containment check is nested too deeply".into());
    }
    match (value, wanted) {
        (Value::Object(object), Value::Object(wanted)) => {
            for (key, wanted) in wanted.entries() {
                match object.get(key) {
                    Some(value) if contains_equal(value, wanted, depth)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(array), Value::Array(wanted)) => {
            for wanted in &wanted.0 {
                let mut found = false;
                for value in &array.0 {
                    if contains_equal(value, wanted, depth)? {
                        found = true;
                        break;
                    }
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::String(text), Value::String(wanted)) => {
            Ok(memchr::memmem::find(text.as_bytes(), wanted.as_bytes()).is_some())
        }
        _ if value.kind() == wanted.kind() => Ok(value.compare(wanted) == Ordering::Equal),
        _ => Err(format!("{} and {} cannot have their containment checked", described(value), described(wanted))),
    }
}

/// Inside of containers other kinds are only different.
fn contains_equal(value: &Value, wanted: &Value, depth: usize) -> Result<bool> {
    if value.kind() != wanted.kind() {
        return Ok(false);
    }
    contains_within(value, wanted, depth + 1)
}

/// `*` of objects: objects that meet are merged.
pub fn merge(into: &mut Value, from: Value) -> Result<()> {
    merge_within(into, from, 0)
}

fn merge_within(into: &mut Value, from: Value, depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err("objects are nested too deeply to be merged".into());
    }
    match (&mut *into, &from) {
        (Value::Object(object), Value::Object(other)) => {
            let object = Rc::make_mut(object);
            for (key, value) in other.entries() {
                let slot = object.slot(key);
                match (&*slot, value) {
                    (Value::Object(_), Value::Object(_)) => merge_within(slot, value.clone(), depth + 1)?,
                    _ => *slot = value.clone(),
                }
            }
        }
        _ => *into = from,
    }
    Ok(())
}

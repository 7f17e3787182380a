//! Arrays and objects: keys, order, groups, paths, streams.

use super::operators::add;
use super::{Native, Result, described, native, wrong, wrong_pair};
use crate::paths;
use crate::value::{Object, Value};
use std::cmp::Ordering;
use std::rc::Rc;

pub const TABLE: &[Native] = &[
    native("length", 0, |_, input, _| length(&input)),
    native("keys", 0, |_, input, _| keys(&input, true)),
    native("keys_unsorted", 0, |_, input, _| keys(&input, false)),
    native("to_entries", 0, |_, input, _| to_entries(&input)),
    native("from_entries", 0, |_, input, _| from_entries(&input)),
    native("has", 1, |_, input, args| Ok(paths::has(&input, &args[0])?.into())),
    native("contains", 1, |_, input, args| Ok(paths::contains(&input, &args[0])?.into())),
    native("type", 0, |_, input, _| Ok(input.kind().into())),
    native("add", 0, |_, input, _| {
        let mut sum = Value::Null;
        for value in items(&input)? {
            sum = add(sum, value)?;
        }
        Ok(sum)
    }),
    native("reverse", 0, |_, input, _| reverse(&input)),
    native("sort", 0, |_, input, _| match input {
        Value::Array(mut array) => {
            Rc::make_mut(&mut array).0.sort_by(Value::compare);
            Ok(Value::Array(array))
        }
        other => wrong(&other, "cannot be sorted, as it is not an array"),
    }),
    native("_sort_by", 1, |_, input, args| {
        Ok(Value::array(sorted_by(&input, &args[0])?.into_iter().map(|p| p.1).collect()))
    }),
    native("_group_by", 1, |_, input, args| {
        Ok(Value::array(groups(&input, &args[0])?.into_iter().map(Value::array).collect()))
    }),
    native("_unique_by", 1, |_, input, args| {
        let firsts = groups(&input, &args[0])?.into_iter().filter_map(|group| group.into_iter().next());
        Ok(Value::array(firsts.collect()))
    }),
    native("_min_by", 1, |_, input, args| extreme(&input, &args[0], Ordering::Less)),
    native("_max_by", 1, |_, input, args| extreme(&input, &args[0], Ordering::Greater)),
    native("min", 0, |_, input, _| extreme(&input, &input.clone(), Ordering::Less)),
    native("max", 0, |_, input, _| extreme(&input, &input.clone(), Ordering::Greater)),
    native("unique", 0, |_, input, _| {
        let Value::Array(mut array) = input else { return wrong(&input, "cannot be sorted, as it is not an array") };
        let list = &mut Rc::make_mut(&mut array).0;
        list.sort_by(Value::compare);
        list.dedup();
        Ok(Value::Array(array))
    }),
    native("flatten", 0, |_, input, _| flatten(&input, f64::INFINITY)),
    native("flatten", 1, |_, input, args| {
        let zero = Value::Number(0.0);
        match args[0].as_number() {
            _ if args[0].compare(&zero) == Ordering::Less => Err("flatten depth must not be negative".into()),
            Some(depth) => flatten(&input, depth),
            None if items(&input)?.iter().any(|item| item.as_array().is_some()) => Err(super::not_subtracted(&args[0])),
            None => flatten(&input, 0.0),
        }
    }),
    native("setpath", 2, |_, mut input, args| {
        let Some(keys) = args[0].as_array() else { return Err("Path must be specified as an array".into()) };
        paths::set_path(&mut input, keys, args[1].clone())?;
        Ok(input)
    }),
    native("delpaths", 1, |_, input, args| match &args[0] {
        Value::Array(list) => paths::delete(input, list.0.clone()),
        _ => Err("Paths must be specified as an array".into()),
    }),
    native("_indices", 1, |_, input, args| match (&input, &args[0]) {
        (Value::Array(items), Value::Array(wanted)) => Ok(paths::indices_of(&items.0, &wanted.0)),
        (Value::Array(items), wanted) => Ok(paths::indices_of(&items.0, std::slice::from_ref(wanted))),
        (Value::String(text), Value::String(wanted)) => Ok(super::texts::indices(text, wanted)),
        (other, key) => paths::get(other, key),
    }),
    native("_strindices", 1, |_, input, args| match (&input, &args[0]) {
        (Value::String(text), Value::String(wanted)) => Ok(super::texts::indices(text, wanted)),
        (Value::String(_), other) | (other, _) => wrong(other, "cannot be searched, as it is not a string"),
    }),
    native("transpose", 0, |_, input, _| {
        let rows = items(&input)?;
        let mut width = 0f64;
        for row in &rows {
            width = width.max(length(row)?.as_number().unwrap_or(0.0));
        }
        let column = |at: usize| rows.iter().map(|row| paths::get(row, &at.into())).collect::<Result<Vec<_>>>();
        Ok(Value::array((0..width.ceil() as usize).map(|at| column(at).map(Value::array)).collect::<Result<_>>()?))
    }),
    native("bsearch", 1, |_, input, args| {
        let Some(list) = input.as_array() else { return wrong(&input, "cannot be searched from") };
        // Which of several equals is found is seen: this is jq's way of halving.
        let (mut from, mut to) = (0, list.len());
        while from < to {
            let middle = (from + to) / 2;
            match list[middle].compare(&args[0]) {
                Ordering::Equal => return Ok(middle.into()),
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        Ok(Value::Number(-1.0 - from as f64))
    }),
    native("_tostream", 0, |_, input, _| Ok(Value::array(events(&input)))),
    native("tojson", 0, |_, input, _| Ok(crate::json::to_string(&input).into())),
    native("toarray", 0, |_, input, _| Ok(if input.as_array().is_some() { input } else { Value::array(vec![input]) })),
];

/// The items of an array or the values of an object.
fn items(value: &Value) -> Result<Vec<Value>> {
    match value {
        Value::Array(array) => Ok(array.0.clone()),
        Value::Object(object) => Ok(object.entries().iter().map(|e| e.1.clone()).collect()),
        other => Err(format!("Cannot iterate over {}", described(other))),
    }
}

fn length(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Null => 0usize.into(),
        Value::Bool(_) => return wrong(value, "has no length"),
        Value::Number(n) => n.abs().into(),
        Value::Literal(literal) if literal.value < 0.0 => Value::Literal(Rc::new(literal.negated())),
        Value::Literal(_) => value.clone(),
        Value::String(text) => if text.is_ascii() { text.len() } else { text.chars().count() }.into(),
        Value::Array(array) => array.0.len().into(),
        Value::Object(object) => object.len().into(),
    })
}

fn keys(value: &Value, sorted: bool) -> Result<Value> {
    match value {
        Value::Object(object) if sorted => {
            Ok(Value::array(object.sorted().into_iter().map(|e| Value::String(e.0.clone())).collect()))
        }
        Value::Object(object) => {
            Ok(Value::array(object.entries().iter().map(|e| Value::String(e.0.clone())).collect()))
        }
        Value::Array(array) => Ok(Value::array((0..array.0.len()).map(Value::from).collect())),
        other => wrong(other, "has no keys"),
    }
}

fn to_entries(value: &Value) -> Result<Value> {
    let entry = |key: Value, value: &Value| Value::object(Object::from([("key", key), ("value", value.clone())]));
    match value {
        Value::Object(object) => {
            let all = object.entries().iter().map(|e| entry(Value::String(e.0.clone()), &e.1));
            Ok(Value::array(all.collect()))
        }
        Value::Array(array) => {
            Ok(Value::array(array.0.iter().enumerate().map(|(at, value)| entry(at.into(), value)).collect()))
        }
        other => wrong(other, "has no keys"),
    }
}

fn from_entries(value: &Value) -> Result<Value> {
    let mut result = Object::default();
    for entry in items(value)? {
        let mut key = Value::Null;
        for name in ["key", "k", "name", "Name", "K", "Key"] {
            let found = paths::get(&entry, &name.into())?;
            if found.is_true() {
                key = found;
                break;
            }
        }
        let (Value::String(key), Value::Object(object)) = (&key, &entry) else { return Err(super::bad_key(&key)) };
        let value = ["value", "v", "Value", "V"].iter().find_map(|name| object.get(name)).cloned();
        result.insert(key.clone(), value.unwrap_or_default());
    }
    Ok(Value::object(result))
}

fn reverse(value: &Value) -> Result<Value> {
    match value {
        Value::String(text) => Ok(text.chars().rev().collect::<String>().into()),
        Value::Array(array) => Ok(Value::array(array.0.iter().rev().cloned().collect())),
        other => match length(other)?.as_number() {
            // The last item is asked for where there are none.
            Some(length) if length > 0.0 => paths::get(other, &Value::Number(length - 1.0)),
            _ => Ok(Value::array(Vec::new())),
        },
    }
}

/// Items with their keys, in the order of the keys; equal ones stay as they were.
fn sorted_by(value: &Value, keys: &Value) -> Result<Vec<(Value, Value)>> {
    let (Some(items), Some(keys)) = (value.as_array(), keys.as_array()) else {
        return wrong_pair(value, keys, "sorted, as they are not both arrays");
    };
    let mut pairs: Vec<_> = keys.iter().cloned().zip(items.iter().cloned()).collect();
    pairs.sort_by(|a, b| a.0.compare(&b.0));
    Ok(pairs)
}

fn groups(value: &Value, keys: &Value) -> Result<Vec<Vec<Value>>> {
    let mut groups: Vec<Vec<Value>> = Vec::new();
    let mut last: Option<Value> = None;
    for (key, item) in sorted_by(value, keys)? {
        match groups.last_mut() {
            Some(group) if last.as_ref() == Some(&key) => group.push(item),
            _ => groups.push(vec![item]),
        }
        last = Some(key);
    }
    Ok(groups)
}

/// The first of the smallest, or the last of the largest.
fn extreme(value: &Value, keys: &Value, wanted: Ordering) -> Result<Value> {
    let (Some(items), Some(keys)) = (value.as_array(), keys.as_array()) else {
        return wrong_pair(value, keys, "iterated over");
    };
    let mut best: Option<(&Value, &Value)> = None;
    for (key, item) in keys.iter().zip(items) {
        let better = best.is_none_or(|(top, _)| {
            let order = key.compare(top);
            order == wanted || (wanted == Ordering::Greater && order == Ordering::Equal)
        });
        if better {
            best = Some((key, item));
        }
    }
    Ok(best.map(|b| b.1.clone()).unwrap_or_default())
}

fn flatten(value: &Value, depth: f64) -> Result<Value> {
    let mut out = Vec::new();
    // Lists still to go through, the innermost last.
    let mut open: Vec<(std::vec::IntoIter<Value>, f64)> = vec![(items(value)?.into_iter(), depth)];
    while let Some((list, depth)) = open.last_mut() {
        let depth = *depth;
        match list.next() {
            None => {
                open.pop();
            }
            Some(Value::Array(inner)) if depth > 0.0 => open.push((inner.0.clone().into_iter(), depth - 1.0)),
            Some(other) => out.push(other),
        }
    }
    Ok(Value::array(out))
}

/// What `tostream` gives.
fn events(value: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let mut path: Vec<Value> = Vec::new();
    let mut open: Vec<(&Value, usize)> = vec![];
    let leaf = |value: &Value| match value {
        Value::Array(array) => array.0.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => true,
    };
    if leaf(value) {
        return vec![Value::array(vec![Value::array(Vec::new()), value.clone()])];
    }
    open.push((value, 0));
    while let Some((container, at)) = open.last_mut() {
        let next = match container {
            Value::Array(array) => array.0.get(*at).map(|value| (Value::from(*at), value)),
            Value::Object(object) => object.entries().get(*at).map(|e| (Value::String(e.0.clone()), &e.1)),
            _ => None,
        };
        let fresh = *at == 0;
        *at += 1;
        if !fresh && next.is_some() {
            path.pop();
        }
        match next {
            Some((key, value)) => {
                path.push(key);
                if leaf(value) {
                    out.push(Value::array(vec![Value::array(path.clone()), value.clone()]));
                } else {
                    open.push((value, 0));
                }
            }
            None => {
                out.push(Value::array(vec![Value::array(path.clone())]));
                path.pop();
                open.pop();
            }
        }
    }
    out
}

//! Strings.

use super::format::plain;
use super::{Native, Result, native, wrong};
use crate::json;
use crate::number::{self, Parsed};
use crate::value::Value;
use std::rc::Rc;

pub const TABLE: &[Native] = &[
    native("tostring", 0, |_, input, _| Ok(if input.as_str().is_some() { input } else { plain(&input).into() })),
    native("tonumber", 0, |_, input, _| to_number(input)),
    native("toboolean", 0, |_, input, _| match &input {
        Value::Bool(_) => Ok(input),
        Value::String(text) if text.as_str() == "true" => Ok(true.into()),
        Value::String(text) if text.as_str() == "false" => Ok(false.into()),
        other => wrong(other, "cannot be parsed as a boolean"),
    }),
    native("fromjson", 0, |_, input, _| match &input {
        Value::String(text) => {
            json::parse_one(text.as_bytes()).map_err(|fault| format!("{} (while parsing '{text}')", fault.message))
        }
        other => wrong(other, "only strings can be parsed"),
    }),
    native("utf8bytelength", 0, |_, input, _| match &input {
        Value::String(text) => Ok(text.len().into()),
        other => wrong(other, "only strings have UTF-8 byte length"),
    }),
    native("explode", 0, |_, input, _| match &input {
        Value::String(text) => Ok(Value::array(text.chars().map(|c| Value::Number(f64::from(u32::from(c)))).collect())),
        _ => Err("explode input must be a string".into()),
    }),
    native("implode", 0, |_, input, _| implode(&input)),
    native("ascii_downcase", 0, |_, input, _| match &input {
        Value::String(text) => Ok(text.to_ascii_lowercase().into()),
        _ => Err("explode input must be a string".into()),
    }),
    native("ascii_upcase", 0, |_, input, _| match &input {
        Value::String(text) => Ok(text.to_ascii_uppercase().into()),
        _ => Err("explode input must be a string".into()),
    }),
    native("startswith", 1, |_, input, args| match (&input, &args[0]) {
        (Value::String(text), Value::String(start)) => Ok(text.starts_with(start.as_str()).into()),
        _ => Err("startswith() requires string inputs".into()),
    }),
    native("endswith", 1, |_, input, args| match (&input, &args[0]) {
        (Value::String(text), Value::String(end)) => Ok(text.ends_with(end.as_str()).into()),
        _ => Err("endswith() requires string inputs".into()),
    }),
    native("ltrimstr", 1, |_, input, args| trimmed(input, &args[0], true, false)),
    native("rtrimstr", 1, |_, input, args| trimmed(input, &args[0], false, true)),
    native("trimstr", 1, |_, input, args| trimmed(input, &args[0], true, true)),
    native("trim", 0, |_, input, _| trim(&input, |text| text.trim())),
    native("ltrim", 0, |_, input, _| trim(&input, |text| text.trim_start())),
    native("rtrim", 0, |_, input, _| trim(&input, |text| text.trim_end())),
    native("split", 1, |_, input, args| match (&input, &args[0]) {
        (Value::String(text), Value::String(by)) => Ok(split(text, by)),
        _ => Err("split input and separator must be strings".into()),
    }),
    native("join", 1, |_, input, args| join(&input, &args[0])),
    native("ascii", 0, |_, input, _| implode(&Value::array(vec![input]))),
];

fn to_number(value: Value) -> Result<Value> {
    match &value {
        Value::Number(_) | Value::Literal(_) => Ok(value),
        Value::String(text) => match number::parse(text.strip_prefix('+').unwrap_or(text).as_bytes()) {
            Some(Parsed::Plain(number)) => Ok(Value::Number(number)),
            Some(Parsed::Exact(literal)) => Ok(Value::Literal(Rc::new(literal))),
            None => {
                let (negative, word) = match text.strip_prefix('-') {
                    Some(word) => (true, word),
                    None => (false, text.strip_prefix('+').unwrap_or(text)),
                };
                match word.to_ascii_lowercase().as_str() {
                    "nan" => Ok(Value::Number(f64::NAN)),
                    "inf" | "infinity" if negative => Ok(Value::Number(f64::NEG_INFINITY)),
                    "inf" | "infinity" => Ok(Value::Number(f64::INFINITY)),
                    _ => wrong(&value, "cannot be parsed as a number"),
                }
            }
        },
        other => wrong(other, "cannot be parsed as a number"),
    }
}

fn implode(value: &Value) -> Result<Value> {
    let Some(codes) = value.as_array() else { return Err("implode input must be an array".into()) };
    let mut text = String::with_capacity(codes.len());
    for code in codes {
        let Some(number) = code.as_number().filter(|number| !number.is_nan()) else {
            return wrong(code, "can't be imploded, unicode codepoint needs to be numeric");
        };
        // What is no character becomes the replacement for one.
        let code = if (0.0..=f64::from(u32::MAX)).contains(&number) { number as u32 } else { u32::MAX };
        text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
    }
    Ok(text.into())
}

fn trimmed(value: Value, edge: &Value, start: bool, end: bool) -> Result<Value> {
    let (Some(text), Some(edge)) = (value.as_str(), edge.as_str()) else {
        return Err(format!("{}() requires string inputs", if start { "startswith" } else { "endswith" }));
    };
    let mut rest = text;
    if start {
        rest = rest.strip_prefix(edge).unwrap_or(rest);
    }
    if end {
        rest = rest.strip_suffix(edge).unwrap_or(rest);
    }
    Ok(if rest.len() < text.len() { rest.into() } else { value })
}

fn trim(value: &Value, trim: fn(&str) -> &str) -> Result<Value> {
    match value {
        Value::String(text) => Ok(trim(text).into()),
        _ => Err("trim input must be a string".into()),
    }
}

pub fn split(text: &str, by: &str) -> Value {
    if text.is_empty() {
        return Value::array(Vec::new());
    }
    if by.is_empty() {
        return Value::array(text.chars().map(|c| Value::text(c.to_string())).collect());
    }
    Value::array(text.split(by).map(Value::from).collect())
}

/// Where a text stands in another, counted in characters; places may overlap.
pub fn indices(text: &str, wanted: &str) -> Value {
    if wanted.is_empty() {
        return Value::array(Vec::new());
    }
    let (bytes, mut found) = (text.as_bytes(), Vec::new());
    let finder = memchr::memmem::Finder::new(wanted);
    let (mut from, mut counted, mut chars) = (0, 0, 0);
    while let Some(at) = finder.find(&bytes[from..]) {
        let at = from + at;
        chars += text[counted..at].chars().count();
        counted = at;
        found.push(Value::from(chars));
        from = at + 1;
    }
    Value::array(found)
}

fn join(value: &Value, between: &Value) -> Result<Value> {
    let list: Vec<&Value> = match value {
        Value::Array(array) => array.0.iter().collect(),
        Value::Object(object) => object.entries().iter().map(|e| &e.1).collect(),
        other => return Err(format!("Cannot iterate over {}", super::described(other))),
    };
    let mut text = String::new();
    for (at, item) in list.into_iter().enumerate() {
        if at > 0 {
            match between {
                Value::String(between) => text += between,
                Value::Null => {}
                other => return super::wrong_pair(&text.into(), other, "added"),
            }
        }
        match item {
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::Literal(_) => text += &plain(item),
            Value::String(item) => text += item,
            other => return super::wrong_pair(&text.into(), other, "added"),
        }
    }
    Ok(text.into())
}

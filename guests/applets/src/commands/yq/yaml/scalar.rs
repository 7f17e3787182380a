//! Scalars: what a plain one stands for, and how a string has to be written.

use super::Style;
use capsule_jq::number::{self, Parsed};
use capsule_jq::{Value, json};
use std::rc::Rc;

/// The value of a plain scalar by the core schema.
pub fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Number(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Value::Number(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Value::Number(f64::NEG_INFINITY),
        _ => {}
    }
    number_of(text).unwrap_or_else(|| text.into())
}

fn number_of(text: &str) -> Option<Value> {
    let first = *text.as_bytes().first()?;
    if !first.is_ascii_digit() && !b"+-.".contains(&first) {
        return None;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|n| Value::Number(n as f64));
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(|n| Value::Number(n as f64));
    }
    let body = text.strip_prefix('+').unwrap_or(text);
    if body.starts_with('+') || (text.starts_with('+') && body.starts_with('-')) {
        return None;
    }
    match number::parse(body.as_bytes())? {
        Parsed::Plain(value) => Some(Value::Number(value)),
        Parsed::Exact(literal) => Some(Value::Literal(Rc::new(literal))),
    }
}

/// Words that older readers take for booleans.
const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off"];

/// Whether a string can stand without quotes.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let rest = &text[first.len_utf8()..];
    if !matches!(resolve(text), Value::String(_)) || WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return false;
    }
    if ",[]{}#&*!|>'\"%@` \t".contains(first) || text.ends_with([' ', '\t', ':']) {
        return false;
    }
    if "-?:".contains(first) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return false;
    }
    if text.starts_with("---") || text.starts_with("...") {
        return false;
    }
    !text.contains(": ") && !text.contains(" #") && !text.contains(":\t") && !text.chars().any(char::is_control)
}

/// The same inside of `[…]` and `{…}`, and for keys.
fn is_plain_in_flow(text: &str) -> bool {
    is_plain(text) && !text.contains([',', '[', ']', '{', '}', ':'])
}

/// A string on one line, in the style it had if that can hold it.
pub fn quoted(text: &str, style: Option<Style>, flow: bool) -> String {
    let printable = !text.chars().any(char::is_control);
    match style {
        Some(Style::Single) if printable => format!("'{}'", text.replace('\'', "''")),
        Some(Style::Double | Style::Single) => json::to_string(&text.into()),
        _ if flow && is_plain_in_flow(text) => text.to_owned(),
        _ if !flow && is_plain(text) => text.to_owned(),
        _ => json::to_string(&text.into()),
    }
}

/// Whether a string is written as a block of lines.
pub fn is_block(text: &str, style: Option<Style>) -> bool {
    let fits = text.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    match style {
        None | Some(Style::Plain | Style::Literal) => fits,
        // Folding is undone only between lines that are not indented.
        Some(Style::Folded) if !text.trim_end_matches('\n').contains('\n') => {
            !text.trim().is_empty()
                && !text.starts_with([' ', '\t'])
                && !text.trim_end_matches('\n').chars().any(char::is_control)
        }
        Some(Style::Folded) => fits,
        Some(Style::Single | Style::Double) => false,
    }
}

//! `${x@Q}` and its like.

use super::ops::{change_case, map};
use super::param::{ParamValue, Reference};
use super::quote::{assignment_quote, value_quote};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{ParamName, Subscript};
use crate::syntax::{EscapeStyle, decode_escape};
use crate::vars::{Value, Variable};

impl Shell {
    pub(super) fn transform(&mut self, reference: &Reference, value: ParamValue, kind: u8) -> Flow<ParamValue> {
        let utf8 = self.utf8;
        Ok(match kind {
            b'Q' => map(value, |text| value_quote(&text)),
            b'E' => map(value, |text| decode(&text)),
            b'U' => map(value, |text| change_case(&text, b'^', true, None, utf8)),
            b'u' => map(value, |text| change_case(&text, b'^', false, None, utf8)),
            b'L' => map(value, |text| change_case(&text, b',', true, None, utf8)),
            b'P' => {
                let mut done = Vec::new();
                let (items, list) = match value {
                    ParamValue::Unset => return Ok(ParamValue::Unset),
                    ParamValue::Scalar(text) => (vec![text], None),
                    ParamValue::List { items, star } => (items, Some(star)),
                };
                for text in items {
                    done.push(self.expand_prompt(&text)?);
                }
                match list {
                    Some(star) => ParamValue::List { items: done, star },
                    None => ParamValue::Scalar(done.pop().unwrap_or_default()),
                }
            }
            b'a' => self.attributes(reference, value),
            b'A' => self.assignment_form(reference, value),
            _ => self.pairs(reference, value, kind == b'K'),
        })
    }

    fn attributes(&mut self, reference: &Reference, value: ParamValue) -> ParamValue {
        let ParamName::Variable(name) = reference.name else {
            return map(value, |_| Vec::new());
        };
        let Some((base, _)) = self.resolve(name) else { return ParamValue::Unset };
        self.refresh(base);
        let Some(var) = self.vars.get(base) else { return map(value, |_| Vec::new()) };
        let letters = var.attribute_letters().into_bytes();
        match value {
            ParamValue::List { items, star } => {
                ParamValue::List { items: items.iter().map(|_| letters.clone()).collect(), star }
            }
            _ => ParamValue::Scalar(letters),
        }
    }

    /// `x='value'`, or the `declare` that makes the variable again.
    fn assignment_form(&mut self, reference: &Reference, value: ParamValue) -> ParamValue {
        let ParamName::Variable(name) = reference.name else {
            if let ParamValue::List { items, .. } = value {
                if items.is_empty() {
                    return ParamValue::Unset;
                }
                let quoted: Vec<Vec<u8>> = items.iter().map(|item| value_quote(item)).collect();
                return ParamValue::Scalar([&b"set -- "[..], &quoted.join(&b' ')].concat());
            }
            return ParamValue::Unset;
        };
        let Some((base, _)) = self.resolve(name) else { return ParamValue::Unset };
        self.refresh(base);
        let Some(var) = self.vars.get(base) else { return ParamValue::Unset };
        let letters = var.attribute_letters();
        let whole = matches!(reference.subscript, Some(Subscript::At | Subscript::Star));
        let mut out = Vec::new();
        if !letters.is_empty() {
            out.extend_from_slice(format!("declare -{letters} ").as_bytes());
        }
        out.extend_from_slice(base.bytes());
        if whole && var.is_array() {
            if var.set {
                out.push(b'=');
                out.extend_from_slice(&array_text(var));
            }
            return ParamValue::Scalar(out);
        }
        let Some(text) = (match &value {
            ParamValue::Scalar(text) => Some(text.as_slice()),
            ParamValue::List { items, .. } => items.first().map(Vec::as_slice),
            ParamValue::Unset => None,
        }) else {
            return if letters.is_empty() { ParamValue::Unset } else { ParamValue::Scalar(out) };
        };
        if let Some(Subscript::Index(index)) = &reference.subscript {
            out.push(b'[');
            out.extend_from_slice(&index.word.raw);
            out.push(b']');
        }
        out.push(b'=');
        out.extend_from_slice(&value_quote(text));
        ParamValue::Scalar(out)
    }

    /// `@K`: keys and quoted values as one text; `@k`: as fields.
    fn pairs(&mut self, reference: &Reference, value: ParamValue, one_text: bool) -> ParamValue {
        let ParamValue::List { items, star } = value else {
            return map(value, |text| value_quote(&text));
        };
        if !matches!(reference.name, ParamName::Variable(_)) {
            return ParamValue::List { items: items.iter().map(|item| value_quote(item)).collect(), star };
        }
        let keys = self.array_keys(reference.name);
        let assoc = match reference.name {
            ParamName::Variable(name) => {
                let name = self.resolve(name).map_or(name, |(base, _)| base);
                matches!(self.vars.get(name), Some(Variable { value: Value::Assoc(_), .. }))
            }
            _ => false,
        };
        if one_text {
            let mut out = Vec::new();
            for (key, item) in keys.iter().zip(&items) {
                if !out.is_empty() {
                    out.push(b' ');
                }
                if assoc {
                    out.extend_from_slice(&key_quote(key));
                } else {
                    out.extend_from_slice(key);
                }
                out.push(b' ');
                out.extend_from_slice(&assignment_quote(item));
            }
            if assoc && !out.is_empty() {
                out.push(b' ');
            }
            return ParamValue::Scalar(out);
        }
        let items = keys.into_iter().zip(items).flat_map(|(key, item)| [key, item]).collect();
        ParamValue::List { items, star }
    }
}

/// A key of an associative array in `declare -p`: quoted when it must be.
pub fn key_quote(key: &[u8]) -> Vec<u8> {
    if super::quote::needs_ansi(key) {
        return super::quote::ansi_quote(key);
    }
    let plain = !key.is_empty()
        && key.iter().all(|&b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'-' | b'.' | b'/' | b'+' | b':' | b'%' | b',' | b'=')
                || b >= 0x80
        });
    let special = key == b"@" || key == b"*" || !plain;
    if special { super::quote::double_quote(key) } else { key.to_vec() }
}

/// `([0]="a" [1]="b")`, as `declare -p` shows arrays.
pub fn array_text(var: &Variable) -> Vec<u8> {
    let mut out = vec![b'('];
    let mut item = |key: &[u8], value: &[u8]| {
        out.push(b'[');
        out.extend_from_slice(key);
        out.extend_from_slice(b"]=");
        out.extend_from_slice(&assignment_quote(value));
        out.push(b' ');
    };
    match &var.value {
        Value::Indexed(array) => {
            for (i, value) in array.iter() {
                item(i.to_string().as_bytes(), value);
            }
            if !array.is_empty() {
                out.pop();
            }
        }
        Value::Assoc(array) => {
            for (key, value) in array.iter() {
                item(&key_quote(key), value);
            }
        }
        Value::Scalar(text) => {
            item(b"0", text);
            out.pop();
        }
    }
    out.push(b')');
    out
}

fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while i < text.len() {
        if text[i] != b'\\' {
            out.push(text[i]);
            i += 1;
            continue;
        }
        i += 1;
        match decode_escape(&text[i..], EscapeStyle::Dollar, &mut out) {
            crate::syntax::Decoded::Taken(n) => i += n,
            crate::syntax::Decoded::Stop => break,
        }
    }
    out
}

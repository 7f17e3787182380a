//! Parameter expansion.

use super::Fields;
use crate::names::Name;
use crate::shell::{Flow, Opt, Shell, Target, Unwind};
use crate::syntax::ast::{ArithText, Param, ParamName, ParamOp, Subscript, Word};
use crate::vars::{Attrs, Special, Value, Variable};
use std::rc::Rc;

/// What a parameter stands for.
#[derive(Debug)]
pub(super) enum ParamValue {
    Unset,
    Scalar(Vec<u8>),
    List { items: Vec<Vec<u8>>, star: bool },
}

/// A parameter after indirection.
#[derive(Clone)]
pub(super) struct Reference {
    pub name: ParamName,
    pub subscript: Option<Subscript>,
}

impl Shell {
    pub(super) fn param(&mut self, param: &Param, quoted: bool, fields: &mut Fields) -> Flow {
        if !param.indirect
            && !param.length
            && param.subscript.is_none()
            && let ParamOp::None = param.op
        {
            return self.plain_param(param, quoted, fields);
        }
        if let ParamOp::Names { star } = param.op {
            let names = self.names_with_prefix(param);
            fields.list(names.iter().map(Vec::as_slice), star, quoted);
            return Ok(());
        }
        let mut reference = Reference { name: param.name, subscript: param.subscript.clone() };
        if param.indirect {
            if let Some(Subscript::At | Subscript::Star) = param.subscript
                && matches!(param.op, ParamOp::None)
            {
                let star = matches!(param.subscript, Some(Subscript::Star));
                let keys = self.array_keys(param.name);
                if star && !quoted && self.ifs.empty {
                    fields.expanded(&keys.join(&b' '));
                    return Ok(());
                }
                fields.list(keys.iter().map(Vec::as_slice), star, quoted);
                return Ok(());
            }
            if let (ParamOp::Unset { kind, colon, word }, Some(Subscript::At | Subscript::Star)) =
                (&param.op, &param.subscript)
            {
                let star = matches!(param.subscript, Some(Subscript::Star));
                let value = ParamValue::List { items: self.array_keys(param.name), star };
                return self.unset_op(param, &reference, value, *kind, *colon, word, quoted, fields);
            }
            match self.indirect(&reference)? {
                Some(target) => reference = target,
                None => return Ok(()),
            }
        }
        if param.length {
            let n = self.length(&reference, param)?;
            fields.put(n.to_string().as_bytes(), quoted);
            return Ok(());
        }
        let value = self.value_of(&reference)?;
        match &param.op {
            ParamOp::Unset { kind, colon, word } => {
                self.unset_op(param, &reference, value, *kind, *colon, word, quoted, fields)
            }
            ParamOp::Substring { offset, length } => {
                self.check_set(&value, &reference, param)?;
                let value = self.substring(&reference, value, offset, length.as_ref())?;
                self.emit(value, quoted, fields);
                Ok(())
            }
            ParamOp::Transform(kind) => {
                self.check_set(&value, &reference, param)?;
                if !b"QEPAaKkUuL".contains(kind) {
                    return match value {
                        ParamValue::Unset => Ok(()),
                        _ => self.fatal_bad([&param.raw[..], b": bad substitution"].concat()),
                    };
                }
                let value = self.transform(&reference, value, *kind)?;
                self.emit(value, quoted, fields);
                Ok(())
            }
            op => {
                self.check_set(&value, &reference, param)?;
                let value = self.apply_op(value, op)?;
                self.emit(value, quoted, fields);
                Ok(())
            }
        }
    }

    /// `$x`, `${x}`: the common case, without copies.
    fn plain_param(&mut self, param: &Param, quoted: bool, fields: &mut Fields) -> Flow {
        match param.name {
            ParamName::Variable(name) => {
                if self.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::NAMEREF)) {
                    let reference = Reference { name: param.name, subscript: None };
                    let value = self.value_of(&reference)?;
                    // A reference to an element that is not there counts as set.
                    let unset = matches!(value, ParamValue::Unset) && self.options.get(Opt::Nounset);
                    if unset && !matches!(self.resolve(name), Some((_, Some(_)))) {
                        self.check_set(&value, &reference, param)?;
                    }
                    self.emit(value, quoted, fields);
                    return Ok(());
                }
                match self.read_scalar(name) {
                    Some(value) => fields.put(&value, quoted),
                    None => return self.unbound(name.bytes()),
                }
            }
            ParamName::Positional(0) => fields.put(&self.arg0.clone(), quoted),
            ParamName::Positional(n) => match self.positional.get(n - 1) {
                Some(value) => fields.put(value, quoted),
                None => return self.unbound(&as_written(param, n.to_string().as_bytes())),
            },
            ParamName::Special(b @ (b'@' | b'*')) => {
                let list = Rc::clone(&self.positional);
                fields.list(list.iter().map(Vec::as_slice), b == b'*', quoted);
            }
            ParamName::Special(b) => match self.special_param(b) {
                Some(value) => fields.put(&value, quoted),
                None => return self.unbound(&as_written(param, &[b])),
            },
        }
        Ok(())
    }

    fn unbound(&mut self, name: &[u8]) -> Flow {
        if self.options.get(Opt::Nounset) {
            self.fatal_expansion = true;
            return self.fatal([name, b": unbound variable"].concat());
        }
        Ok(())
    }

    pub(super) fn check_set(&mut self, value: &ParamValue, reference: &Reference, param: &Param) -> Flow {
        if let (ParamValue::Unset, true) = (value, self.options.get(Opt::Nounset)) {
            let name = match (&reference.subscript, param.indirect) {
                (Some(Subscript::Index(index)), _) => {
                    [&reference_name(reference.name)[..], b"[", &index.word.raw, b"]"].concat()
                }
                _ => reference_name(reference.name),
            };
            return self.unbound(&name);
        }
        Ok(())
    }

    fn special_param(&mut self, b: u8) -> Option<Vec<u8>> {
        Some(match b {
            // Indirection through a nameref gives its name; through an unset variable, nothing.
            1 => self.indirect_text.take()?,
            b'#' => self.positional.len().to_string().into_bytes(),
            b'?' => self.status.to_string().into_bytes(),
            b'$' => self.pid.to_string().into_bytes(),
            b'!' => self.last_background?.to_string().into_bytes(),
            b'-' => self.flags_text(),
            _ => return None,
        })
    }

    pub(super) fn emit(&mut self, value: ParamValue, quoted: bool, fields: &mut Fields) {
        match value {
            ParamValue::Unset => {}
            ParamValue::Scalar(text) => fields.put(&text, quoted),
            ParamValue::List { items, star } => fields.list(items.iter().map(Vec::as_slice), star, quoted),
        }
    }

    pub(super) fn value_of(&mut self, reference: &Reference) -> Flow<ParamValue> {
        let scalar = |value: Option<Vec<u8>>| value.map_or(ParamValue::Unset, ParamValue::Scalar);
        Ok(match reference.name {
            ParamName::Positional(0) => ParamValue::Scalar(self.arg0.clone()),
            ParamName::Positional(n) => scalar(self.positional.get(n - 1).cloned()),
            ParamName::Special(b @ (b'@' | b'*')) => {
                let items = self.positional.to_vec();
                if items.is_empty() {
                    return Ok(ParamValue::List { items, star: b == b'*' });
                }
                ParamValue::List { items, star: b == b'*' }
            }
            ParamName::Special(b) => scalar(self.special_param(b)),
            ParamName::Variable(name) => match &reference.subscript {
                None => match self.resolve(name) {
                    None => ParamValue::Unset,
                    Some((base, None)) => scalar(self.read_scalar(base).map(|v| v.into_owned())),
                    Some((base, Some(inner))) => match &inner[..] {
                        b"@" | b"*" => ParamValue::List { items: self.array_values(base), star: inner == b"*" },
                        _ => {
                            let target = self.target_of_text(name.bytes())?;
                            scalar(target.and_then(|target| self.read_target(&target)))
                        }
                    },
                },
                Some(Subscript::At | Subscript::Star) => {
                    let Some((base, None)) = self.resolve(name) else {
                        return Ok(ParamValue::List { items: Vec::new(), star: false });
                    };
                    let star = matches!(reference.subscript, Some(Subscript::Star));
                    ParamValue::List { items: self.array_values(base), star }
                }
                Some(Subscript::Index(index)) => {
                    let target = self.index_target(name, index)?;
                    scalar(target.and_then(|target| self.checked_read(&target)))
                }
            },
        })
    }

    /// Reading below the start of an array, or by no key, is worth a message.
    fn checked_read(&mut self, target: &Target) -> Option<Vec<u8>> {
        if let Target::Key(name, key) = target
            && key.is_empty()
        {
            self.error([name.bytes(), b": bad array subscript"].concat());
            return None;
        }
        if let Target::Index(name, n) = target
            && *n < 0
        {
            self.refresh(*name);
            let end = match self.vars.get(*name) {
                Some(Variable { value: Value::Indexed(array), .. }) => array.end(),
                Some(var) if var.set => 1,
                _ => 0,
            };
            if n + end < 0 {
                let name = name.bytes();
                self.error([name, b": bad array subscript"].concat());
                return None;
            }
        }
        self.read_target(target)
    }

    /// Where `name[index]` points.
    pub fn index_target(&mut self, name: Name, index: &ArithText) -> Flow<Option<Target>> {
        // A reference to an element has no elements itself.
        let Some((base, None)) = self.resolve(name) else { return Ok(None) };
        self.refresh(base);
        if let Some(Variable { value: Value::Assoc(_), .. }) = self.vars.get(base) {
            let key = self.expand_single(&index.word)?;
            return Ok(Some(Target::Key(base, key)));
        }
        if index.word.raw.trim_ascii().is_empty() {
            self.error([base.bytes(), b"[", &index.word.raw, b"]: bad array subscript"].concat());
            self.status = 1;
            return Err(Unwind::Discard);
        }
        let n = match &index.word.plain {
            Some(plain) if plain.iter().all(u8::is_ascii_digit) => self.evaluate(plain)?,
            _ if index.parsed.get().is_some() => self.evaluate_text(index)?,
            _ => match &index.word.parts[..] {
                [crate::syntax::ast::Part::Literal(_)] => self.evaluate_text(index)?,
                _ => {
                    let text = self.expand_single(&index.word)?;
                    self.evaluate(&text)?
                }
            },
        };
        Ok(Some(Target::Index(base, n)))
    }

    pub fn array_values(&mut self, name: Name) -> Vec<Vec<u8>> {
        self.refresh(name);
        match self.vars.get(name) {
            Some(var) if var.set => match &var.value {
                Value::Scalar(text) => vec![text.clone()],
                Value::Indexed(array) => array.iter().map(|(_, v)| v.to_vec()).collect(),
                Value::Assoc(array) => array.iter().map(|(_, v)| v.to_vec()).collect(),
            },
            _ => Vec::new(),
        }
    }

    pub fn array_keys(&mut self, name: ParamName) -> Vec<Vec<u8>> {
        let ParamName::Variable(name) = name else { return Vec::new() };
        let Some((name, _)) = self.resolve(name) else { return Vec::new() };
        self.refresh(name);
        match self.vars.get(name) {
            Some(var) if var.set => match &var.value {
                Value::Scalar(_) => vec![b"0".to_vec()],
                Value::Indexed(array) => array.iter().map(|(i, _)| i.to_string().into_bytes()).collect(),
                Value::Assoc(array) => array.iter().map(|(k, _)| k.to_vec()).collect(),
            },
            _ => Vec::new(),
        }
    }

    fn names_with_prefix(&mut self, param: &Param) -> Vec<Vec<u8>> {
        let ParamName::Variable(prefix) = param.name else { return Vec::new() };
        let prefix = prefix.bytes();
        let names = self.vars.names();
        names
            .into_iter()
            .filter(|name| {
                name.bytes().starts_with(prefix)
                    && (self.vars.get(*name).is_some_and(|var| var.set) || self.vars.special(*name) != Special::None)
            })
            .map(|name| name.bytes().to_vec())
            .collect()
    }

    fn length(&mut self, reference: &Reference, param: &Param) -> Flow<usize> {
        if let ParamName::Special(b'@' | b'*') = reference.name {
            return Ok(self.positional.len());
        }
        if let (ParamName::Variable(name), Some(Subscript::At | Subscript::Star)) =
            (reference.name, &reference.subscript)
        {
            let Some((base, None)) = self.resolve(name) else { return Ok(0) };
            self.refresh(base);
            // Under `set -u` only an array that is there has a number of elements.
            if self.options.get(Opt::Nounset) && !self.vars.get(base).is_some_and(|var| var.set && var.is_array()) {
                return self.discard([name.bytes(), b": unbound variable"].concat());
            }
            return Ok(match self.vars.get(base) {
                Some(var) if var.set => match &var.value {
                    Value::Scalar(_) => 1,
                    Value::Indexed(array) => array.len(),
                    Value::Assoc(array) => array.len(),
                },
                _ => 0,
            });
        }
        let value = self.value_of(reference)?;
        self.check_set(&value, reference, param)?;
        Ok(match value {
            ParamValue::Unset => 0,
            ParamValue::Scalar(text) => self.count_chars(&text),
            ParamValue::List { items, .. } => items.len(),
        })
    }

    pub fn count_chars(&self, text: &[u8]) -> usize {
        if !self.utf8 || text.is_ascii() {
            return text.len();
        }
        text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
    }

    #[allow(clippy::too_many_arguments)]
    fn unset_op(
        &mut self,
        param: &Param,
        reference: &Reference,
        value: ParamValue,
        kind: u8,
        colon: bool,
        word: &Word,
        quoted: bool,
        fields: &mut Fields,
    ) -> Flow {
        let missing = match &value {
            ParamValue::Unset => true,
            ParamValue::Scalar(text) => colon && text.is_empty(),
            ParamValue::List { items, star } => {
                items.is_empty()
                    || colon
                        && match &items[..] {
                            // Through a reference, an element is there even when it is empty.
                            [one] => one.is_empty() && !param.indirect,
                            // "$*" joined by nothing is empty when all are.
                            _ => quoted && *star && self.ifs.empty && items.iter().all(Vec::is_empty),
                        }
            }
        };
        match (kind, missing) {
            (b'+', true) => {
                if matches!(value, ParamValue::List { .. }) {
                    fields.list(std::iter::empty::<&[u8]>().collect::<Vec<_>>().into_iter(), false, quoted);
                }
                Ok(())
            }
            (b'+', false) => self.inner_word(word, quoted, fields),
            (_, false) => {
                self.emit(value, quoted, fields);
                Ok(())
            }
            (b'-', true) => self.inner_word(word, quoted, fields),
            (b'=', true) => {
                let text = self.inner_text(word, quoted)?;
                let target = match (reference.name, &reference.subscript) {
                    (ParamName::Variable(name), None) => self.target_of_text(name.bytes())?,
                    (ParamName::Variable(name), Some(Subscript::Index(index))) => self.index_target(name, index)?,
                    _ => {
                        let name = self.param_text(param, reference);
                        return self.discard([b"$", &name[..], b": cannot assign in this way"].concat());
                    }
                };
                if let Some(target) = target {
                    if self.assign(&target, text.clone(), false).is_err() {
                        self.status = 1;
                        return Err(Unwind::Discard);
                    }
                    // What was assigned may have been changed by attributes.
                    let text = self.read_target(&target).unwrap_or(text);
                    fields.put(&text, quoted);
                }
                Ok(())
            }
            _ => {
                let text = self.inner_text(word, quoted)?;
                let name = self.param_text(param, reference);
                let text = match (&text[..], colon, word.parts.is_empty()) {
                    (_, true, true) => b"parameter null or not set".to_vec(),
                    (_, false, true) => b"parameter not set".to_vec(),
                    _ => text,
                };
                self.fatal_expansion = true;
                self.fatal([&name[..], b": ", &text].concat())
            }
        }
    }

    fn inner_text(&mut self, word: &Word, quoted: bool) -> Flow<Vec<u8>> {
        let mut inner = Fields::joined(self);
        self.inner_word(word, quoted, &mut inner)?;
        Ok(inner.finish_one().text)
    }

    fn param_text(&self, param: &Param, reference: &Reference) -> Vec<u8> {
        let mut name = if param.indirect {
            [b"!", &reference_name(param.name)[..]].concat()
        } else {
            reference_name(reference.name)
        };
        match &param.subscript {
            Some(Subscript::Index(index)) => {
                name.push(b'[');
                name.extend_from_slice(&index.word.raw);
                name.push(b']');
            }
            Some(Subscript::At) => name.extend_from_slice(b"[@]"),
            Some(Subscript::Star) => name.extend_from_slice(b"[*]"),
            None => {}
        }
        name
    }
}

pub(super) fn reference_name(name: ParamName) -> Vec<u8> {
    match name {
        ParamName::Variable(name) => name.bytes().to_vec(),
        ParamName::Positional(n) => n.to_string().into_bytes(),
        ParamName::Special(b) => vec![b],
    }
}

/// A parameter that is no variable is called in messages as it was written, braces apart.
fn as_written(param: &Param, name: &[u8]) -> Vec<u8> {
    if param.raw.starts_with(b"${") { name.to_vec() } else { [b"$", name].concat() }
}

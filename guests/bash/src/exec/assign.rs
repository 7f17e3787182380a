//! Assignments of the script: scalars, elements, compound arrays.

use crate::names::Name;
use crate::shell::{AssignError, Flow, Shell, Target, Unwind};
use crate::syntax::ast::*;
use crate::syntax::expand_braces;
use crate::vars::{AssocArray, Attrs, IndexedArray, Special, Value, Variable};

impl Shell {
    /// `trace`: show it under `set -x`.
    pub fn run_assignment(&mut self, assignment: &Assignment, trace: bool) -> Flow {
        match &assignment.value {
            AssignedValue::Array(elements) => {
                if let Some(Subscript::Index(index)) = &assignment.subscript {
                    let text = [assignment.name.bytes(), b"[", &index.word.raw, b"]"].concat();
                    return self.discard([&text[..], b": cannot assign list to array member"].concat());
                }
                let Some((name, reference)) = self.resolve(assignment.name) else { return Err(Unwind::Discard) };
                if let Some(inner) = reference {
                    let text = [name.bytes(), b"[", &inner, b"]"].concat();
                    self.error([b"`", &text[..], b"': not a valid identifier"].concat());
                    self.substitution_status = Some(1);
                    return Ok(());
                }
                if trace {
                    self.trace_array(assignment);
                }
                self.assign_array(name, elements, assignment.append)
            }
            AssignedValue::Scalar(word) => {
                let target = match &assignment.subscript {
                    None => Target::Whole(assignment.name),
                    Some(every @ (Subscript::At | Subscript::Star)) => {
                        let key = if matches!(every, Subscript::Star) { b"*" } else { b"@" };
                        match self.resolve(assignment.name) {
                            // An ordinary key there.
                            Some((base, None)) if self.is_assoc(base) => Target::Key(base, key.to_vec()),
                            _ => {
                                let text = [assignment.name.bytes(), b"[", &key[..], b"]: bad array subscript"];
                                return self.discard(text.concat());
                            }
                        }
                    }
                    Some(Subscript::Index(index)) => match self.element_target(assignment.name, index)? {
                        Some(target) => target,
                        None => {
                            if let Some((base, Some(inner))) = self.resolve(assignment.name) {
                                let text = [base.bytes(), b"[", &inner, b"]"].concat();
                                self.error([b"`", &text[..], b"': not a valid identifier"].concat());
                            }
                            self.substitution_status = Some(1);
                            return Ok(());
                        }
                    },
                };
                let value = self.expand_assignment(word)?;
                if trace {
                    self.trace_assignment(assignment, &value);
                }
                let target = match target {
                    Target::Whole(name) if self.is_nameref(name) => match self.follow(name)? {
                        Some(target) => target,
                        None => return Err(Unwind::Discard),
                    },
                    target => target,
                };
                self.checked_assign(&target, value, assignment)
            }
        }
    }

    /// Where `name[index]=` goes. Single quotes stay in the index of an indexed array, where they are an error.
    fn element_target(&mut self, name: Name, index: &ArithText) -> Flow<Option<Target>> {
        let raw = &index.word.raw;
        if raw.contains(&b'\'') && !raw.iter().any(|b| matches!(b, b'$' | b'`' | b'"' | b'\\')) {
            let indexed = matches!(self.resolve(name), Some((base, None)) if !self.is_assoc(base));
            if indexed {
                return self.evaluate(raw).map(|n| Some(Target::Index(name, n)));
            }
        }
        self.index_target(name, index)
    }

    fn is_assoc(&self, name: Name) -> bool {
        matches!(self.vars.get(name), Some(Variable { value: Value::Assoc(_), .. }))
    }

    fn is_nameref(&self, name: Name) -> bool {
        self.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::NAMEREF))
    }

    /// The target of a nameref; an unset one is itself assigned.
    pub fn follow(&mut self, name: Name) -> Flow<Option<Target>> {
        self.target_of_text(name.bytes())
    }

    fn checked_assign(&mut self, target: &Target, value: Vec<u8>, assignment: &Assignment) -> Flow {
        if let Target::Index(name, index) = target
            && *index < 0
        {
            let end = match self.vars.get(*name) {
                Some(Variable { value: Value::Indexed(array), .. }) => array.end(),
                Some(var) if var.set => 1,
                _ => 0,
            };
            if index + end < 0 {
                let raw = match &assignment.subscript {
                    Some(Subscript::Index(raw)) => raw.word.raw.to_vec(),
                    _ => index.to_string().into_bytes(),
                };
                return self.discard([name.bytes(), b"[", &raw, b"]: bad array subscript"].concat());
            }
        }
        if let Target::Key(name, key) = target
            && key.is_empty()
        {
            let raw = match &assignment.subscript {
                Some(Subscript::Index(raw)) => &raw.word.raw[..],
                _ => b"",
            };
            let text = [name.bytes(), b"[", raw, b"]: bad array subscript"].concat();
            return self.discard(text).or(Err(Unwind::Discard));
        }
        match self.assign(target, value, assignment.append) {
            Ok(()) => Ok(()),
            Err(AssignError::Readonly | AssignError::Other) => {
                self.status = 1;
                Err(if self.posix() { Unwind::Exit } else { Unwind::Discard })
            }
        }
    }

    /// `name=(…)`, `name+=(…)`.
    pub fn assign_array(&mut self, name: Name, elements: &[ArrayElement], append: bool) -> Flow {
        if self.readonly(name) {
            self.error_about(name.bytes(), "readonly variable");
            self.status = 1;
            return Err(Unwind::Discard);
        }
        if matches!(self.vars.special(name), Special::FuncName | Special::Groups | Special::DirStack) {
            return Ok(());
        }
        self.refresh(name);
        let assoc = self.is_assoc(name);
        let integer = self.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::INTEGER));
        if assoc {
            return self.assign_assoc(name, elements, append);
        }
        // Everything is expanded before the old value goes: `a=("${a[@]}" x)`.
        let mut pieces: Vec<(Option<Vec<u8>>, Vec<u8>, bool)> = Vec::with_capacity(elements.len());
        for element in elements {
            let braces = if element.value.braces { expand_braces(&element.value) } else { None };
            match (&element.key, braces) {
                (None, _) => {
                    let mut fields = Vec::new();
                    self.expand_word_into(&element.value, &mut fields)?;
                    pieces.extend(fields.into_iter().map(|field| (None, field, false)));
                }
                (Some(Subscript::Index(_)), Some(words)) => {
                    // Braces come first, and what they give is no `[key]=` any more.
                    let key = element.raw.strip_suffix(&element.value.raw[..]).unwrap_or_default();
                    for word in words {
                        let value = self.expand_assignment(&word)?;
                        pieces.push((None, [key, &value].concat(), false));
                    }
                }
                (Some(Subscript::Index(index)), None) => {
                    let text = self.expand_single(&index.word)?;
                    if text.trim_ascii().is_empty() {
                        let raw = &element.raw;
                        self.error([&raw[..], b": bad array subscript"].concat());
                        self.status = 1;
                        continue;
                    }
                    let value = self.expand_assignment(&element.value)?;
                    pieces.push((Some(text), value, element.append));
                }
                (Some(_), _) => {}
            }
        }
        // Where nothing can fail on the way, or look at the array, it is changed in place: `a+=(x)` costs what it adds.
        let plain = |key: &Option<Vec<u8>>| key.as_ref().is_none_or(|key| crate::arith::parse_integer(key).is_some());
        let in_place = !integer && pieces.iter().all(|(key, _, _)| plain(key));
        let mut array = match self.vars.get_mut(name) {
            Some(var) if append && var.set => match &mut var.value {
                Value::Indexed(array) if in_place => std::mem::take(&mut **array),
                Value::Indexed(array) => (**array).clone(),
                Value::Scalar(text) => IndexedArray::from_iter([text.clone()]),
                Value::Assoc(_) => IndexedArray::default(),
            },
            _ => IndexedArray::default(),
        };
        let mut next = array.end();
        for (index, mut value, add) in pieces {
            let index = match index {
                None => next,
                Some(text) => match crate::arith::parse_integer(&text) {
                    Some(n) => n,
                    None => {
                        // Subscripts see what was assigned before them.
                        let var = self.vars.entry(name);
                        var.value = Value::Indexed(Box::new(array.clone()));
                        var.set = true;
                        self.evaluate(&text)?
                    }
                },
            };
            let index = if index < 0 { index + array.end() } else { index };
            if index < 0 {
                let text = [format!("[{}]=", index - array.end()).as_bytes(), &value[..]].concat();
                self.error([&text[..], b": bad array subscript"].concat());
                self.status = 1;
                continue;
            }
            if integer {
                let mut n = self.evaluate(&value)?;
                if add {
                    n = n.wrapping_add(self.evaluate(array.get(index).unwrap_or(b"0"))?);
                }
                value = n.to_string().into_bytes();
            } else if add {
                value = [array.get(index).unwrap_or_default(), &value].concat();
            }
            array.set(index, self.shape_case(name, value));
            next = index.saturating_add(1);
        }
        let var = self.vars.entry(name);
        var.value = Value::Indexed(Box::new(array));
        var.set = true;
        if self.vars.special(name) != Special::None {
            self.assigned_special(name);
        }
        Ok(())
    }

    fn shape_case(&self, name: Name, value: Vec<u8>) -> Vec<u8> {
        let attrs = self.vars.get(name).map_or(Attrs::default(), |var| var.attrs);
        if attrs.has(Attrs::UPPER) {
            crate::expand::change_case(&value, b'^', true, None, self.utf8)
        } else if attrs.has(Attrs::LOWER) {
            crate::expand::change_case(&value, b',', true, None, self.utf8)
        } else {
            value
        }
    }

    fn assign_assoc(&mut self, name: Name, elements: &[ArrayElement], append: bool) -> Flow {
        let mut pairs: Vec<(Vec<u8>, Vec<u8>, bool)> = Vec::new();
        let plain = elements.first().is_some_and(|element| element.key.is_none());
        if plain {
            // `(key value key value)`
            let mut fields = Vec::new();
            for element in elements {
                fields.push(self.expand_assignment(&element.value)?);
            }
            let mut fields = fields.into_iter();
            while let Some(key) = fields.next() {
                pairs.push((key, fields.next().unwrap_or_default(), false));
            }
        } else {
            for element in elements {
                let Some(Subscript::Index(index)) = &element.key else {
                    let raw = element.raw.to_vec();
                    self.error(
                        [name.bytes(), b": ", &raw, b": must use subscript when assigning associative array"].concat(),
                    );
                    self.status = 1;
                    continue;
                };
                let key = self.expand_single(&index.word)?;
                if key.is_empty() {
                    let raw = element.raw.to_vec();
                    self.error([&raw[..], b": bad array subscript"].concat());
                    self.status = 1;
                    continue;
                }
                let value = self.expand_assignment(&element.value)?;
                pairs.push((key, value, element.append));
            }
        }
        let integer = self.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::INTEGER));
        let mut array = match self.vars.get_mut(name) {
            Some(Variable { value: Value::Assoc(array), .. }) if append && !integer => std::mem::take(&mut **array),
            Some(Variable { value: Value::Assoc(array), .. }) if append => (**array).clone(),
            _ => AssocArray::default(),
        };
        for (key, mut value, add) in pairs {
            if integer {
                let mut n = self.evaluate(&value)?;
                if add {
                    n = n.wrapping_add(self.evaluate(array.get(&key).unwrap_or(b"0"))?);
                }
                value = n.to_string().into_bytes();
            } else if add {
                value = [array.get(&key).unwrap_or_default(), &value].concat();
            }
            array.set(&key, self.shape_case(name, value));
        }
        let var = self.vars.entry(name);
        var.value = Value::Assoc(Box::new(array));
        var.set = true;
        if self.vars.special(name) != Special::None {
            self.assigned_special(name);
        }
        Ok(())
    }
}

//! Assignments: namerefs followed, attributes obeyed, readonly refused.

use super::Shell;
use crate::names::{Name, is_name};
use crate::vars::{AssocArray, Attrs, IndexedArray, Special, Value, Variable};

/// Where an assignment goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Whole(Name),
    Index(Name, i64),
    Key(Name, Vec<u8>),
}

impl Target {
    pub fn name(&self) -> Name {
        match self {
            Target::Whole(name) | Target::Index(name, _) | Target::Key(name, _) => *name,
        }
    }
}

/// Why an assignment was refused; the message is already out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignError {
    Readonly,
    Other,
}

impl Shell {
    /// The variable a name stands for, namerefs followed; with the text of a subscript when the reference has one.
    pub fn resolve(&mut self, name: Name) -> Option<(Name, Option<Vec<u8>>)> {
        let mut at = name;
        // As deep as bash follows.
        for _ in 0..9 {
            match self.vars.get(at) {
                Some(var) if var.attrs.has(Attrs::NAMEREF) && var.set => {
                    let Value::Scalar(text) = &var.value else { return Some((at, None)) };
                    if text.is_empty() {
                        return Some((at, None));
                    }
                    if let Some(open) = text.iter().position(|&b| b == b'[') {
                        let base = Name::new(&text[..open]);
                        let inner = text[open + 1..].strip_suffix(b"]").unwrap_or(&text[open + 1..]).to_vec();
                        return Some((base, Some(inner)));
                    }
                    if !is_name(text) {
                        return Some((at, None));
                    }
                    let next = Name::new(text);
                    if next == at {
                        // A local that refers to its own name means the one it hides.
                        return Some((at, None));
                    }
                    at = next;
                }
                _ => return Some((at, None)),
            }
        }
        self.error([b"warning: ", name.bytes(), b": circular name reference"].concat());
        None
    }

    /// `name` or `name[subscript]` given as text (by `read`, `printf -v`, `unset` …) to where it goes.
    pub fn target_of_text(&mut self, text: &[u8]) -> Result<Option<Target>, super::Unwind> {
        if is_name(text) {
            let name = Name::new(text);
            let Some((base, subscript)) = self.resolve(name) else { return Ok(None) };
            return match subscript {
                Some(inner) => self.target_of(base, &inner).map(Some),
                None => Ok(Some(Target::Whole(base))),
            };
        }
        if let Some(open) = text.iter().position(|&b| b == b'[')
            && is_name(&text[..open])
            && text.last() == Some(&b']')
        {
            let name = Name::new(&text[..open]);
            let Some((base, None)) = self.resolve(name) else { return Ok(None) };
            let inner = text[open + 1..text.len() - 1].to_vec();
            let target = self.target_of(base, &inner)?;
            // There is no element without a key.
            return Ok(Some(target).filter(|target| !matches!(target, Target::Key(_, key) if key.is_empty())));
        }
        Ok(None)
    }

    fn target_of(&mut self, base: Name, inner: &[u8]) -> Result<Target, super::Unwind> {
        let is_assoc = matches!(self.vars.get(base), Some(Variable { value: Value::Assoc(_), .. }));
        let key = self.expand_subscript_text(inner)?;
        if is_assoc {
            return Ok(Target::Key(base, key));
        }
        let index = self.evaluate(&key)?;
        Ok(Target::Index(base, index))
    }

    pub fn readonly(&mut self, name: Name) -> bool {
        self.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::READONLY))
    }

    /// Assigns a scalar value, or appends to it.
    pub fn assign(&mut self, target: &Target, value: Vec<u8>, append: bool) -> Result<(), AssignError> {
        let name = target.name();
        let special = self.vars.special(name);
        if let Some(var) = self.vars.get(name)
            && var.attrs.has(Attrs::READONLY)
        {
            self.error_about(name.bytes(), "readonly variable");
            return Err(AssignError::Readonly);
        }
        if special != Special::None {
            match special {
                Special::FuncName | Special::Groups | Special::BashLineNo | Special::BashSource => return Ok(()),
                Special::ShellOpts | Special::BashOpts => {
                    self.error_about(name.bytes(), "readonly variable");
                    return Err(AssignError::Readonly);
                }
                _ => self.refresh(name),
            }
        }
        let attrs = self.vars.get(name).map_or(Attrs::default(), |var| var.attrs);
        if attrs.has(Attrs::NAMEREF) && matches!(target, Target::Whole(_)) && !self.valid_reference(&value) {
            self.error([b"`", &value[..], b"': invalid variable name for name reference"].concat());
            return Err(AssignError::Other);
        }
        let value = self.shaped(target, value, append, attrs)?;
        let exports = self.options.get(super::Opt::Allexport) && matches!(target, Target::Whole(_));
        let var = self.vars.entry(name);
        match (target, &mut var.value) {
            (Target::Whole(_), Value::Scalar(text)) => *text = value,
            (Target::Whole(_), Value::Indexed(array)) => array.set(0, value),
            (Target::Whole(_), Value::Assoc(array)) => array.set(b"0", value),
            (Target::Key(_, key), Value::Assoc(array)) => array.set(key, value),
            (Target::Index(_, index), Value::Indexed(array)) => {
                let index = if *index < 0 { index + array.end() } else { *index };
                if index < 0 {
                    self.error_about(name.bytes(), "bad array subscript");
                    return Err(AssignError::Other);
                }
                array.set(index, value);
            }
            (Target::Index(_, index), slot @ Value::Scalar(_)) => {
                let mut array = IndexedArray::default();
                if let (Value::Scalar(old), true) = (&mut *slot, var.set) {
                    array.set(0, std::mem::take(old));
                }
                let index = if *index < 0 { index + array.end() } else { *index };
                if index < 0 {
                    self.error_about(name.bytes(), "bad array subscript");
                    return Err(AssignError::Other);
                }
                array.set(index, value);
                *slot = Value::Indexed(Box::new(array));
            }
            (Target::Key(_, key), slot) => {
                let mut array = AssocArray::default();
                array.set(key, value);
                *slot = Value::Assoc(Box::new(array));
            }
            (Target::Index(_, index), Value::Assoc(array)) => array.set(index.to_string().as_bytes(), value),
        }
        var.set = true;
        if exports && !var.attrs.has(Attrs::EXPORT) {
            var.attrs = var.attrs.with(Attrs::EXPORT);
            self.vars.changed_exports();
        }
        if special != Special::None {
            self.assigned_special(name);
        }
        Ok(())
    }

    fn valid_reference(&self, value: &[u8]) -> bool {
        let base = value.iter().position(|&b| b == b'[').map_or(value, |open| &value[..open]);
        is_name(base) || value.is_empty()
    }

    /// The value under the variable's attributes: `+=`, integer, case.
    fn shaped(&mut self, target: &Target, value: Vec<u8>, append: bool, attrs: Attrs) -> Result<Vec<u8>, AssignError> {
        let old = |shell: &Shell| -> Option<Vec<u8>> {
            let var = shell.vars.get(target.name())?;
            match (target, &var.value) {
                (Target::Key(_, key), Value::Assoc(array)) => array.get(key).map(<[u8]>::to_vec),
                (Target::Index(_, index), Value::Indexed(array)) => {
                    array.get(if *index < 0 { index + array.end() } else { *index }).map(<[u8]>::to_vec)
                }
                (Target::Index(_, index), Value::Scalar(text)) => (*index == 0 && var.set).then(|| text.clone()),
                _ => var.get().map(<[u8]>::to_vec),
            }
        };
        let mut value = value;
        if attrs.has(Attrs::INTEGER) {
            let mut number = self.evaluate(&value).map_err(|_| AssignError::Other)?;
            if append {
                let before = old(self).unwrap_or_default();
                number = number.wrapping_add(self.evaluate(&before).map_err(|_| AssignError::Other)?);
            }
            return Ok(number.to_string().into_bytes());
        }
        if append && let Some(mut before) = old(self) {
            before.extend_from_slice(&value);
            value = before;
        }
        if attrs.has(Attrs::LOWER.with(Attrs::UPPER).with(Attrs::CAPITAL)) {
            let kind = if attrs.has(Attrs::LOWER) { b',' } else { b'^' };
            if attrs.has(Attrs::CAPITAL) {
                value = crate::expand::change_case(&value, b',', true, None, self.utf8);
            }
            value = crate::expand::change_case(&value, kind, !attrs.has(Attrs::CAPITAL), None, self.utf8);
        }
        Ok(value)
    }

    /// Assigns to a plain name, namerefs followed.
    pub fn set_var(&mut self, name: &[u8], value: &[u8]) -> Result<(), AssignError> {
        let name = Name::new(name);
        self.set_name(name, value.to_vec())
    }

    pub fn set_name(&mut self, name: Name, value: Vec<u8>) -> Result<(), AssignError> {
        if self.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::NAMEREF)) {
            let target = match self.target_of_text(name.bytes()) {
                Ok(Some(target)) => target,
                _ => return Err(AssignError::Other),
            };
            return self.assign(&target, value, false);
        }
        self.assign(&Target::Whole(name), value, false)
    }

    /// Replaces the whole variable by an indexed array.
    pub fn set_array(&mut self, name: Name, values: Vec<Vec<u8>>) -> Result<(), AssignError> {
        let Some((name, _)) = self.resolve(name) else { return Err(AssignError::Other) };
        if self.readonly(name) {
            self.error_about(name.bytes(), "readonly variable");
            return Err(AssignError::Readonly);
        }
        let var = self.vars.entry(name);
        var.value = Value::Indexed(Box::new(values.into_iter().collect()));
        var.set = true;
        Ok(())
    }

    pub fn unset_var(&mut self, name: Name) {
        let local = self.options.shopt(super::Shopt::LocalvarUnset);
        let special = self.vars.special(name);
        self.vars.unset(name, local);
        match special {
            Special::Ifs | Special::Path | Special::Locale | Special::Posix | Special::OptInd | Special::GlobIgnore => {
                // These keep their effect when they come back.
                self.vars.set_special(name, special);
                self.assigned_special(name);
            }
            _ => {}
        }
    }
}

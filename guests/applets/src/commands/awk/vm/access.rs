//! Variables and elements: how they are found, and what may be done with them.

use super::super::array::{Array, ArrayRef, Key, Kind};
use super::super::ast::Var;
use super::super::op::Place;
use super::super::special;
use super::super::value::{Lazy, Value};
use super::{Run, Vm};
use std::rc::Rc;

impl Vm {
    pub fn var(&self, var: Var) -> &Value {
        match var {
            Var::Global(slot) => &self.globals[slot as usize],
            Var::Local(slot) => &self.stack[self.base + slot as usize],
        }
    }

    pub fn var_mut(&mut self, var: Var) -> &mut Value {
        match var {
            Var::Global(slot) => &mut self.globals[slot as usize],
            Var::Local(slot) => &mut self.stack[self.base + slot as usize],
        }
    }

    /// What a variable is called in messages.
    pub fn var_name(&self, var: Var) -> String {
        match var {
            Var::Global(slot) => self.program.globals[slot as usize].clone(),
            Var::Local(slot) => {
                let function = self.frames.last().map(|f| &self.program.functions[f.function as usize]);
                function.and_then(|f| f.params.get(slot as usize)).cloned().unwrap_or_default()
            }
        }
    }

    /// An array's name where it is used: a parameter also tells through whose hands it came.
    fn array_name(&self, var: Var, array: &ArrayRef) -> String {
        let own = self.var_name(var);
        if matches!(var, Var::Global(_)) {
            return own;
        }
        let is_it = |value: &Value| value.array().is_some_and(|a| Rc::ptr_eq(&a, array));
        let mut from = Vec::new();
        let mut end = self.base;
        for i in (1..self.frames.len()).rev() {
            let start = self.frames[i].base;
            let params = &self.program.functions[self.frames[i - 1].function as usize].params;
            let found = self.stack[start..end].iter().take(params.len()).position(is_it);
            from.extend(found.map(|slot| params[slot].clone()));
            end = start;
        }
        from.extend(self.globals.iter().position(is_it).map(|slot| self.program.globals[slot].clone()));
        if from.is_empty() {
            return own;
        }
        format!("{own} (from {})", from.join(", from "))
    }

    pub fn not_scalar(&mut self, var: Var) -> super::Stop {
        let name = match self.var(var).array() {
            Some(array) => self.array_name(var, &array),
            None => self.var_name(var),
        };
        self.fatal(format_args!("attempt to use array `{name}' in a scalar context"))
    }

    /// The value of a variable that is none of the special ones.
    #[inline]
    pub fn scalar(&mut self, var: Var) -> Run<Value> {
        match self.var(var) {
            Value::Array(_) => Err(self.not_scalar(var)),
            Value::Untyped => {
                *self.var_mut(var) = Value::Unset;
                Ok(Value::Unset)
            }
            Value::Lazy(cell) => {
                let mut cell = cell.borrow_mut();
                if cell.array().is_some() {
                    drop(cell);
                    return Err(self.not_scalar(var));
                }
                // Who looks at it as a value makes it one.
                *cell = Lazy::Scalar;
                Ok(Value::Unset)
            }
            value => Ok(value.clone()),
        }
    }

    /// The variable as an array; what has no type yet becomes one.
    pub fn array(&mut self, var: Var) -> Run<ArrayRef> {
        if let Value::Array(array) = self.var(var) {
            return Ok(array.clone());
        }
        let name = self.var_name(var);
        match self.var(var) {
            Value::Untyped => {
                let array = Array::shared(&name);
                *self.var_mut(var) = Value::Array(array.clone());
                Ok(array)
            }
            Value::Lazy(cell) if !matches!(*cell.borrow(), Lazy::Scalar) => {
                let array = made(&mut cell.borrow_mut(), &name);
                *self.var_mut(var) = Value::Array(array.clone());
                Ok(array)
            }
            _ => {
                let what = if matches!(var, Var::Local(_)) { "scalar parameter" } else { "scalar" };
                Err(self.fatal(format_args!("attempt to use {what} `{name}' as an array")))
            }
        }
    }

    /// The variable as an argument.
    pub fn argument(&mut self, var: Var) -> Value {
        match self.var(var) {
            Value::Untyped => {
                let cell = Value::Lazy(Rc::default());
                *self.var_mut(var) = cell.clone();
                cell
            }
            Value::Lazy(cell) => match &*cell.borrow() {
                Lazy::Array(array) => Value::Array(array.clone()),
                Lazy::Untyped => Value::Lazy(cell.clone()),
                Lazy::Scalar => Value::Unset,
            },
            value => value.clone(),
        }
    }

    pub fn key(&self, value: &Value) -> Key {
        Key::of(value, &self.record.convfmt)
    }

    fn element_name(&self, array: &ArrayRef, key: &Key) -> String {
        format!("{}[\"{}\"]", array.borrow().name, String::from_utf8_lossy(&key.text()))
    }

    /// The value of an element, which is there from now on.
    #[inline]
    pub fn element(&mut self, array: &ArrayRef, key: Key) -> Run<Value> {
        let mut borrowed = array.borrow_mut();
        if borrowed.kind != Kind::Plain {
            drop(borrowed);
            return self.special_element(array, key);
        }
        match borrowed.entry(key.clone()) {
            Value::Array(_) => {
                drop(borrowed);
                let name = self.element_name(array, &key);
                Err(self.fatal(format_args!("attempt to use array `{name}' in a scalar context")))
            }
            Value::Untyped | Value::Lazy(_) => Ok(Value::Unset),
            value => Ok(value.clone()),
        }
    }

    /// An element as an argument: an array goes as it is, what has no value yet may become one.
    pub fn element_argument(&mut self, array: &ArrayRef, key: Key) -> Run<Value> {
        if array.borrow().kind != Kind::Plain {
            return self.special_element(array, key);
        }
        let mut borrowed = array.borrow_mut();
        let element = borrowed.entry(key);
        if matches!(element, Value::Untyped) {
            *element = Value::Lazy(Rc::default());
        }
        Ok(match element {
            Value::Lazy(cell) => match &*cell.borrow() {
                Lazy::Array(array) => Value::Array(array.clone()),
                Lazy::Untyped => Value::Lazy(cell.clone()),
                Lazy::Scalar => Value::Unset,
            },
            other => other.clone(),
        })
    }

    /// The element as an array, made when there is none.
    pub fn sub_array(&mut self, array: &ArrayRef, key: Key) -> Run<ArrayRef> {
        if array.borrow().kind != Kind::Plain {
            return match self.special_element(array, key)? {
                Value::Array(inner) => Ok(inner),
                _ => Err(self.fatal("attempt to use scalar value as array")),
            };
        }
        let name = self.element_name(array, &key);
        let depth = array.borrow().depth + 1;
        if depth > super::NESTED_ARRAYS {
            return Err(self.fatal("arrays nested too deeply"));
        }
        let mut borrowed = array.borrow_mut();
        let element = borrowed.entry(key);
        let made = match element {
            Value::Array(inner) => return Ok(inner.clone()),
            Value::Lazy(cell) => made(&mut cell.borrow_mut(), &name),
            Value::Untyped => Array::shared(&name),
            _ => {
                drop(borrowed);
                return Err(self.fatal(format_args!("attempt to use scalar `{name}' as an array")));
            }
        };
        made.borrow_mut().depth = depth;
        *element = Value::Array(made.clone());
        Ok(made)
    }

    pub fn set_element(&mut self, array: &ArrayRef, key: Key, value: Value) -> Run<()> {
        let mut borrowed = array.borrow_mut();
        if borrowed.kind != Kind::Plain {
            drop(borrowed);
            return self.set_special_element(array, key, value);
        }
        let element = borrowed.entry(key.clone());
        if matches!(element, Value::Array(_)) {
            drop(borrowed);
            let name = self.element_name(array, &key);
            return Err(self.fatal(format_args!("attempt to use array `{name}' in a scalar context")));
        }
        *element = value;
        Ok(())
    }

    pub fn set_var(&mut self, var: Var, value: Value) -> Run<()> {
        if let Some(slot) = special::of(var) {
            return self.set_special(slot, value);
        }
        if self.var(var).array().is_some() {
            return Err(self.not_scalar(var));
        }
        if let Value::Lazy(cell) = self.var(var) {
            *cell.borrow_mut() = Lazy::Scalar;
        }
        *self.var_mut(var) = value;
        Ok(())
    }

    pub fn field_index(&mut self, value: &Value) -> Run<usize> {
        let n = value.number();
        if n < 0.0 {
            return Err(self.fatal(format_args!("attempt to access field {}", n as i64)));
        }
        // A record of so many fields would not fit anywhere.
        if n > 50_000_000.0 {
            return Err(self.fatal(format_args!("attempt to access field {n:.0}")));
        }
        Ok(n as usize)
    }

    pub fn set_field(&mut self, n: usize, value: Value) {
        if n == 0 {
            let mut text = Vec::new();
            super::super::value::append(&value, &self.record.convfmt, &mut text);
            self.record.assign(&text, value);
        } else {
            let value = if matches!(value, Value::Unset) { Value::string(b"") } else { value };
            self.record.set_field(n, value);
        }
    }

    /// What a place needs, taken from the stack.
    pub fn take_place(&mut self, place: Place) -> Run<Target> {
        Ok(match place {
            Place::Var(var) => Target::Var(var),
            Place::Special(slot) => Target::Var(Var::Global(slot)),
            Place::Field => {
                let index = self.pop();
                Target::Field(self.field_index(&index)?)
            }
            Place::Element(var) => {
                let key = self.pop();
                let key = self.key(&key);
                Target::Element(self.array(var)?, key)
            }
            Place::Inner => {
                let key = self.pop();
                let key = self.key(&key);
                match self.pop() {
                    Value::Array(array) => Target::Element(array, key),
                    _ => return Err(self.fatal("attempt to use scalar value as array")),
                }
            }
        })
    }

    pub fn read(&mut self, target: &Target) -> Run<Value> {
        match target {
            Target::Var(var) => match special::of(*var) {
                Some(slot) => Ok(self.special(slot)),
                None => self.scalar(*var),
            },
            Target::Field(n) => Ok(self.record.get(*n)),
            Target::Element(array, key) => self.element(array, key.clone()),
        }
    }

    pub fn write(&mut self, target: Target, value: Value) -> Run<()> {
        match target {
            Target::Var(var) => self.set_var(var, value),
            Target::Field(n) => {
                self.set_field(n, value);
                Ok(())
            }
            Target::Element(array, key) => self.set_element(&array, key, value),
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Unset)
    }

    /// The array on top, as an argument of the function named.
    pub fn pop_array(&mut self, function: &str, which: &str) -> Run<ArrayRef> {
        match self.pop() {
            Value::Array(array) => Ok(array),
            Value::Lazy(cell) => Ok(made(&mut cell.borrow_mut(), "")),
            _ => Err(self.fatal(format_args!("{function}: {which} argument is not an array"))),
        }
    }
}

/// The array an untyped variable becomes.
fn made(cell: &mut Lazy, name: &str) -> ArrayRef {
    match cell {
        Lazy::Array(array) => array.clone(),
        _ => {
            let array = Array::shared(name);
            *cell = Lazy::Array(array.clone());
            array
        }
    }
}

/// A place with all it needs.
pub enum Target {
    Var(Var),
    Field(usize),
    Element(ArrayRef, Key),
}

//! The loop over the steps.

use super::super::array::Kind;
use super::super::ast::{Compare, Var};
use super::super::op::{Op, Place};
use super::super::value::{self, Class, Value};
use super::{DEEPEST, Frame, NESTED, Run, Stop, Vm};
use std::cmp::Ordering;
use std::rc::Rc;

impl Vm {
    /// Runs from a step to the end of its rule, or to the return of the function called there.
    pub fn run(&mut self, start: usize) -> Run<()> {
        let program = self.program.clone();
        let ops = &program.ops[..];
        let depth = self.frames.len();
        let mut pc = start;
        loop {
            let op = ops[pc];
            pc += 1;
            self.pc = pc;
            match op {
                Op::Number(n) => self.stack.push(Value::Num(n)),
                Op::Text(text) => self.stack.push(Value::string(&program.texts[text as usize])),
                Op::Regex(regex) => self.stack.push(Value::regex(program.regexes[regex as usize].clone())),
                Op::Unset => self.stack.push(Value::Unset),
                Op::Pop => {
                    self.stack.pop();
                }
                Op::Dup => {
                    let top = self.stack.last().cloned().unwrap_or(Value::Unset);
                    self.stack.push(top);
                }
                Op::Dup2 => {
                    let n = self.stack.len();
                    let two = [self.stack[n - 2].clone(), self.stack[n - 1].clone()];
                    self.stack.extend(two);
                }
                Op::Global(slot) => {
                    let value = match &self.globals[slot as usize] {
                        Value::Num(n) => Value::Num(*n),
                        Value::Small(small) => Value::Small(*small),
                        _ => self.scalar(Var::Global(slot))?,
                    };
                    self.stack.push(value);
                }
                Op::Local(slot) => {
                    let value = match &self.stack[self.base + slot as usize] {
                        Value::Num(n) => Value::Num(*n),
                        Value::Small(small) => Value::Small(*small),
                        _ => self.scalar(Var::Local(slot))?,
                    };
                    self.stack.push(value);
                }
                Op::Special(slot) => {
                    let value = self.special(slot);
                    self.stack.push(value);
                }
                Op::Argument(var) => {
                    let value = self.argument(var);
                    self.stack.push(value);
                }
                Op::ElementArgument(var) => {
                    let key = self.pop();
                    let key = self.key(&key);
                    let array = self.array(var)?;
                    let value = self.element_argument(&array, key)?;
                    self.stack.push(value);
                }
                Op::InnerArgument => {
                    let super::access::Target::Element(array, key) = self.take_place(Place::Inner)? else { continue };
                    let value = self.element_argument(&array, key)?;
                    self.stack.push(value);
                }
                Op::Field => {
                    let index = self.pop();
                    let n = self.field_index(&index)?;
                    let value = self.record.get(n);
                    self.stack.push(value);
                }
                Op::FieldTarget => {
                    let index = self.pop();
                    let n = self.field_index(&index)?;
                    self.record.reach(n);
                    let value = self.record.get(n);
                    self.stack.push(value);
                }
                Op::FieldAt(n) => {
                    let value = self.record.get(n as usize);
                    self.stack.push(value);
                }
                Op::FieldNumber(n) => {
                    let n = self.record.number(n as usize);
                    let n = if self.modes.non_decimal { self.non_decimal(op, n) } else { n };
                    self.stack.push(Value::Num(n));
                }
                Op::Element(var) => {
                    let key = self.pop();
                    let key = self.key(&key);
                    let array = self.array(var)?;
                    let value = self.element(&array, key)?;
                    self.stack.push(value);
                }
                Op::Inner => {
                    let target = self.take_place(Place::Inner)?;
                    let value = self.read(&target)?;
                    self.stack.push(value);
                }
                Op::SubArray(var) => {
                    let key = self.pop();
                    let key = self.key(&key);
                    let array = self.array(var)?;
                    let inner = self.sub_array(&array, key)?;
                    self.stack.push(Value::Array(inner));
                }
                Op::InnerSubArray => {
                    let super::access::Target::Element(array, key) = self.take_place(Place::Inner)? else { continue };
                    let inner = self.sub_array(&array, key)?;
                    self.stack.push(Value::Array(inner));
                }
                Op::ArrayOf(var) => {
                    let array = self.array(var)?;
                    self.stack.push(Value::Array(array));
                }

                Op::SetGlobal { slot, keep } => {
                    let value = self.pop();
                    if keep {
                        self.stack.push(value.clone());
                    }
                    match &mut self.globals[slot as usize] {
                        Value::Array(_) | Value::Lazy(_) => self.set_var(Var::Global(slot), value)?,
                        place => *place = value,
                    }
                }
                Op::SetLocal { slot, keep } => {
                    let value = self.pop();
                    if keep {
                        self.stack.push(value.clone());
                    }
                    match &mut self.stack[self.base + slot as usize] {
                        Value::Array(_) | Value::Lazy(_) => self.set_var(Var::Local(slot), value)?,
                        place => *place = value,
                    }
                }
                Op::Store { place, keep } => {
                    let target = self.take_place(place)?;
                    let value = self.pop();
                    if keep {
                        self.stack.push(value.clone());
                    }
                    self.write(target, value)?;
                }
                Op::UpdateGlobal { slot, operator, keep } => {
                    let right = self.pop().number();
                    let left = match &self.globals[slot as usize] {
                        Value::Num(n) => *n,
                        Value::Array(_) | Value::Lazy(_) => self.scalar(Var::Global(slot))?.number(),
                        other => other.number(),
                    };
                    let result = Value::Num(self.arithmetic(operator, left, right, true)?);
                    if keep {
                        self.stack.push(result.clone());
                    }
                    self.globals[slot as usize] = result;
                }
                Op::Update { place, operator, keep } => self.update(place, operator, keep)?,
                Op::AppendTo { var, keep } => self.append_to(var, keep)?,
                Op::StepGlobal { slot, add, before, keep } => {
                    let old = match &self.globals[slot as usize] {
                        Value::Num(n) => *n,
                        _ => self.scalar(Var::Global(slot))?.number(),
                    };
                    let new = old + f64::from(add);
                    self.globals[slot as usize] = Value::Num(new);
                    if keep {
                        self.stack.push(Value::Num(if before { new } else { old }));
                    }
                }
                Op::StepLocal { slot, add, before, keep } => {
                    let at = self.base + slot as usize;
                    let old = match &self.stack[at] {
                        Value::Num(n) => *n,
                        _ => self.scalar(Var::Local(slot))?.number(),
                    };
                    let new = old + f64::from(add);
                    self.stack[at] = Value::Num(new);
                    if keep {
                        self.stack.push(Value::Num(if before { new } else { old }));
                    }
                }
                Op::Step { place, add, before, keep } => self.step(place, add, before, keep)?,
                Op::StorePending(place) => {
                    let count = self.pop();
                    let target = self.take_place(place)?;
                    if let Some(value) = self.pending.take() {
                        self.write(target, value)?;
                    }
                    self.stack.push(count);
                }

                Op::Arithmetic(operator) => {
                    let right = self.pop().number();
                    self.arithmetic_top(operator, right)?;
                }
                Op::ArithmeticNumber(operator, right) => self.arithmetic_top(operator, right)?,
                Op::ArithmeticGlobal(operator, slot) => {
                    let right = match &self.globals[slot as usize] {
                        Value::Num(n) => *n,
                        _ => self.scalar(Var::Global(slot))?.number(),
                    };
                    self.arithmetic_top(operator, right)?;
                }
                Op::ArithmeticLocal(operator, slot) => {
                    let right = match &self.stack[self.base + slot as usize] {
                        Value::Num(n) => *n,
                        _ => self.scalar(Var::Local(slot))?.number(),
                    };
                    self.arithmetic_top(operator, right)?;
                }
                Op::Negate => {
                    let n = self.pop().number();
                    self.stack.push(Value::Num(-n));
                }
                Op::ToNumber => {
                    let n = self.pop().number();
                    self.stack.push(Value::Num(n));
                }
                Op::Not => {
                    let truth = self.pop().truth();
                    self.push_bool(!truth);
                }
                Op::Compare(operator) => {
                    let right = self.pop();
                    let left = self.pop();
                    let holds = self.compare(operator, &left, &right);
                    self.push_bool(holds);
                }
                Op::Match { regex, negate } => {
                    let regex = self.constant(regex)?;
                    let text = self.pop();
                    let found = match text.bytes() {
                        Some(bytes) => regex.is_match(bytes),
                        None => regex.is_match(&self.text_of(&text)),
                    };
                    self.push_bool(found != negate);
                }
                Op::MatchRecord { regex, negate } => {
                    let regex = self.constant(regex)?;
                    let found = regex.is_match(self.record.text());
                    self.push_bool(found != negate);
                }
                Op::MatchDynamic { negate } => {
                    let source = self.pop();
                    let regex = self.regex_of(&source)?;
                    let text = self.pop();
                    let found = match text.bytes() {
                        Some(bytes) => regex.is_match(bytes),
                        None => regex.is_match(&self.text_of(&text)),
                    };
                    self.push_bool(found != negate);
                }
                Op::In(var) => {
                    let key = self.pop();
                    let key = self.key(&key);
                    let array = self.array(var)?;
                    let found = match array.borrow().kind {
                        Kind::Symbols => None,
                        _ => Some(array.borrow().contains(&key)),
                    };
                    let found = found.unwrap_or_else(|| self.has_symbol(&key));
                    self.push_bool(found);
                }
                Op::InInner => {
                    let super::access::Target::Element(array, key) = self.take_place(Place::Inner)? else { continue };
                    let found = array.borrow().contains(&key);
                    self.push_bool(found);
                }

                Op::Jump(to) => pc = to as usize,
                Op::JumpIf(to) => {
                    if self.pop().truth() {
                        pc = to as usize;
                    }
                }
                Op::JumpUnless(to) => {
                    if !self.pop().truth() {
                        pc = to as usize;
                    }
                }
                Op::JumpUnlessCompare(operator, to) => {
                    let right = self.pop();
                    let left = self.pop();
                    let holds = match (&left, &right) {
                        (Value::Num(a), Value::Num(b)) => holds(operator, *a, *b),
                        _ => self.compare(operator, &left, &right),
                    };
                    if !holds {
                        pc = to as usize;
                    }
                }
                Op::JumpUnlessCompareNumber(operator, to, right) => {
                    let left = self.pop();
                    let holds = match &left {
                        Value::Num(left) => holds(operator, *left, right),
                        _ => self.compare(operator, &left, &Value::Num(right)),
                    };
                    if !holds {
                        pc = to as usize;
                    }
                }
                Op::JumpUnlessCompareGlobal(operator, to, slot) => {
                    let left = self.pop();
                    let holds = match (&left, &self.globals[slot as usize]) {
                        (Value::Num(left), Value::Num(right)) => holds(operator, *left, *right),
                        _ => {
                            let right = self.scalar(Var::Global(slot))?;
                            self.compare(operator, &left, &right)
                        }
                    };
                    if !holds {
                        pc = to as usize;
                    }
                }
                Op::Case(to) => {
                    let case = self.pop();
                    let value = self.stack.last().cloned().unwrap_or(Value::Unset);
                    if self.compare(Compare::Equal, &value, &case) {
                        self.pop();
                        pc = to as usize;
                    }
                }
                Op::CaseMatch { regex, to } => {
                    let regex = self.constant(regex)?;
                    let value = self.stack.last().cloned().unwrap_or(Value::Unset);
                    let text = self.text_of(&value);
                    if regex.is_match(&text) {
                        self.pop();
                        pc = to as usize;
                    }
                }

                Op::Begin => self.marks.push(self.buf.len()),
                Op::AddText(text) => self.buf.extend_from_slice(&program.texts[text as usize]),
                Op::AddGlobal { slot, print } => {
                    let format = if print { &self.ofmt } else { &self.record.convfmt };
                    match &self.globals[slot as usize] {
                        Value::Array(_) | Value::Lazy(_) | Value::Untyped => {
                            self.scalar(Var::Global(slot))?;
                        }
                        value => value::append(value, format, &mut self.buf),
                    }
                }
                Op::AddLocal { slot, print } => {
                    let format = if print { &self.ofmt } else { &self.record.convfmt };
                    match &self.stack[self.base + slot as usize] {
                        Value::Array(_) | Value::Lazy(_) | Value::Untyped => {
                            self.scalar(Var::Local(slot))?;
                        }
                        value => value::append(value, format, &mut self.buf),
                    }
                }
                Op::AddField(n) => self.record.append(n as usize, &mut self.buf),
                Op::AddTop { print } => {
                    let value = self.pop();
                    let format = if print { &self.ofmt } else { &self.record.convfmt };
                    value::append(&value, format, &mut self.buf);
                }
                Op::AddSubsep => self.buf.extend_from_slice(&self.subsep),
                Op::AddOfs => self.buf.extend_from_slice(&self.record.ofs),
                Op::AddOrs => self.buf.extend_from_slice(&self.ors),
                Op::End => {
                    let start = self.marks.pop().unwrap_or(0);
                    self.stack.push(Value::string(&self.buf[start..]));
                    self.buf.truncate(start);
                }
                Op::Print { to, format } => self.print(to, format)?,
                Op::Format(args) => self.format(args as usize)?,

                Op::Loop => self.begin_loop()?,
                Op::LoopNext { var, to } => match self.loops.last_mut().and_then(|l| l.keys.next()) {
                    Some(key) => self.set_var(var, key)?,
                    None => pc = to as usize,
                },
                Op::LoopEnd => {
                    self.loops.pop();
                }

                Op::DeleteElement(var) => {
                    let key = self.pop();
                    let array = self.array(var)?;
                    self.delete(&array, &key)?;
                }
                Op::DeleteInner => {
                    let key = self.pop();
                    if let Value::Array(array) = self.pop() {
                        self.delete(&array, &key)?;
                    }
                }
                Op::DeleteAll => {
                    if let Value::Array(array) = self.pop() {
                        self.delete_all(&array)?;
                    }
                }

                Op::Call { function, args } => {
                    self.enter(function, args as usize, pc)?;
                    pc = program.functions[function as usize].start as usize;
                }
                Op::Undefined(function) => {
                    let name = program.functions[function as usize].name.clone();
                    return Err(self.fatal(format_args!("function `{name}' not defined")));
                }
                Op::Indirect { args } => match self.indirect(args as usize)? {
                    Some(function) => {
                        let code = &program.functions[function as usize];
                        let count = code.params.len().min(args as usize);
                        let extra = args as usize - count;
                        self.stack.truncate(self.stack.len() - extra);
                        self.enter(function, count, pc)?;
                        pc = code.start as usize;
                    }
                    None => continue,
                },
                Op::Builtin { id, args } => self.builtin(id, args as usize)?,
                Op::Substitute { regex, all } => self.substitute(regex, all)?,
                Op::Getline { from, target } => self.getline(from, target)?,
                Op::Return => {
                    let value = self.pop();
                    let value = if matches!(value, Value::Untyped | Value::Lazy(_)) { Value::Unset } else { value };
                    let Some(frame) = self.frames.pop() else { continue };
                    self.stack.truncate(self.base);
                    self.stack.push(value);
                    self.base = frame.base;
                    self.loops.truncate(frame.loops);
                    pc = frame.back;
                    if self.frames.len() < depth {
                        return Ok(());
                    }
                }

                Op::Next => return Err(Stop::Next),
                Op::NextFile => return Err(Stop::NextFile),
                Op::Exit { value } => {
                    if value {
                        self.status = (self.pop().number() as i64 & 0xff) as u8;
                    }
                    return Err(Stop::Exit);
                }
                Op::Stop => return Ok(()),
                Op::InRange(range) => {
                    let inside = self.ranges[range as usize];
                    self.push_bool(inside);
                }
                Op::SetRange(range, inside) => self.ranges[range as usize] = inside,
            }
        }
    }

    #[inline]
    fn push_bool(&mut self, holds: bool) {
        self.stack.push(Value::Num(f64::from(u8::from(holds))));
    }

    /// A frame for the function; its arguments are on the stack.
    pub fn enter(&mut self, function: u32, args: usize, back: usize) -> Run<()> {
        if self.frames.len() >= DEEPEST {
            return Err(self.fatal("function calls nested too deeply"));
        }
        let params = self.program.functions[function as usize].params.len();
        self.frames.push(Frame { back, base: self.base, loops: self.loops.len(), function });
        self.base = self.stack.len() - args;
        for _ in args..params {
            self.stack.push(Value::Untyped);
        }
        Ok(())
    }

    /// Calls a function from inside of a step, as sorting does.
    pub fn call(&mut self, function: u32, args: Vec<Value>) -> Run<Value> {
        if self.nested >= NESTED {
            return Err(self.fatal("function calls nested too deeply"));
        }
        let params = self.program.functions[function as usize].params.len();
        let count = args.len().min(params);
        self.stack.extend(args.into_iter().take(count));
        let here = self.pc;
        self.enter(function, count, usize::MAX)?;
        self.nested += 1;
        // The frame is this run's own: its return ends the run.
        let start = self.program.functions[function as usize].start as usize;
        let result = self.run(start);
        self.nested -= 1;
        self.pc = here;
        result?;
        Ok(self.pop())
    }

    /// Back to where no function runs, after `next` and the like.
    pub fn unwind(&mut self) {
        self.stack.clear();
        self.frames.clear();
        self.loops.clear();
        self.buf.clear();
        self.marks.clear();
        self.base = 0;
    }

    /// The top and a number on its right.
    #[inline]
    fn arithmetic_top(&mut self, operator: u8, right: f64) -> Run<()> {
        let left = self.stack.last().map_or(0.0, Value::number);
        let result = match operator {
            b'+' => left + right,
            b'-' => left - right,
            b'*' => left * right,
            _ => self.arithmetic(operator, left, right, false)?,
        };
        if let Some(top) = self.stack.last_mut() {
            *top = Value::Num(result);
        }
        Ok(())
    }

    pub fn arithmetic(&mut self, operator: u8, left: f64, right: f64, assign: bool) -> Run<f64> {
        Ok(match operator {
            b'+' => left + right,
            b'-' => left - right,
            b'*' => left * right,
            b'/' => {
                if right == 0.0 {
                    let text = if assign { "division by zero attempted in `/='" } else { "division by zero attempted" };
                    return Err(self.fatal(text));
                }
                left / right
            }
            b'%' => {
                if right == 0.0 {
                    let mark = if assign { "%=" } else { "%" };
                    return Err(self.fatal(format_args!("division by zero attempted in `{mark}'")));
                }
                left % right
            }
            _ => power(left, right),
        })
    }

    pub fn compare(&self, operator: Compare, left: &Value, right: &Value) -> bool {
        let numbers = match (left.class(), right.class()) {
            (Class::Number(a) | Class::Both(a), Class::Number(b) | Class::Both(b)) => Some((a, b)),
            (Class::Null, Class::Number(b) | Class::Both(b)) => Some((0.0, b)),
            (Class::Number(a) | Class::Both(a), Class::Null) => Some((a, 0.0)),
            (Class::Null, Class::Null) => Some((0.0, 0.0)),
            _ => None,
        };
        if let Some((a, b)) = numbers {
            return holds(operator, a, b);
        }
        let order = match (left.bytes(), right.bytes()) {
            (Some(a), Some(b)) => self.compare_bytes(a, b),
            _ => self.compare_bytes(&self.text_of(left), &self.text_of(right)),
        };
        matches!(
            (operator, order),
            (Compare::Less | Compare::LessEqual | Compare::NotEqual, Ordering::Less)
                | (Compare::LessEqual | Compare::Equal | Compare::GreaterEqual, Ordering::Equal)
                | (Compare::Greater | Compare::GreaterEqual | Compare::NotEqual, Ordering::Greater)
        )
    }

    pub fn compare_bytes(&self, a: &[u8], b: &[u8]) -> Ordering {
        if !self.regexes.ignore_case {
            return a.cmp(b);
        }
        let fold = |text: &[u8]| crate::letters::map_case(text, self.modes.utf8, false);
        fold(a).cmp(&fold(b))
    }

    pub fn text_of(&self, value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        value::append(value, &self.record.convfmt, &mut out);
        out
    }

    fn update(&mut self, place: Place, operator: u8, keep: bool) -> Run<()> {
        let target = self.take_place(place)?;
        let right = self.pop().number();
        // The common case in one look into the table.
        if let super::access::Target::Element(array, key) = &target
            && array.borrow().kind == Kind::Plain
            && operator == b'+'
        {
            let mut borrowed = array.borrow_mut();
            let element = borrowed.entry(key.clone());
            if !matches!(element, Value::Array(_) | Value::Lazy(_)) {
                let result = element.number() + right;
                *element = Value::Num(result);
                if keep {
                    self.stack.push(Value::Num(result));
                }
                return Ok(());
            }
        }
        let left = self.read(&target)?.number();
        let result = Value::Num(self.arithmetic(operator, left, right, true)?);
        if keep {
            self.stack.push(result.clone());
        }
        self.write(target, result)
    }

    fn step(&mut self, place: Place, add: i8, before: bool, keep: bool) -> Run<()> {
        let target = self.take_place(place)?;
        if let super::access::Target::Element(array, key) = &target
            && array.borrow().kind == Kind::Plain
        {
            let mut borrowed = array.borrow_mut();
            let element = borrowed.entry(key.clone());
            if !matches!(element, Value::Array(_) | Value::Lazy(_)) {
                let old = element.number();
                let new = old + f64::from(add);
                *element = Value::Num(new);
                if keep {
                    self.stack.push(Value::Num(if before { new } else { old }));
                }
                return Ok(());
            }
        }
        let old = self.read(&target)?.number();
        let new = old + f64::from(add);
        if keep {
            self.stack.push(Value::Num(if before { new } else { old }));
        }
        self.write(target, Value::Num(new))
    }

    /// What is in the buffer goes behind the variable's own text, in place where nobody else has it.
    fn append_to(&mut self, var: Var, keep: bool) -> Run<()> {
        let start = self.marks.pop().unwrap_or(0);
        if let Value::Array(_) | Value::Lazy(_) = self.var(var) {
            self.scalar(var)?;
        }
        let old = std::mem::replace(self.var_mut(var), Value::Unset);
        let new = match old {
            Value::Str(mut text) => match Rc::get_mut(&mut text) {
                Some(own) => {
                    own.grow(&self.buf[start..]);
                    Value::Str(text)
                }
                None => Value::owned([&text.bytes, &self.buf[start..]].concat()),
            },
            other => {
                let mut text = Vec::with_capacity(self.buf.len() - start + 16);
                value::append(&other, &self.record.convfmt, &mut text);
                text.extend_from_slice(&self.buf[start..]);
                Value::owned(text)
            }
        };
        self.buf.truncate(start);
        if keep {
            self.stack.push(new.clone());
        }
        *self.var_mut(var) = new;
        Ok(())
    }
}

#[inline]
fn holds(operator: Compare, a: f64, b: f64) -> bool {
    match operator {
        Compare::Less => a < b,
        Compare::LessEqual => a <= b,
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::Greater => a > b,
        Compare::GreaterEqual => a >= b,
    }
}

/// Whole powers by squaring, so that they are exact.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == exponent.trunc() && exponent.abs() < 1024.0 {
        let (mut result, mut square, mut left) = (1.0, base, exponent.abs() as u32);
        while left > 0 {
            if left & 1 == 1 {
                result *= square;
            }
            square *= square;
            left >>= 1;
        }
        return if exponent < 0.0 { 1.0 / result } else { result };
    }
    base.powf(exponent)
}

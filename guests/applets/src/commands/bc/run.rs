//! Statements carried out.

use super::lex::Lexer;
use super::math;
use super::parse::{Address, Arg, Expr, Function, Place, Printed, Statement};
use super::random::Random;
use crate::decimal::Decimal;
use capsule_sys::{Out, getenv};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

pub enum Stop {
    Break,
    Continue,
    Return(Decimal),
    Halt,
    Error(String),
}

type Run<T> = Result<T, Stop>;
type Array = HashMap<i64, Decimal>;

/// So many calls may be open at once: each is on the real stack.
const DEEPEST: usize = 250;

pub struct Machine {
    pub out: Out,
    column: usize,
    line_length: usize,
    pub scale: usize,
    ibase: u32,
    obase: u32,
    last: Decimal,
    vars: BTreeMap<String, Decimal>,
    arrays: HashMap<String, Array>,
    functions: HashMap<String, Rc<Function>>,
    library: bool,
    calls: Vec<String>,
    random: Option<Box<Random>>,
    /// Where in the code of the line or function an error would be.
    pub at: Address,
}

fn error<T>(text: &str) -> Run<T> {
    Err(Stop::Error(text.to_owned()))
}

impl Machine {
    pub fn new(out: Out, library: bool) -> Machine {
        let length = getenv(b"BC_LINE_LENGTH").and_then(|v| String::from_utf8_lossy(&v).parse().ok());
        Machine {
            out,
            column: 0,
            line_length: match length {
                Some(0) => usize::MAX,
                Some(n) if n > 2 => n,
                _ => 70,
            },
            scale: if library { 20 } else { 0 },
            ibase: 10,
            obase: 10,
            last: Decimal::default(),
            vars: BTreeMap::new(),
            arrays: HashMap::new(),
            functions: HashMap::new(),
            library,
            calls: Vec::new(),
            random: None,
            at: 0,
        }
    }

    pub fn flush(&mut self) {
        let _ = self.out.flush();
    }

    pub fn reset(&mut self) {
        self.calls.clear();
        self.column = 0;
    }

    pub fn function_name(&self) -> String {
        self.calls.last().cloned().unwrap_or_else(|| "(main)".to_owned())
    }

    pub fn define(&mut self, function: Rc<Function>) {
        self.functions.insert(function.name.clone(), function);
    }

    pub fn top(&mut self, statements: &[Statement], lex: &mut Lexer) -> Run<()> {
        self.block(statements, lex)
    }

    fn block(&mut self, statements: &[Statement], lex: &mut Lexer) -> Run<()> {
        for statement in statements {
            self.statement(statement, lex)?;
        }
        Ok(())
    }

    /// One character of a number; long ones go on in the next line.
    fn put(&mut self, b: u8) {
        if b == b'\n' {
            self.column = 0;
        } else {
            self.column += 1;
            if self.column >= self.line_length - 1 {
                self.out.write(b"\\\n");
                self.column = 1;
            }
        }
        self.out.byte(b);
    }

    fn print(&mut self, value: &Decimal) {
        for b in value.show(self.obase, false).into_bytes() {
            self.put(b);
        }
        self.last = value.clone();
    }

    fn statement(&mut self, statement: &Statement, lex: &mut Lexer) -> Run<()> {
        match statement {
            Statement::Expr(expr) => {
                let void = matches!(expr, Expr::Call(name, ..) if self.functions.get(name).is_some_and(|f| f.void));
                let value = self.value_or_void(expr, lex)?;
                if !void && !matches!(expr, Expr::Assign(..)) {
                    self.print(&value);
                    self.put(b'\n');
                }
            }
            Statement::Text(text) => {
                self.out.write(text);
                self.column = 0;
            }
            Statement::Print(all) => {
                for part in all {
                    match part {
                        Printed::Text(text) => self.escaped(text),
                        Printed::Value(expr) => {
                            let value = self.value(expr, lex)?;
                            self.print(&value);
                        }
                    }
                }
                self.column = 0;
            }
            Statement::If(condition, then, other) => {
                if !self.value(condition, lex)?.is_zero() {
                    self.statement(then, lex)?;
                } else if let Some(other) = other {
                    self.statement(other, lex)?;
                }
            }
            Statement::While(condition, body) => {
                while !self.value(condition, lex)?.is_zero() {
                    if self.turn(body, lex)? {
                        break;
                    }
                }
            }
            Statement::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.value(first, lex)?;
                }
                loop {
                    if let Some(condition) = condition
                        && self.value(condition, lex)?.is_zero()
                    {
                        break;
                    }
                    if self.turn(body, lex)? {
                        break;
                    }
                    if let Some(step) = step {
                        self.value(step, lex)?;
                    }
                }
            }
            Statement::Block(all) => self.block(all, lex)?,
            Statement::Break => return Err(Stop::Break),
            Statement::Continue => return Err(Stop::Continue),
            Statement::Return(value) => {
                let value = value.as_ref().map(|v| self.value(v, lex)).transpose()?;
                return Err(Stop::Return(value.unwrap_or_default()));
            }
            Statement::Halt => return Err(Stop::Halt),
        }
        Ok(())
    }

    /// One turn of a loop; whether it ends.
    fn turn(&mut self, body: &Statement, lex: &mut Lexer) -> Run<bool> {
        match self.statement(body, lex) {
            Err(Stop::Break) => Ok(true),
            Err(Stop::Continue) | Ok(()) => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    fn escaped(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'\\' && at + 1 < text.len() {
                let b = match text[at + 1] {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'q' => b'"',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'\\' => b'\\',
                    _ => {
                        at += 2;
                        continue;
                    }
                };
                self.out.byte(b);
                at += 2;
            } else {
                self.out.byte(text[at]);
                at += 1;
            }
        }
    }

    fn get(&mut self, place: &Place, index: i64) -> Decimal {
        match place {
            Place::Var(name) => self.vars.get(name).cloned().unwrap_or_default(),
            Place::Element(name, _) => self.arrays.get(name).and_then(|a| a.get(&index)).cloned().unwrap_or_default(),
            Place::Scale => Decimal::int(self.scale as i64),
            Place::Ibase => Decimal::int(self.ibase.into()),
            Place::Obase => Decimal::int(self.obase.into()),
            Place::Last => self.last.clone(),
        }
    }

    /// The index of an element as it was computed.
    fn index(&mut self, place: &Place, lex: &mut Lexer) -> Run<Decimal> {
        match place {
            Place::Element(_, index) => self.value(index, lex),
            _ => Ok(Decimal::default()),
        }
    }

    /// The index as a number that arrays have.
    fn bound(&mut self, place: &Place, index: &Decimal, at: Address) -> Run<i64> {
        self.at = at;
        let Place::Element(name, _) = place else { return Ok(0) };
        match index.to_i64() {
            Some(n) if (0..=16_777_215).contains(&n) => Ok(n),
            _ => error(&format!("Array {name} subscript out of bounds.")),
        }
    }

    fn set(&mut self, place: &Place, index: i64, value: Decimal) -> Run<()> {
        let small = || value.to_i64().unwrap_or(i64::MAX);
        match place {
            Place::Var(name) => match self.vars.get_mut(name) {
                Some(place) => *place = value,
                None => drop(self.vars.insert(name.clone(), value)),
            },
            Place::Element(name, _) => {
                self.arrays.entry(name.clone()).or_default().insert(index, value);
            }
            Place::Scale => {
                let n = small();
                if value.is_negative() {
                    self.warn("negative scale, set to 0");
                    self.scale = 0;
                } else {
                    if n > i64::from(i32::MAX) {
                        self.warn("scale too large, set to 2147483647");
                    }
                    self.scale = n.min(1_000_000) as usize;
                }
            }
            Place::Ibase => {
                let n = small();
                if value.is_negative() {
                    self.warn("negative ibase, set to 2");
                } else if n < 2 {
                    self.warn("ibase too small, set to 2");
                } else if n > 36 {
                    self.warn("ibase too large, set to 36");
                }
                self.ibase = if value.is_negative() { 2 } else { n.clamp(2, 36) as u32 };
            }
            Place::Obase => {
                let n = small();
                if value.is_negative() {
                    self.warn("negative obase, set to 2");
                } else if n < 2 {
                    self.warn("obase too small, set to 2");
                } else if n > i64::from(i32::MAX) {
                    self.warn("obase too large, set to 2147483647");
                }
                self.obase = if value.is_negative() { 2 } else { n.clamp(2, i64::from(i32::MAX)) as u32 };
            }
            Place::Last => self.last = value,
        }
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        self.flush();
        let place = format!("func={}, adr={}", self.function_name(), self.at);
        crate::report::plain(&format!("Runtime warning ({place}): {text}\n"));
    }

    fn binary(&mut self, operator: u8, left: &Decimal, right: &Decimal) -> Run<Decimal> {
        let scale = self.scale;
        let zero = || Stop::Error("Divide by zero".to_owned());
        match operator {
            b'+' => Ok(left.add(right)),
            b'-' => Ok(left.sub(right)),
            b'*' => Ok(left.mul(right, scale)),
            b'/' => left.div(right, scale).ok_or_else(zero),
            b'%' => left.rem(right, scale).ok_or_else(|| Stop::Error("Modulo by zero".to_owned())),
            _ => {
                if right.scale() > 0 && right.with_scale(0).compare(right) != Ordering::Equal {
                    self.warn("non-zero scale in exponent");
                }
                let Some(exponent) = right.to_i64() else { return error("exponent too large in raise") };
                if left.is_zero() && exponent < 0 {
                    return error("divide by zero");
                }
                left.pow(exponent, scale).ok_or_else(|| Stop::Error("exponent too large in raise".to_owned()))
            }
        }
    }

    fn value(&mut self, expr: &Expr, lex: &mut Lexer) -> Run<Decimal> {
        if let Expr::Call(name, ..) = expr
            && self.functions.get(name).is_some_and(|f| f.void)
        {
            return error("void expression with comparison");
        }
        self.value_or_void(expr, lex)
    }

    fn value_or_void(&mut self, expr: &Expr, lex: &mut Lexer) -> Run<Decimal> {
        let truth = |b: bool| Decimal::int(b.into());
        Ok(match expr {
            Expr::Number(text) => Decimal::parse(text, self.ibase, true),
            Expr::Place(place, at) => {
                let index = self.index(place, lex)?;
                let index = self.bound(place, &index, *at)?;
                self.get(place, index)
            }
            Expr::Assign(place, operator, value, at) => {
                let index = self.index(place, lex)?;
                let old = match operator {
                    Some((_, at)) => {
                        let index = self.bound(place, &index, *at)?;
                        self.get(place, index)
                    }
                    None => Decimal::default(),
                };
                let mut value = self.value(value, lex)?;
                if let Some((operator, at)) = operator {
                    self.at = *at;
                    value = self.binary(*operator, &old, &value)?;
                }
                let index = self.bound(place, &index, *at)?;
                self.set(place, index, value.clone())?;
                value
            }
            Expr::Step(place, before, up, at) => {
                let index = self.index(place, lex)?;
                let index = self.bound(place, &index, *at)?;
                let old = self.get(place, index);
                let new = old.add(&Decimal::int(if *up { 1 } else { -1 }));
                self.set(place, index, new.clone())?;
                if *before { new } else { old }
            }
            Expr::Negate(operand) => self.value(operand, lex)?.neg(),
            Expr::Not(operand) => truth(self.value(operand, lex)?.is_zero()),
            Expr::Binary(first, rest) => {
                let mut left = self.value(first, lex)?;
                for (operator, right, at) in rest {
                    let right = self.value(right, lex)?;
                    self.at = *at;
                    left = self.binary(*operator, &left, &right)?;
                }
                left
            }
            Expr::Compare(first, rest) => {
                let mut left = self.value(first, lex)?;
                for (mark, right) in rest {
                    let order = left.compare(&self.value(right, lex)?);
                    left = truth(match *mark {
                        "==" => order == Ordering::Equal,
                        "!=" => order != Ordering::Equal,
                        "<" => order == Ordering::Less,
                        "<=" => order != Ordering::Greater,
                        ">" => order == Ordering::Greater,
                        _ => order != Ordering::Less,
                    });
                }
                left
            }
            Expr::And(all) => {
                let mut holds = true;
                for part in all {
                    holds = holds && !self.value(part, lex)?.is_zero();
                }
                truth(holds)
            }
            Expr::Or(all) => {
                let mut holds = false;
                for part in all {
                    holds = holds || !self.value(part, lex)?.is_zero();
                }
                truth(holds)
            }
            Expr::Call(name, args, at) => self.call(name, args, *at, lex)?,
            Expr::Length(inner) => Decimal::int(self.value(inner, lex)?.length() as i64),
            Expr::Scale(inner) => Decimal::int(self.value(inner, lex)?.scale() as i64),
            Expr::Sqrt(inner, at) => {
                let value = self.value(inner, lex)?;
                self.at = *at;
                match value.sqrt(self.scale) {
                    Some(root) => root,
                    None => return error("Square root of a negative number"),
                }
            }
            Expr::Read => {
                self.flush();
                let line = lex.read_line().unwrap_or_default();
                let text: Vec<u8> = line.trim_ascii().to_vec();
                Decimal::parse(&text, self.ibase, true)
            }
            Expr::Random => {
                let random = self.random.get_or_insert_with(|| Box::new(Random::new()));
                Decimal::int(random.next().into())
            }
            Expr::Group(inner) => self.value(inner, lex)?,
        })
    }

    fn call(&mut self, name: &str, args: &[Arg], at: Address, lex: &mut Lexer) -> Run<Decimal> {
        let function = self.functions.get(name).cloned();
        if function.is_none()
            && self.library
            && let Some(value) = self.library_call(name, args, at, lex)?
        {
            return Ok(value);
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(match arg {
                Arg::Value(expr) => Some(self.value(expr, lex)?),
                Arg::Array(_) => None,
            });
        }
        self.at = at;
        let Some(function) = function else { return error(&format!("Function {name} not defined.")) };
        if self.calls.len() >= DEEPEST {
            return error("function calls nested too deeply");
        }
        let mut params = function.params.iter();
        for value in &values {
            self.at += 1;
            match params.next() {
                None => return error("Parameter number mismatch"),
                Some(param) if param.array == value.is_none() => {}
                Some(param) if param.array => {
                    return error(&format!("Parameter type mismatch parameter {}.", param.name));
                }
                Some(param) => return error(&format!("Parameter type mismatch, parameter {}.", param.name)),
            }
        }
        self.at += 1;
        if params.next().is_some() {
            return error("Parameter number mismatch");
        }
        // What the names stood for before, to be put back afterwards.
        let mut saved = Vec::new();
        let mut arrays: Vec<Array> = args
            .iter()
            .map(|arg| match arg {
                Arg::Array(name) => self.arrays.get(name).cloned().unwrap_or_default(),
                Arg::Value(_) => Array::new(),
            })
            .collect();
        let locals = function.params.iter().chain(&function.autos);
        for (i, local) in locals.enumerate() {
            let name = &local.name;
            if local.array {
                let new = arrays.get_mut(i).map(std::mem::take).unwrap_or_default();
                saved.push((local, None, self.arrays.insert(name.clone(), new)));
            } else {
                let new = values.get_mut(i).and_then(Option::take).unwrap_or_default();
                saved.push((local, self.vars.insert(name.clone(), new), None));
            }
        }
        self.calls.push(name.to_owned());
        let result = self.block(&function.body, lex);
        let mut shared = Vec::new();
        for (i, (local, value, array)) in saved.into_iter().enumerate().rev() {
            let name = local.name.clone();
            if local.array {
                let own = self.arrays.insert(name, array.unwrap_or_default()).unwrap_or_default();
                if let (true, Some(Arg::Array(theirs))) = (local.shared, args.get(i)) {
                    shared.push((theirs, own));
                }
            } else {
                self.vars.insert(name, value.unwrap_or_default());
            }
        }
        for (name, array) in shared {
            self.arrays.insert(name.clone(), array);
        }
        let value = match result {
            Ok(()) => Decimal::default(),
            Err(Stop::Return(value)) => value,
            Err(stop) => return Err(stop),
        };
        self.calls.pop();
        Ok(value)
    }

    /// The functions of `-l`.
    fn library_call(&mut self, name: &str, args: &[Arg], at: Address, lex: &mut Lexer) -> Run<Option<Decimal>> {
        let wanted = match name {
            "s" | "c" | "a" | "l" | "e" => 1,
            "j" => 2,
            _ => return Ok(None),
        };
        let mut values = Vec::new();
        for arg in args {
            let Arg::Value(expr) = arg else { return error("Parameter type mismatch") };
            values.push(self.value(expr, lex)?);
        }
        self.at = at + 1 + values.len().min(wanted);
        if values.len() != wanted {
            return error("Parameter number mismatch");
        }
        let scale = self.scale;
        Ok(Some(match name {
            "s" => math::sine(&values[0], scale),
            "c" => math::cosine(&values[0], scale),
            "a" => math::arctangent(&values[0], scale),
            "l" => math::logarithm(&values[0], scale),
            "e" => match math::exponential(&values[0], scale) {
                Some(value) => value,
                None => return error("exponent too large in raise"),
            },
            _ => math::bessel(&values[0], &values[1], scale),
        }))
    }
}

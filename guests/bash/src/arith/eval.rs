//! Evaluation: 64-bit wrap-around, short circuits, names that hold expressions.

use super::ast::{BinaryOp, Expr, Index, Place, UnaryOp};
use super::parse::{ArithError, parse};
use super::parse_integer;
use crate::names::Name;
use crate::shell::{AssignError, Flow, Opt, Shell, Target, Unwind};
use crate::syntax::ast::ArithText;
use crate::vars::{Value, Variable};
use std::rc::Rc;

/// Names whose values are expressions of names … at most this deep.
const MAX_DEPTH: u32 = 1024;

/// Stops an evaluation.
enum Stop {
    Error(ArithError),
    /// The error is out, or execution unwinds.
    Unwind(Unwind),
}

impl From<ArithError> for Stop {
    fn from(error: ArithError) -> Stop {
        Stop::Error(error)
    }
}

type Evaluated = Result<i64, Stop>;

impl Shell {
    /// Evaluates text that has been expanded already. Errors are reported and discard the command.
    pub fn evaluate(&mut self, text: &[u8]) -> Flow<i64> {
        if let Some(n) = parse_integer(text) {
            return Ok(n);
        }
        let result = parse(text).map_err(Stop::Error).and_then(|expr| self.eval(&expr, text, 0));
        self.finish_evaluation(result, text)
    }

    /// As `evaluate`, for a builtin that names itself in errors.
    pub fn evaluate_for(&mut self, text: &[u8], who: &[u8]) -> Flow<i64> {
        let result = parse(text).map_err(Stop::Error).and_then(|expr| self.eval(&expr, text, 0));
        match result {
            Err(Stop::Error(error)) => {
                let text = text.trim_ascii_start();
                let message =
                    [who, text, b": ", error.message.as_bytes(), b" (error token is \"", &error.token, b"\")"].concat();
                self.discard(message)
            }
            other => self.finish_evaluation(other, text),
        }
    }

    /// Evaluates `$((…))`, `((…))` and the like; parsed once when there is nothing to expand in it.
    pub fn evaluate_text(&mut self, arith: &ArithText) -> Flow<i64> {
        if let Some(expr) = arith.parsed.get() {
            let expr = Rc::clone(expr);
            let text = &arith.word.raw;
            let result = self.eval(&expr, text, 0);
            return self.finish_evaluation(result, text);
        }
        if let [crate::syntax::ast::Part::Literal(text)] = &arith.word.parts[..] {
            return match parse(text) {
                Ok(expr) => {
                    let expr = Rc::new(expr);
                    let _ = arith.parsed.set(Rc::clone(&expr));
                    let result = self.eval(&expr, text, 0);
                    self.finish_evaluation(result, text)
                }
                Err(error) => self.finish_evaluation(Err(Stop::Error(error)), text),
            };
        }
        if arith.word.parts.is_empty() {
            return Ok(0);
        }
        let text = self.expand_arith(&arith.word)?;
        self.evaluate(&text)
    }

    fn finish_evaluation(&mut self, result: Evaluated, text: &[u8]) -> Flow<i64> {
        match result {
            Ok(n) => Ok(n),
            Err(Stop::Unwind(unwind)) => Err(unwind),
            Err(Stop::Error(error)) => {
                let text = text.trim_ascii_start();
                self.arith_error = true;
                let message = [
                    self.arith_prefix,
                    text,
                    b": ",
                    error.message.as_bytes(),
                    b" (error token is \"",
                    &error.token,
                    b"\")",
                ]
                .concat();
                self.discard(message)
            }
        }
    }

    fn eval(&mut self, expr: &Expr, text: &[u8], depth: u32) -> Evaluated {
        Ok(match expr {
            Expr::Number(n) => *n,
            Expr::Load(place) => self.load(place, text, depth)?,
            Expr::Unary(op, inner) => {
                let n = self.eval(inner, text, depth)?;
                match op {
                    UnaryOp::Not => i64::from(n == 0),
                    UnaryOp::BitNot => !n,
                    UnaryOp::Minus => n.wrapping_neg(),
                    UnaryOp::Plus => n,
                }
            }
            Expr::Binary(op, left, right, at) => {
                let a = self.eval(left, text, depth)?;
                let b = self.eval(right, text, depth)?;
                apply(*op, a, b).map_err(|message| error_at(message, text, *at))?
            }
            Expr::And(left, right) => {
                i64::from(self.eval(left, text, depth)? != 0 && self.eval(right, text, depth)? != 0)
            }
            Expr::Or(left, right) => {
                i64::from(self.eval(left, text, depth)? != 0 || self.eval(right, text, depth)? != 0)
            }
            Expr::Ternary(test, yes, no) => {
                let branch = if self.eval(test, text, depth)? != 0 { yes } else { no };
                self.eval(branch, text, depth)?
            }
            Expr::Comma(left, right) => {
                self.eval(left, text, depth)?;
                self.eval(right, text, depth)?
            }
            Expr::Assign(place, op, value, at) => {
                let n = match op {
                    None => self.eval(value, text, depth)?,
                    Some(op) => {
                        let a = self.load(place, text, depth)?;
                        let b = self.eval(value, text, depth)?;
                        apply(*op, a, b).map_err(|message| error_at(message, text, *at))?
                    }
                };
                self.store(place, n, depth)?;
                n
            }
            Expr::Step { place, by, post } => {
                let n = self.load(place, text, depth)?;
                let next = n.wrapping_add(*by);
                self.store(place, next, depth)?;
                if *post { n } else { next }
            }
        })
    }

    fn load(&mut self, place: &Place, text: &[u8], depth: u32) -> Evaluated {
        if let (None, Some(var)) = (&place.subscript, self.vars.get(place.name)) {
            // The quick way: a plain number in a plain variable.
            if let (Value::Scalar(value), true) = (&var.value, var.set)
                && let (Some(n), false) = (parse_integer(value), var.attrs.has(crate::vars::Attrs::NAMEREF))
                && self.vars.special(place.name) == crate::vars::Special::None
            {
                return Ok(n);
            }
        }
        if let Some(index) = &place.subscript
            && matches!(&index.text[..], b"@" | b"*")
            && !matches!(self.vars.get(place.name), Some(Variable { value: Value::Assoc(_), .. }))
        {
            let name = [place.name.bytes(), b"[", &index.text, b"]"].concat();
            self.error_about(&name, "bad array subscript");
            return Ok(0);
        }
        let value = match self.place(place, depth)? {
            // As bash tells it: for the element, and for the value it was to give.
            Some(Target::Key(name, key)) if key.is_empty() => {
                for _ in 0..2 {
                    self.error([name.bytes(), b"[]: bad array subscript"].concat());
                }
                return Ok(0);
            }
            Some(target) => {
                self.check_index(&target);
                self.read_target(&target)
            }
            None => None,
        };
        match value {
            None => {
                if self.options.get(Opt::Nounset) {
                    let name = match &place.subscript {
                        Some(index) => [place.name.bytes(), b"[", &index.text, b"]"].concat(),
                        None => place.name.bytes().to_vec(),
                    };
                    self.fatal_expansion = true;
                    self.fatal::<()>([&name[..], b": unbound variable"].concat()).map_err(Stop::Unwind)?;
                }
                Ok(0)
            }
            Some(value) => {
                if let Some(n) = parse_integer(&value) {
                    return Ok(n);
                }
                if depth + 1 >= MAX_DEPTH || crate::stack::is_deep() {
                    let token = text.to_vec();
                    return Err(Stop::Error(ArithError { message: "expression recursion level exceeded", token }));
                }
                let expr = parse(&value).map_err(|error| self.inner_error(error, &value))?;
                match self.eval(&expr, &value, depth + 1) {
                    Err(Stop::Error(error)) => Err(self.inner_error(error, &value)),
                    other => other,
                }
            }
        }
    }

    /// An error inside a variable's value is reported with that value as the expression.
    fn inner_error(&mut self, error: ArithError, value: &[u8]) -> Stop {
        match self.finish_evaluation(Err(Stop::Error(error)), value) {
            Err(unwind) => Stop::Unwind(unwind),
            Ok(_) => Stop::Unwind(Unwind::Discard),
        }
    }

    fn place(&mut self, place: &Place, depth: u32) -> Result<Option<Target>, Stop> {
        let Some((name, reference)) = self.resolve(place.name) else { return Ok(None) };
        match (&place.subscript, reference) {
            (None, None) => Ok(Some(Target::Whole(name))),
            (None, Some(_)) => self.target_of_text(place.name.bytes()).map_err(Stop::Unwind),
            (Some(index), _) => self.element(name, index, depth).map(Some),
        }
    }

    fn element(&mut self, name: Name, index: &Index, depth: u32) -> Result<Target, Stop> {
        if let Some(Variable { value: Value::Assoc(_), .. }) = self.vars.get(name) {
            let key = self.expand_subscript_text(&index.text).map_err(Stop::Unwind)?;
            return Ok(Target::Key(name, key));
        }
        if index.text.trim_ascii().is_empty() {
            let token = [name.bytes(), b"[", &index.text, b"]"].concat();
            self.error_about(&token, "bad array subscript");
            return Err(Stop::Unwind(Unwind::Discard));
        }
        let expr = match index.expr.get() {
            Some(expr) => Rc::clone(expr),
            None => {
                let text = if index.text.contains(&b'$') {
                    self.expand_subscript_text(&index.text).map_err(Stop::Unwind)?
                } else {
                    index.text.to_vec()
                };
                let expr = Rc::new(parse(&text)?);
                if !index.text.contains(&b'$') {
                    let _ = index.expr.set(Rc::clone(&expr));
                }
                expr
            }
        };
        let n = self.eval(&expr, &index.text, depth)?;
        Ok(Target::Index(name, n))
    }

    /// An index before the first element is told, and gives nothing.
    fn check_index(&mut self, target: &Target) {
        if let Target::Index(name, index @ i64::MIN..0) = target
            && let Some(Variable { value: Value::Indexed(array), .. }) = self.vars.get(*name)
            && index + array.end() < 0
        {
            self.error_about(name.bytes(), "bad array subscript");
        }
    }

    /// The value at a target.
    pub fn read_target(&mut self, target: &Target) -> Option<Vec<u8>> {
        let name = target.name();
        if let Target::Whole(name) = target {
            return self.read_scalar(*name).map(|value| value.into_owned());
        }
        self.refresh(name);
        let var = self.vars.get(name)?;
        if !var.set {
            return None;
        }
        match (target, &var.value) {
            (Target::Key(_, key), Value::Assoc(array)) => array.get(key).map(<[u8]>::to_vec),
            (Target::Index(_, index), Value::Indexed(array)) => {
                let index = if *index < 0 { index + array.end() } else { *index };
                array.get(index).map(<[u8]>::to_vec)
            }
            (Target::Index(_, 0 | -1), Value::Scalar(text)) => Some(text.clone()),
            (Target::Index(_, index), Value::Assoc(array)) => {
                array.get(index.to_string().as_bytes()).map(<[u8]>::to_vec)
            }
            _ => None,
        }
    }

    fn store(&mut self, place: &Place, n: i64, depth: u32) -> Result<(), Stop> {
        if let (None, Some(var)) = (&place.subscript, self.vars.get_mut(place.name)) {
            // The quick way: a plain variable without attributes keeps its allocation.
            if let (Value::Scalar(text), 0) = (&mut var.value, var.attrs.0) {
                write_number(n, text);
                var.set = true;
                if self.vars.special(place.name) != crate::vars::Special::None {
                    self.assigned_special(place.name);
                }
                if self.options.get(Opt::Allexport) {
                    self.export(place.name.bytes());
                }
                return Ok(());
            }
        }
        let Some(target) = self.place(place, depth)? else { return Err(Stop::Unwind(Unwind::Discard)) };
        if let Target::Key(name, key) = &target
            && key.is_empty()
        {
            self.error([self.arith_prefix, b"`", name.bytes(), b"[]': not a valid identifier"].concat());
            return Ok(());
        }
        match self.assign(&target, n.to_string().into_bytes(), false) {
            Ok(()) => Ok(()),
            Err(AssignError::Readonly) => {
                self.status = 1;
                Err(Stop::Unwind(Unwind::Discard))
            }
            Err(AssignError::Other) => {
                self.status = 1;
                Err(Stop::Unwind(Unwind::Discard))
            }
        }
    }
}

/// Decimal digits of `n` into a buffer that is reused.
pub fn write_number(n: i64, out: &mut Vec<u8>) {
    out.clear();
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = n.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

fn error_at(message: &'static str, text: &[u8], at: u32) -> Stop {
    Stop::Error(ArithError { message, token: text.get(at as usize..).unwrap_or_default().to_vec() })
}

fn apply(op: BinaryOp, a: i64, b: i64) -> Result<i64, &'static str> {
    Ok(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b == 0 => return Err("division by 0"),
        BinaryOp::Rem if b == 0 => return Err("division by 0"),
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::Pow if b < 0 => return Err("exponent less than 0"),
        BinaryOp::Pow => power(a, b),
        BinaryOp::Shl => a.wrapping_shl(b as u32),
        BinaryOp::Shr => a.wrapping_shr(b as u32),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Eq => i64::from(a == b),
        BinaryOp::Ne => i64::from(a != b),
        BinaryOp::Lt => i64::from(a < b),
        BinaryOp::Le => i64::from(a <= b),
        BinaryOp::Gt => i64::from(a > b),
        BinaryOp::Ge => i64::from(a >= b),
    })
}

fn power(mut base: i64, mut exponent: i64) -> i64 {
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

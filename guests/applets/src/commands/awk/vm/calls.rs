//! Functions of the language: which one does what.

use super::super::array::{ArrayRef, Key, Kind};
use super::super::builtins::{self, Id};
use super::super::format::Formatter;
use super::super::number;
use super::super::op::Op;
use super::super::value::Value;
use super::{Loop, Run, Vm};

/// The largest whole number bits are counted in.
const BITS: f64 = 9_007_199_254_740_992.0;

impl Vm {
    fn push_number(&mut self, n: f64) {
        self.stack.push(Value::Num(n));
    }

    fn pop_number(&mut self, name: &str) -> Run<f64> {
        let value = self.pop();
        if self.lint && !value.is_numeric() {
            self.lint(format_args!("{name}: received non-numeric argument"))?;
        }
        Ok(value.number())
    }

    pub fn builtin(&mut self, id: Id, args: usize) -> Run<()> {
        match id {
            Id::Substr => self.substr(args),
            Id::Index => self.index(),
            Id::Length => self.length()?,
            Id::Match => self.matching(args)?,
            Id::Split | Id::Patsplit => self.split(id, args)?,
            Id::Tolower => self.change_case(false),
            Id::Toupper => self.change_case(true),
            Id::Gensub => self.gensub(args)?,
            Id::Sprintf => {
                let at = self.stack.len() - args;
                let values = self.stack.split_off(at);
                let format = self.text_of(&values[0]);
                let mut text = Vec::new();
                let formatter = Formatter { utf8: self.modes.utf8, convfmt: &self.record.convfmt };
                if let Err(message) = formatter.format(&format, &values[1..], &mut text) {
                    return Err(self.fatal(message));
                }
                self.stack.push(Value::owned(text));
            }
            Id::Int => {
                let n = self.pop_number("int")?.trunc();
                self.push_number(n);
            }
            Id::Sqrt => {
                let n = self.pop_number("sqrt")?;
                if n < 0.0 {
                    self.warn(format_args!("sqrt: received negative argument {}", general(n)));
                }
                self.push_number(if n < 0.0 { -f64::NAN.abs() } else { n.sqrt() });
            }
            Id::Exp => {
                let n = self.pop_number("exp")?;
                let result = n.exp();
                if result.is_infinite() && n.is_finite() {
                    self.warn(format_args!("exp: argument {} is out of range", general(n)));
                }
                self.push_number(result);
            }
            Id::Log => {
                let n = self.pop_number("log")?;
                if n < 0.0 {
                    self.warn(format_args!("log: received negative argument {}", general(n)));
                }
                self.push_number(if n < 0.0 { -f64::NAN.abs() } else { n.ln() });
            }
            Id::Sin => {
                let n = self.pop_number("sin")?.sin();
                self.push_number(n);
            }
            Id::Cos => {
                let n = self.pop_number("cos")?.cos();
                self.push_number(n);
            }
            Id::Atan2 => {
                let x = self.pop_number("atan2")?;
                let y = self.pop_number("atan2")?;
                self.push_number(y.atan2(x));
            }
            Id::Rand => {
                let n = self.random.next();
                self.push_number(n);
            }
            Id::Srand => {
                let seed = if args > 0 { self.pop().number() } else { capsule_sys::now().sec as f64 };
                let before = self.random.seed(seed);
                self.push_number(before);
            }
            Id::And | Id::Or | Id::Xor => self.bits(id, args)?,
            Id::Lshift | Id::Rshift => self.shift(id)?,
            Id::Compl => {
                let n = self.pop().number();
                if n < 0.0 {
                    return Err(self.fatal(format_args!("compl({n:.6}): negative value is not allowed")));
                }
                self.push_number((!(n as u64) & ((1 << 53) - 1)) as f64);
            }
            Id::Strtonum => {
                let value = self.pop();
                let n = match &value {
                    number if number.is_numeric() => number.number(),
                    other => self.with_text(other, number::strtonum),
                };
                self.push_number(n);
            }
            Id::Mkbool => {
                let truth = self.pop().truth();
                self.stack.push(Value::Bool(truth));
            }
            Id::Isarray => {
                let is = self.pop().array().is_some();
                self.push_number(f64::from(u8::from(is)));
            }
            Id::Typeof => self.type_of(args)?,
            Id::Asort | Id::Asorti => self.asort(id, args)?,
            Id::Close => self.close(args)?,
            Id::Fflush => self.fflush(args)?,
            Id::System => self.system()?,
            Id::Systime => self.push_number(capsule_sys::now().sec as f64),
            Id::Mktime => self.mktime(args)?,
            Id::Strftime => self.strftime(args)?,
            Id::Bindtextdomain => {
                let at = self.stack.len() - args;
                let dir = self.stack.split_off(at).swap_remove(0);
                self.stack.push(dir);
            }
            Id::Dcgettext => {
                let at = self.stack.len() - args;
                let text = self.stack.split_off(at).swap_remove(0);
                self.stack.push(text);
            }
            Id::Dcngettext => {
                let at = self.stack.len() - args;
                let values = self.stack.split_off(at);
                let one = values.get(2).is_none_or(|n| n.number() == 1.0);
                let text = values.into_iter().nth(usize::from(!one)).unwrap_or(Value::Unset);
                self.stack.push(text);
            }
            Id::Sub | Id::Gsub => return Err(self.fatal("sub: cannot be called indirectly with so few arguments")),
            other => self.extension(other, args)?,
        }
        Ok(())
    }

    fn bits(&mut self, id: Id, args: usize) -> Run<()> {
        let at = self.stack.len() - args;
        let values = self.stack.split_off(at);
        let name = match id {
            Id::And => "and",
            Id::Or => "or",
            _ => "xor",
        };
        let mut result = None;
        for (i, value) in values.iter().enumerate() {
            let n = value.number();
            if n < 0.0 {
                let text = format!("{name}: argument {} negative value {} is not allowed", i + 1, general(n));
                return Err(self.fatal(text));
            }
            let n = n as u64;
            result = Some(match (result, id) {
                (None, _) => n,
                (Some(r), Id::And) => r & n,
                (Some(r), Id::Or) => r | n,
                (Some(r), _) => r ^ n,
            });
        }
        self.push_number(result.unwrap_or(0) as f64);
        Ok(())
    }

    fn shift(&mut self, id: Id) -> Run<()> {
        let by = self.pop().number();
        let n = self.pop().number();
        let name = if id == Id::Lshift { "lshift" } else { "rshift" };
        if n < 0.0 || by < 0.0 {
            return Err(self.fatal(format_args!("{name}({n:.6}, {by:.6}): negative values are not allowed")));
        }
        let (value, by) = (n as u64, by as u32);
        let result = match id {
            Id::Lshift => value.checked_shl(by).unwrap_or(0),
            _ => value.checked_shr(by).unwrap_or(0),
        };
        // What is too wide for a double loses its low bits, as everywhere.
        self.push_number(if (result as f64) < BITS { result as f64 } else { (result & ((1 << 53) - 1)) as f64 });
        Ok(())
    }

    fn type_of(&mut self, args: usize) -> Run<()> {
        let details = if args > 1 { Some(self.pop_array("typeof", "second")?) } else { None };
        let value = self.pop();
        if let Some(details) = details {
            details.borrow_mut().clear();
            if let Some(array) = value.array() {
                let kind = array.borrow().kind_name();
                details.borrow_mut().set(Key::from_bytes(b"array_type"), Value::string(kind.as_bytes()));
            }
        }
        self.stack.push(Value::string(value.type_name().as_bytes()));
        Ok(())
    }

    /// A function named by a value; one of the language's own is called at once.
    pub fn indirect(&mut self, args: usize) -> Run<Option<u32>> {
        let at = self.stack.len() - args;
        let name = self.stack.remove(at - 1);
        let name = String::from_utf8_lossy(&self.text_of(&name)).into_owned();
        let plain = name.strip_prefix("awk::").unwrap_or(&name);
        if let Some(function) = self.program.functions.iter().position(|f| f.name == plain && f.defined) {
            return Ok(Some(function as u32));
        }
        let Some(builtin) = builtins::find(plain) else {
            let text = format!("`{name}' is not a function, so it cannot be called indirectly");
            return Err(self.fatal(text));
        };
        if args < builtin.least || args > builtin.most {
            let text = format!("`{name}' called with {args} arguments");
            return Err(self.fatal(text));
        }
        match builtin.id {
            Id::Sub | Id::Gsub => {
                if args > 2 {
                    let text = format!("{name}: can be called indirectly only with two arguments");
                    return Err(self.fatal(text));
                }
                // text, regular expression, replacement: as the step wants them.
                let target = self.record.get(0);
                let replacement = self.pop();
                let regex = self.pop();
                self.stack.extend([target, regex, replacement]);
                self.substitute(None, builtin.id == Id::Gsub)?;
                if let Some(value) = self.pending.take() {
                    self.set_field(0, value);
                }
            }
            id => self.builtin(id, args)?,
        }
        Ok(None)
    }

    /// The number of a field under `--non-decimal-data`.
    pub fn non_decimal(&mut self, op: Op, plain: f64) -> f64 {
        let Op::FieldNumber(n) = op else { return plain };
        let value = self.record.get(n as usize);
        self.with_text(&value, number::any_base)
    }

    pub fn delete(&mut self, array: &ArrayRef, key: &Value) -> Run<()> {
        let key = self.key(key);
        if array.borrow().kind == Kind::Functions {
            return Err(self.fatal("`delete' is not allowed with FUNCTAB"));
        }
        if array.borrow().kind == Kind::Symbols {
            return Err(self.fatal("`delete' is not allowed with SYMTAB"));
        }
        let removed = array.borrow_mut().remove(&key);
        if !removed && self.lint {
            let name = array.borrow().name.clone();
            let index = String::from_utf8_lossy(&key.text()).into_owned();
            self.lint(format_args!("delete: index `{index}' not in array `{name}'"))?;
        }
        Ok(())
    }

    pub fn delete_all(&mut self, array: &ArrayRef) -> Run<()> {
        let kind = array.borrow().kind;
        match kind {
            Kind::Functions => Err(self.fatal("`delete' is not allowed with FUNCTAB")),
            Kind::Symbols => Err(self.fatal("`delete' is not allowed with SYMTAB")),
            _ => {
                array.borrow_mut().clear();
                Ok(())
            }
        }
    }

    /// A loop over the keys of the array on top, in the order that `PROCINFO["sorted_in"]` asks for.
    pub fn begin_loop(&mut self) -> Run<()> {
        let Value::Array(array) = self.pop() else { return Ok(()) };
        let how = self.procinfo.borrow().get(&Key::from_bytes(b"sorted_in")).cloned();
        let symbols = array.borrow().kind == Kind::Symbols;
        let keys: Vec<Value> = match how {
            Some(how) if how.truth() => {
                let how = self.text_of(&how);
                let mut pairs = if symbols { pairs(&self.symbol_table()) } else { pairs(&array.borrow()) };
                self.sort_pairs(&mut pairs, &how, true)?;
                pairs.into_iter().map(|(key, _)| key).collect()
            }
            _ if symbols => pairs(&self.symbol_table()).into_iter().map(|(key, _)| key).collect(),
            _ => array.borrow().iter().map(|(key, _)| key.value()).collect(),
        };
        self.loops.push(Loop { keys: keys.into_iter() });
        Ok(())
    }
}

/// Keys and values in the order of a loop.
pub fn pairs(array: &super::super::array::Array) -> Vec<(Value, Value)> {
    array.iter().map(|(key, value)| (key.value(), value.clone())).collect()
}

/// As `%g` shows it.
fn general(n: f64) -> String {
    if n.is_finite() {
        crate::float::Conversion { letter: b'g', ..Default::default() }.show(n)
    } else {
        number::special(n).to_owned()
    }
}

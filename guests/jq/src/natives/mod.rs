//! Functions written in Rust: from an input and arguments to one value or an error.

mod dates;
mod format;
mod maths;
mod operators;
mod regex;
mod structure;
mod system;
mod texts;

use crate::json::to_string;
use crate::machine::Host;
use crate::value::{Value, too_deep};
pub use dates::Fields;
pub use format::{format, format_named};
pub use operators::{compare, math, math_update, negate, not_subtracted};

/// What natives may use.
pub struct Context<'h> {
    pub host: &'h mut dyn Host,
    regexes: regex::Cache,
}

impl<'h> Context<'h> {
    pub fn new(host: &'h mut dyn Host) -> Context<'h> {
        Context { host, regexes: regex::Cache::default() }
    }
}

pub type Result<T> = std::result::Result<T, String>;

/// A function: its arguments may be taken.
pub type Call = fn(&mut Context, Value, &mut [Value]) -> Result<Value>;

#[derive(Clone, Copy)]
pub struct Native {
    pub name: &'static str,
    pub arity: usize,
    call: Call,
}

impl Native {
    pub fn run(&self, context: &mut Context, input: Value, args: &mut [Value]) -> Result<Value> {
        let result = (self.call)(context, input, args);
        if too_deep() {
            return Err("Comparison too deep".into());
        }
        result
    }
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}

const fn native(name: &'static str, arity: usize, call: Call) -> Native {
    Native { name, arity, call }
}

const TABLES: &[&[Native]] =
    &[structure::TABLE, texts::TABLE, format::TABLE, regex::TABLE, maths::TABLE, dates::TABLE, system::TABLE];

/// The native of this name with so many arguments.
pub fn find(name: &str, arity: usize) -> Option<Native> {
    TABLES.iter().flat_map(|table| table.iter()).find(|n| n.name == name && n.arity == arity).copied()
}

/// All of them that programs may call, as `name/arity`.
pub fn names() -> impl Iterator<Item = String> {
    let all = TABLES.iter().flat_map(|table| table.iter());
    all.filter(|n| !n.name.starts_with('_')).map(|n| format!("{}/{}", n.name, n.arity))
}

/// Values in messages take no more than this many bytes.
const SHOWN: usize = 29;

/// The start of a value's text; what is cut still ends as its kind does.
pub fn shortened(value: &Value) -> String {
    let mut text = to_string(value);
    if text.len() > SHOWN {
        let close = match value {
            Value::String(_) => "\"",
            Value::Array(_) => "]",
            Value::Object(_) => "}",
            _ => "",
        };
        let mut end = SHOWN - 3 - close.len();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text += "...";
        text += close;
    }
    text
}

/// `kind (value)`
pub fn described(value: &Value) -> String {
    format!("{} ({})", value.kind(), shortened(value))
}

/// The message about a key that is no string.
pub fn bad_key(key: &Value) -> String {
    format!("Cannot use {} as object key", described(key))
}

/// `kind (value) WHAT`
fn wrong<T>(value: &Value, what: &str) -> Result<T> {
    Err(format!("{} {what}", described(value)))
}

/// `a and b cannot be WHAT`
fn wrong_pair<T>(a: &Value, b: &Value, what: &str) -> Result<T> {
    Err(format!("{} and {} cannot be {what}", described(a), described(b)))
}

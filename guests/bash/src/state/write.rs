//! A shell to bytes.

use super::ordinary_names;
use crate::names::Name;
use crate::shell::{FACTS, Shell, usual_attrs};
use crate::vars::{Attrs, Value, Variable};
use capsule_abi::state::Head;
use capsule_abi::wire::Writer;
use capsule_sys as sys;

/// Kinds of values, as they stand above a variable's attributes.
pub(super) mod kind {
    pub const SCALAR: u32 = 0;
    pub const INDEXED: u32 = 1;
    pub const ASSOC: u32 = 2;
    /// Only the attributes are kept.
    pub const COMPUTED: u32 = 3;
    pub const SHIFT: u32 = 16;
    pub const SET: u32 = 1 << 24;
}

/// Attributes of functions.
pub(super) mod function {
    pub const EXPORTED: u32 = 1;
    pub const READONLY: u32 = 2;
    pub const TRACED: u32 = 4;
    pub const ALL: u32 = 7;
}

impl Shell {
    /// The state as it is now, at the top level.
    pub fn state_bytes(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(4096);
        Head { cwd: &self.cwd, env: self.vars.exported().collect(), left: self.left }.write(&mut w);
        w.u32(current_umask()).i32(self.status);
        w.u32(self.pipe_status.len() as u32);
        for &status in &self.pipe_status {
            w.i32(status);
        }
        w.i32(self.last_background.unwrap_or(0)).u32(self.getopts_at as u32);
        w.u64(self.started).i64(self.seconds_base).u32(self.random).u32(self.random_last);
        w.bytes(&self.arg0);
        list(&mut w, self.positional.iter().map(Vec::as_slice));
        w.bytes(&self.options.kept_names()).bytes(&self.options.shopt_names());
        list(&mut w, self.directories.iter().map(Vec::as_slice));
        list(&mut w, self.disabled_builtins.iter().map(|name| name.as_bytes()));
        list(&mut w, self.history.iter().map(Vec::as_slice));
        w.u32(self.history_read as u32);
        pairs(&mut w, self.aliases.iter().map(|(name, text)| (&**name, &**text)));
        pairs(&mut w, self.completions.iter().map(|(name, text)| (&**name, &text[..])));
        pairs(&mut w, self.hashed.iter().map(|(name, (path, _))| (&**name, &path[..])));
        counted(&mut w, self.traps.lasting(), |w, (number, action)| {
            w.u32(number.into()).bytes(action);
        });
        counted(&mut w, self.functions.iter(), |w, (name, function)| {
            let flag = |on: bool, bit: u32| if on { bit } else { 0 };
            let flags = flag(function.exported, function::EXPORTED)
                | flag(function.readonly, function::READONLY)
                | flag(function.traced, function::TRACED);
            w.bytes(name).u32(flags).u32(function.line()).bytes(&function.source).bytes(function.save(name));
        });
        list(&mut w, ordinary_names(self).map(Name::bytes));
        let usual = |name, variable: &Variable| {
            self.vars.special(name).is_computed() && variable.attrs.0 & Attrs::LASTING.0 == usual_attrs(name).0
        };
        let kept = self.vars.iter().filter(|&(name, var)| !usual(name, var) && !FACTS.contains(&name.bytes()));
        counted(&mut w, kept, |w, (name, variable)| {
            w.bytes(name.bytes());
            write_variable(w, variable, self.vars.special(name).is_computed());
        });
        w.finish()
    }
}

fn write_variable(w: &mut Writer, variable: &Variable, computed: bool) {
    let kind = match &variable.value {
        _ if computed => kind::COMPUTED,
        Value::Scalar(_) => kind::SCALAR,
        Value::Indexed(_) => kind::INDEXED,
        Value::Assoc(_) => kind::ASSOC,
    };
    let set = if variable.set { kind::SET } else { 0 };
    w.u32(u32::from(variable.attrs.0 & Attrs::LASTING.0) | kind << kind::SHIFT | set);
    match &variable.value {
        _ if computed => {}
        Value::Scalar(text) => {
            w.bytes(text);
        }
        Value::Indexed(array) => counted(w, array.iter(), |w, (index, value)| {
            w.i64(index).bytes(value);
        }),
        // Oldest first: the order of a bucket is that of coming.
        Value::Assoc(array) => pairs(w, array.by_age().into_iter()),
    }
}

/// How many, then each of them.
fn counted<T>(w: &mut Writer, items: impl Iterator<Item = T>, write: impl Fn(&mut Writer, T)) {
    let items: Vec<T> = items.collect();
    w.u32(items.len() as u32);
    for item in items {
        write(w, item);
    }
}

fn list<'a>(w: &mut Writer, items: impl Iterator<Item = &'a [u8]>) {
    counted(w, items, |w, item| {
        w.bytes(item);
    });
}

fn pairs<'a>(w: &mut Writer, items: impl Iterator<Item = (&'a [u8], &'a [u8])>) {
    counted(w, items, |w, (key, value)| {
        w.bytes(key).bytes(value);
    });
}

/// Asking means setting.
fn current_umask() -> u32 {
    let mask = sys::umask(0);
    sys::umask(mask);
    mask
}

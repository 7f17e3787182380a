//! `--dump-variables`: the global variables and their values, when the program has ended.

use super::super::format::number_under;
use super::super::pretty::{regex_text, string_text};
use super::super::special::{SYMTAB, has_effect};
use super::super::value::Value;
use super::Vm;

impl Vm {
    pub fn dump_variables(&mut self) -> String {
        let program = self.program.clone();
        let mut names: Vec<(usize, &String)> = program.globals.iter().enumerate().collect();
        names.sort_by(|a, b| a.1.cmp(b.1));
        let mut out = String::new();
        for (slot, name) in names {
            if slot as u32 == SYMTAB {
                out += &format!("{name}: array, {} elements\n", self.symbol_table().len());
                continue;
            }
            let value = if has_effect(slot as u32) { self.special(slot as u32) } else { self.globals[slot].clone() };
            out += &format!("{name}: {}\n", self.shown(&value));
        }
        out
    }

    fn shown(&self, value: &Value) -> String {
        match value {
            array if array.array().is_some() => {
                format!("array, {} elements", array.array().map_or(0, |array| array.borrow().len()))
            }
            Value::Untyped | Value::Lazy(_) => "untyped variable".into(),
            Value::Unset => "uninitialized scalar".into(),
            Value::Num(n) => {
                let mut text = Vec::new();
                number_under(*n, b"%.17g", &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
            Value::Regex(_) => format!("@{}", regex_text(&self.text_of(value))),
            Value::Bool(_) => String::from_utf8_lossy(&self.text_of(value)).into_owned(),
            _ => string_text(&self.text_of(value)),
        }
    }
}

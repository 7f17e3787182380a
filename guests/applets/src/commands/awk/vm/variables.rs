//! The variables with an effect, and the arrays that stand for the program itself.

use super::super::array::{Array, ArrayRef, Key, Kind};
use super::super::ast::Var;
use super::super::input::Separator;
use super::super::special::*;
use super::super::split::Splitter;
use super::super::value::Value;
use super::{Run, Vm};

impl Vm {
    pub fn special(&mut self, slot: u32) -> Value {
        match slot {
            NF => Value::Num(self.record.nf() as f64),
            NR => Value::Num(self.nr),
            FNR => Value::Num(self.fnr),
            RT => Value::string(&self.rt),
            _ => match &self.globals[slot as usize] {
                Value::Untyped => Value::Unset,
                value => value.clone(),
            },
        }
    }

    pub fn set_special(&mut self, slot: u32, value: Value) -> Run<()> {
        let text = self.text_of(&value);
        self.globals[slot as usize] = value.clone();
        match slot {
            NF => {
                let n = value.number();
                if n < 0.0 {
                    return Err(self.fatal("NF set to negative value"));
                }
                if n > 50_000_000.0 {
                    return Err(self.fatal("NF set to a value that is too large"));
                }
                self.record.set_nf(n as usize);
            }
            NR => self.nr = value.number(),
            FNR => self.fnr = value.number(),
            RT => self.rt = text,
            FS => self.use_fs()?,
            OFS => {
                self.record.text();
                self.record.ofs = text;
            }
            ORS => self.ors = text,
            RS => self.use_rs()?,
            SUBSEP => self.subsep = text,
            CONVFMT => self.record.convfmt = text,
            OFMT => self.ofmt = text,
            IGNORECASE => {
                // Without a value of its own it follows what looks like a number.
                let on = value.truth();
                if !self.modes.traditional && !self.modes.posix {
                    self.regexes.set_ignore_case(on);
                    self.use_rs()?;
                    self.again_split()?;
                }
            }
            FIELDWIDTHS => self.use_widths(&text)?,
            FPAT => {
                let regex = self.field_regex(&text)?;
                self.record.set_splitter(Splitter::Pattern(regex));
                self.tell_splitter("FPAT");
            }
            LINT => {
                let on = value.truth();
                if !on && self.lint {
                    self.warn("turning off `--lint' due to assignment to `LINT'");
                }
                self.lint_is_fatal = text == b"fatal";
                self.lint = on;
            }
            _ => {}
        }
        Ok(())
    }

    fn tell_splitter(&mut self, name: &str) {
        self.procinfo.borrow_mut().set(Key::from_bytes(b"FS"), Value::string(name.as_bytes()));
    }

    /// The current way to split, made again under another case rule.
    fn again_split(&mut self) -> Run<()> {
        let current = self.procinfo.borrow().get(&Key::from_bytes(b"FS")).cloned();
        match current.as_ref().and_then(|v| v.bytes()) {
            Some(b"FPAT") => {
                let text = self.text_of(&self.globals[FPAT as usize].clone());
                let regex = self.field_regex(&text)?;
                self.record.set_splitter(Splitter::Pattern(regex));
                Ok(())
            }
            Some(b"FIELDWIDTHS") => Ok(()),
            _ => self.use_fs(),
        }
    }

    fn field_regex(&mut self, source: &[u8]) -> Run<std::rc::Rc<capsule_regex::Regex>> {
        let regex = self.regexes.compile(source);
        regex.map_err(|message| self.bad_regex(&message, source))
    }

    pub fn use_fs(&mut self) -> Run<()> {
        let value = self.globals[FS as usize].clone();
        let text = self.text_of(&value);
        let splitter = if self.modes.csv { Splitter::Csv } else { self.splitter(&value, &text, true)? };
        self.record.set_splitter(splitter);
        self.tell_splitter(if self.modes.csv { "CSV" } else { "FS" });
        Ok(())
    }

    /// How a separator splits; `record` for fields of the record, where paragraphs also split at newlines.
    pub fn splitter(&mut self, value: &Value, text: &[u8], record: bool) -> Run<Splitter> {
        let regex_value = matches!(value, Value::Regex(_));
        let paragraph = record && matches!(self.separator, Separator::Paragraph);
        Ok(match text {
            b" " if !regex_value => Splitter::Blank,
            // The language without GNU's additions has no fields of one character each: all is one field.
            b"" if record && !regex_value && (self.modes.posix || self.modes.traditional) => {
                Splitter::Widths(Vec::new(), true)
            }
            b"" if !regex_value => Splitter::Each,
            b"\\" => Splitter::Byte(b'\\', paragraph),
            [byte] if byte.is_ascii() && (!regex_value || is_literal(*byte, self.regexes.ignore_case)) => {
                // Traditional awk takes a t for a tab.
                let byte = if self.modes.traditional && *byte == b't' { b'\t' } else { *byte };
                Splitter::Byte(byte, paragraph)
            }
            _ => {
                let source = if paragraph { [b"(", text, b")|\n"].concat() } else { text.to_vec() };
                let regex = self.field_regex(&source)?;
                Splitter::Regex(regex)
            }
        })
    }

    fn use_rs(&mut self) -> Run<()> {
        let value = self.globals[RS as usize].clone();
        let text = self.text_of(&value);
        let paragraph = matches!(self.separator, Separator::Paragraph);
        let regex = matches!(value, Value::Regex(_));
        let ignore_case = self.regexes.ignore_case;
        let folds = |byte: u8| ignore_case && byte.is_ascii_alphabetic();
        self.separator = match text.as_slice() {
            _ if self.modes.csv => Separator::Csv,
            b"" => Separator::Paragraph,
            [byte] if !regex && !folds(*byte) => Separator::Byte(*byte),
            [byte, ..] if self.modes.traditional => Separator::Byte(*byte),
            source => {
                let regex = self.field_regex(source)?;
                Separator::Regex(regex)
            }
        };
        // Paragraphs split at newlines too.
        if paragraph != matches!(self.separator, Separator::Paragraph) {
            self.again_split()?;
        }
        Ok(())
    }

    fn use_widths(&mut self, text: &[u8]) -> Run<()> {
        let mut widths = Vec::new();
        let mut rest = false;
        let words: Vec<&[u8]> = text.split(|b| b" \t\n".contains(b)).filter(|w| !w.is_empty()).collect();
        for (i, word) in words.iter().enumerate() {
            if *word == b"*" {
                if i + 1 != words.len() {
                    return Err(self.fatal("`*' must be the last designator in FIELDWIDTHS"));
                }
                rest = true;
                continue;
            }
            let (skip, width) = match word.iter().position(|b| *b == b':') {
                Some(colon) => (number(&word[..colon]), number(&word[colon + 1..])),
                None => (Some(0), number(word)),
            };
            match (skip, width) {
                (Some(skip), Some(width)) if width > 0 => widths.push((skip, width)),
                _ => {
                    // The rest from where it is wrong.
                    let skipped = word.iter().position(|b| *b == b':').map_or(0, |colon| colon + 1);
                    let at = word.as_ptr() as usize - text.as_ptr() as usize + skipped;
                    let shown = String::from_utf8_lossy(&text[at..]).into_owned();
                    let n = i + 1;
                    return Err(self.fatal(format_args!("invalid FIELDWIDTHS value, for field {n}, near `{shown}'")));
                }
            }
        }
        self.record.set_splitter(Splitter::Widths(widths, rest));
        self.tell_splitter("FIELDWIDTHS");
        Ok(())
    }

    fn symbol(&self, key: &Key) -> Option<u32> {
        let name = String::from_utf8_lossy(&key.text()).into_owned();
        let slot = self.program.globals.iter().position(|g| *g == name)? as u32;
        (slot != SYMTAB && slot != FUNCTAB).then_some(slot)
    }

    pub fn has_symbol(&self, key: &Key) -> bool {
        self.symbol(key).is_some()
    }

    /// An element of `SYMTAB`, `FUNCTAB` or `PROCINFO`.
    pub fn special_element(&mut self, array: &ArrayRef, key: Key) -> Run<Value> {
        let kind = array.borrow().kind;
        match kind {
            Kind::Symbols => match self.symbol(&key) {
                Some(slot) if has_effect(slot) => Ok(self.special(slot)),
                Some(slot) => match self.globals[slot as usize].array() {
                    Some(array) => Ok(Value::Array(array)),
                    None => self.scalar(Var::Global(slot)),
                },
                None => {
                    let name = String::from_utf8_lossy(&key.text()).into_owned();
                    Err(self
                        .fatal(format_args!("reference to uninitialized element `SYMTAB[\"{name}\"] is not allowed'")))
                }
            },
            Kind::Functions => {
                let found = array.borrow().get(&key).cloned();
                match found {
                    Some(value) => Ok(value),
                    None => {
                        let name = String::from_utf8_lossy(&key.text()).into_owned();
                        Err(self.fatal(format_args!(
                            "reference to uninitialized element `FUNCTAB[\"{name}\"] is not allowed'"
                        )))
                    }
                }
            }
            Kind::Plain => {
                let mut borrowed = array.borrow_mut();
                Ok(borrowed.entry(key).clone())
            }
        }
    }

    pub fn set_special_element(&mut self, array: &ArrayRef, key: Key, value: Value) -> Run<()> {
        let kind = array.borrow().kind;
        match kind {
            Kind::Symbols => match self.symbol(&key) {
                Some(slot) => self.set_var(Var::Global(slot), value),
                None => Err(self.fatal("cannot assign to arbitrary elements of SYMTAB")),
            },
            Kind::Functions => Err(self.fatal("cannot assign to elements of FUNCTAB")),
            Kind::Plain => {
                array.borrow_mut().set(key, value);
                Ok(())
            }
        }
    }

    /// The names a loop over `SYMTAB` sees.
    pub fn symbol_table(&self) -> Array {
        let mut table = Array::default();
        for (slot, name) in self.program.globals.iter().enumerate() {
            if slot == SYMTAB as usize || slot == FUNCTAB as usize {
                continue;
            }
            let mut value = self.globals[slot].clone();
            if value.is_untyped() {
                value = Value::Unset;
            }
            table.set(Key::from_bytes(name.as_bytes()), value);
        }
        table
    }

    /// The environment of the commands that are started: what `ENVIRON` holds.
    pub fn environment(&self) -> Vec<Vec<u8>> {
        let array = self.environ.borrow();
        let entry = |(key, value): (Key, &Value)| [key.text(), b"=".to_vec(), self.text_of(value)].concat();
        array.by_age().filter(|(_, value)| value.array().is_none()).map(entry).collect()
    }
}

/// Whether a regular expression of this one byte matches just that.
fn is_literal(byte: u8, ignore_case: bool) -> bool {
    !(br"\^$.[]|()*+?{}".contains(&byte) || ignore_case && byte.is_ascii_alphabetic())
}

fn number(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

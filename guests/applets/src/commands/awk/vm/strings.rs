//! Functions on strings.

use super::super::array::Key;
use super::super::builtins::Id;
use super::super::chars;
use super::super::special::{FPAT, RLENGTH, RSTART};
use super::super::split::Splitter;
use super::super::value::Value;
use super::{Run, Vm};
use capsule_regex::Regex;
use std::rc::Rc;

impl Vm {
    pub fn constant(&mut self, number: u32) -> Run<Rc<Regex>> {
        let program = self.program.clone();
        let source = &program.regexes[number as usize];
        let regex = self.regexes.constant(number, source);
        regex.map_err(|message| self.bad_regex(&message, source))
    }

    /// A value as a regular expression.
    pub fn regex_of(&mut self, value: &Value) -> Run<Rc<Regex>> {
        let text;
        let source = match value.bytes() {
            Some(bytes) => bytes,
            None => {
                text = self.text_of(value);
                &text
            }
        };
        let regex = self.regexes.dynamic(source);
        regex.map_err(|message| self.bad_regex(&message, source))
    }

    /// Shown as text, borrowed where it is text already.
    pub fn with_text<T>(&self, value: &Value, then: impl FnOnce(&[u8]) -> T) -> T {
        match value.bytes() {
            Some(bytes) => then(bytes),
            None => then(&self.text_of(value)),
        }
    }

    pub fn substr(&mut self, args: usize) {
        let length = (args > 2).then(|| self.pop().number());
        let start = self.pop().number();
        let text = self.pop();
        let utf8 = self.modes.utf8;
        // Fractions do not count; what is before the first character is the first.
        let start = start.trunc();
        let length = length.map(f64::trunc);
        if length.is_some_and(|n| n < 1.0 || n.is_nan()) || start.is_nan() {
            self.stack.push(Value::string(b""));
            return;
        }
        let skip = if start < 1.0 { 0.0 } else { start - 1.0 };
        let (skip, count) = (skip.min(1e15) as usize, length.map_or(usize::MAX, |n| n as usize));
        let result = match text.part(skip, count, utf8) {
            Some(part) => Value::string(part),
            None => {
                let text = Value::owned(self.text_of(&text));
                Value::string(text.part(skip, count, utf8).unwrap_or_default())
            }
        };
        self.stack.push(result);
    }

    pub fn index(&mut self) {
        let part = self.pop();
        let text = self.pop();
        let (utf8, ignore) = (self.modes.utf8, self.regexes.ignore_case);
        let found = self.with_text(&text, |text| {
            self.with_text(&part, |part| {
                let at = if ignore {
                    let text = crate::letters::map_case(text, utf8, false);
                    memchr::memmem::find(&text, &crate::letters::map_case(part, utf8, false))
                } else {
                    memchr::memmem::find(text, part)
                };
                at.map_or(0, |at| chars::count(&text[..at], utf8) + 1)
            })
        });
        self.stack.push(Value::Num(found as f64));
    }

    pub fn matching(&mut self, args: usize) -> Run<()> {
        let array = if args > 2 { Some(self.pop_array("match", "third")?) } else { None };
        let source = self.pop();
        let regex = self.regex_of(&source)?;
        let text = self.pop();
        let text = self.text_of(&text);
        let utf8 = self.modes.utf8;
        let mut groups = Vec::new();
        let found = if array.is_some() && regex.group_count() > 0 {
            regex.captures_at(&text, 0, false, &mut groups).then(|| groups[0]).flatten()
        } else {
            let found = regex.find_at(&text, 0, false);
            groups.push(found);
            found
        };
        let place =
            |start: usize, end: usize| (chars::count(&text[..start], utf8) + 1, chars::count(&text[start..end], utf8));
        let (start, length) = match found {
            Some((start, end)) => place(start, end),
            None => (0, 0),
        };
        if let Some(array) = array {
            array.borrow_mut().clear();
            if found.is_some() {
                let subsep = self.subsep.clone();
                for (i, group) in groups.iter().enumerate() {
                    let Some((from, to)) = *group else { continue };
                    let (at, n) = place(from, to);
                    let key = |what: &[u8]| Key::from_bytes(&[i.to_string().as_bytes(), &subsep, what].concat());
                    let mut array = array.borrow_mut();
                    array.set(Key::Int(i as i64), Value::input(&text[from..to]));
                    array.set(key(b"start"), Value::Num(at as f64));
                    array.set(key(b"length"), Value::Num(n as f64));
                }
            }
        }
        let length = if found.is_some() { length as f64 } else { -1.0 };
        self.globals[RSTART as usize] = Value::Num(start as f64);
        self.globals[RLENGTH as usize] = Value::Num(length);
        self.stack.push(Value::Num(start as f64));
        Ok(())
    }

    pub fn split(&mut self, id: Id, args: usize) -> Run<()> {
        let name = if id == Id::Split { "split" } else { "patsplit" };
        let seps = if args > 3 { Some(self.pop_array(name, "fourth")?) } else { None };
        let by = (args > 2).then(|| self.pop());
        let array = self.pop_array(name, "second")?;
        if let Some(seps) = &seps
            && Rc::ptr_eq(seps, &array)
        {
            return Err(self.fatal(format_args!("{name}: cannot use the same array for second and fourth args")));
        }
        let text = self.pop();
        let text = self.text_of(&text);
        let splitter = match (&by, id) {
            (Some(by), Id::Patsplit) => Splitter::Pattern(self.regex_of(by)?),
            (None, Id::Patsplit) => {
                let pattern = self.globals[FPAT as usize].clone();
                Splitter::Pattern(self.regex_of(&pattern)?)
            }
            (Some(by), _) => {
                let source = self.text_of(by);
                match source.as_slice() {
                    [] => Splitter::Each,
                    // What FS caches need not be made again.
                    [_, _, ..] => Splitter::Regex(self.regex_of(by)?),
                    _ => self.splitter(by, &source, false)?,
                }
            }
            (None, _) => {
                let fs = self.globals[super::super::special::FS as usize].clone();
                let source = self.text_of(&fs);
                if self.modes.csv { Splitter::Csv } else { self.splitter(&fs, &source, false)? }
            }
        };
        let ranges = splitter.all(&text, self.modes.utf8);
        let mut borrowed = array.borrow_mut();
        borrowed.clear();
        for (i, &(start, end)) in ranges.iter().enumerate() {
            let field = &text[start as usize..end as usize];
            let plain = if matches!(splitter, Splitter::Csv) { super::super::split::unquote(field) } else { None };
            let value = plain.map_or_else(|| Value::input(field), |plain| Value::input(&plain));
            borrowed.set(Key::Int(i as i64 + 1), value);
        }
        drop(borrowed);
        if let Some(seps) = seps {
            let mut seps = seps.borrow_mut();
            seps.clear();
            let whole = matches!(splitter, Splitter::Blank | Splitter::Pattern(_));
            let mut last = 0;
            for (i, &(start, end)) in ranges.iter().enumerate() {
                // Before the first field there is something only where blanks or anything may be.
                if i > 0 || whole && (start > 0 || matches!(splitter, Splitter::Pattern(_))) {
                    seps.set(Key::Int(i as i64), Value::string(&text[last..start as usize]));
                }
                last = end as usize;
            }
            if whole && !ranges.is_empty() && (last < text.len() || matches!(splitter, Splitter::Pattern(_))) {
                seps.set(Key::Int(ranges.len() as i64), Value::string(&text[last..]));
            }
        }
        self.stack.push(Value::Num(ranges.len() as f64));
        Ok(())
    }

    pub fn length(&mut self) -> Run<()> {
        let value = self.pop();
        let n = match &value {
            Value::Array(array) => match array.borrow().kind {
                super::super::array::Kind::Symbols => self.program.globals.len(),
                _ => array.borrow().len(),
            },
            other => match other.chars(self.modes.utf8) {
                Some(n) => n,
                None => chars::count(&self.text_of(other), self.modes.utf8),
            },
        };
        if self.lint && matches!(value, Value::Num(_)) {
            self.lint("length: received non-string argument")?;
        }
        self.stack.push(Value::Num(n as f64));
        Ok(())
    }

    pub fn change_case(&mut self, upper: bool) {
        let value = self.pop();
        let changed = self.with_text(&value, |text| crate::letters::map_case(text, self.modes.utf8, upper));
        self.stack.push(Value::owned(changed));
    }
}

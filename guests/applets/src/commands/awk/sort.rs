//! Sorting: `asort`, `asorti` and loops in an order.

use super::array::{Array, Key, Kind};
use super::builtins::Id;
use super::value::{Value, compare_numbers};
use super::vm::{Run, Vm};
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    IndexString,
    IndexNumber,
    ValueString,
    ValueNumber,
    ValueType,
}

/// What one of the `@…` names asks for, and whether downwards.
fn named(how: &[u8]) -> Option<Option<(By, bool)>> {
    Some(match how {
        b"@unsorted" => None,
        b"@ind_str_asc" => Some((By::IndexString, false)),
        b"@ind_str_desc" => Some((By::IndexString, true)),
        b"@ind_num_asc" => Some((By::IndexNumber, false)),
        b"@ind_num_desc" => Some((By::IndexNumber, true)),
        b"@val_str_asc" => Some((By::ValueString, false)),
        b"@val_str_desc" => Some((By::ValueString, true)),
        b"@val_num_asc" => Some((By::ValueNumber, false)),
        b"@val_num_desc" => Some((By::ValueNumber, true)),
        b"@val_type_asc" => Some((By::ValueType, false)),
        b"@val_type_desc" => Some((By::ValueType, true)),
        _ => return None,
    })
}

/// Numbers before strings before arrays, each among themselves.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 1,
        Value::Array(_) => 4,
        Value::Regex(_) => 2,
        v if v.is_numeric() => 1,
        Value::Unset | Value::Untyped | Value::Lazy(_) | Value::Absent => 1,
        _ => 3,
    }
}

impl Vm {
    fn compare_texts(&self, a: &Value, b: &Value) -> Ordering {
        let (x, y) = (self.text_of(a), self.text_of(b));
        self.compare_bytes(&x, &y)
    }

    fn order(&self, by: By, a: &(Value, Value), b: &(Value, Value)) -> Ordering {
        match by {
            By::IndexString => self.compare_texts(&a.0, &b.0),
            By::IndexNumber => compare_numbers(a.0.number(), b.0.number()).then_with(|| self.compare_texts(&a.0, &b.0)),
            By::ValueString => self.by_string(&a.1, &b.1).then_with(|| self.by_index(a, b)),
            By::ValueNumber => self.by_number(&a.1, &b.1).then_with(|| self.by_index(a, b)),
            By::ValueType => self.by_type(&a.1, &b.1).then_with(|| self.by_index(a, b)),
        }
    }

    /// Equal values stand in the order of their indices.
    fn by_index(&self, a: &(Value, Value), b: &(Value, Value)) -> Ordering {
        self.compare_texts(&a.0, &b.0)
    }

    fn by_string(&self, a: &Value, b: &Value) -> Ordering {
        let arrays = (matches!(a, Value::Array(_)), matches!(b, Value::Array(_)));
        match arrays {
            (false, false) => self.compare_texts(a, b),
            (x, y) => x.cmp(&y),
        }
    }

    fn by_number(&self, a: &Value, b: &Value) -> Ordering {
        let arrays = (matches!(a, Value::Array(_)), matches!(b, Value::Array(_)));
        match arrays {
            (false, false) => compare_numbers(a.number(), b.number()).then_with(|| {
                // Equal as numbers: as texts.
                self.compare_texts(a, b)
            }),
            (x, y) => x.cmp(&y),
        }
    }

    fn by_type(&self, a: &Value, b: &Value) -> Ordering {
        rank(a).cmp(&rank(b)).then_with(|| match rank(a) {
            1 => compare_numbers(a.number(), b.number()),
            4 => Ordering::Equal,
            _ => self.compare_texts(a, b),
        })
    }

    /// Sorts pairs of keys and values by one of the names, or by a function of the program.
    pub fn sort_pairs(&mut self, pairs: &mut [(Value, Value)], how: &[u8], looping: bool) -> Run<()> {
        if let Some(order) = named(how) {
            if let Some((by, down)) = order {
                pairs.sort_by(|a, b| {
                    let order = self.order(by, a, b);
                    if down { order.reverse() } else { order }
                });
            }
            return Ok(());
        }
        let name = String::from_utf8_lossy(how).into_owned();
        let Some(function) = self.function(&name) else {
            if how.first() == Some(&b'@') || looping && !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(self.fail(format!("sort comparison function `{name}' is not defined")));
            }
            return Err(self.fail(format!("sort comparison function `{name}' is not defined")));
        };
        // Merge sort by hand: the comparison may fail, and may say anything.
        let mut all = pairs.to_vec();
        self.merge_sort(&mut all, function)?;
        pairs.clone_from_slice(&all);
        Ok(())
    }

    fn merge_sort(&mut self, all: &mut Vec<(Value, Value)>, function: u32) -> Run<()> {
        let mut width = 1;
        while width < all.len() {
            let mut merged = Vec::with_capacity(all.len());
            for run in all.chunks(2 * width) {
                let (left, right) = run.split_at(width.min(run.len()));
                let (mut i, mut j) = (0, 0);
                while i < left.len() && j < right.len() {
                    let (a, b) = (&left[i], &right[j]);
                    let args = vec![a.0.clone(), a.1.clone(), b.0.clone(), b.1.clone()];
                    if self.call(function, args)?.number() <= 0.0 {
                        merged.push(a.clone());
                        i += 1;
                    } else {
                        merged.push(b.clone());
                        j += 1;
                    }
                }
                merged.extend_from_slice(&left[i..]);
                merged.extend_from_slice(&right[j..]);
            }
            *all = merged;
            width *= 2;
        }
        Ok(())
    }

    /// `asort(source [, target [, how]])`
    pub fn asort(&mut self, id: Id, args: usize) -> Run<()> {
        let name = if id == Id::Asort { "asort" } else { "asorti" };
        let how = if args > 2 {
            let how = self.pop();
            self.text_of(&how)
        } else {
            Vec::new()
        };
        let target = if args > 1 { Some(self.pop_array(name, "second")?) } else { None };
        let source = self.pop_array(name, "first")?;
        if target.is_none() && matches!(source.borrow().kind, Kind::Symbols | Kind::Functions) {
            let which = if source.borrow().kind == Kind::Symbols { "SYMTAB" } else { "FUNCTAB" };
            return Err(self.fail(format!("{name}: first argument cannot be {which} without a second argument")));
        }
        let how = match (how.as_slice(), id) {
            (b"", Id::Asort) => b"@val_type_asc".to_vec(),
            (b"", _) => b"@ind_str_asc".to_vec(),
            _ => how,
        };
        let mut pairs = match source.borrow().kind {
            Kind::Symbols => super::vm::pairs(&self.symbol_table()),
            _ => super::vm::pairs(&source.borrow()),
        };
        self.sort_pairs(&mut pairs, &how, false)?;
        let count = pairs.len();
        let mut result = Array::default();
        for (i, (key, value)) in pairs.into_iter().enumerate() {
            result.set(Key::Int(i as i64 + 1), if id == Id::Asort { value } else { key });
        }
        let target = target.unwrap_or(source);
        let mut target = target.borrow_mut();
        result.name = std::mem::take(&mut target.name);
        *target = result;
        drop(target);
        self.push(Value::Num(count as f64));
        Ok(())
    }
}

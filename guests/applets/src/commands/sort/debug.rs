//! `--debug`: what of each line was compared.

use super::Sorter;
use super::key::{Key, Order, blank};
use crate::quote::{has_locale, is_utf8, locale};
use crate::report;
use crate::width::width;
use capsule_sys::{Out, getenv};

impl Sorter {
    pub fn debug_warnings(&self) {
        match locale_name().filter(|_| has_locale(b"LC_COLLATE")) {
            Some(name) => {
                report::error(format_args!("text ordering performed using {} sorting rules", locale(&name)));
            }
            None => report::error("text ordering performed using simple byte comparison"),
        }
        for (i, key) in self.keys.iter().enumerate() {
            if key.is_whole() {
                continue;
            }
            let numeric = matches!(key.flags.order, Order::Numeric | Order::General | Order::Human);
            if !key.flags.start_blanks && self.separator.is_none() && !numeric && key.flags.order != Order::Month {
                let text = "leading blanks are significant in key";
                report::error(format_args!("{text} {}; consider also specifying 'b'", i + 1));
            }
            if numeric && key.spans_fields() {
                report::error(format_args!("key {} is numeric and spans multiple fields", i + 1));
            }
        }
        let decimal = |k: &Key| matches!(k.flags.order, Order::Numeric | Order::General | Order::Human);
        if self.keys.iter().any(decimal) {
            report::error(format_args!("note numbers use {} as a decimal point in this locale", locale(b".")));
        }
    }

    /// The line, and below it a stroke for each key.
    pub fn annotate(&self, line: &[u8], out: &mut Out) {
        for &byte in line {
            out.byte(if byte == b'\t' { b'>' } else { byte });
        }
        out.byte(b'\n');
        for key in &self.keys {
            let range = key.of(line, self.separator);
            let (mut start, mut end) = (range.start, range.end);
            if key.flags.order != Order::Text && key.flags.order != Order::Version && key.flags.order != Order::Random {
                start += line[start..end].iter().take_while(|b| blank(b)).count();
                end = start + self.compared(key.flags.order, &line[start..end]);
            }
            mark(line, start, end, out);
        }
        if !(self.stable || self.unique) || self.keys.is_empty() {
            mark(line, 0, line.len(), out);
        }
    }

    /// How much of a key its order looks at.
    fn compared(&self, order: Order, key: &[u8]) -> usize {
        if order == Order::Month {
            let word = key.get(..3).is_some_and(|w| w.iter().all(u8::is_ascii_alphabetic));
            return if word { 3 } else { 0 };
        }
        if order == Order::General {
            return crate::float::parse(key).1;
        }
        let sign = usize::from(key.first() == Some(&b'-'));
        let digits = |from: usize| key[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut n = sign + digits(sign);
        let any = n > sign;
        if key.get(n) == Some(&b'.') {
            n += 1 + digits(n + 1);
        }
        if order == Order::Human && key.get(n).is_some_and(|b| b"kKMGTPEZY".contains(b)) {
            n += 1;
        }
        if any || n > sign + 1 { n } else { 0 }
    }
}

/// The locale that orders text, as the environment has it.
fn locale_name() -> Option<Vec<u8>> {
    let set = |name: &[u8]| getenv(name).filter(|value| !value.is_empty());
    set(b"LC_ALL").or_else(|| set(b"LC_COLLATE")).or_else(|| set(b"LANG"))
}

/// A stroke below a part of the line, by the columns its characters take.
fn mark(line: &[u8], start: usize, end: usize, out: &mut Out) {
    let utf8 = is_utf8();
    let columns = |text: &[u8]| -> usize {
        let wide = |c: char| if c == '\t' { 1 } else { width(c) };
        match utf8 {
            true => {
                let chunk = |c: std::str::Utf8Chunk<'_>| c.valid().chars().map(wide).sum::<usize>() + c.invalid().len();
                text.utf8_chunks().map(chunk).sum()
            }
            false => text.iter().filter(|b| **b == b'\t' || !b.is_ascii_control()).count(),
        }
    };
    let (start, end) = (columns(&line[..start]), columns(&line[..end]));
    out.write(&vec![b' '; start]);
    if start == end {
        out.write(b"^ no match for key\n");
    } else {
        out.write(&vec![b'_'; end - start]);
        out.byte(b'\n');
    }
}

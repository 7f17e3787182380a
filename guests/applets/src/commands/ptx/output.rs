//! The lines of the index: in columns, or as macros of roff or TeX.

use super::layout::{Fields, Part, Widths, fields};
use super::text::{Index, is_space};
use super::{Format, Settings};
use crate::{Exit, report};
use capsule_sys::Out;

struct Writer<'a> {
    set: &'a Settings,
    out: &'a mut Out,
    text: &'a [u8],
}

pub fn write(set: &Settings, index: &Index<'_>, out: &mut Out) -> Result<(), Exit> {
    let widths = Widths::new(set, index);
    for word in &index.occurrences {
        let fields = fields(set, &widths, index, word);
        let mut writer = Writer { set, out, text: &index.files[word.file].text };
        match set.format {
            Format::Dumb => writer.dumb(&widths, &fields),
            Format::Roff => writer.roff(&fields),
            Format::Tex => writer.tex(&fields),
        }
        out.byte(b'\n');
        report::writable(out)?;
    }
    Ok(())
}

impl Writer<'_> {
    fn referenced(&self) -> bool {
        self.set.auto_reference || self.set.input_reference
    }

    /// What marks a cut, with its width.
    fn mark(&self, part: &Part) -> i64 {
        if part.cut { self.set.truncation.len() as i64 } else { 0 }
    }

    fn spaces(&mut self, count: i64) {
        for _ in 0..count {
            self.out.byte(b' ');
        }
    }

    /// The text with what the format needs escaped.
    fn escaped(&mut self, text: &[u8]) {
        for &b in text {
            match (b, self.set.format) {
                (b, _) if is_space(b) => self.out.byte(b' '),
                (b'"', Format::Roff) => self.out.write(b"\"\""),
                (b'$' | b'%' | b'&' | b'#' | b'_', Format::Tex) => self.out.write(&[b'\\', b]),
                (b'{' | b'}', Format::Tex) => self.out.write(&[b'$', b'\\', b, b'$']),
                (b'\\', Format::Tex) => self.out.write(b"\\backslash{}"),
                _ => self.out.byte(b),
            }
        }
    }

    fn part(&mut self, part: &Part) {
        let text = self.text;
        self.escaped(text.get(part.start..part.end).unwrap_or_default());
    }

    /// A part that goes on behind what is shown.
    fn cut_behind(&mut self, part: &Part) {
        self.part(part);
        if part.cut {
            self.out.write(&self.set.truncation);
        }
    }

    /// A part that began before what is shown.
    fn cut_before(&mut self, part: &Part) {
        if part.cut {
            self.out.write(&self.set.truncation);
        }
        self.part(part);
    }

    fn dumb(&mut self, widths: &Widths, fields: &Fields) {
        let Fields { tail, before, key_after, head, reference } = fields;
        let gap = self.set.gap;
        if !self.set.right_reference {
            self.escaped(reference);
            let mut used = reference.len() as i64;
            if self.set.auto_reference {
                self.out.byte(b':');
                used += 1;
            }
            self.spaces(widths.reference + gap - used);
        }
        let mut room = widths.half - gap - before.len() - self.mark(before);
        if tail.start < tail.end {
            self.cut_behind(tail);
            room -= tail.len() + self.mark(tail);
        }
        self.spaces(room);
        self.cut_before(before);
        self.spaces(gap);
        self.cut_behind(key_after);
        let room = widths.half - key_after.len() - self.mark(key_after);
        let right = self.referenced() && self.set.right_reference;
        if head.start < head.end {
            self.spaces(room - head.len() - self.mark(head));
            self.cut_before(head);
        } else if right {
            self.spaces(room);
        }
        if right {
            self.spaces(gap);
            self.escaped(reference);
        }
    }

    fn roff(&mut self, fields: &Fields) {
        self.out.byte(b'.');
        self.out.write(&self.set.macro_name);
        self.out.write(b" \"");
        self.cut_behind(&fields.tail);
        self.out.write(b"\" \"");
        self.cut_before(&fields.before);
        self.out.write(b"\" \"");
        self.cut_behind(&fields.key_after);
        self.out.write(b"\" \"");
        self.cut_before(&fields.head);
        self.out.byte(b'"');
        if self.referenced() {
            self.out.write(b" \"");
            self.escaped(&fields.reference);
            self.out.byte(b'"');
        }
    }

    fn tex(&mut self, fields: &Fields) {
        let key = &fields.key_after;
        let middle = self.set.words.skip(self.text, key.start, key.end).min(key.end);
        self.out.byte(b'\\');
        self.out.write(&self.set.macro_name);
        self.out.write(b" {");
        self.part(&fields.tail);
        self.out.write(b"}{");
        self.part(&fields.before);
        self.out.write(b"}{");
        self.part(&Part { end: middle, ..*key });
        self.out.write(b"}{");
        self.part(&Part { start: middle, ..*key });
        self.out.write(b"}{");
        self.part(&fields.head);
        self.out.byte(b'}');
        if self.referenced() {
            self.out.byte(b'{');
            self.escaped(&fields.reference);
            self.out.byte(b'}');
        }
    }
}

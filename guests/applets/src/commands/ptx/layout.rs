//! What is shown around a keyword. A line has two halves: `tail` and `before` at the left, the keyword with what is
//! `after` it and `head` at the right. What does not fit behind the keyword goes on as the tail, what does not fit
//! before it as the head.

use super::Settings;
use super::text::{Index, Occurrence, back_space, skip_other, skip_space};

/// The widths of the fields.
pub struct Widths {
    pub reference: i64,
    pub half: i64,
    before: i64,
    key_after: i64,
}

impl Widths {
    pub fn new(set: &Settings, index: &Index<'_>) -> Widths {
        let mut reference = index.reference_width as i64;
        if set.auto_reference {
            let width = |f: &super::text::File<'_>| {
                // One more than the lines there are, as GNU counts.
                (f.lines_after - f.lines_before + 1).to_string().len() + f.name.len()
            };
            reference = index.files.iter().map(width).max().unwrap_or(0) as i64 + 1;
        }
        let mut line = set.width;
        if (set.auto_reference || set.input_reference) && !set.right_reference {
            line -= reference + set.gap;
        }
        let half = line.max(0) / 2;
        let marks = 2 * set.truncation.len() as i64;
        let before = if set.extensions { (half - set.gap - marks).max(0) } else { half - set.gap };
        let key_after = half - marks - i64::from(!set.extensions);
        Widths { reference, half, before, key_after }
    }
}

/// A part of the text, and whether it is cut off.
#[derive(Clone, Copy, Default)]
pub struct Part {
    pub start: usize,
    pub end: usize,
    pub cut: bool,
}

impl Part {
    pub fn len(&self) -> i64 {
        self.end as i64 - self.start as i64
    }
}

#[derive(Default)]
pub struct Fields {
    pub tail: Part,
    pub before: Part,
    pub key_after: Part,
    pub head: Part,
    pub reference: Vec<u8>,
}

/// Chooses what is shown.
pub fn fields(set: &Settings, widths: &Widths, index: &Index<'_>, word: &Occurrence) -> Fields {
    let file = &index.files[word.file];
    let text = file.text.as_slice();
    let all = text.len();
    let flagged = !set.truncation.is_empty();
    let end_of = |start: usize, width: i64| start as i64 + width;

    let mut key = Part { start: word.start, end: word.end, cut: false };
    let limit = end_of(key.start, widths.key_after);
    let mut cursor = key.end;
    while cursor < word.right && cursor as i64 <= limit {
        key.end = cursor;
        cursor = set.words.skip(text, cursor, word.right);
    }
    if cursor as i64 <= limit {
        key.end = cursor;
    }
    key.cut = flagged && key.end < word.right;
    key.end = back_space(text, key.end, key.start);

    // A context that is much longer than a line is not looked at from its start.
    let far = widths.half as usize + index.longest_word;
    let left =
        if word.start - word.left > far { set.words.skip(text, word.start - far, word.start) } else { word.left };
    let mut before = Part { start: left, end: back_space(text, word.start, left), cut: false };
    while end_of(before.start, widths.before) < before.end as i64 {
        before.start = set.words.skip(text, before.start, before.end);
    }
    before.cut = flagged && back_space(text, before.start, 0) > word.left;
    before.start = skip_space(text, before.start, all);

    let mut tail = Part::default();
    let width = widths.before - before.len() - set.gap;
    if width > 0 {
        tail.start = skip_space(text, key.end, all);
        tail.end = tail.start;
        let limit = end_of(tail.start, width);
        let mut cursor = tail.end;
        while cursor < word.right && (cursor as i64) < limit {
            tail.end = cursor;
            cursor = set.words.skip(text, cursor, word.right);
        }
        if (cursor as i64) < limit {
            tail.end = cursor;
        }
        if tail.end > tail.start {
            key.cut = false;
            tail.cut = flagged && tail.end < word.right;
        }
        tail.end = back_space(text, tail.end, tail.start);
    }

    let mut head = Part::default();
    let width = widths.key_after - key.len() - set.gap;
    if width > 0 {
        head.end = back_space(text, before.start, 0);
        head.start = left;
        while end_of(head.start, width) < head.end as i64 {
            head.start = set.words.skip(text, head.start, head.end);
        }
        if head.end > head.start {
            before.cut = false;
            head.cut = flagged && head.start > word.left;
        }
        head.start = skip_space(text, head.start, head.end.max(head.start));
    }

    let mut reference = Vec::new();
    if set.auto_reference {
        reference.extend_from_slice(file.name);
        reference.extend_from_slice(format!(":{}", word.reference + 1 - file.lines_before).as_bytes());
    } else if set.input_reference {
        let end = skip_other(text, word.reference, word.right.max(word.reference));
        reference.extend_from_slice(&text[word.reference..end]);
    }
    Fields { tail, before, key_after: key, head, reference }
}

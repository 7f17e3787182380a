//! Two columns.

use super::style::{Paint, Palette};
use crate::compare::{Change, Text};
use capsule_sys::Out;

/// How the two columns are laid out.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    half: usize,
    second: usize,
    tab: usize,
    expand: bool,
    utf8: bool,
    pub left_only: bool,
    pub suppress_common: bool,
}

/// The least room for the mark between the columns.
const GUTTER: usize = 3;

impl Columns {
    pub fn new(width: usize, tab: usize, expand: bool) -> Columns {
        let step = if expand { 1 } else { tab };
        let padded = step.saturating_add(GUTTER);
        let middle = (width >> 1) + (padded >> 1) + (width & padded & 1);
        let offset = middle - middle % step;
        let half = offset.saturating_sub(GUTTER).min(width.saturating_sub(offset));
        Columns {
            half,
            second: if half > 0 { offset } else { width },
            tab,
            expand,
            utf8: crate::quote::is_utf8(),
            left_only: false,
            suppress_common: false,
        }
    }

    /// One line: what is on the left, the mark, what is on the right, each with its newline if it has one.
    pub fn line(&self, out: &mut Out, left: Option<&[u8]>, mark: u8, right: Option<&[u8]>) {
        let mut mark = mark;
        let mut column = 0;
        let mut newline = false;
        if let Some(left) = left {
            newline = left.ends_with(b"\n");
            column = self.half(out, left, 0);
        }
        if mark != b' ' {
            column = self.move_to(out, column, (self.half + self.second - 1) / 2) + 1;
            if mark == b'|' && newline != right.is_some_and(|r| r.ends_with(b"\n")) {
                mark = if newline { b'/' } else { b'\\' };
            }
            out.byte(mark);
        }
        if let Some(right) = right {
            newline |= right.ends_with(b"\n");
            if right != b"\n" {
                column = self.move_to(out, column, self.second);
                self.half(out, right, column);
            }
        }
        if newline {
            out.byte(b'\n');
        }
    }

    fn move_to(&self, out: &mut Out, mut from: usize, to: usize) -> usize {
        if !self.expand {
            loop {
                let stop = from + self.tab - from % self.tab;
                if stop > to {
                    break;
                }
                out.byte(b'\t');
                from = stop;
            }
        }
        while from < to {
            out.byte(b' ');
            from += 1;
        }
        to
    }

    /// As much of a line as fits; how far it came.
    fn half(&self, out: &mut Out, line: &[u8], indent: usize) -> usize {
        let (mut position, mut shown) = (0, 0);
        let mut rest = line;
        // Most lines are plain letters as far as they are seen.
        let plain = line.iter().take(self.half).take_while(|byte| matches!(byte, b' '..=b'~')).count();
        if let Some(b'\n') = line.get(plain) {
            out.write(&line[..plain]);
            return plain;
        }
        while let Some((&byte, more)) = rest.split_first() {
            let mut used = 1;
            match byte {
                b'\n' => break,
                b'\t' => {
                    let blanks = self.tab - position % self.tab;
                    if position == shown {
                        let stop = shown + blanks;
                        if self.expand {
                            while shown < stop.min(self.half) {
                                out.byte(b' ');
                                shown += 1;
                            }
                        } else if stop < self.half {
                            shown = stop;
                            out.byte(b'\t');
                        }
                    }
                    position += blanks;
                }
                b'\r' => {
                    out.byte(b'\r');
                    self.move_to(out, 0, indent);
                    (position, shown) = (0, 0);
                }
                8 if position > 0 => {
                    position -= 1;
                    if position < self.half {
                        if shown <= position {
                            while shown < position {
                                out.byte(b' ');
                                shown += 1;
                            }
                        } else {
                            shown = position;
                            out.byte(8);
                        }
                    }
                }
                0..=31 | 127 => {
                    if position < self.half {
                        out.byte(byte);
                    }
                }
                _ => {
                    let mut width = 1;
                    if byte >= 0x80 && self.utf8 {
                        let length = rest.len().min(4);
                        let chunk = rest[..length].utf8_chunks().next();
                        if let Some(c) = chunk.and_then(|c| c.valid().chars().next()) {
                            used = c.len_utf8();
                            width = crate::width::width(c);
                        }
                    }
                    position += width;
                    if position <= self.half {
                        shown = position;
                        out.write(&rest[..used]);
                    }
                }
            }
            rest = if used == 1 { more } else { &rest[used..] };
        }
        shown
    }
}

/// The whole comparison in columns.
pub fn print(
    columns: &Columns,
    out: &mut Out,
    a: &Text,
    b: &Text,
    changes: &[(Change, bool)],
    colors: Option<&Palette>,
) {
    let (mut i, mut j) = (0, 0);
    for (change, ignorable) in changes {
        if *ignorable {
            continue;
        }
        common(columns, out, a, b, (i, change.a), (j, change.b));
        (i, j) = (change.a, change.b);
        let (end_a, end_b) = (i + change.deleted, j + change.inserted);
        let paint = |out: &mut Out, paint: Paint| {
            if let Some(colors) = colors {
                out.write(&colors.code(paint));
            }
        };
        while i < end_a && j < end_b {
            columns.line(out, Some(a.line(i)), b'|', Some(b.line(j)));
            i += 1;
            j += 1;
        }
        if j < end_b {
            paint(out, Paint::Added);
            while j < end_b {
                columns.line(out, None, b'>', Some(b.line(j)));
                j += 1;
            }
            paint(out, Paint::Plain);
        }
        if i < end_a {
            paint(out, Paint::Deleted);
            while i < end_a {
                columns.line(out, Some(a.line(i)), b'<', None);
                i += 1;
            }
            paint(out, Paint::Plain);
        }
    }
    common(columns, out, a, b, (i, a.len()), (j, b.len()));
}

fn common(columns: &Columns, out: &mut Out, a: &Text, b: &Text, x: (usize, usize), y: (usize, usize)) {
    if columns.suppress_common {
        return;
    }
    let (mut i, mut j) = (x.0, y.0);
    if !columns.left_only {
        while i < x.1 && j < y.1 {
            columns.line(out, Some(a.line(i)), b' ', Some(b.line(j)));
            i += 1;
            j += 1;
        }
        while j < y.1 {
            columns.line(out, None, b')', Some(b.line(j)));
            j += 1;
        }
    }
    while i < x.1 {
        columns.line(out, Some(a.line(i)), b'(', None);
        i += 1;
    }
}

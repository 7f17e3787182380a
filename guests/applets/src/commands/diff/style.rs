//! One line of output, whatever the style: tabs, colours, the missing newline.

use super::Settings;
use crate::compare::Text;
use capsule_sys::Out;

/// What a line is coloured as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Header,
    Range,
    Deleted,
    Added,
}

impl Paint {
    fn code(self) -> &'static [u8] {
        match self {
            Paint::Plain => b"",
            Paint::Header => b"\x1b[1m",
            Paint::Range => b"\x1b[36m",
            Paint::Deleted => b"\x1b[31m",
            Paint::Added => b"\x1b[32m",
        }
    }
}

pub struct Painter<'a> {
    pub out: &'a mut Out,
    pub settings: &'a Settings,
}

impl Painter<'_> {
    pub fn start(&mut self, paint: Paint) {
        if self.settings.color {
            self.out.write(paint.code());
        }
    }

    pub fn end(&mut self, paint: Paint) {
        if self.settings.color && paint != Paint::Plain {
            self.out.write(b"\x1b[0m");
        }
    }

    /// A line of its own, such as a header.
    pub fn whole(&mut self, paint: Paint, text: &[u8]) {
        self.start(paint);
        self.out.write(text);
        self.end(paint);
        self.out.byte(b'\n');
    }

    /// A line of a file behind a mark.
    pub fn line(&mut self, paint: Paint, mark: &[u8], text: &Text, number: usize) {
        let content = text.content(number);
        self.start(paint);
        if content.is_empty() && self.settings.suppress_blank && mark.iter().all(|b| *b == b' ') {
            // Nothing in front of nothing.
        } else if self.settings.initial_tab {
            let mark = mark.strip_suffix(b" ").unwrap_or(mark);
            self.out.write(mark);
            if !content.is_empty() || !self.settings.suppress_blank {
                self.out.byte(b'\t');
            }
        } else {
            self.out.write(mark);
        }
        self.content(content);
        self.end(paint);
        self.out.byte(b'\n');
        if text.ends_early(number) {
            self.out.write(b"\\ No newline at end of file\n");
        }
    }

    /// A line's text, with its tabs as blanks where asked for.
    pub fn content(&mut self, content: &[u8]) {
        if self.settings.expand_tabs && content.contains(&b'\t') {
            let text = crate::compare::expand(content, self.settings.ignore.tab_size);
            self.out.write(&text);
        } else {
            self.out.write(content);
        }
    }
}

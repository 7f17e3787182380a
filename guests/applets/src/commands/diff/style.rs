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

/// The codes of `--palette`: what is between `ESC [` and `m`.
pub struct Palette {
    reset: Vec<u8>,
    header: Vec<u8>,
    range: Vec<u8>,
    deleted: Vec<u8>,
    added: Vec<u8>,
}

impl Default for Palette {
    fn default() -> Palette {
        let code = |text: &str| text.as_bytes().to_vec();
        Palette { reset: code("0"), header: code("1"), range: code("36"), deleted: code("31"), added: code("32") }
    }
}

impl Palette {
    /// Takes `ad=32:de=31` over; whether all of it was understood.
    pub fn parse(&mut self, text: &[u8]) -> Result<(), String> {
        for item in text.split(|&b| b == b':').filter(|item| !item.is_empty()) {
            let [a, b, b'=', code @ ..] = item else { return Err(String::new()) };
            let place = match (a, b) {
                (b'r', b's') => &mut self.reset,
                (b'h', b'd') => &mut self.header,
                (b'l', b'n') => &mut self.range,
                (b'd', b'e') => &mut self.deleted,
                (b'a', b'd') => &mut self.added,
                _ => return Err(format!("unrecognized prefix: {}{}", *a as char, *b as char)),
            };
            *place = code.to_vec();
        }
        Ok(())
    }

    /// What begins a colour; [`Paint::Plain`] ends it.
    pub fn code(&self, paint: Paint) -> Vec<u8> {
        let code = match paint {
            Paint::Plain => &self.reset,
            Paint::Header => &self.header,
            Paint::Range => &self.range,
            Paint::Deleted => &self.deleted,
            Paint::Added => &self.added,
        };
        [b"\x1b[", code.as_slice(), b"m"].concat()
    }
}

pub struct Painter<'a> {
    pub out: &'a mut Out,
    pub settings: &'a Settings,
}

impl Painter<'_> {
    pub fn start(&mut self, paint: Paint) {
        if self.settings.color && paint != Paint::Plain {
            self.out.write(&self.settings.palette.code(paint));
        }
    }

    pub fn end(&mut self, paint: Paint) {
        if self.settings.color && paint != Paint::Plain {
            self.out.write(&self.settings.palette.code(Paint::Plain));
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
        if content.is_empty() && self.settings.suppress_blank {
            self.out.write(mark.trim_ascii_end());
        } else if self.settings.initial_tab {
            let mark = mark.strip_suffix(b" ").unwrap_or(mark);
            self.out.write(mark);
            self.out.byte(b'\t');
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

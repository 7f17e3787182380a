//! Values as text: compact or indented, in colour, in ASCII, with sorted keys.

use crate::number;
use crate::value::{Text, Value};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Indent {
    #[default]
    None,
    Spaces(u8),
    Tab,
}

/// The colour of each kind, as the text between `ESC [` and `m`.
#[derive(Clone, Debug)]
pub struct Colors {
    pub null: String,
    pub r#false: String,
    pub r#true: String,
    pub number: String,
    pub string: String,
    pub array: String,
    pub object: String,
    pub key: String,
}

#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub indent: Indent,
    pub sorted: bool,
    pub ascii: bool,
    pub colors: Option<Colors>,
}

/// Deeper than this is not shown.
const MAX_DEPTH: usize = 10_000;

/// A container whose items are being written.
enum Level<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(std::slice::Iter<'a, (Text, Value)>),
    Sorted(std::vec::IntoIter<(&'a Text, &'a Value)>),
}

/// The compact text of a value.
pub fn to_string(value: &Value) -> String {
    let mut out = Vec::new();
    Layout::default().write(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

impl Layout {
    /// Appends the text of a value. Nesting costs no stack.
    pub fn write(&self, value: &Value, out: &mut Vec<u8>) {
        if self.colors.is_some() {
            return color::write(self, value, out);
        }
        let mut levels: Vec<(Level, bool)> = Vec::new();
        self.open(value, &mut levels, out);
        while let Some((level, first)) = levels.last_mut() {
            let fresh = std::mem::replace(first, false);
            let next = match level {
                Level::Array(items) => items.next().map(|value| (None, value)),
                Level::Object(entries) => entries.next().map(|entry| (Some(&entry.0), &entry.1)),
                Level::Sorted(entries) => entries.next().map(|entry| (Some(entry.0), entry.1)),
            };
            let Some((key, value)) = next else {
                let close = if matches!(level, Level::Array(_)) { b']' } else { b'}' };
                levels.pop();
                self.newline(levels.len(), out);
                out.push(close);
                continue;
            };
            if !fresh {
                out.push(b',');
            }
            self.newline(levels.len(), out);
            if let Some(key) = key {
                self.string(key, out);
                out.extend_from_slice(if self.indent == Indent::None { b":" } else { b": " });
            }
            self.open(value, &mut levels, out);
        }
    }

    fn open<'a>(&self, value: &'a Value, levels: &mut Vec<(Level<'a>, bool)>, out: &mut Vec<u8>) {
        match value {
            Value::Array(_) | Value::Object(_) if levels.len() > MAX_DEPTH => {
                out.extend_from_slice(b"<skipped: too deep>");
            }
            Value::Array(array) if array.0.is_empty() => out.extend_from_slice(b"[]"),
            Value::Object(object) if object.is_empty() => out.extend_from_slice(b"{}"),
            Value::Array(array) => {
                out.push(b'[');
                levels.push((Level::Array(array.0.iter()), true));
            }
            Value::Object(object) => {
                out.push(b'{');
                let level = if self.sorted {
                    Level::Sorted(object.sorted().into_iter())
                } else {
                    Level::Object(object.entries().iter())
                };
                levels.push((level, true));
            }
            scalar => self.scalar(scalar, out),
        }
    }

    fn scalar(&self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(true) => out.extend_from_slice(b"true"),
            Value::Bool(false) => out.extend_from_slice(b"false"),
            Value::Number(value) => number::write_number(*value, out),
            Value::Literal(literal) => literal.write(out),
            Value::String(text) => self.string(text, out),
            Value::Array(_) | Value::Object(_) => {}
        }
    }

    fn newline(&self, depth: usize, out: &mut Vec<u8>) {
        let (fill, width) = match self.indent {
            Indent::None => return,
            Indent::Spaces(n) => (b' ', usize::from(n)),
            Indent::Tab => (b'\t', 1),
        };
        out.push(b'\n');
        out.resize(out.len() + depth * width, fill);
    }

    fn string(&self, text: &str, out: &mut Vec<u8>) {
        out.push(b'"');
        if self.ascii {
            for c in text.chars() {
                match c {
                    ' '..='~' if c != '"' && c != '\\' => out.push(c as u8),
                    _ if c.is_ascii() => escape(c as u8, out),
                    _ => {
                        for unit in c.encode_utf16(&mut [0; 2]) {
                            out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                        }
                    }
                }
            }
        } else {
            let bytes = text.as_bytes();
            let mut from = 0;
            for (at, &b) in bytes.iter().enumerate() {
                if b < 0x20 || b == b'"' || b == b'\\' || b == 0x7f {
                    out.extend_from_slice(&bytes[from..at]);
                    escape(b, out);
                    from = at + 1;
                }
            }
            out.extend_from_slice(&bytes[from..]);
        }
        out.push(b'"');
    }
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        8 => b'b',
        12 => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Colours are rare and for eyes: here the layout counts, not the speed.
mod color {
    use super::{Colors, Indent, Layout, Level, Value};

    fn start(color: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("\x1b[{color}m").as_bytes());
    }

    const STOP: &[u8] = b"\x1b[0m";

    /// A mark in the colour of its container.
    fn mark(color: &str, mark: &[u8], out: &mut Vec<u8>) {
        start(color, out);
        out.extend_from_slice(mark);
        out.extend_from_slice(STOP);
    }

    pub fn write(layout: &Layout, value: &Value, out: &mut Vec<u8>) {
        let Some(colors) = &layout.colors else { return };
        let mut levels: Vec<(Level, bool)> = Vec::new();
        open(layout, colors, value, &mut levels, out);
        while let Some((level, first)) = levels.last_mut() {
            let fresh = std::mem::replace(first, false);
            let array = matches!(level, Level::Array(_));
            let color = if array { &colors.array } else { &colors.object };
            let next = match level {
                Level::Array(items) => items.next().map(|value| (None, value)),
                Level::Object(entries) => entries.next().map(|entry| (Some(&entry.0), &entry.1)),
                Level::Sorted(entries) => entries.next().map(|entry| (Some(entry.0), entry.1)),
            };
            let Some((key, value)) = next else {
                levels.pop();
                layout.newline(levels.len(), out);
                mark(color, if array { b"]" } else { b"}" }, out);
                continue;
            };
            if !fresh {
                mark(color, b",", out);
            }
            layout.newline(levels.len(), out);
            if let Some(key) = key {
                start(&colors.key, out);
                layout.string(key, out);
                out.extend_from_slice(STOP);
                mark(color, b":", out);
                if layout.indent != Indent::None {
                    out.push(b' ');
                }
            }
            open(layout, colors, value, &mut levels, out);
        }
    }

    fn open<'a>(
        layout: &Layout,
        colors: &Colors,
        value: &'a Value,
        levels: &mut Vec<(Level<'a>, bool)>,
        out: &mut Vec<u8>,
    ) {
        let color = match value {
            Value::Null => &colors.null,
            Value::Bool(false) => &colors.r#false,
            Value::Bool(true) => &colors.r#true,
            Value::Number(_) | Value::Literal(_) => &colors.number,
            Value::String(_) => &colors.string,
            Value::Array(_) => &colors.array,
            Value::Object(_) => &colors.object,
        };
        start(color, out);
        layout.open(value, levels, out);
        out.extend_from_slice(STOP);
    }
}

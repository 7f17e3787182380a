//! Names as they are shown: quoted, or with `?` for what cannot be printed.

use super::Entry;
use super::options::{Format, Settings};
use crate::path::{Missing, canonical};
use crate::quote::{self, Style};
use crate::width::width;
use capsule_sys::Out;
use std::borrow::Cow;

pub struct Shown {
    pub text: Vec<u8>,
    pub width: usize,
    quoted: bool,
    /// Where a terminal would go for the file, with `--hyperlink`.
    pub link: Option<String>,
}

impl Shown {
    pub fn new(name: &[u8], settings: &Settings) -> Shown {
        // Most names are plain: nothing to quote, nothing to measure.
        if name.iter().all(|b| b.is_ascii_alphanumeric() || b"._-+,/%@".contains(b))
            && !name.is_empty()
            && maybe(settings.style)
        {
            return Shown { text: name.to_vec(), width: name.len(), quoted: false, link: None };
        }
        let mut text = match settings.style {
            Style::Literal => name.to_vec(),
            style => quote::show(name, style, settings.utf8, settings.also_quote).into_bytes(),
        };
        if settings.question_marks {
            text = question_marks(&text, settings.utf8);
        }
        let quoted = text != name;
        let width = columns(&text, settings.utf8);
        Shown { text, width, quoted, link: None }
    }

    /// With the link around it, where there is one; a blank that only aligns stays outside.
    pub fn linked(&self) -> Cow<'_, [u8]> {
        let Some(link) = &self.link else { return Cow::Borrowed(&self.text) };
        let blank = usize::from(self.text.first() == Some(&b' '));
        let (pad, text) = self.text.split_at(blank);
        Cow::Owned([pad, b"\x1b]8;;", link.as_bytes(), b"\x07", text, b"\x1b]8;;\x07"].concat())
    }
}

/// Where a name that comes next begins and ends; a blank that only aligns is no part of it.
pub fn place(shown: &Shown, settings: &Settings, out: &Out) -> [u64; 2] {
    let aligned = settings.style != Style::Literal && shown.text.first() == Some(&b' ');
    [out.position() + u64::from(aligned), out.position() + shown.text.len() as u64]
}

/// The address of a file, as `--hyperlink` has it: `file://HOST/PATH`.
pub fn address(host: &[u8], path: &[u8]) -> Option<String> {
    let full = canonical(path, Missing::Any, false, true).ok()?;
    let escape = |text: &[u8], slash: bool| -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"~-._".contains(&b) || (slash && b == b'/');
        text.iter().map(|&b| if plain(b) { (b as char).to_string() } else { format!("%{b:02x}") }).collect()
    };
    Some(format!("file://{}{}", escape(host, false), escape(&full, true)))
}

/// Styles that leave a plain name alone.
fn maybe(style: Style) -> bool {
    matches!(style, Style::Literal | Style::Shell | Style::ShellEscape | Style::CMaybe | Style::Escape)
}

/// Where some names are quoted and some are not, a space in front of the latter keeps them in line.
pub fn align(entries: &mut [Entry], settings: &Settings) {
    let wanted = matches!(settings.style, Style::Shell | Style::ShellEscape | Style::CMaybe)
        && (settings.format == Format::Long
            || (settings.width > 0 && matches!(settings.format, Format::Vertical | Format::Across)));
    if !wanted || !entries.iter().any(|e| e.shown.quoted) {
        return;
    }
    for entry in entries.iter_mut().filter(|e| !e.shown.quoted) {
        entry.shown.text.insert(0, b' ');
        entry.shown.width += 1;
    }
}

fn question_marks(text: &[u8], utf8: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buf = [0; 4];
            let bytes = c.encode_utf8(&mut buf).as_bytes();
            if c.is_ascii_control() || (!c.is_ascii() && utf8 && !quote::printable(c)) {
                out.push(b'?');
            } else if !c.is_ascii() && !utf8 {
                out.resize(out.len() + bytes.len(), b'?');
            } else {
                out.extend_from_slice(bytes);
            }
        }
        out.resize(out.len() + chunk.invalid().len(), b'?');
    }
    out
}

fn columns(text: &[u8], utf8: bool) -> usize {
    if !utf8 {
        return text.iter().filter(|b| (32..127).contains(*b)).count();
    }
    text.utf8_chunks().map(|chunk| chunk.valid().chars().map(width).sum::<usize>()).sum()
}

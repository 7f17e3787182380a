//! Names in messages and listings, quoted as gnulib's `quotearg` does.

use capsule_sys::getenv;
use std::fmt::Write;
use std::sync::OnceLock;

/// How a name is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Literal,
    Shell,
    ShellAlways,
    ShellEscape,
    ShellEscapeAlways,
    C,
    CMaybe,
    Escape,
    Locale,
    Clocale,
}

/// The styles by their names.
pub const STYLES: &[(&str, Style)] = &[
    ("literal", Style::Literal),
    ("shell", Style::Shell),
    ("shell-always", Style::ShellAlways),
    ("shell-escape", Style::ShellEscape),
    ("shell-escape-always", Style::ShellEscapeAlways),
    ("c", Style::C),
    ("c-maybe", Style::CMaybe),
    ("escape", Style::Escape),
    ("locale", Style::Locale),
    ("clocale", Style::Clocale),
];

/// The style that QUOTING_STYLE names; what it cannot mean is told.
pub fn style_of_environment() -> Option<Style> {
    let value = getenv(b"QUOTING_STYLE")?;
    let found = STYLES.iter().find(|(name, _)| name.as_bytes() == value).map(|(_, style)| *style);
    if found.is_none() {
        let text = "ignoring invalid value of environment variable QUOTING_STYLE: ";
        crate::report::error(format_args!("{text}{}", locale(&value)));
    }
    found
}

/// Whether the environment asks for UTF-8.
pub fn is_utf8() -> bool {
    static ASKED: OnceLock<bool> = OnceLock::new();
    *ASKED.get_or_init(|| {
        let set = |name: &[u8]| getenv(name).filter(|value| !value.is_empty());
        let locale = set(b"LC_ALL").or_else(|| set(b"LC_CTYPE")).or_else(|| set(b"LANG")).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        locale.ends_with(b"utf-8") || locale.ends_with(b"utf8")
    })
}

/// Whether the environment asks for anything but POSIX's own wording in this category.
pub fn has_locale(category: &[u8]) -> bool {
    let set = |name: &[u8]| getenv(name).filter(|value| !value.is_empty());
    let locale = set(b"LC_ALL").or_else(|| set(category)).or_else(|| set(b"LANG"));
    locale.is_some_and(|l| l != b"C" && l != b"POSIX")
}

/// A name in front of `: error`: quoted when it needs to be.
pub fn name(name: &[u8]) -> String {
    show(name, Style::ShellEscape, is_utf8(), b":")
}

/// The same for an operand: `-` is standard input.
pub fn input(operand: &[u8]) -> String {
    name(if operand == b"-" { b"standard input" } else { operand })
}

/// A name inside a sentence: always quoted.
pub fn quoted(name: &[u8]) -> String {
    show(name, Style::ShellEscapeAlways, is_utf8(), b"")
}

/// What the locale uses around words.
pub fn quote_open_close() -> (&'static str, &'static str) {
    if is_utf8() { ("‘", "’") } else { ("'", "'") }
}

/// A word in the locale's quotes.
pub fn locale(word: &[u8]) -> String {
    show(word, Style::Locale, is_utf8(), b"")
}

/// A word in the quotes that are written out in a message, the same in every locale.
pub fn plain(word: &[u8]) -> String {
    format!("'{}'", raw(word))
}

/// Bytes that are no text go through messages as the last characters there are, one each, and so do those characters.
const RAW: u32 = 0x10FF00;

/// Bytes for a message as they are: [`unraw`] brings back those that are no text.
pub fn raw(bytes: &[u8]) -> String {
    let mut text = String::new();
    let escaped = |byte: &u8| char::from_u32(RAW + u32::from(*byte)).unwrap_or_default();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match u32::from(c) < RAW {
                true => text.push(c),
                false => text.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(escaped)),
            }
        }
        text.extend(chunk.invalid().iter().map(escaped));
    }
    text
}

/// What a message with [`raw`] bytes in it stands for.
pub fn unraw(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.into();
    }
    let mut bytes = Vec::new();
    for c in text.chars() {
        match u32::from(c).checked_sub(RAW) {
            Some(byte) => bytes.push(byte as u8),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// A printable piece of a name, or a byte that is not.
enum Piece<'a> {
    Text(&'a str),
    Byte(u8),
}

/// Splits into what can be printed in this locale and what cannot.
fn pieces(name: &[u8], utf8: bool) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    for chunk in name.utf8_chunks() {
        for (i, c) in chunk.valid().char_indices() {
            let text = &chunk.valid()[i..i + c.len_utf8()];
            if (c.is_ascii() && !c.is_ascii_control()) || (!c.is_ascii() && utf8 && printable(c)) {
                all.push(Piece::Text(text));
            } else {
                all.extend(text.bytes().map(Piece::Byte));
            }
        }
        all.extend(chunk.invalid().iter().map(|&b| Piece::Byte(b)));
    }
    all
}

/// Whether a character beyond ASCII has a shape.
pub fn printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{fff8}')
}

/// The letter C writes a control byte with.
fn c_letter(byte: u8) -> Option<char> {
    Some(match byte {
        7 => 'a',
        8 => 'b',
        9 => 't',
        10 => 'n',
        11 => 'v',
        12 => 'f',
        13 => 'r',
        _ => return None,
    })
}

/// Shows a name. `also` lists bytes that ask for quotes beside those the shell does.
pub fn show(name: &[u8], style: Style, utf8: bool, also: &[u8]) -> String {
    match style {
        Style::Literal => String::from_utf8_lossy(name).into_owned(),
        Style::Shell | Style::ShellAlways => shell(name, style == Style::ShellAlways, also),
        Style::ShellEscape | Style::ShellEscapeAlways => {
            shell_escape(name, style == Style::ShellEscapeAlways, utf8, also)
        }
        Style::C => c_style(name, utf8, "\"", "\""),
        Style::CMaybe => {
            let text = c_style(name, utf8, "\"", "\"");
            let inner = &text[1..text.len() - 1];
            if inner.as_bytes() == name { inner.to_owned() } else { text }
        }
        Style::Escape => c_style(name, utf8, "", "").replace(' ', "\\ "),
        Style::Locale | Style::Clocale if utf8 => c_style(name, utf8, "‘", "’"),
        Style::Locale => c_style(name, utf8, "'", "'"),
        Style::Clocale => c_style(name, utf8, "\"", "\""),
    }
}

/// Whether a shell would take something in it for its own.
fn special(name: &[u8], also: &[u8]) -> bool {
    let Some(&first) = name.first() else { return true };
    name.iter().any(|b| b" !\"$&()*;<=>[^`|\\?\t\n'".contains(b) || also.contains(b))
        || matches!(first, b'#' | b'~')
        || matches!(name, b"{" | b"}")
}

/// Whether a name with a single quote can stand in double quotes: nothing in it means something there.
fn fits_double_quotes(name: &[u8]) -> bool {
    !name.iter().enumerate().any(|(i, b)| b"!\"$&()*;<=>[^`|?\\{}".contains(b) || (i > 0 && matches!(b, b'#' | b'~')))
}

fn shell(name: &[u8], always: bool, also: &[u8]) -> String {
    if !always && !special(name, also) {
        return String::from_utf8_lossy(name).into_owned();
    }
    let text = String::from_utf8_lossy(name);
    if name.contains(&b'\'') && fits_double_quotes(name) {
        return format!("\"{text}\"");
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// `'plain'`, with `$'…'` where bytes cannot be printed.
fn shell_escape(name: &[u8], always: bool, utf8: bool, also: &[u8]) -> String {
    let all = pieces(name, utf8);
    let unprintable = all.iter().any(|p| matches!(p, Piece::Byte(_)));
    if !always && !unprintable && !special(name, also) {
        return String::from_utf8_lossy(name).into_owned();
    }
    let single = name.contains(&b'\'');
    if single && !unprintable && fits_double_quotes(name) {
        return format!("\"{}\"", String::from_utf8_lossy(name));
    }
    // gnulib starts over when it meets a single quote, and leaves an empty pair behind.
    let mut text = String::from(if single && unprintable { "'''" } else { "'" });
    let mut escaping = false;
    for piece in all {
        match piece {
            Piece::Text(t) => {
                if escaping {
                    text.push_str("''");
                    escaping = false;
                }
                text.push_str(if t == "'" { "'\\''" } else { t });
            }
            Piece::Byte(b) => {
                if !escaping {
                    text.push_str("'$'");
                    escaping = true;
                }
                escape(&mut text, b);
            }
        }
    }
    text.push('\'');
    text
}

fn escape(text: &mut String, byte: u8) {
    match c_letter(byte) {
        Some(letter) => {
            text.push('\\');
            text.push(letter);
        }
        None => {
            let _ = write!(text, "\\{byte:03o}");
        }
    }
}

fn c_style(name: &[u8], utf8: bool, open: &str, close: &str) -> String {
    let mut text = String::from(open);
    for piece in pieces(name, utf8) {
        match piece {
            Piece::Text("\\") => text.push_str("\\\\"),
            Piece::Text(t) if t == close => {
                text.push('\\');
                text.push_str(t);
            }
            Piece::Text(t) => text.push_str(t),
            Piece::Byte(b) => escape(&mut text, b),
        }
    }
    text + close
}

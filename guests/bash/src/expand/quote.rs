//! Text back into a form the shell reads as the same text.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether bytes above 127 are characters: the locale of the process, as C has one.
static UTF8: AtomicBool = AtomicBool::new(true);

pub fn set_quoting_locale(utf8: bool) {
    UTF8.store(utf8, Ordering::Relaxed);
}

/// In a locale without them, what is no ASCII cannot be shown.
fn is_foreign(text: &[u8]) -> bool {
    !UTF8.load(Ordering::Relaxed) && !text.is_ascii()
}

/// `'…'`, with `'\''` for a quote.
pub fn single_quote(text: &[u8]) -> Vec<u8> {
    if text == b"'" {
        return b"\\'".to_vec();
    }
    let mut out = vec![b'\''];
    for &b in text {
        if b == b'\'' { out.extend_from_slice(b"'\\''") } else { out.push(b) }
    }
    out.push(b'\'');
    out
}

/// Whether only `$'…'` can show it: control characters, or bytes that are no text.
pub fn needs_ansi(text: &[u8]) -> bool {
    if is_foreign(text) {
        return true;
    }
    match std::str::from_utf8(text) {
        Ok(text) => text.chars().any(|c| c.is_control()),
        Err(_) => true,
    }
}

/// `$'…'`
pub fn ansi_quote(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\x1b' => out.extend_from_slice(b"\\E"),
                '\x07' => out.extend_from_slice(b"\\a"),
                '\x08' => out.extend_from_slice(b"\\b"),
                '\x0c' => out.extend_from_slice(b"\\f"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\x0b' => out.extend_from_slice(b"\\v"),
                '\\' => out.extend_from_slice(b"\\\\"),
                '\'' => out.extend_from_slice(b"\\'"),
                c if c.is_control() || !c.is_ascii() && is_foreign(text) => {
                    let mut buf = [0; 4];
                    for b in c.encode_utf8(&mut buf).bytes() {
                        out.extend_from_slice(format!("\\{b:03o}").as_bytes());
                    }
                }
                c => {
                    let mut buf = [0; 4];
                    out.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
                }
            }
        }
        for b in chunk.invalid() {
            out.extend_from_slice(format!("\\{b:03o}").as_bytes());
        }
    }
    out.push(b'\'');
    out
}

/// `"…"`, as `declare -p` shows values.
pub fn double_quote(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for &b in text {
        if matches!(b, b'"' | b'$' | b'`' | b'\\') {
            out.push(b'\\');
        }
        out.push(b);
    }
    out.push(b'"');
    out
}

/// For `declare -p`: double quotes, or `$'…'` when needed.
pub fn assignment_quote(text: &[u8]) -> Vec<u8> {
    if needs_ansi(text) { ansi_quote(text) } else { double_quote(text) }
}

/// For `@Q` and `@A`: single quotes, or `$'…'` when needed.
pub fn value_quote(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_ansi(text) { ansi_quote(text) } else { single_quote(text) }
}

/// For `printf %q`: backslashes, or `$'…'` when needed.
pub fn backslash_quote(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_ansi(text) {
        return ansi_quote(text);
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    for (i, &b) in text.iter().enumerate() {
        let special = match b {
            b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'!'
            | b'{' | b'}' | b'*' | b'[' | b'?' | b']' | b'^' | b'$' | b'`' | b',' => true,
            b'#' => i == 0,
            b'~' => i == 0 || matches!(text[i - 1], b':' | b'='),
            _ => false,
        };
        if special {
            out.push(b'\\');
        }
        out.push(b);
    }
    out
}

/// Whether a word means something else unquoted.
fn has_metas(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(i, &b)| match b {
        b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'!' | b'{'
        | b'}' | b'*' | b'[' | b'?' | b']' | b'^' | b'$' | b'`' => true,
        b'#' => i == 0 || matches!(text[i - 1], b' ' | b'\t'),
        b'~' => i == 0 || matches!(text[i - 1], b':' | b'='),
        _ => false,
    })
}

/// For the listing of `set`: quoted only when it must be.
pub fn list_quote(text: &[u8]) -> Vec<u8> {
    if needs_ansi(text) { ansi_quote(text) } else { trace_quote(text) }
}

/// For `set -x`: quoted only when it must be.
pub fn trace_quote(text: &[u8]) -> Vec<u8> {
    // A newline or tab is shown as it is between quotes.
    let odd = match std::str::from_utf8(text) {
        // bash looks for these only where nothing else asks for quotes.
        Ok(_) if is_foreign(text) && !has_metas(text) => true,
        Ok(text) => text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'),
        Err(_) => true,
    };
    if odd {
        ansi_quote(text)
    } else if has_metas(text) {
        single_quote(text)
    } else {
        text.to_vec()
    }
}

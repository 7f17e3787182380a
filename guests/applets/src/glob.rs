//! Patterns as `fnmatch` reads them: `*`, `?`, `[…]` with ranges and classes, backslash.

/// Whether a name matches. A leading dot is matched only by a dot when `period` says so.
pub fn matches(pattern: &[u8], name: &[u8], period: bool) -> bool {
    if period && name.first() == Some(&b'.') && pattern.first() != Some(&b'.') && !pattern.starts_with(b"\\.") {
        return false;
    }
    let (mut p, mut n) = (0, 0);
    // Where to go on when what follows the last star does not fit.
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            None if n == name.len() => return true,
            None => None,
            Some(_) if n == name.len() => None,
            // A character of several bytes is one.
            Some(b'?') if name[n] >= 0x80 => {
                n += char_length(&name[n..]) - 1;
                Some(1)
            }
            Some(b'?') => Some(1),
            Some(b'[') => match bracket(&pattern[p..], character(&name[n..]).0) {
                Some((true, used)) => {
                    n += char_length(&name[n..]) - 1;
                    Some(used)
                }
                Some((false, _)) => None,
                None => (name[n] == b'[').then_some(1),
            },
            Some(b'\\') if p + 1 < pattern.len() => (pattern[p + 1] == name[n]).then_some(2),
            Some(&byte) => (byte == name[n]).then_some(1),
        };
        match (step, star) {
            (Some(used), _) => {
                p += used;
                n += 1;
            }
            (None, Some((after, from))) if from < name.len() => {
                (p, n) = (after, from + 1);
                star = Some((after, from + 1));
            }
            _ => return false,
        }
    }
}

/// In small letters, where case does not count.
pub fn lowercase(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() || !utf8() {
        return text.to_ascii_lowercase();
    }
    crate::letters::map_case(text, true, false)
}

fn utf8() -> bool {
    // The locale of a process does not change; `find` asks for every name.
    static UTF8: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *UTF8.get_or_init(crate::quote::is_utf8)
}

fn char_length(text: &[u8]) -> usize {
    character(text).1
}

/// Beyond every character: bytes that are none.
const NO_CHARACTER: u32 = 0x11_0000;

/// The character at the start, and how many bytes it has.
fn character(text: &[u8]) -> (u32, usize) {
    match text.first() {
        None => (0, 0),
        Some(&byte) if byte < 0x80 => (byte.into(), 1),
        Some(&byte) => {
            let first = || text[..text.len().min(4)].utf8_chunks().next()?.valid().chars().next();
            match utf8().then(first).flatten() {
                Some(c) => (c.into(), c.len_utf8()),
                None => (NO_CHARACTER + u32::from(byte), 1),
            }
        }
    }
}

/// A name without the slashes at its end; the root stays.
pub fn without_slashes(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|b| *b != b'/').map_or(1, |i| i + 1);
    &name[..end.min(name.len())]
}

/// Whether the bracket expression at the start takes this character, and how long it is; none when it never ends.
fn bracket(pattern: &[u8], c: u32) -> Option<(bool, usize)> {
    let mut at = 1;
    let negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut found = false;
    let mut first = true;
    // One end of a range, which may be escaped.
    let end = |at: usize| {
        let escape = usize::from(*pattern.get(at)? == b'\\');
        pattern.get(at + escape)?;
        let (c, used) = character(&pattern[at + escape..]);
        Some((c, at + escape + used))
    };
    loop {
        let next = *pattern.get(at)?;
        if next == b']' && !first {
            return Some((found != negated, at + 1));
        }
        first = false;
        if next == b'[' && pattern.get(at + 1) == Some(&b':') {
            let end = pattern[at + 2..].windows(2).position(|w| w == b":]")?;
            found |= is_of_class(&pattern[at + 2..at + 2 + end], c);
            at += end + 4;
            continue;
        }
        let low;
        (low, at) = end(at)?;
        let mut high = low;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|b| *b != b']') {
            (high, at) = end(at + 1)?;
        }
        found |= (low..=high).contains(&c);
    }
}

fn is_of_class(name: &[u8], c: u32) -> bool {
    if let Ok(byte) = u8::try_from(c)
        && byte < 0x80
    {
        return class(name, byte);
    }
    let Some(c) = char::from_u32(c) else { return false };
    match name {
        b"alpha" => c.is_alphabetic(),
        b"alnum" => c.is_alphanumeric(),
        b"upper" => c.is_uppercase(),
        b"lower" => c.is_lowercase(),
        b"space" | b"blank" => c.is_whitespace(),
        b"cntrl" => c.is_control(),
        b"print" => !c.is_control(),
        b"graph" => !c.is_control() && !c.is_whitespace(),
        b"punct" => !c.is_control() && !c.is_whitespace() && !c.is_alphanumeric(),
        _ => false,
    }
}

/// The classes of POSIX, for ASCII.
pub fn class(name: &[u8], b: u8) -> bool {
    match name {
        b"alpha" => b.is_ascii_alphabetic(),
        b"digit" => b.is_ascii_digit(),
        b"alnum" => b.is_ascii_alphanumeric(),
        b"upper" => b.is_ascii_uppercase(),
        b"lower" => b.is_ascii_lowercase(),
        b"space" => b.is_ascii_whitespace() || b == 11,
        b"blank" => b == b' ' || b == b'\t',
        b"punct" => b.is_ascii_punctuation(),
        b"print" => (32..127).contains(&b),
        b"graph" => b.is_ascii_graphic(),
        b"cntrl" => b.is_ascii_control(),
        b"xdigit" => b.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        let m = |p: &str, n: &str| matches(p.as_bytes(), n.as_bytes(), false);
        assert!(m("*.c", "a.c") && !m("*.c", "a.h") && m("a?c", "abc") && m("[a-c]x", "bx") && !m("[!a-c]x", "bx"));
        assert!(m("[]]", "]") && m("[[:digit:]]*", "1a") && m("\\*", "*") && !m("\\*", "a") && m("[", "["));
        assert!(m("*a*b*", "xxaxxbxx") && !m("*a*b*c", "xxaxxbxx") && m("*", "") && !m("?", ""));
        assert!(!matches(b"*", b".x", true) && matches(b".*", b".x", true));
    }
}

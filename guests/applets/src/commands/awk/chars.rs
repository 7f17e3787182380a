//! Characters of a text: bytes, or UTF-8 where the locale says so. A byte that is no UTF-8 is a character of its own.

/// How long the character at `at` is.
#[inline]
pub fn length_at(text: &[u8], at: usize, utf8: bool) -> usize {
    let first = text[at];
    if !utf8 || first < 0xc2 {
        return 1;
    }
    let n = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return 1,
    };
    match text.get(at..at + n) {
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => n,
        _ => 1,
    }
}

/// How many characters there are.
pub fn count(text: &[u8], utf8: bool) -> usize {
    if !utf8 || text.is_ascii() {
        return text.len();
    }
    let (mut at, mut n) = (0, 0);
    while at < text.len() {
        at += length_at(text, at, utf8);
        n += 1;
    }
    n
}

/// Where `n` characters behind `at` end.
pub fn advance(text: &[u8], at: usize, n: usize, utf8: bool) -> usize {
    if !utf8 || text.is_ascii() {
        return at.saturating_add(n).min(text.len());
    }
    let mut at = at;
    for _ in 0..n {
        if at >= text.len() {
            break;
        }
        at += length_at(text, at, utf8);
    }
    at
}

/// The character at the beginning.
pub fn first(text: &[u8], utf8: bool) -> Option<char> {
    let n = if text.is_empty() { return None } else { length_at(text, 0, utf8) };
    std::str::from_utf8(&text[..n]).ok()?.chars().next().filter(|_| n > 1 || text[0] < 0x80)
}

/// Letters changed; what is not a letter of this locale stays.
pub fn map_case(text: &[u8], utf8: bool, upper: bool) -> Vec<u8> {
    if !utf8 || text.is_ascii() {
        return if upper { text.to_ascii_uppercase() } else { text.to_ascii_lowercase() };
    }
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            // One for one, as towupper: a letter that would become two stays.
            let mut mapped: [Option<char>; 2] = [None, None];
            if upper {
                c.to_uppercase().take(2).zip(&mut mapped).for_each(|(c, slot)| *slot = Some(c));
            } else {
                c.to_lowercase().take(2).zip(&mut mapped).for_each(|(c, slot)| *slot = Some(c));
            }
            let c = if mapped[1].is_none() { mapped[0].unwrap_or(c) } else { c };
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    out
}

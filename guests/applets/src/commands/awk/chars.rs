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
    let mut at = at;
    // All of them lie in so many bytes, and are as many where these are ASCII.
    let near = at.saturating_add(n).min(text.len());
    if !utf8 || text[at..near].is_ascii() {
        return near;
    }
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

/// So many characters lie between two places of an [`Index`].
const STEP: usize = 64;

/// Where the characters of a text are.
#[derive(Debug)]
pub enum Index {
    /// Every byte is one.
    Bytes,
    /// How many there are, and where every 64th of them begins.
    Chars(usize, Box<[u32]>),
}

impl Index {
    pub fn of(text: &[u8], utf8: bool) -> Index {
        if !utf8 || text.is_ascii() {
            return Index::Bytes;
        }
        let (mut at, mut count, mut places) = (0, 0, Vec::new());
        while at < text.len() {
            if count % STEP == 0 {
                places.push(at as u32);
            }
            at += length_at(text, at, true);
            count += 1;
        }
        Index::Chars(count, places.into())
    }

    pub fn count(&self, text: &[u8]) -> usize {
        match self {
            Index::Bytes => text.len(),
            Index::Chars(count, _) => *count,
        }
    }

    /// Where the character with this number begins, counted from 0.
    pub fn offset(&self, text: &[u8], n: usize) -> usize {
        match self {
            Index::Bytes => n.min(text.len()),
            Index::Chars(_, places) => match places.get(n / STEP) {
                Some(&at) => advance(text, at as usize, n % STEP, true),
                None => text.len(),
            },
        }
    }
}

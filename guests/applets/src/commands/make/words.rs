//! Words, patterns with `%`, and names of files as text.

use super::Bytes;

pub fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&b| is_blank(b)).filter(|w| !w.is_empty())
}

pub fn after_blanks(text: &[u8]) -> &[u8] {
    &text[text.iter().position(|&b| !is_blank(b)).unwrap_or(text.len())..]
}

pub fn trim(text: &[u8]) -> &[u8] {
    let text = after_blanks(text);
    &text[..text.iter().rposition(|&b| !is_blank(b)).map_or(0, |i| i + 1)]
}

/// A pattern in two: before and behind its `%`; a backslash takes the meaning away. None: no `%`, and the text.
pub fn split_pattern(pattern: &[u8]) -> Result<(Bytes, Bytes), Bytes> {
    let mut before = Vec::new();
    let mut at = 0;
    while let Some(&b) = pattern.get(at) {
        if b == b'%' {
            return Ok((before, pattern[at + 1..].to_vec()));
        }
        if b == b'\\' {
            let run = pattern[at..].iter().take_while(|&&b| b == b'\\').count();
            if pattern.get(at + run) == Some(&b'%') {
                before.extend(std::iter::repeat_n(b'\\', run / 2));
                at += run;
                if run % 2 == 1 {
                    before.push(b'%');
                    at += 1;
                }
                continue;
            }
            before.extend_from_slice(&pattern[at..at + run]);
            at += run;
            continue;
        }
        before.push(b);
        at += 1;
    }
    Err(before)
}

/// What the `%` stands for when the word matches.
pub fn stem<'a>(pattern: &(Bytes, Bytes), word: &'a [u8]) -> Option<&'a [u8]> {
    if word.len() < pattern.0.len() + pattern.1.len() {
        return None;
    }
    word.strip_prefix(pattern.0.as_slice())?.strip_suffix(pattern.1.as_slice())
}

pub fn pattern_matches(pattern: &[u8], word: &[u8]) -> bool {
    match split_pattern(pattern) {
        Ok(parts) => stem(&parts, word).is_some(),
        Err(text) => text == word,
    }
}

/// `$(patsubst pattern,replacement,word)`
pub fn pattern_replace(pattern: &[u8], replacement: &[u8], word: &[u8]) -> Bytes {
    match split_pattern(pattern) {
        Err(text) => if text == word { replacement } else { word }.to_vec(),
        Ok(parts) => match stem(&parts, word) {
            None => word.to_vec(),
            Some(stem) => put_stem(replacement, stem),
        },
    }
}

/// The text with the stem in the place of its `%`.
pub fn put_stem(text: &[u8], stem: &[u8]) -> Bytes {
    match split_pattern(text) {
        Ok((mut before, after)) => {
            before.extend_from_slice(stem);
            before.extend_from_slice(&after);
            before
        }
        Err(text) => text,
    }
}

/// With the slash; `./` when there is none.
pub fn dir_part(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|&b| b == b'/') {
        Some(slash) => &name[..=slash],
        None => b"./",
    }
}

pub fn file_part(name: &[u8]) -> &[u8] {
    &name[name.iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1)..]
}

/// Where the suffix starts: the last dot of the last component.
pub fn suffix_start(name: &[u8]) -> Option<usize> {
    let base = name.len() - file_part(name).len();
    name[base..].iter().rposition(|&b| b == b'.').map(|i| base + i)
}

/// A name as rules have it: no `./` in front.
pub fn tidy(name: &[u8]) -> &[u8] {
    let mut name = name;
    while let Some(rest) = name.strip_prefix(b"./") {
        let rest = &rest[rest.iter().position(|&b| b != b'/').unwrap_or(rest.len())..];
        if rest.is_empty() {
            return b"./";
        }
        name = rest;
    }
    name
}

/// A word that must be all digits; what is too large is the largest number.
pub fn number(text: &[u8]) -> Option<u64> {
    let text = trim(text);
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(std::str::from_utf8(text).ok()?.parse().unwrap_or(u64::MAX))
}

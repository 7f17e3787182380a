//! Escapes in a script: `\t`, `\x41`, `\cX` and so on.

/// What an escape stands for, and how many bytes after the backslash it takes. `Err`: `\c` before a backslash that
/// escapes something else.
pub fn escape(rest: &[u8]) -> Result<Option<(u8, usize)>, ()> {
    let Some(&first) = rest.first() else { return Ok(None) };
    let simple = |byte| Ok(Some((byte, 1)));
    match first {
        b'a' => simple(7),
        b'f' => simple(12),
        b'n' => simple(b'\n'),
        b'r' => simple(b'\r'),
        b't' => simple(b'\t'),
        b'v' => simple(11),
        b'c' => match rest.get(1..).unwrap_or_default() {
            [] => Ok(None),
            [b'\\', b'\\', ..] => Ok(Some((b'\\' ^ 0x40, 3))),
            [b'\\', ..] => Err(()),
            [byte, ..] => Ok(Some((byte.to_ascii_uppercase() ^ 0x40, 2))),
        },
        b'd' => Ok(number(&rest[1..], 10, 3)),
        b'o' => Ok(number(&rest[1..], 8, 3)),
        b'x' => Ok(number(&rest[1..], 16, 2)),
        _ => Ok(None),
    }
}

fn number(digits: &[u8], base: u32, most: usize) -> Option<(u8, usize)> {
    let value = |b: &u8| char::from(*b).to_digit(base);
    let count = digits.iter().take(most).take_while(|b| value(b).is_some()).count();
    let n = digits[..count].iter().filter_map(value).fold(0, |n, digit| n * base + digit);
    // More than a byte holds wraps around.
    (count > 0).then_some((n as u8, count + 1))
}

/// The text of `a`, `i` and `c`: an escape is what it stands for, any other backslash is dropped.
pub fn plain(text: &[u8]) -> Result<Vec<u8>, ()> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        at += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match escape(&text[at..])? {
            Some((byte, len)) => {
                out.push(byte);
                at += len;
            }
            None => {
                out.extend(text.get(at));
                at += 1;
            }
        }
    }
    Ok(out)
}

/// The text of a pattern, for the engine: escapes that it does not know are what they stand for. `posix`: there are none
/// in brackets.
pub fn pattern(text: &[u8], posix: bool) -> Result<Vec<u8>, ()> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        at += 1;
        if posix && b == b'[' {
            let len = bracket(&text[at..]);
            out.extend_from_slice(&text[at - 1..at + len]);
            at += len;
            continue;
        }
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match (text.get(at), escape(&text[at..])?) {
            (_, Some((byte, len))) => {
                out.push(byte);
                at += len;
            }
            (Some(&next), None) => {
                out.extend([b'\\', next]);
                at += 1;
            }
            (None, None) => out.push(b'\\'),
        }
    }
    Ok(out)
}

/// How long a bracket expression is after its `[`.
fn bracket(rest: &[u8]) -> usize {
    let mut at = usize::from(rest.first() == Some(&b'^'));
    at += usize::from(rest.get(at) == Some(&b']'));
    while let Some(&b) = rest.get(at) {
        at += 1;
        if b == b']' {
            break;
        }
        if let (b'[', Some(kind @ (b':' | b'.' | b'='))) = (b, rest.get(at))
            && let Some(len) = rest[at + 1..].windows(2).position(|w| w == [*kind, b']'])
        {
            at += len + 3;
        }
    }
    at
}

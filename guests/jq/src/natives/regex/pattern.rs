//! Patterns as Oniguruma reads them in its Perl syntax, in the words of our engine.

use std::borrow::Cow;

/// The end of the text, or a newline before it.
const END: &str = "(?=\\n?\\z)";
/// The most a repetition may ask for.
const MOST: usize = 100_000;

/// Sets of POSIX: they go by Unicode.
const SETS: &[(&str, &str)] = &[
    ("alnum", "\\p{Alphabetic}\\p{M}\\p{Nd}"),
    ("alpha", "\\p{Alphabetic}\\p{M}"),
    ("ascii", "\\x00-\\x7f"),
    ("blank", "\\p{Zs}\\t"),
    ("cntrl", "\\p{Cc}"),
    ("digit", "\\p{Nd}"),
    ("graph", "\\S"),
    ("lower", "\\p{Lowercase}"),
    ("print", "\\P{C}"),
    ("punct", "\\p{P}$+<=>\\^`|\\~"),
    ("space", "\\s"),
    ("upper", "\\p{Uppercase}"),
    ("word", "\\w"),
    ("xdigit", "0-9A-Fa-f"),
];

/// The pattern for our engine, or what Oniguruma finds wrong with it.
pub fn translate(pattern: &str, extended: bool) -> Result<String, Cow<'static, str>> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    let groups = pattern.matches('(').count();
    while let Some(c) = rest.chars().next() {
        let used = match c {
            '\\' => escape(rest, groups, &mut out),
            '[' => class(rest, &mut out)?,
            '(' => group(rest, &mut out)?,
            '{' => repeat(rest, &mut out)?,
            '$' => push(END, 1, &mut out),
            '#' if extended => {
                let len = rest.find('\n').unwrap_or(rest.len());
                push(&rest[..len], len, &mut out)
            }
            c => push(&rest[..c.len_utf8()], c.len_utf8(), &mut out),
        };
        rest = &rest[used..];
    }
    Ok(out)
}

fn push(text: &str, used: usize, out: &mut String) -> usize {
    out.push_str(text);
    used
}

/// An escape outside of a class; how many bytes it has.
fn escape(rest: &str, groups: usize, out: &mut String) -> usize {
    let Some(letter) = rest[1..].chars().next() else { return push("\\", 1, out) };
    let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
    match letter {
        'Z' => push(END, 2, out),
        // Letters that mean nothing stand for themselves.
        'h' | 'H' | 'u' | 'v' => push(&rest[1..2], 2, out),
        'p' | 'P' if !rest[2..].starts_with('{') => push(&rest[1..2], 2, out),
        'Q' => {
            let text = &rest[2..];
            let len = text.find("\\E").unwrap_or(text.len());
            out.push_str(&fancy_regex::escape(&text[..len]));
            2 + len + text[len..].len().min(2)
        }
        'c' if rest[2..].starts_with(|c: char| c.is_ascii()) && rest.len() > 2 => {
            let control = rest.as_bytes()[2] & 0x1f;
            push(&format!("\\x{control:02x}"), 3, out)
        }
        '0'..='7' if letter == '0' || digits > 1 && rest[1..=digits].parse().is_ok_and(|n: usize| n > groups) => {
            let len = rest[1..].bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = u32::from_str_radix(&rest[1..=len], 8).unwrap_or_default();
            push(&format!("\\x{{{value:x}}}"), 1 + len, out)
        }
        // What is in braces or brackets behind these is theirs.
        'p' | 'P' | 'x' | 'k' | 'g' => {
            let close = match rest.as_bytes().get(2) {
                Some(b'{') => '}',
                Some(b'<') => '>',
                _ => return push(&rest[..2], 2, out),
            };
            let len = rest.find(close).map_or(rest.len(), |end| end + 1);
            push(&rest[..len], len, out)
        }
        letter => {
            let len = 1 + letter.len_utf8();
            push(&rest[..len], len, out)
        }
    }
}

/// The first property of characters that nobody knows, in its braces.
pub fn unknown_property(pattern: &str) -> Option<&str> {
    let mut rest = pattern;
    while let Some(at) = rest.find("\\p{").or_else(|| rest.find("\\P{")) {
        let end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
        if fancy_regex::Regex::new(&rest[at..end]).is_err() {
            return Some(&rest[at + 2..end]);
        }
        rest = &rest[end..];
    }
    None
}

fn group(rest: &str, out: &mut String) -> Result<usize, Cow<'static, str>> {
    if rest.starts_with("(?P") {
        return Err("undefined group option".into());
    }
    let Some(name) = rest.strip_prefix("(?<").filter(|name| !name.starts_with(['=', '!'])) else {
        return Ok(push("(", 1, out));
    };
    let len = name.find('>').unwrap_or(name.len());
    let name = &name[..len];
    let good = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && len < rest.len() - 3;
    match name {
        "" if rest.starts_with("(?<>") => Err("group name is empty".into()),
        _ if good => Ok(push("(", 1, out)),
        _ => Err(format!("invalid group name <{name}>").into()),
    }
}

/// `{n,m}`; what has no lower bound is no repetition.
fn repeat(rest: &str, out: &mut String) -> Result<usize, Cow<'static, str>> {
    let Some(bounds) = rest[1..].split_once('}').map(|(bounds, _)| bounds) else { return Ok(push("\\{", 1, out)) };
    let (low, high) = bounds.split_once(',').map_or((bounds, None), |(low, high)| (low, Some(high)));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if low.is_empty() || !digits(low) || !high.is_none_or(digits) {
        return Ok(push("\\{", 1, out));
    }
    let number = |text: &str| text.parse::<usize>().unwrap_or(usize::MAX);
    let high = high.filter(|high| !high.is_empty()).map(number);
    if number(low) > MOST || high.is_some_and(|high| high > MOST) {
        return Err("too big number for repeat range".into());
    }
    if high.is_some_and(|high| high < number(low)) {
        return Err("upper is smaller than lower in repeat range".into());
    }
    Ok(push("{", 1, out))
}

/// A class in brackets; how many bytes it has. One that does not end is left to the engine to complain about.
fn class(rest: &str, out: &mut String) -> Result<usize, Cow<'static, str>> {
    out.push('[');
    let mut at = 1;
    if rest[at..].starts_with('^') {
        at += push("^", 1, out);
    }
    if rest[at..].starts_with(']') {
        if !rest[at + 1..].contains(']') {
            return Err("empty char-class".into());
        }
        at += push("\\]", 1, out);
    }
    while let Some(c) = rest[at..].chars().next() {
        let text = &rest[at..];
        at += match c {
            ']' => return Ok(at + push("]", 1, out)),
            '[' if text.starts_with("[:") && text.contains(":]") => set(text, out)?,
            '[' => push("\\[", 1, out),
            '&' | '~' => push(if c == '&' { "\\&" } else { "\\~" }, 1, out),
            '\\' => match text[1..].chars().next() {
                Some(letter @ ('h' | 'H' | 'u' | 'v')) => push(letter.encode_utf8(&mut [0; 4]), 2, out),
                Some(letter) => push(&text[..1 + letter.len_utf8()], 1 + letter.len_utf8(), out),
                None => push("\\", 1, out),
            },
            c => {
                let mut behind = text.chars().skip(1);
                if behind.next() == Some('-') && behind.next().is_some_and(|last| !"]\\[".contains(last) && last < c) {
                    return Err("empty range in char class".into());
                }
                push(&text[..c.len_utf8()], c.len_utf8(), out)
            }
        };
    }
    Ok(at)
}

/// `[:alpha:]` or `[:^alpha:]` in a class.
fn set(text: &str, out: &mut String) -> Result<usize, Cow<'static, str>> {
    let end = text.find(":]").unwrap_or(text.len() - 2);
    let name = &text[2.min(end)..end];
    let (name, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let Some((_, members)) = SETS.iter().find(|(known, _)| *known == name) else {
        return Err("invalid POSIX bracket type".into());
    };
    out.push_str(&if negated { format!("[^{members}]") } else { format!("[{members}]") });
    Ok(end + 2)
}

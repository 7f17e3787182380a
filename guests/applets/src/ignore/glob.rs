//! Globs of ignore files, `-g` and file types: `*` and `?` stop at a slash, `**` does not.

/// One glob, matched by following all its ways at once: no glob takes more than its length times that of the name.
pub struct Glob {
    tokens: Vec<Token>,
}

enum Token {
    Byte(u8),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**` at the end.
    Deep,
    /// `**/`: no directories, or some.
    Dirs,
    Set(Box<[bool; 256]>),
}

/// Braces of one glob are written out to no more than this many.
const MAX_BRACES: usize = 64;

impl Glob {
    pub fn new(text: &[u8], ignore_case: bool) -> Glob {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let boundary = at == 0 || text[at - 1] == b'/';
            let (token, len) = match rest {
                [b'*', b'*', b'/', ..] if boundary => (Token::Dirs, 3),
                [b'*', b'*'] if boundary => (Token::Deep, 2),
                [b'*', ..] => (Token::Star, 1),
                [b'?', ..] => (Token::One, 1),
                [b'[', ..] => set(rest, ignore_case).unwrap_or((Token::Byte(b'['), 1)),
                [b'\\', next, ..] => (letter(*next, ignore_case), 2),
                [byte, ..] => (letter(*byte, ignore_case), 1),
                [] => break,
            };
            tokens.push(token);
            at += len;
        }
        Glob { tokens }
    }

    pub fn matches(&self, name: &[u8]) -> bool {
        let n = self.tokens.len();
        // Each token has a state before it, and `**/` one inside of it.
        let mut now = vec![[false; 2]; n + 1];
        now[0][0] = true;
        self.skip(&mut now);
        for &b in name {
            let mut next = vec![[false; 2]; n + 1];
            let mut any = false;
            for (i, token) in self.tokens.iter().enumerate() {
                let [before, inside] = now[i];
                if !before && !inside {
                    continue;
                }
                match token {
                    Token::Byte(want) => next[i + 1][0] |= *want == b,
                    Token::One => next[i + 1][0] |= b != b'/',
                    Token::Set(set) => next[i + 1][0] |= set[usize::from(b)],
                    Token::Star => next[i][0] |= b != b'/',
                    Token::Deep => next[i][0] = true,
                    Token::Dirs => {
                        next[i][1] = true;
                        next[i + 1][0] |= b == b'/';
                    }
                }
                any = true;
            }
            if !any {
                return false;
            }
            self.skip(&mut next);
            now = next;
        }
        now[n][0]
    }

    /// What may match nothing is passed over.
    fn skip(&self, states: &mut [[bool; 2]]) {
        for (i, token) in self.tokens.iter().enumerate() {
            if states[i][0] && matches!(token, Token::Star | Token::Deep | Token::Dirs) {
                states[i + 1][0] = true;
            }
        }
    }
}

fn letter(b: u8, ignore_case: bool) -> Token {
    if !ignore_case || !b.is_ascii_alphabetic() {
        return Token::Byte(b);
    }
    Token::Set(Box::new(std::array::from_fn(|i| (i as u8).eq_ignore_ascii_case(&b))))
}

/// `[…]`, and its length; none when it never ends.
fn set(text: &[u8], ignore_case: bool) -> Option<(Token, usize)> {
    let mut at = 1;
    let negated = matches!(text.get(1), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut set = Box::new([false; 256]);
    let first = at;
    loop {
        let mut low = *text.get(at)?;
        if low == b']' && at > first {
            at += 1;
            break;
        }
        if low == b'\\' {
            at += 1;
            low = *text.get(at)?;
        }
        at += 1;
        let mut high = low;
        if text.get(at) == Some(&b'-') && text.get(at + 1).is_some_and(|b| *b != b']') {
            high = *text.get(at + 1)?;
            at += 2;
        }
        for b in low..=high {
            set[usize::from(b)] = true;
            if ignore_case {
                set[usize::from(b.to_ascii_lowercase())] = true;
                set[usize::from(b.to_ascii_uppercase())] = true;
            }
        }
    }
    if negated {
        set.iter_mut().for_each(|inside| *inside = !*inside);
    }
    set[usize::from(b'/')] = false;
    Some((Token::Set(set), at))
}

/// `*.{c,h}` as `*.c` and `*.h`; none when the braces do not fit, or are too many.
pub fn braces(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut done: Vec<Vec<u8>> = Vec::new();
    let mut todo = vec![text.to_vec()];
    while let Some(text) = todo.pop() {
        if done.len() + todo.len() > MAX_BRACES {
            return None;
        }
        let Some(open) = unescaped(&text, b'{', 0) else {
            if unescaped(&text, b'}', 0).is_some() {
                return None;
            }
            // The same can come of it twice: `{a,{b,c}}` is `{a,b}` and `{a,c}`.
            if !done.contains(&text) {
                done.push(text);
            }
            continue;
        };
        // The innermost are written out first.
        let close = unescaped(&text, b'}', open)?;
        let mut open = open;
        while let Some(inner) = unescaped(&text, b'{', open + 1).filter(|inner| *inner < close) {
            open = inner;
        }
        let mut start = open + 1;
        let mut parts = Vec::new();
        while let Some(comma) = unescaped(&text, b',', start).filter(|comma| *comma < close) {
            parts.push(&text[start..comma]);
            start = comma + 1;
        }
        parts.push(&text[start..close]);
        for part in parts.iter().rev() {
            todo.push([&text[..open], *part, &text[close + 1..]].concat());
        }
    }
    Some(done)
}

fn unescaped(text: &[u8], byte: u8, from: usize) -> Option<usize> {
    let mut at = from;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b if b == byte => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Glob, braces};

    #[test]
    fn globs() {
        let m = |glob: &str, name: &str| Glob::new(glob.as_bytes(), false).matches(name.as_bytes());
        assert!(m("*.rs", "a.rs") && !m("*.rs", "a/b.rs") && m("**/*.rs", "a/b.rs") && m("**/*.rs", "b.rs"));
        assert!(m("a/**/b", "a/b") && m("a/**/b", "a/x/y/b") && !m("a/**/b", "ab") && m("a/**", "a/x/y"));
        assert!(m("[a-c]?", "bz") && !m("[!a-c]?", "bz") && m("\\*", "*") && m("[", "[") && !m("?", "/"));
        assert!(m("**/foo/**", "foo/x") && m("**/foo/**", "a/foo/x/y") && !m("**/foo", "afoo"));
        assert!(Glob::new(b"*.RS", true).matches(b"a.rs"));
        let (stars, text) = ("*a".repeat(50), "a".repeat(200));
        assert!(m(&stars, &text) && !m(&stars, &(text + "b")));
    }

    #[test]
    fn braces_are_written_out() {
        let all = |text: &str| {
            braces(text.as_bytes())
                .map(|all| all.into_iter().map(|t| String::from_utf8_lossy(&t).into_owned()).collect::<Vec<_>>())
        };
        assert_eq!(all("*.{c,h}"), Some(vec!["*.c".into(), "*.h".into()]));
        assert_eq!(all("{a,{b,c}}x"), Some(vec!["ax".into(), "bx".into(), "cx".into()]));
        assert_eq!(all("a\\{b"), Some(vec!["a\\{b".into()]));
        assert_eq!(all("{a"), None);
    }
}

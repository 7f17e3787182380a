//! Bracket expressions.

use super::char_at;

#[derive(Debug, Default, Clone)]
pub struct Bracket {
    negated: bool,
    ranges: Vec<(u32, u32)>,
    classes: Vec<Class>,
}

#[derive(Debug, Clone, Copy)]
enum Class {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl Class {
    fn named(name: &[u8]) -> Option<Class> {
        Some(match name {
            b"alnum" => Class::Alnum,
            b"alpha" => Class::Alpha,
            b"ascii" => Class::Ascii,
            b"blank" => Class::Blank,
            b"cntrl" => Class::Cntrl,
            b"digit" => Class::Digit,
            b"graph" => Class::Graph,
            b"lower" => Class::Lower,
            b"print" => Class::Print,
            b"punct" => Class::Punct,
            b"space" => Class::Space,
            b"upper" => Class::Upper,
            b"word" => Class::Word,
            b"xdigit" => Class::Xdigit,
            _ => return None,
        })
    }

    fn has(self, n: u32) -> bool {
        let Some(c) = char::from_u32(n) else { return false };
        match self {
            Class::Alnum => c.is_alphanumeric(),
            Class::Alpha => c.is_alphabetic(),
            Class::Ascii => c.is_ascii(),
            Class::Blank => c == ' ' || c == '\t',
            Class::Cntrl => c.is_control(),
            Class::Digit => c.is_ascii_digit(),
            Class::Graph => !c.is_control() && !c.is_whitespace(),
            Class::Lower => c.is_lowercase(),
            Class::Print => !c.is_control(),
            Class::Punct => {
                c.is_ascii_punctuation()
                    || !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control()
            }
            Class::Space => c.is_whitespace(),
            Class::Upper => c.is_uppercase(),
            Class::Word => c.is_alphanumeric() || c == '_',
            Class::Xdigit => c.is_ascii_hexdigit(),
        }
    }
}

fn fold(n: u32) -> (u32, u32) {
    match char::from_u32(n) {
        Some(c) => (c.to_lowercase().next().unwrap_or(c) as u32, c.to_uppercase().next().unwrap_or(c) as u32),
        None => (n, n),
    }
}

impl Bracket {
    pub fn has(&self, n: u32, nocase: bool) -> bool {
        let one = |n: u32| self.ranges.iter().any(|&(a, b)| a <= n && n <= b) || self.classes.iter().any(|c| c.has(n));
        let found = if nocase {
            let (lower, upper) = fold(n);
            one(n) || one(lower) || one(upper)
        } else {
            one(n)
        };
        found != self.negated
    }

    /// Parses after `[`; the bytes taken, with the closing bracket. None when it never closes.
    pub fn parse(text: &[u8], utf8: bool) -> Option<(Bracket, usize)> {
        let mut bracket = Bracket::default();
        let mut i = 0;
        if matches!(text.first(), Some(b'!' | b'^')) {
            bracket.negated = true;
            i = 1;
        }
        let first = i;
        // Which of `:]` `.]` `=]` are known not to follow any more: a search for each of many would take long.
        let mut gone = [false; 3];
        loop {
            match text.get(i)? {
                b']' if i > first => return Some((bracket, i + 1)),
                // A slash in a bracket expression ends pathname patterns; whoever splits on slashes sees to that.
                b'[' if text.get(i + 1) == Some(&b':') => {
                    if let Some(len) = until(text, i + 2, b':', &mut gone[0]) {
                        if let Some(class) = Class::named(&text[i + 2..i + 2 + len]) {
                            bracket.classes.push(class);
                        }
                        i += len + 4;
                        continue;
                    }
                }
                _ => {}
            }
            let (low, next) = element(text, i, utf8, &mut gone)?;
            i = next;
            let range = text.get(i) == Some(&b'-') && text.get(i + 1).is_some_and(|&b| b != b']');
            if range {
                let (high, next) = element(text, i + 1, utf8, &mut gone)?;
                i = next;
                bracket.ranges.push((low, high));
            } else {
                bracket.ranges.push((low, low));
            }
        }
    }
}

/// One character, `[.x.]` or `[=x=]`.
fn element(text: &[u8], i: usize, utf8: bool, gone: &mut [bool; 3]) -> Option<(u32, usize)> {
    if text[i] == b'[' && matches!(text.get(i + 1), Some(b'.' | b'=')) {
        let which = if text[i + 1] == b'.' { 1 } else { 2 };
        if let Some(len) = until(text, i + 2, text[i + 1], &mut gone[which]) {
            let (n, taken) = char_at(&text[i + 2..i + 2 + len], utf8);
            if taken == len {
                return Some((n, i + 2 + len + 2));
            }
        }
    }
    let i = if text[i] == b'\\' && i + 1 < text.len() { i + 1 } else { i };
    let (n, len) = char_at(&text[i..], utf8);
    (len > 0).then_some((n, i + len))
}

/// How far it is to the mark with a bracket behind it.
fn until(text: &[u8], from: usize, mark: u8, gone: &mut bool) -> Option<usize> {
    if *gone {
        return None;
    }
    let found = text[from..].windows(2).position(|w| w == [mark, b']']);
    *gone = found.is_none();
    found
}

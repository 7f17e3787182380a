//! Shell patterns: `*` `?` `[…]` and the extended `?( ) *( ) +( ) @( ) !( )`. Compiled once, matched without recursion on
//! the text: simple patterns by one-star backtracking, extended ones by carrying the set of places reached so far, so no
//! pattern takes exponential time or deep stacks.

mod bracket;
mod compile;
mod matching;

use bracket::Bracket;

#[derive(Clone, Copy, Debug, Default)]
pub struct PatternOptions {
    pub extglob: bool,
    pub nocase: bool,
    /// Characters are UTF-8, else bytes.
    pub utf8: bool,
}

#[derive(Debug)]
pub struct Pattern {
    nodes: Vec<Node>,
    extended: bool,
    nocase: bool,
    utf8: bool,
}

#[derive(Debug)]
enum Node {
    Byte(u8),
    /// `?`
    Any,
    /// `*`
    Star,
    Bracket(Box<Bracket>),
    Extended(Kind, Vec<Vec<Node>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Optional,
    ZeroOrMore,
    OneOrMore,
    One,
    Not,
}

impl Pattern {
    pub fn new(text: &[u8], options: PatternOptions) -> Pattern {
        compile::compile(text, options)
    }

    /// The text it stands for, when nothing in it is special.
    pub fn literal(&self) -> Option<Vec<u8>> {
        if self.nocase {
            return None;
        }
        self.nodes
            .iter()
            .map(|node| match node {
                Node::Byte(b) => Some(*b),
                _ => None,
            })
            .collect()
    }

    /// Whether the first character is given as itself (a dot at the start of a name must be).
    pub fn starts_with_byte(&self, byte: u8) -> bool {
        starts_with(&self.nodes, byte)
    }
}

fn starts_with(nodes: &[Node], byte: u8) -> bool {
    match nodes.first() {
        Some(Node::Byte(b)) => *b == byte,
        Some(Node::Extended(kind, choices)) if *kind != Kind::Not => {
            choices.iter().any(|choice| starts_with(choice, byte))
                || matches!(kind, Kind::Optional | Kind::ZeroOrMore) && starts_with(&nodes[1..], byte)
        }
        _ => false,
    }
}

/// Whether a pattern (escapes and all) can match anything but itself. A bracket that never closes is itself.
pub fn has_glob(text: &[u8], extglob: bool) -> bool {
    let mut i = 0;
    // The first bracket that does not close is the last one to ask about.
    let mut closed = true;
    while i < text.len() {
        match text[i] {
            b'\\' => i += 1,
            b'*' | b'?' => return true,
            b'[' if closed => {
                closed = closes_bracket(&text[i + 1..]);
                if closed {
                    return true;
                }
            }
            b'(' if extglob && i > 0 && matches!(text[i - 1], b'@' | b'+' | b'!') => return true,
            _ => {}
        }
        i += 1;
    }
    false
}

fn closes_bracket(text: &[u8]) -> bool {
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'\\' => i += 1,
            b']' => return true,
            _ => {}
        }
        i += 1;
    }
    false
}

/// Bytes of the first character.
pub fn char_len(text: &[u8], utf8: bool) -> usize {
    if !utf8 {
        return 1;
    }
    let len = match text.first() {
        None => return 0,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        Some(_) => return 1,
    };
    match text.get(..len) {
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => len,
        _ => 1,
    }
}

/// The first character as a number; bytes that are no UTF-8 are themselves, out of the way of real characters.
fn char_at(text: &[u8], utf8: bool) -> (u32, usize) {
    let len = char_len(text, utf8);
    if len > 1
        && let Some(c) = text.get(..len).and_then(|b| std::str::from_utf8(b).ok()).and_then(|s| s.chars().next())
    {
        return (c as u32, len);
    }
    match text.first() {
        Some(&b) if b < 0x80 || !utf8 => (b.into(), 1),
        Some(&b) => (0x1000_0000 + u32::from(b), 1),
        None => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let options = PatternOptions { extglob: true, nocase: false, utf8: true };
        Pattern::new(pattern.as_bytes(), options).matches(text.as_bytes())
    }

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("a*c", "abbc", true),
            ("a*c", "abcd", false),
            ("?", "é", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]", "d", true),
            ("[]]", "]", true),
            ("[", "[", true),
            ("[[:alpha:]]*", "x1", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("@(a|b)c", "bc", true),
            ("*(ab)", "ababab", true),
            ("+(a|bc)d", "abcad", true),
            ("!(foo)", "bar", true),
            ("!(foo)", "foo", false),
            ("?(x)y", "y", true),
            ("a!(b)c", "abc", false),
            ("a!(b)c", "abbc", true),
            ("*.@(c|h)", "x.h", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert!(matches("*a*a*a*a*a*a*b", &format!("{}b", "a".repeat(2000))));
        assert!(!matches("+(+(a))b", &"a".repeat(2000)));
        // In no more than a moment.
        for piece in ["[", "@(", "[[:", "[[.", "!(x|"] {
            let pattern = piece.repeat(200_000);
            assert!(!matches(&pattern, "x"));
            assert!(!matches(&format!("{pattern})]"), "x"));
            assert!(!has_glob("[".repeat(200_000).as_bytes(), true));
        }
    }
}

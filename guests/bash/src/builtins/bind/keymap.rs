//! Keys and what they do: the tables of a line editor, and how key sequences are written.

use std::collections::BTreeMap;

/// Every function there is, in order.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    include_str!("functions.txt").lines()
}

/// Variables and what they are at the start: switches first, then those with a text.
pub(super) fn variables() -> Vec<(&'static str, Vec<u8>)> {
    let pair = |line: &'static str| line.split_once(' ').unwrap_or((line, ""));
    include_str!("variables.txt").lines().map(pair).map(|(name, value)| (name, value.as_bytes().to_vec())).collect()
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Action {
    Function(&'static str),
    /// Keys that are typed instead.
    Macro(Vec<u8>),
    /// A shell command, by `-x`.
    Command(Vec<u8>),
}

pub(super) type Keymap = BTreeMap<Vec<u8>, Action>;

/// The tables, by the name of a keymap: which one it is, and what comes before the keys in it.
pub(super) fn find(name: &[u8]) -> Option<(usize, &'static [u8])> {
    Some(match name {
        b"emacs" | b"emacs-standard" => (0, b""),
        b"emacs-meta" => (0, b"\x1b"),
        b"emacs-ctlx" => (0, b"\x18"),
        b"vi-insert" => (1, b""),
        b"vi" | b"vi-move" | b"vi-command" => (2, b""),
        _ => return None,
    })
}

/// Emacs, vi's insertion and vi's commands, as they are at the start.
pub(super) fn initial() -> [Keymap; 3] {
    let mut maps = [include_str!("emacs.txt"), include_str!("vi_insert.txt"), include_str!("vi_command.txt")].map(read);
    // What does nothing else is typed; control characters only where vi inserts.
    for byte in 1..=255u8 {
        let from = usize::from(byte < b' ' || byte == 0x7f);
        for map in &mut maps[from..2] {
            map.entry(vec![byte]).or_insert(Action::Function("self-insert"));
        }
    }
    maps
}

fn read(text: &'static str) -> Keymap {
    let mut map = Keymap::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let Some(function) = words.next() else { continue };
        map.extend(words.map(|keys| (from_text(keys.as_bytes()), Action::Function(function))));
    }
    map
}

/// The bytes of `\C-x\e[1~`.
pub(super) fn from_text(text: &[u8]) -> Vec<u8> {
    let mut keys = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' || rest.is_empty() {
            keys.push(first);
            continue;
        }
        let mut bits = 0;
        let mut control = false;
        loop {
            match rest {
                [b'\\', b'C', b'-', ..] => (control, rest) = (true, &rest[3..]),
                [b'\\', b'M', b'-', ..] => (bits, rest) = (0x80, &rest[3..]),
                [b'C', b'-', ..] if !control && bits == 0 => (control, rest) = (true, &rest[2..]),
                [b'M', b'-', ..] if !control && bits == 0 => (bits, rest) = (0x80, &rest[2..]),
                _ => break,
            }
        }
        if control || bits != 0 {
            let Some((&key, after)) = rest.split_first() else { break };
            rest = after;
            let key = match (control, key) {
                (true, b'?') => 0x7f,
                (true, key) => key.to_ascii_uppercase() & 0x1f,
                (false, key) => key,
            };
            keys.push(key | bits);
            continue;
        }
        let (key, len) = escaped(rest);
        keys.push(key);
        rest = &rest[len..];
    }
    keys
}

/// What follows a backslash: the byte, and how many characters it took.
fn escaped(rest: &[u8]) -> (u8, usize) {
    let number = |digits: &[u8], base: u32, most: usize| {
        let len = digits.iter().take(most).take_while(|&&b| (b as char).is_digit(base)).count();
        let value = digits[..len].iter().fold(0u32, |n, &b| n * base + (b as char).to_digit(base).unwrap_or(0));
        (value as u8, len)
    };
    match rest[0] {
        b'a' => (7, 1),
        b'b' => (8, 1),
        b'd' => (0x7f, 1),
        b'e' => (0x1b, 1),
        b'f' => (12, 1),
        b'n' => (b'\n', 1),
        b'r' => (b'\r', 1),
        b't' => (b'\t', 1),
        b'v' => (11, 1),
        b'0'..=b'7' => number(rest, 8, 3),
        b'x' => match number(&rest[1..], 16, 2) {
            (_, 0) => (b'x', 1),
            (value, len) => (value, len + 1),
        },
        other => (other, 1),
    }
}

/// Bytes as a key sequence is written.
pub(super) fn to_text(keys: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(keys.len() * 2);
    for &key in keys {
        match key {
            0x1b => text.extend(b"\\e"),
            0x7f => text.extend(b"\\C-?"),
            0..0x20 => text.extend([b'\\', b'C', b'-', (key | 0x40).to_ascii_lowercase()]),
            b'"' | b'\\' => text.extend([b'\\', key]),
            0x80.. => text.extend(format!("\\{key:o}").into_bytes()),
            _ => text.push(key),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_sequences() {
        for text in ["\\C-a", "\\e[1~", "\\C-x\\C-?", "\\\"\\\\", "\\372", "a b", "\\C-@", "\\C-_"] {
            assert_eq!(to_text(&from_text(text.as_bytes())), text.as_bytes(), "{text}");
        }
        assert_eq!(from_text(b"\\M-z\\x41\\101\\d\\C-\\M-a"), [0xfa, b'A', b'A', 0x7f, 0x81]);
        assert_eq!(from_text(b"\\"), b"\\");
        assert_eq!(from_text(b"\\C-"), b"");
    }

    #[test]
    fn tables_name_known_functions() {
        let known: Vec<_> = functions().collect();
        for action in initial().iter().flat_map(BTreeMap::values) {
            assert!(matches!(action, Action::Function(name) if known.contains(name)));
        }
    }
}

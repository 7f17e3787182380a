//! Letters for types of files, and comparisons with numbers.

use crate::quote::plain;
use crate::{Exit, report};
use capsule_sys::FileType;

/// More than, less than, or exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    More,
    Less,
    Same,
}

impl Compare {
    /// Takes the sign in front of a number.
    pub fn split(text: &[u8]) -> (Compare, &[u8]) {
        match text {
            [b'+', rest @ ..] => (Compare::More, rest),
            [b'-', rest @ ..] => (Compare::Less, rest),
            _ => (Compare::Same, text),
        }
    }

    pub fn holds(self, value: u64, number: u64) -> bool {
        match self {
            Compare::More => value > number,
            Compare::Less => value < number,
            Compare::Same => value == number,
        }
    }
}

/// The letter of `-type` and `%y`.
pub fn letter(kind: FileType) -> char {
    match kind {
        FileType::Regular => 'f',
        FileType::Directory => 'd',
        FileType::Symlink => 'l',
        FileType::Fifo => 'p',
        FileType::CharDevice => 'c',
        FileType::BlockDevice => 'b',
        FileType::Socket => 's',
    }
}

/// A set of types, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kinds(u8);

impl Kinds {
    pub fn parse(text: &[u8], option: &str) -> Result<Kinds, Exit> {
        let mut kinds = Kinds(0);
        let mut rest = text;
        if text.is_empty() {
            return Err(report::die(1, format_args!("Arguments to {option} should contain at least one letter")));
        }
        loop {
            let Some((&byte, more)) = rest.split_first() else {
                let text = format!(
                    "Last file type in list argument to {option} is missing, i.e., list is ending on: {}",
                    plain(b",")
                );
                return Err(report::die(1, text));
            };
            let kind = match byte {
                b'b' => FileType::BlockDevice,
                b'c' => FileType::CharDevice,
                b'd' => FileType::Directory,
                b'f' => FileType::Regular,
                b'l' => FileType::Symlink,
                b'p' => FileType::Fifo,
                b's' => FileType::Socket,
                b'D' => {
                    let text = format!(
                        "{option} {} is not supported because Solaris doors are not supported on the platform find was \
                         compiled on.",
                        byte as char
                    );
                    return Err(report::die(1, text));
                }
                _ => {
                    return Err(report::die(1, format_args!("Unknown argument to {option}: {}", byte as char)));
                }
            };
            if kinds.contains(kind) {
                let text = format!("Duplicate file type {} in the argument list to {option}.", plain(&[byte]));
                return Err(report::die(1, text));
            }
            kinds.0 |= Kinds::bit(kind);
            match more {
                [] => return Ok(kinds),
                [b',', more @ ..] => rest = more,
                _ => {
                    let text = format!("Must separate multiple arguments to {option} using: {}", plain(b","));
                    return Err(report::die(1, text));
                }
            }
        }
    }

    fn bit(kind: FileType) -> u8 {
        1 << (kind.mode_bits() >> 13).min(7)
    }

    pub fn contains(self, kind: FileType) -> bool {
        self.0 & Kinds::bit(kind) != 0
    }
}

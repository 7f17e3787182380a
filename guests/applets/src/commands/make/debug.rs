//! `-d` and `--debug`: make tells what it does, in GNU's words.

use super::{Bytes, Make, output};

/// What is told, as bits.
pub const BASIC: u32 = 1;
pub const VERBOSE: u32 = 2;
pub const JOBS: u32 = 4;
pub const IMPLICIT: u32 = 8;
/// Also while makefiles are remade.
pub const MAKEFILES: u32 = 16;
pub const ALL: u32 = 31;

/// The words of `--debug=WORDS`, of which the first letter counts; or the one that means nothing.
pub fn levels(words: &[u8], found: &mut u32) -> Result<(), Bytes> {
    let mut rest = words;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| b", ".contains(b));
        let word = &rest[..end.unwrap_or(rest.len())];
        match word.first().map(u8::to_ascii_lowercase) {
            None => {}
            Some(b'a') => *found |= ALL,
            Some(b'b') => *found |= BASIC,
            Some(b'i') => *found |= BASIC | IMPLICIT,
            Some(b'j') => *found |= JOBS,
            Some(b'm') => *found |= BASIC | MAKEFILES,
            Some(b'n') => *found = 0,
            Some(b'v') => *found |= BASIC | VERBOSE,
            Some(_) => return Err(rest.to_vec()),
        }
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
    }
    Ok(())
}

impl Make {
    pub fn tells(&self, level: u32) -> bool {
        // Once something has failed, make is at its end.
        self.flags.debug & level != 0 && (!self.failed || self.flags.keep_going)
    }

    /// A line that is as far to the right as the file it tells of is away from the goal.
    pub fn debug(&self, level: u32, depth: usize, text: impl FnOnce() -> String) {
        if self.tells(level) {
            let line = format!("{:depth$}{}\n", "", text());
            output::print_apart(line.as_bytes());
        }
    }

    /// The same about a file: `{}` is its name.
    pub fn debug_file(&self, level: u32, depth: usize, id: super::FileId, text: &str) {
        self.debug(level, depth, || text.replace("{}", &String::from_utf8_lossy(&self.files[id].name)));
    }
}

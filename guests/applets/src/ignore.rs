//! Lists of what is to be ignored, as `.gitignore` has them.

pub mod glob;

use crate::input::{Input, base_name};
use glob::{Glob, braces};

/// What a list says of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    None,
    Ignore,
    Keep,
}

impl Verdict {
    pub fn or(self, other: impl FnOnce() -> Verdict) -> Verdict {
        if self == Verdict::None { other() } else { self }
    }
}

/// The patterns of one file, for what is below its directory.
#[derive(Default)]
pub struct List {
    patterns: Vec<Pattern>,
}

struct Pattern {
    glob: Glob,
    keep: bool,
    /// Only directories.
    directory: bool,
    /// For the whole path, not for the last part of it.
    whole: bool,
}

impl List {
    /// Reads a file; one that is not there has no patterns.
    pub fn read(path: &[u8], ignore_case: bool) -> List {
        let mut text = Vec::new();
        if let Ok(mut input) = Input::open(path) {
            let _ = input.stream.read_to_end(&mut text);
        }
        let mut list = List::default();
        for line in text.split(|b| *b == b'\n') {
            list.add(line.strip_suffix(b"\r").unwrap_or(line), ignore_case);
        }
        list
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// A line of such a file.
    fn add(&mut self, line: &[u8], ignore_case: bool) {
        if line.starts_with(b"#") {
            return;
        }
        let mut text = line;
        // Blanks at the end are nothing, unless they are escaped.
        while let Some(rest) = text.strip_suffix(b" ")
            && !rest.ends_with(b"\\")
        {
            text = rest;
        }
        self.pattern(text, ignore_case);
    }

    /// A pattern, without a look at comments and blanks.
    pub fn pattern(&mut self, text: &[u8], ignore_case: bool) {
        let (keep, text) = match text {
            [b'!', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (directory, text) = match text {
            [rest @ .., b'/'] => (true, rest),
            _ => (false, text),
        };
        if text.is_empty() {
            return;
        }
        let whole = text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        let globs = braces(text).unwrap_or_else(|| vec![text.to_vec()]);
        self.patterns.extend(globs.iter().map(|text| Pattern {
            glob: Glob::new(text, ignore_case),
            keep,
            directory,
            whole,
        }));
    }

    /// What the last pattern that matches says of a path below.
    pub fn verdict(&self, path: &[u8], directory: bool) -> Verdict {
        let name = base_name(path);
        let fits = |p: &&Pattern| (directory || !p.directory) && p.glob.matches(if p.whole { path } else { name });
        match self.patterns.iter().rev().find(fits) {
            None => Verdict::None,
            Some(pattern) if pattern.keep => Verdict::Keep,
            Some(_) => Verdict::Ignore,
        }
    }
}

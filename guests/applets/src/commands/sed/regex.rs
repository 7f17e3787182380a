//! Patterns of a script.

use super::Settings;
use capsule_regex::{Error, Options, Regex, Syntax};

pub struct Pattern {
    pub regex: Regex,
    /// What it was made of, which `--debug` shows.
    pub text: Vec<u8>,
    pub ignore_case: bool,
    pub multi_line: bool,
}

impl Pattern {
    pub fn new(text: &[u8], settings: &Settings, ignore_case: bool, multi_line: bool) -> Result<Pattern, Error> {
        let options = Options {
            syntax: if settings.extended { Syntax::Extended } else { Syntax::Basic },
            ignore_case,
            utf8: settings.utf8,
            multi_line,
            newline_any: !multi_line,
            check_classes: true,
            posix: settings.posix,
            ..Options::default()
        };
        Ok(Pattern { regex: Regex::new(text, &options)?, text: text.to_vec(), ignore_case, multi_line })
    }
}

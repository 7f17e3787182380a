//! Patterns of a script.

use super::Settings;
use capsule_regex::{Error, Options, Regex, Syntax};

pub struct Pattern {
    pub regex: Regex,
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
            ..Options::default()
        };
        Ok(Pattern { regex: Regex::new(text, &options)? })
    }
}

//! Messages in gawk's form: `awk: file:line: fatal: …`.

use crate::Exit;
use capsule_sys::{STDERR, write_all};
use std::fmt::Display;

/// Where in a program: a file's line, or a line of the command line's text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    pub file: Option<&'a str>,
    /// 0 where there is none.
    pub line: u32,
}

impl Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.file) {
            (0, _) => Ok(()),
            (line, Some(file)) => write!(f, "{file}:{line}: "),
            (line, None) => write!(f, "cmd. line:{line}: "),
        }
    }
}

/// The name this was called by, without its folder.
pub fn name() -> String {
    let name = crate::report::program();
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

/// `awk: PLACE text`, bytes as they are.
pub fn at_line(place: &Place, text: &[u8]) {
    let head = format!("{}: {place}", name());
    let _ = write_all(STDERR, &[head.as_bytes(), text, b"\n"].concat());
}

pub fn fault(place: &Place, text: impl Display) {
    at_line(place, text.to_string().as_bytes());
}

pub fn warn(place: &Place, text: impl Display) {
    fault(place, format_args!("warning: {text}"));
}

pub fn fatal(place: &Place, text: impl Display) -> Exit {
    fault(place, format_args!("fatal: {text}"));
    Exit(2)
}

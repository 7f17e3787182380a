//! Tildes.

use super::{Context, Fields};
use crate::shell::Shell;

impl Shell {
    /// Literal text with a tilde in it. `first`: at the start of the word; `last`: nothing follows in the word.
    pub(super) fn literal_with_tildes(
        &mut self,
        text: &[u8],
        first: bool,
        last: bool,
        assignment: bool,
        context: Context,
        fields: &mut Fields,
    ) {
        // `name=~/x` as an argument is treated like an assignment.
        let equals = if first && !assignment && !self.posix() {
            text.iter().position(|&b| b == b'=').filter(|&i| crate::names::is_name(&text[..i]))
        } else {
            None
        };
        let put = |fields: &mut Fields, text: &[u8]| {
            if context.split_literals { fields.expanded(text) } else { fields.literal(text) }
        };
        let mut rest = text;
        let mut at_start = first;
        if let Some(equals) = equals {
            put(fields, &rest[..=equals]);
            rest = &rest[equals + 1..];
            at_start = true;
        }
        let colons = assignment || equals.is_some();
        while !rest.is_empty() {
            if at_start && rest[0] == b'~' {
                let end = rest.iter().position(|&b| b == b'/' || b == b':').unwrap_or(rest.len());
                let whole = end < rest.len() || last;
                if let Some(home) = whole.then(|| self.tilde(&rest[1..end])).flatten() {
                    // A home that ends in a slash does not double it.
                    fields.quoted(&home);
                    fields.start();
                    rest = &rest[end..];
                    if home.ends_with(b"/") && rest.first() == Some(&b'/') && home.len() == 1 {
                        rest = &rest[1..];
                    }
                    at_start = false;
                    continue;
                }
            }
            let end = match rest.iter().position(|&b| b == b':') {
                Some(colon) if colons => colon + 1,
                _ => rest.len(),
            };
            put(fields, &rest[..end]);
            rest = &rest[end..];
            at_start = true;
        }
    }

    /// What `~user` stands for.
    pub fn tilde(&mut self, user: &[u8]) -> Option<Vec<u8>> {
        match user {
            b"" => Some(match self.vars.text(b"HOME") {
                Some(home) => home.into_owned(),
                None => self.home_of(None)?,
            }),
            b"+" => self.vars.text(b"PWD").map(|v| v.into_owned()),
            b"-" => self.vars.text(b"OLDPWD").map(|v| v.into_owned()),
            [b'+', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => self.directory_number(digits, false),
            [b'-', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => self.directory_number(digits, true),
            digits if digits.iter().all(u8::is_ascii_digit) => self.directory_number(digits, false),
            user => self.home_of(Some(user)),
        }
    }

    fn directory_number(&self, digits: &[u8], from_end: bool) -> Option<Vec<u8>> {
        let n: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let mut list = vec![self.cwd.clone()];
        list.extend(self.directories.iter().rev().cloned());
        let index = if from_end { list.len().checked_sub(n + 1)? } else { n };
        list.get(index).cloned()
    }

    /// From /etc/passwd.
    fn home_of(&self, user: Option<&[u8]>) -> Option<Vec<u8>> {
        let uid = capsule_sys::getids().map_or(0, |ids| ids.0).to_string();
        let file = capsule_sys::open(b"/etc/passwd", capsule_sys::OpenFlags::RDONLY, 0).ok()?;
        let text = capsule_sys::read_to_end(file.raw()).ok()?;
        text.split(|&b| b == b'\n').find_map(|line| {
            let fields: Vec<&[u8]> = line.split(|&b| b == b':').collect();
            let found = match user {
                Some(user) => fields.first() == Some(&user),
                None => fields.get(2) == Some(&uid.as_bytes()),
            };
            if found { fields.get(5).map(|home| home.to_vec()) } else { None }
        })
    }
}

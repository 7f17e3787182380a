//! Where members go: below the directory they are unpacked in, whatever their names say.

use super::Unzip;
use crate::input::{base_name, join};
use crate::zipfile::Member;

/// Why a member goes nowhere.
pub enum Nowhere {
    /// A directory's name alone, where none are wanted.
    Unwanted,
    /// Nothing is left of its name.
    NoName,
}

impl Unzip {
    /// The name below the target directory: what leads out of it is taken away.
    pub(super) fn target(&mut self, member: &Member) -> Result<Vec<u8>, Nowhere> {
        let mut name = member.name.as_slice();
        if name.first() == Some(&b'/') {
            self.warn(&[b"warning:  stripped absolute path spec from ", name, b"\n"].concat());
            self.status = self.status.max(1);
            name = &name[name.iter().take_while(|b| **b == b'/').count()..];
        }
        let directory = name.ends_with(b"/");
        if self.junk {
            if directory || name.is_empty() {
                return Err(if directory { Nowhere::Unwanted } else { Nowhere::NoName });
            }
            name = base_name(name);
        }
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let mut leads_up = false;
        let all: Vec<&[u8]> = name.strip_suffix(b"/").unwrap_or(name).split(|b| *b == b'/').collect();
        for (at, part) in all.iter().enumerate() {
            let last = at + 1 == all.len() && !directory;
            match *part {
                b"" => {}
                b"." if !last => {}
                b".." if !last && self.leads_up => parts.push(part.to_vec()),
                b".." if !last => leads_up = true,
                b"." | b".." => parts.push(vec![b'_'; part.len()]),
                part => parts.push(self.cleaned(part)),
            }
        }
        if leads_up {
            self.out.write(&[b"warning:  skipped \"../\" path component(s) in ", &member.name[..], b"\n"].concat());
            self.status = self.status.max(1);
        }
        let mut path = parts.join(b"/".as_slice());
        if path.is_empty() {
            return Err(if directory { Nowhere::Unwanted } else { Nowhere::NoName });
        }
        if directory {
            path.push(b'/');
        }
        // Names of systems that know capitals only, or all of them.
        if self.lower > 1 || (self.lower == 1 && member.host == 0) {
            path.make_ascii_lowercase();
        }
        Ok(match &self.directory {
            Some(dir) => join(dir, &path),
            None => path,
        })
    }

    /// A part of a name without control characters, and without the number of a version.
    fn cleaned(&self, part: &[u8]) -> Vec<u8> {
        let keeps = |byte: &u8| !matches!(byte, 0 | 0xff) && (self.controls || !byte.is_ascii_control());
        let part: Vec<u8> = part.iter().copied().filter(keeps).collect();
        match memchr::memrchr(b';', &part) {
            Some(at) if at + 1 < part.len() && part[at + 1..].iter().all(u8::is_ascii_digit) => part[..at].to_vec(),
            _ => part,
        }
    }
}

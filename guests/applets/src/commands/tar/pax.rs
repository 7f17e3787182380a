//! `--pax-option`: records that are added, changed or left out, and what the headers with them are called.

use crate::{Exit, glob, report};

#[derive(Default)]
pub struct PaxOptions {
    /// Patterns of keywords that are not written.
    delete: Vec<Vec<u8>>,
    /// `keyword=value`: for the whole archive.
    pub global: Vec<(Vec<u8>, Vec<u8>)>,
    /// `keyword:=value`: for every member.
    pub each: Vec<(Vec<u8>, Vec<u8>)>,
    header_name: Option<Vec<u8>>,
    global_name: Option<Vec<u8>>,
}

impl PaxOptions {
    /// A list of settings, separated by commas.
    pub fn read(&mut self, text: &[u8]) -> Result<(), Exit> {
        for item in text.split(|b| *b == b',') {
            let item = item.trim_ascii();
            let bad = || super::fatal(format_args!("Malformed pax option: {}", super::shown(item)));
            let equals = memchr::memchr(b'=', item);
            let Some(equals) = equals else {
                let text = format!("Keyword {} is unknown or not yet implemented", super::shown(item));
                return Err(report::usage(super::FATAL, text));
            };
            let (key, value) = (&item[..equals], item[equals + 1..].to_vec());
            match key {
                b"delete" => self.delete.push(value),
                b"exthdr.name" => self.header_name = Some(value),
                b"globexthdr.name" => self.global_name = Some(value),
                // Times of the headers themselves are never those of the clock here.
                b"exthdr.mtime" | b"globexthdr.mtime" => return Err(bad()),
                _ => match key.strip_suffix(b":") {
                    Some(key) => self.each.push((key.to_vec(), value)),
                    None => self.global.push((key.to_vec(), value)),
                },
            }
        }
        Ok(())
    }

    pub fn wants(&self, key: &str) -> bool {
        !self.delete.iter().any(|pattern| glob::matches(pattern, key.as_bytes(), false))
    }

    /// What the header of a member is called.
    pub fn name(&self, member: &[u8]) -> Vec<u8> {
        let usual = b"%d/PaxHeaders/%f".as_slice();
        self.expand(self.header_name.as_deref().unwrap_or(usual), member, 1)
    }

    /// What the header for the whole archive is called.
    pub fn global(&self) -> Vec<u8> {
        let usual = || {
            [capsule_sys::getenv(b"TMPDIR").unwrap_or_else(|| b"/tmp".to_vec()), b"/GlobalHead.%n".to_vec()].concat()
        };
        let pattern = self.global_name.clone().unwrap_or_else(usual);
        self.expand(&pattern, b"", 1)
    }

    fn expand(&self, pattern: &[u8], member: &[u8], number: u32) -> Vec<u8> {
        let member = member.strip_suffix(b"/").filter(|m| !m.is_empty()).unwrap_or(member);
        let mut out = Vec::new();
        let mut rest = pattern.iter();
        while let Some(&byte) = rest.next() {
            if byte != b'%' {
                out.push(byte);
                continue;
            }
            match rest.next() {
                Some(b'd') => out.extend_from_slice(crate::input::dir_name(member)),
                Some(b'f') => out.extend_from_slice(crate::input::base_name(member)),
                Some(b'p') => out.extend_from_slice(capsule_sys::getpid().to_string().as_bytes()),
                Some(b'n') => out.extend_from_slice(number.to_string().as_bytes()),
                Some(b'%') => out.push(b'%'),
                Some(&other) => out.extend_from_slice(&[b'%', other]),
                None => out.push(b'%'),
            }
        }
        while out.len() > 1 && out.ends_with(b"/") {
            out.pop();
        }
        out
    }
}

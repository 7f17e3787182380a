//! Names of files that match a pattern.

use super::Bytes;
use crate::glob;
use capsule_sys::{FileType, getenv, lstat, read_dir, stat};

/// Whether there is something to match.
pub fn is_pattern(name: &[u8]) -> bool {
    name.iter().any(|b| b"*?[".contains(b))
}

/// `~` and `~/x` with the home directory.
pub fn home(name: &[u8]) -> Bytes {
    match name.strip_prefix(b"~") {
        Some(rest) if rest.is_empty() || rest[0] == b'/' => [&getenv(b"HOME").unwrap_or_default()[..], rest].concat(),
        _ => name.to_vec(),
    }
}

/// The names that match, sorted; empty when none does.
pub fn matches(pattern: &[u8]) -> Vec<Bytes> {
    if !is_pattern(pattern) {
        let name = unescape(pattern);
        return if lstat(&name).is_ok() { vec![name] } else { Vec::new() };
    }
    let mut found: Vec<Bytes> = vec![Vec::new()];
    let mut rest = pattern;
    while !rest.is_empty() {
        let slashes = rest.iter().take_while(|&&b| b == b'/').count();
        let end = rest[slashes..].iter().position(|&b| b == b'/').map_or(rest.len(), |i| slashes + i);
        let (lead, part) = (&rest[..slashes], &rest[slashes..end]);
        rest = &rest[end..];
        for name in &mut found {
            name.extend_from_slice(lead);
        }
        if part.is_empty() {
            found.retain(|name| stat(name).is_ok_and(|s| s.kind == FileType::Directory));
        } else if is_pattern(part) {
            found = found.iter().flat_map(|dir| entries(dir, part)).collect();
        } else {
            let part = unescape(part);
            for name in &mut found {
                name.extend_from_slice(&part);
            }
            found.retain(|name| lstat(name).is_ok());
        }
    }
    found.sort();
    found
}

fn entries(dir: &[u8], pattern: &[u8]) -> Vec<Bytes> {
    let Ok(list) = read_dir(if dir.is_empty() { b"." } else { dir }) else { return Vec::new() };
    let fits = |name: &[u8]| glob::matches(pattern, name, true);
    list.flatten().filter(|e| fits(&e.name)).map(|e| [dir, &e.name].concat()).collect()
}

fn unescape(name: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(&b) = bytes.next() {
        match b {
            b'\\' => out.extend(bytes.next()),
            _ => out.push(b),
        }
    }
    out
}

//! Which file a URL goes to.

use super::config::Config;
use crate::commands::curl::url::{Url, unescape};
use crate::input::join;
use capsule_sys::{mkdir, stat};

impl Config {
    /// With folders, where `-x` or `-r` ask for them.
    pub fn name(&self, url: &Url) -> Vec<u8> {
        if let Some(name) = &self.output {
            return name.clone();
        }
        let query = url.target.splitn(2, |&b| b == b'?').nth(1);
        let mut base = match url.file_name() {
            b"" => b"index.html".to_vec(),
            name => safe(&unescape(name)),
        };
        if let Some(query) = query {
            base.push(b'?');
            base.extend(safe(&unescape(query)));
        }
        let mut name = Vec::new();
        let usual = self.recursion.on || self.recursion.requisites;
        if self.directories.force.unwrap_or(usual) {
            if !self.directories.no_host {
                name = url.host().into_bytes();
                if !is_usual_port(url) {
                    name.extend(format!(":{}", url.port()).bytes());
                }
            }
            let parts: Vec<&[u8]> = url.path().split(|&b| b == b'/').filter(|part| !part.is_empty()).collect();
            let folders = if url.file_name().is_empty() { &parts[..] } else { &parts[..parts.len().saturating_sub(1)] };
            for folder in folders.iter().skip(self.directories.cut) {
                name = place(&name, &safe(&unescape(folder)));
            }
        }
        let name = place(&name, &base);
        match &self.folder {
            Some(folder) => join(folder, &name),
            None => name,
        }
    }
}

/// The root of the server is the folder itself.
fn place(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { join(folder, name) }
}

pub fn is_usual_port(url: &Url) -> bool {
    matches!((url.scheme.as_str(), url.port().as_str()), ("http", "80") | ("https", "443"))
}

/// A server must not choose a folder: what could leave it is written with percent signs.
fn safe(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'/' | 0..32 | 127 => out.extend(format!("%{byte:02X}").bytes()),
            other => out.push(other),
        }
    }
    match out.as_slice() {
        b"." => b"%2E".to_vec(),
        b".." => b"%2E%2E".to_vec(),
        _ => out,
    }
}

/// The folders a file is in.
pub fn make_folders(name: &[u8]) {
    for (at, _) in name.iter().enumerate().filter(|(at, b)| **b == b'/' && *at > 0) {
        if stat(&name[..at]).is_err() {
            let _ = mkdir(&name[..at], 0o777);
        }
    }
}

/// `-A` and `-R`: patterns where they have wildcards, else ends of names.
pub fn listed(list: &[Vec<u8>], name: &[u8]) -> bool {
    list.iter().any(|pattern| match pattern.iter().any(|b| b"*?[".contains(b)) {
        true => crate::glob::matches(pattern, name, false),
        false => name.ends_with(pattern),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(config: &Config, url: &str) -> String {
        let url = Url::parse(url.as_bytes(), "http", true).unwrap();
        String::from_utf8_lossy(&config.name(&url)).into_owned()
    }

    #[test]
    fn names() {
        let mut config = Config::default();
        assert_eq!(name(&config, "http://h/"), "index.html");
        assert_eq!(name(&config, "http://h/a%20b?c=d/e"), "a b?c=d%2Fe");
        assert_eq!(name(&config, "http://h/%2e%2e"), "%2E%2E");
        assert_eq!(name(&config, "http://h/x%2F..%2Fetc"), "x%2F..%2Fetc");
        config.directories.force = Some(true);
        assert_eq!(name(&config, "http://h:81/a/../b/c"), "h:81/a/%2E%2E/b/c");
        config.directories.no_host = true;
        config.directories.cut = 1;
        assert_eq!(name(&config, "http://h:81/a/b/"), "b/index.html");
    }
}

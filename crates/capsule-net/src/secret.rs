//! Secrets: the guest writes a placeholder, or nothing at all; the value is put in on the way out, to its host only.

use crate::error::{Error, Result};
use crate::host::{Scheme, Url};
use crate::policy::Entry;
use std::fmt;

/// `NAME=VALUE@HOST` replaces `__CAPSULE_SECRET_NAME__` in the URL, in headers and in the body.
/// `header:NAME=VALUE@HOST` sets that header.
#[derive(Clone)]
pub struct Secret {
    name: String,
    value: String,
    host: Entry,
    is_header: bool,
}

impl fmt::Debug for Secret {
    /// Without the value.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).field("host", &self.host).finish_non_exhaustive()
    }
}

impl Secret {
    pub fn parse(text: &str) -> Result<Secret> {
        let bad = |message: &str| Error::BadRequest(format!("a secret is NAME=VALUE@HOST: {message}"));
        let (name, rest) = text.split_once('=').ok_or_else(|| bad("there is no '='"))?;
        let (value, host) = rest.rsplit_once('@').ok_or_else(|| bad("there is no '@'"))?;
        let (is_header, name) = match name.strip_prefix("header:") {
            Some(name) => (true, name),
            None => (false, name),
        };
        let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || (is_header && b == b'-');
        if name.is_empty() || !name.bytes().all(good) {
            return Err(bad("the name has letters, digits and underscores"));
        }
        if value.is_empty() || value.chars().any(|c| c.is_control()) {
            return Err(bad("the value is empty or has control characters"));
        }
        let host = Entry::parse(host)?;
        if host.is_tcp() {
            return Err(bad("it is put into requests, not into tcp://"));
        }
        Ok(Secret { name: name.to_owned(), value: value.to_owned(), host, is_header })
    }

    /// What the guest writes where the value belongs.
    pub fn placeholder(&self) -> String {
        format!("__CAPSULE_SECRET_{}__", self.name)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it sets a header, and has no placeholder.
    pub fn is_header(&self) -> bool {
        self.is_header
    }

    /// Whether it goes to this URL: over TLS, or where plain HTTP was asked for by name.
    fn applies(&self, url: &Url) -> bool {
        self.host.matches_url(url) && (url.scheme == Scheme::Https || self.host.is_plain())
    }
}

/// The secrets that go to one URL.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<Secret>);

impl Secrets {
    pub fn for_url(all: &[Secret], url: &Url) -> Secrets {
        Secrets(all.iter().filter(|secret| secret.applies(url)).cloned().collect())
    }

    /// A URL as it may be kept: a value in it, which only a server can have put there, is its placeholder again.
    pub fn for_record(all: &[Secret], url: &str) -> String {
        let mut text = url.to_owned();
        for secret in all {
            for value in [secret.value.clone(), percent(&secret.value)] {
                if text.contains(&value) {
                    text = text.replace(&value, &secret.placeholder());
                }
            }
        }
        text
    }

    /// The headers that are set.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(|s| s.is_header).map(|s| (s.name.as_str(), s.value.as_str()))
    }

    fn placeholders(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().filter(|s| !s.is_header).map(|s| (s.placeholder(), s.value.as_str()))
    }

    pub fn in_target(&self, target: &str) -> String {
        let mut text = target.to_owned();
        for (placeholder, value) in self.placeholders() {
            if text.contains(&placeholder) {
                text = text.replace(&placeholder, &percent(value));
            }
        }
        text
    }

    pub fn in_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for (placeholder, value) in self.placeholders() {
            out = replace(&out, placeholder.as_bytes(), value.as_bytes());
        }
        out
    }

    /// The longest placeholder: a body's pieces overlap by one less.
    pub fn longest(&self) -> usize {
        self.placeholders().map(|(placeholder, _)| placeholder.len()).max().unwrap_or(0)
    }
}

fn percent(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Puts secrets into a body that comes in pieces: what may be the start of a placeholder waits for the next piece.
#[derive(Debug)]
pub struct Pieces {
    secrets: Secrets,
    held: Vec<u8>,
}

impl Pieces {
    pub fn new(secrets: Secrets) -> Pieces {
        Pieces { secrets, held: Vec::new() }
    }

    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let longest = self.secrets.longest();
        if longest == 0 {
            return piece.to_vec();
        }
        self.held.extend_from_slice(piece);
        let all = self.secrets.in_bytes(&self.held);
        // Every placeholder starts so; values do not have to be looked at again.
        let mark = b"__CAPSULE_SECRET_";
        let from = all.len().saturating_sub(longest - 1);
        let start = (from..all.len()).find(|&at| {
            let rest = &all[at..];
            rest.starts_with(mark) || mark.starts_with(rest)
        });
        let keep = start.unwrap_or(all.len());
        self.held = all[keep..].to_vec();
        all[..keep].to_vec()
    }

    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(specs: &[&str], url: &str) -> Secrets {
        let all: Vec<Secret> = specs.iter().map(|s| Secret::parse(s).expect("a secret")).collect();
        Secrets::for_url(&all, &Url::parse(url).expect("a URL"))
    }

    #[test]
    fn only_to_their_host_and_over_tls() {
        let spec = ["KEY=s3cret@value@api.x.com"];
        let text = b"a __CAPSULE_SECRET_KEY__ b";
        assert_eq!(secrets(&spec, "https://api.x.com/").in_bytes(text), b"a s3cret@value b");
        for url in ["http://api.x.com/", "https://x.com/", "https://api.x.com:8443/", "https://api.x.com.evil.com/"] {
            assert_eq!(secrets(&spec, url).in_bytes(text), text, "{url}");
        }
        assert_eq!(secrets(&["K=v@http://x.com"], "http://x.com/").in_target("/?k=__CAPSULE_SECRET_K__"), "/?k=v");
        assert_eq!(
            secrets(&["K=a b&c@x.com"], "https://x.com/").in_target("/?k=__CAPSULE_SECRET_K__"),
            "/?k=a%20b%26c"
        );
        let header = secrets(&["header:Authorization=Bearer t@x.com"], "https://x.com/");
        assert_eq!(header.headers().collect::<Vec<_>>(), [("Authorization", "Bearer t")]);
    }

    #[test]
    fn pieces_may_end_anywhere() {
        let body = b"x__CAPSULE_SECRET_K__y__CAPSULE_SECRET_OTHER____CAPSULE_SECRET_K__";
        for size in 1..body.len() {
            let mut pieces = Pieces::new(secrets(&["K=value@x.com"], "https://x.com/"));
            let mut out = Vec::new();
            for piece in body.chunks(size) {
                out.extend(pieces.push(piece));
            }
            out.extend(pieces.finish());
            assert_eq!(out, b"xvaluey__CAPSULE_SECRET_OTHER__value", "pieces of {size}");
        }
    }

    #[test]
    fn bad_secrets() {
        for text in ["", "K", "K=v", "=v@x.com", "K=@x.com", "K-K=v@x.com", "K=v@", "K=a\nb@x.com", "K=v@a b"] {
            assert!(Secret::parse(text).is_err(), "{text:?} was taken");
        }
        let shown = format!("{:?}", Secret::parse("K=hidden@x.com").expect("a secret"));
        assert!(!shown.contains("hidden"), "{shown}");
    }
}

//! The headers of a request.

use super::auth::Offer;
use super::config::{Config, Mode, Netrc};
use super::cookies::Cookies;
use super::netrc;
use super::url::Url;
use crate::http::base64;
use capsule_sys::http::Headers;
use capsule_sys::{getenv, random_u64};

/// What the headers of one request depend on, beside the configuration.
pub struct Asked<'a> {
    pub url: &'a Url,
    /// The URL that was given, before redirects.
    pub first: &'a Url,
    /// Whether the host may be told what was meant for the first one.
    pub trusted: bool,
    pub method: &'a [u8],
    pub has_body: bool,
    pub referer: Option<&'a [u8]>,
    /// Where a download goes on.
    pub offset: Option<u64>,
    /// What the server wants to know about the user, when it was asked.
    pub offer: Option<&'a Offer>,
    pub boundary: &'a str,
    pub etag: Option<&'a [u8]>,
}

/// Which headers a given one takes the place of.
const OURS: [&[u8]; 10] = [
    b"user-agent",
    b"accept",
    b"content-type",
    b"authorization",
    b"referer",
    b"cookie",
    b"accept-encoding",
    b"range",
    b"if-none-match",
    b"if-modified-since",
];

/// Headers that only the first host may see.
const PRIVATE: [&[u8]; 3] = [b"authorization", b"cookie", b"host"];

impl Asked<'_> {
    pub fn headers(&self, config: &Config, cookies: &Cookies) -> Headers {
        let mut headers: Headers = Vec::new();
        let mut add = |name: &str, value: &[u8]| headers.push((name.as_bytes().to_vec(), value.to_vec()));
        if let Some(value) = self.authorization(config) {
            add("Authorization", &value);
        }
        if let Some(offset) = self.offset {
            add("Range", format!("bytes={offset}-").as_bytes());
        } else if let Some(range) = &config.range {
            add("Range", &[b"bytes=", range.as_slice()].concat());
        }
        match config.agent.as_deref() {
            None => add("User-Agent", format!("curl/{}", super::VERSION).as_bytes()),
            Some(b"") => {}
            Some(agent) => add("User-Agent", agent),
        }
        add("Accept", if config.json { b"application/json" } else { b"*/*" });
        if config.compressed {
            add("Accept-Encoding", b"deflate, gzip, zstd");
        }
        let referer = self.referer.map(|r| r.strip_suffix(b";auto").unwrap_or(r));
        if let Some(referer) = referer.filter(|r| !r.is_empty()) {
            add("Referer", referer);
        }
        if let Some(cookie) = cookies.header(self.url) {
            add("Cookie", &cookie);
        }
        if self.has_body {
            match config.mode {
                Mode::Post if config.json => add("Content-Type", b"application/json"),
                Mode::Post => add("Content-Type", b"application/x-www-form-urlencoded"),
                Mode::Form => {
                    add("Content-Type", format!("multipart/form-data; boundary={}", self.boundary).as_bytes());
                }
                Mode::Get | Mode::Head | Mode::Upload => {}
            }
        }
        if let Some(condition) = &config.time_condition {
            let (name, date) = condition.header();
            add(name, &date);
        }
        if let Some(etag) = self.etag {
            add("If-None-Match", etag);
        }
        for line in &config.headers {
            let Some(at) = line.iter().position(|b| b":;".contains(b)) else { continue };
            let (name, value) = (line[..at].trim_ascii(), line[at + 1..].trim_ascii());
            let lower = name.to_ascii_lowercase();
            if !self.trusted && PRIVATE.contains(&lower.as_slice()) {
                continue;
            }
            // What is given takes the place of what curl would send; nothing behind the colon takes it away.
            if OURS.contains(&lower.as_slice()) {
                headers.retain(|h| !h.0.eq_ignore_ascii_case(name));
            }
            if !value.is_empty() || line[at] == b';' {
                headers.push((name.to_vec(), value.to_vec()));
            }
        }
        headers
    }

    fn authorization(&self, config: &Config) -> Option<Vec<u8>> {
        if let Some(bearer) = config.bearer.as_ref().filter(|_| self.trusted) {
            return Some([b"Bearer ", bearer.as_slice()].concat());
        }
        let user = user(config, self.url, self.first, self.trusted)?;
        let user = if user.contains(&b':') { user } else { [user.as_slice(), b":"].concat() };
        match (config.auth, self.offer) {
            (super::auth::Auth::Basic, _) | (_, Some(Offer::Basic)) => {
                Some(format!("Basic {}", base64(&user)).into_bytes())
            }
            (_, Some(Offer::Digest(challenge))) => {
                let nonce = format!("{:016x}{:016x}", random_u64(), random_u64());
                Some(challenge.answer(&user, self.method, &self.url.target, &nonce))
            }
            (_, None) => None,
        }
    }
}

/// `NAME:PASSWORD` for a host: of the URL, of `-u`, of `-n`.
pub fn user(config: &Config, url: &Url, first: &Url, trusted: bool) -> Option<Vec<u8>> {
    let given = url.user.as_ref().or(config.user.as_ref().or(first.user.as_ref()).filter(|_| trusted));
    if config.netrc == Netrc::Off || given.is_some_and(|user| user.contains(&b':') || config.netrc == Netrc::Optional) {
        return given.cloned();
    }
    let file = config.netrc_file.clone().or_else(|| Some([&getenv(b"HOME")?[..], b"/.netrc"].concat()));
    let text = file.and_then(|file| super::body::read_file(&file).ok()).unwrap_or_default();
    netrc::find(&text, &url.host(), given.map(Vec::as_slice)).or_else(|| given.cloned())
}

//! Hosts and URLs in one canonical form. What can be read in two ways is refused: the policy, DNS and the server must
//! all see the same name.

use crate::error::{Error, Result};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host: a name in lower case and ASCII without a dot at the end, or an address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Host {
    Name(String),
    Address(IpAddr),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scheme {
    Http,
    Https,
    /// A connection of bytes. No URL of a request has it.
    Tcp,
}

impl Scheme {
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Tcp => "tcp",
        }
    }

    pub fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
            // None is usual.
            Scheme::Tcp => 0,
        }
    }

    /// Of requests.
    pub fn parse(text: &str) -> Option<Scheme> {
        match text.to_ascii_lowercase().as_str() {
            "http" => Some(Scheme::Http),
            "https" => Some(Scheme::Https),
            _ => None,
        }
    }
}

/// An absolute URL. The path and the query are as they were written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Url {
    pub scheme: Scheme,
    pub host: Host,
    pub port: u16,
    /// From the slash on, without the fragment.
    pub target: String,
}

fn bad<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::BadUrl(message.into()))
}

/// The longest URL that is taken.
const MAX_URL: usize = 64 * 1024;

impl Url {
    pub fn parse(text: &str) -> Result<Url> {
        if text.len() > MAX_URL {
            return bad("the URL is too long");
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return bad("the URL has a control character, a blank or a backslash in it");
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return bad(format!("{text:?} has no scheme: http:// and https:// are supported"));
        };
        let Some(scheme) = Scheme::parse(scheme) else {
            return bad(format!("the scheme {scheme:?} is not supported: http and https are"));
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if authority.contains('@') {
            return bad("a user name in front of the host is refused: send it as a header");
        }
        let (host, port) = split_port(authority)?;
        let host = Host::parse(host)?;
        let target = target.split('#').next().unwrap_or_default();
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        let url = Url { scheme, host, port: port.unwrap_or(scheme.port()), target: encode(&target) };
        Ok(url)
    }

    /// Where a connection of bytes goes: `tcp://host:port` and nothing else.
    pub fn parse_tcp(text: &str) -> Result<Url> {
        let wrong = || Error::BadUrl(format!("{text:?} is not tcp://HOST:PORT"));
        let authority = text.strip_prefix("tcp://").ok_or_else(wrong)?;
        if authority.len() > MAX_URL || authority.contains(['/', '?', '#', '@']) {
            return Err(wrong());
        }
        let (host, port) = split_port(authority)?;
        let port = port.ok_or_else(wrong)?;
        Ok(Url { scheme: Scheme::Tcp, host: Host::parse(host)?, port, target: String::new() })
    }

    /// The URL that a `Location` names, seen from this one.
    pub fn join(&self, location: &str) -> Result<Url> {
        let location = location.trim_matches(' ');
        let lower = location.to_ascii_lowercase();
        if lower.starts_with("http://") || lower.starts_with("https://") {
            return Url::parse(location);
        }
        if location.starts_with("//") {
            return Url::parse(&format!("{}:{location}", self.scheme.name()));
        }
        let scheme = location.split(['/', '?', '#']).next().unwrap_or_default();
        if scheme.contains(':') {
            return bad(format!("a redirect to {location:?} is not followed: http and https are supported"));
        }
        let path = self.target.split('?').next().unwrap_or_default();
        let target = match location.as_bytes().first() {
            Some(b'/') => location.to_owned(),
            Some(b'?') => format!("{path}{location}"),
            Some(b'#') | None => self.target.clone(),
            Some(_) => {
                let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
                format!("{folder}{location}")
            }
        };
        Url::parse(&format!("{}{}", self.origin(), without_dots(&target)))
    }

    /// Scheme, host and port: what a browser calls the origin.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme.name(), self.authority())
    }

    /// Host, and port where it is not the usual one.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.port() { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.target)
    }
}

/// Bytes that may not stand in a request line are written with percent signs.
fn encode(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    for byte in target.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>`{}|^".contains(&byte) {
            out.push(byte.into());
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// Takes `.` and `..` out of a path.
fn without_dots(target: &str) -> String {
    let (path, query) = target.find('?').map_or((target, ""), |at| target.split_at(at));
    let mut parts: Vec<&str> = Vec::new();
    let mut open = false;
    for part in path.split('/').skip(1) {
        open = matches!(part, "." | "..");
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let slash = if open && !parts.is_empty() { "/" } else { "" };
    format!("/{}{slash}{query}", parts.join("/"))
}

/// `host`, `host:port`, `[address]:port`
pub fn split_port(authority: &str) -> Result<(&str, Option<u16>)> {
    let (host, port) = match authority.rfind(']') {
        Some(end) => match authority[end + 1..].strip_prefix(':') {
            Some(port) => (&authority[..=end], Some(port)),
            None if end + 1 == authority.len() => (authority, None),
            None => return bad("something stands behind the address in brackets"),
        },
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    match port {
        None | Some("") => Ok((host, None)),
        Some(text) => match text.parse::<u16>() {
            Ok(port) if port != 0 && text.bytes().all(|b| b.is_ascii_digit()) => Ok((host, Some(port))),
            _ => bad(format!("{text:?} is not a port")),
        },
    }
}

impl Host {
    pub fn parse(text: &str) -> Result<Host> {
        if text.is_empty() {
            return bad("the URL has no host");
        }
        if let Some(inner) = text.strip_prefix('[') {
            let Some(inner) = inner.strip_suffix(']') else { return bad("the address has no closing bracket") };
            let Ok(address) = inner.parse::<Ipv6Addr>() else { return bad(format!("{text} is not an address")) };
            if address.to_ipv4_mapped().is_some() {
                return bad(format!("{text} is an IPv4 address in disguise: write it as one"));
            }
            return Ok(Host::Address(IpAddr::V6(address)));
        }
        // Before names are mapped: what is refused here must not be mapped to something harmless.
        let forbidden = |c: char| c.is_control() || c.is_whitespace() || "%@/\\?#:<>[]^|`{}\"'!$&()*+,;=~".contains(c);
        if let Some(c) = text.chars().find(|&c| forbidden(c)) {
            return bad(format!("the host {text:?} has {c:?} in it"));
        }
        let mapped = idna::domain_to_ascii_cow(text.as_bytes(), idna::AsciiDenyList::URL)
            .map_err(|_| Error::BadUrl(format!("{text:?} is not the name of a host")))?;
        let name = mapped.strip_suffix('.').unwrap_or(&mapped).to_ascii_lowercase();
        if looks_like_address(&name) {
            // Only the one usual way of writing it: 127.1, 0x7f.0.0.1 and 2130706433 mean the same to some.
            return match name.parse::<Ipv4Addr>() {
                Ok(address) if address.to_string() == text => Ok(Host::Address(IpAddr::V4(address))),
                _ => bad(format!("{text:?} is an odd way to write an address: it is refused")),
            };
        }
        let good = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if name.len() > 253 || !name.split('.').all(good) {
            return bad(format!("{text:?} is not the name of a host"));
        }
        Ok(Host::Name(name))
    }
}

/// Whether the last label is a number, which some readers take for an address.
fn looks_like_address(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let hex = last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    hex || (!last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_form() {
        for (text, want) in [
            ("Example.COM", "example.com"),
            ("example.com.", "example.com"),
            ("BÜCHER.example", "xn--bcher-kva.example"),
            ("ｅxample.com", "example.com"),
            ("under_score.example", "under_score.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("[2001:DB8::0:1]", "[2001:db8::1]"),
        ] {
            assert_eq!(Host::parse(text).map(|h| h.to_string()).as_deref(), Ok(want), "{text}");
        }
    }

    #[test]
    fn odd_spellings_are_refused() {
        for text in [
            "",
            ".",
            "..",
            "a..b",
            "-a.com",
            "a-.com",
            "127.1",
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "0177.0.0.1",
            "127.0.0.01",
            "1.2.3.4.5",
            "127.0.0.1.",
            "１２７.0.0.1",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::1%eth0]",
            "[::1",
            "a b",
            "a\0b",
            "a\tb",
            "a%00b",
            "a%2eb",
            "user@host",
            "host#x",
            "ho/st",
            "ho\\st",
            "a\u{200b}\u{0}b",
            "exam\u{ad}ple..com",
            "*.com",
        ] {
            assert!(Host::parse(text).is_err(), "{text:?} was taken");
        }
        assert!(Host::parse(&"a".repeat(64)).is_err());
        assert!(Host::parse(&"a.".repeat(130)).is_err());
    }

    #[test]
    fn urls() {
        let url = |text: &str| Url::parse(text).map(|u| u.to_string());
        assert_eq!(url("HTTPS://Example.com:443?q=1#f").as_deref(), Ok("https://example.com/?q=1"));
        assert!(url("http://a.example:8080/x y").is_err());
        assert_eq!(url("http://a.example/%41é").as_deref(), Ok("http://a.example/%41%C3%A9"));
        for text in [
            "http://good.example@evil.example/",
            "http://user:pass@evil.example/",
            "http://a.example:0/",
            "http://a.example:+80/",
            "http://a.example:99999/",
            "ftp://a.example/",
            "file:///etc/passwd",
            "a.example",
            "http:///path",
            "http://",
            "http://a.example\\@b.example/",
            "http://a.example\n/",
            "http://[::1]x/",
            "http://a.example\0.b/",
            "javascript://a/",
        ] {
            assert!(Url::parse(text).is_err(), "{text:?} was taken");
        }
    }

    #[test]
    fn redirects_are_joined() {
        let base = Url::parse("https://a.example/x/y?q=1").expect("a URL");
        let joined = |location: &str| base.join(location).map(|u| u.to_string());
        assert_eq!(joined("/z").as_deref(), Ok("https://a.example/z"));
        assert_eq!(joined("z?w").as_deref(), Ok("https://a.example/x/z?w"));
        assert_eq!(joined("../../z/.").as_deref(), Ok("https://a.example/z/"));
        assert_eq!(joined("?w").as_deref(), Ok("https://a.example/x/y?w"));
        assert_eq!(joined("//b.example").as_deref(), Ok("https://b.example/"));
        assert_eq!(joined("http://b.example/").as_deref(), Ok("http://b.example/"));
        assert!(joined("file:///etc/passwd").is_err());
        assert!(joined("gopher:x").is_err());
    }
}

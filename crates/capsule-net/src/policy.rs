//! Which hosts are allowed.

use crate::address;
use crate::error::{Error, Result};
use crate::host::{Host, Scheme, Url, split_port};
use std::net::IpAddr;

/// A list of allowed hosts; empty is off.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    scheme: Option<Scheme>,
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Hosts {
    /// Every name; no address, not `localhost`.
    Any,
    /// `*.x.com`: what is below, not the name itself.
    Below(String),
    Exactly(Host),
}

/// Names that mean this machine.
fn is_local(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

impl Entry {
    /// `api.x.com`, `*.x.com`, `*`, `10.0.0.1`, `localhost`, each with `http://` or `https://` in front and `:port`
    /// behind; with `tcp://` in front the port must be there.
    pub fn parse(text: &str) -> Result<Entry> {
        let bad = |message: String| Error::BadUrl(format!("the network policy has {text:?}: {message}"));
        let (scheme, rest) = match text.split_once("://") {
            Some(("tcp", rest)) => (Some(Scheme::Tcp), rest),
            Some((scheme, rest)) => match Scheme::parse(scheme) {
                Some(scheme) => (Some(scheme), rest),
                None => return Err(bad(format!("the scheme {scheme:?} is not http, https or tcp"))),
            },
            None => (None, text),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = split_port(rest).map_err(|e| bad(e.to_string()))?;
        if scheme == Some(Scheme::Tcp) && port.is_none() {
            return Err(bad("tcp:// needs a port".into()));
        }
        let hosts = match host {
            "*" => Hosts::Any,
            _ => match host.strip_prefix("*.") {
                Some(name) => match Host::parse(name).map_err(|e| bad(e.to_string()))? {
                    Host::Name(name) => Hosts::Below(name),
                    Host::Address(_) => return Err(bad("an address has no names below it".into())),
                },
                None => Hosts::Exactly(Host::parse(host).map_err(|e| bad(e.to_string()))?),
            },
        };
        Ok(Entry { scheme, hosts, port })
    }

    /// Whether it speaks of this scheme, host and port.
    pub fn matches(&self, scheme: Scheme, host: &Host, port: u16) -> bool {
        // Bytes are asked for by name only: what is meant for HTTP opens no connection on which a guest could name
        // another host to the server.
        if self.scheme.map_or(scheme == Scheme::Tcp, |wanted| wanted != scheme) {
            return false;
        }
        // Without a port it is the usual one of the scheme; what is named as this machine or by its address, any.
        let any = matches!(&self.hosts, Hosts::Exactly(Host::Address(_)))
            || matches!(&self.hosts, Hosts::Exactly(Host::Name(name)) if is_local(name));
        if self.port.map_or(!any && port != scheme.port(), |wanted| wanted != port) {
            return false;
        }
        match (&self.hosts, host) {
            (Hosts::Exactly(wanted), host) => wanted == host,
            (Hosts::Any, Host::Name(name)) => !is_local(name),
            (Hosts::Below(parent), Host::Name(name)) => {
                name.strip_suffix(parent.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            (Hosts::Any | Hosts::Below(_), Host::Address(_)) => false,
        }
    }

    pub fn matches_url(&self, url: &Url) -> bool {
        self.matches(url.scheme, &url.host, url.port)
    }

    pub fn is_tcp(&self) -> bool {
        self.scheme == Some(Scheme::Tcp)
    }

    /// Whether plain HTTP is asked for by name.
    pub fn is_plain(&self) -> bool {
        self.scheme == Some(Scheme::Http)
    }
}

impl Policy {
    pub fn parse<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Result<Policy> {
        let entries: Result<Vec<Entry>> = entries.into_iter().map(|entry| Entry::parse(entry.as_ref())).collect();
        Ok(Policy { entries: entries? })
    }

    pub fn is_off(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a URL may be asked for: no name is resolved before this.
    pub fn check(&self, url: &Url) -> Result<()> {
        if self.is_off() {
            return Err(Error::Off);
        }
        if self.entries.iter().any(|entry| entry.matches_url(url)) {
            return Ok(());
        }
        let scheme = if url.scheme == Scheme::Tcp { "tcp://" } else { "" };
        Err(Error::Denied { host: format!("{scheme}{}", url.authority()) })
    }

    /// Whether an address of an allowed host may be dialled.
    pub fn check_address(&self, url: &Url, address: IpAddr) -> Result<()> {
        let Some(class) = address::special(address) else { return Ok(()) };
        let host = Host::Address(address);
        let named = self.entries.iter().any(|entry| entry.matches(url.scheme, &host, url.port));
        // `localhost` that is named may be this machine, and nothing else.
        let local = matches!(&url.host, Host::Name(name) if is_local(name)) && address.is_loopback();
        if named || local {
            return Ok(());
        }
        Err(Error::DeniedAddress { host: url.host.to_string(), address: address.to_string(), class })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(policy: &[&str], url: &str) -> bool {
        let policy = Policy::parse(policy).expect("a policy");
        policy.check(&Url::parse(url).expect("a URL")).is_ok()
    }

    #[test]
    fn entries() {
        assert!(allowed(&["api.x.com"], "https://api.x.com/a"));
        assert!(allowed(&["API.X.com."], "http://Api.x.COM/"));
        assert!(!allowed(&["api.x.com"], "https://x.com/"));
        assert!(!allowed(&["api.x.com"], "https://api.x.com.evil.com/"));
        assert!(!allowed(&["api.x.com"], "https://evil-api.x.com/"));
        assert!(allowed(&["*.x.com"], "https://a.b.x.com/"));
        assert!(!allowed(&["*.x.com"], "https://x.com/"));
        assert!(!allowed(&["*.x.com"], "https://evilx.com/"));
        assert!(allowed(&["*"], "https://anything.example/"));
        assert!(!allowed(&["*"], "https://127.0.0.1/"));
        assert!(!allowed(&["*"], "https://localhost/"));
        assert!(!allowed(&["*"], "https://a.localhost/"));
        assert!(!allowed(&["*"], "http://[::1]/"));
        assert!(allowed(&["localhost"], "http://localhost:3000/"));
        assert!(allowed(&["127.0.0.1"], "http://127.0.0.1:3000/"));
        assert!(!allowed(&["localhost"], "http://127.0.0.1/"));
        assert!(allowed(&["127.0.0.1:8080"], "http://127.0.0.1:8080/"));
        assert!(!allowed(&["127.0.0.1:8080"], "http://127.0.0.1/"));
        assert!(allowed(&["https://x.com"], "https://x.com/"));
        assert!(!allowed(&["https://x.com"], "http://x.com/"));
        assert!(!allowed(&["x.com"], "http://x.com:8080/"));
        assert!(allowed(&["x.com:8080"], "http://x.com:8080/"));
        assert!(allowed(&["bücher.example"], "https://xn--bcher-kva.example/"));
        assert!(!allowed(&[], "https://x.com/"));
    }

    #[test]
    fn connections_of_bytes_are_allowed_by_name_only() {
        let allowed = |policy: &[&str], url: &str| {
            let policy = Policy::parse(policy).expect("a policy");
            policy.check(&Url::parse_tcp(url).expect("an address")).is_ok()
        };
        assert!(allowed(&["tcp://x.com:22"], "tcp://X.com.:22"));
        assert!(!allowed(&["tcp://x.com:22"], "tcp://x.com:23"));
        assert!(allowed(&["tcp://*.x.com:22"], "tcp://a.x.com:22"));
        assert!(allowed(&["tcp://127.0.0.1:22"], "tcp://127.0.0.1:22"));
        for policy in ["*", "x.com", "x.com:22", "http://x.com:22", "https://x.com:22", "tcp://*.x.com:22"] {
            assert!(!allowed(&[policy], "tcp://x.com:22"), "{policy}");
        }
        for policy in ["127.0.0.1", "localhost", "tcp://*:22", "tcp://localhost:22"] {
            assert!(!allowed(&[policy], "tcp://127.0.0.1:22"), "{policy}");
        }
        let policy = Policy::parse(["tcp://x.com:80"]).expect("a policy");
        assert!(policy.check(&Url::parse("http://x.com/").expect("a URL")).is_err());
    }

    #[test]
    fn bad_entries() {
        for text in [
            "",
            "*.*",
            "a*.com",
            "*x.com",
            "127.1",
            "*.127.0.0.1",
            "ftp://x.com",
            "x.com:0",
            "x.com/path",
            "a b",
            "tcp://x.com",
            "tcp://x.com:80/a",
        ] {
            assert!(Entry::parse(text).is_err(), "{text:?} was taken");
        }
    }

    #[test]
    fn addresses() {
        let check = |policy: &[&str], url: &str, address: &str| {
            let policy = Policy::parse(policy).expect("a policy");
            let url = Url::parse(url).expect("a URL");
            policy.check_address(&url, address.parse().expect("an address")).is_ok()
        };
        assert!(check(&["x.com"], "http://x.com/", "8.8.8.8"));
        assert!(!check(&["x.com"], "http://x.com/", "127.0.0.1"));
        assert!(!check(&["x.com"], "http://x.com/", "169.254.169.254"));
        assert!(!check(&["*"], "http://x.com/", "10.0.0.1"));
        assert!(check(&["x.com", "10.0.0.1"], "http://x.com/", "10.0.0.1"));
        assert!(!check(&["x.com", "10.0.0.1:81"], "http://x.com/", "10.0.0.1"));
        assert!(check(&["localhost"], "http://localhost/", "127.0.0.1"));
        assert!(check(&["localhost"], "http://localhost/", "::1"));
        assert!(!check(&["localhost"], "http://localhost/", "10.0.0.1"));
    }
}

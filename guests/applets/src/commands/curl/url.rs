//! URLs as a command line has them: without a scheme, with a user in front, with dots in the path. Whether the host may
//! be reached, and what its name means, is the kernel's to say.

/// A URL in parts; the host is as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Url {
    pub scheme: String,
    pub user: Option<Vec<u8>>,
    pub authority: Vec<u8>,
    /// From the slash on, without the fragment.
    pub target: Vec<u8>,
}

/// Why it is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bad {
    Malformed,
    Scheme(String),
}

impl Url {
    pub fn parse(text: &[u8], default: &str, as_is: bool) -> Result<Url, Bad> {
        if text.is_empty() || text.iter().any(|&b| b <= b' ' || b == 0x7f) {
            return Err(Bad::Malformed);
        }
        // One slash behind the colon is too few, three are too many; both are meant as two.
        let (scheme, rest) = match text.windows(2).position(|w| w == b":/") {
            Some(at) if at > 0 && text[..at].iter().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)) => {
                let slashes = text[at + 1..].iter().take(3).take_while(|&&b| b == b'/').count();
                (String::from_utf8_lossy(&text[..at]).to_ascii_lowercase(), &text[at + 1 + slashes..])
            }
            _ => (default.to_owned(), text),
        };
        if scheme != "http" && scheme != "https" {
            return Err(Bad::Scheme(scheme));
        }
        let end = rest.iter().position(|b| b"/?#".contains(b)).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let (user, authority) = match authority.iter().rposition(|&b| b == b'@') {
            Some(at) => (Some(unescape(&authority[..at])), &authority[at + 1..]),
            None => (None, authority),
        };
        let target = target.split(|&b| b == b'#').next().unwrap_or_default();
        let port = authority.rsplit(|&b| b == b']').next().and_then(|rest| rest.splitn(2, |&b| b == b':').nth(1));
        let is_port = |port: &[u8]| std::str::from_utf8(port).is_ok_and(|port| port.parse::<u16>().is_ok());
        if authority.is_empty() || port.is_some_and(|port| !port.is_empty() && !is_port(port)) {
            return Err(Bad::Malformed);
        }
        let mut whole: Vec<u8> = if target.starts_with(b"/") { Vec::new() } else { vec![b'/'] };
        whole.extend_from_slice(target);
        let target = if as_is { whole } else { without_dots(&whole) };
        Ok(Url { scheme, user, authority: authority.to_vec(), target })
    }

    pub fn text(&self) -> Vec<u8> {
        [self.scheme.as_bytes(), b"://", &self.authority, &self.target].concat()
    }

    /// The name, without port and brackets, in lower case: for cookies and messages.
    pub fn host(&self) -> String {
        let text = String::from_utf8_lossy(&self.authority).to_ascii_lowercase();
        match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((inner, _)) => inner.to_owned(),
            None => text.split(':').next().unwrap_or_default().to_owned(),
        }
    }

    pub fn port(&self) -> String {
        let text = String::from_utf8_lossy(&self.authority).into_owned();
        let after = text.rsplit_once(']').map_or(text.as_str(), |(_, rest)| rest);
        match after.rsplit_once(':') {
            Some((_, port)) if !port.is_empty() => port.to_owned(),
            _ if self.scheme == "https" => "443".to_owned(),
            _ => "80".to_owned(),
        }
    }

    pub fn path(&self) -> &[u8] {
        self.target.split(|&b| b == b'?').next().unwrap_or_default()
    }

    /// The last component of the path, for `-O`.
    pub fn file_name(&self) -> &[u8] {
        self.path().rsplit(|&b| b == b'/').next().unwrap_or_default()
    }

    /// Where a `Location` leads.
    pub fn join(&self, location: &[u8]) -> Result<Url, Bad> {
        let mut clean = Vec::new();
        for &byte in location.trim_ascii() {
            match byte {
                // Servers send blanks and letters of other scripts as they are.
                b' ' | 0x80.. => clean.extend(format!("%{byte:02X}").bytes()),
                other => clean.push(other),
            }
        }
        let location = clean.as_slice();
        let scheme = location.split(|b| b"/?#".contains(b)).next().unwrap_or_default();
        if scheme.contains(&b':') {
            return Url::parse(location, "", false);
        }
        if let Some(rest) = location.strip_prefix(b"//") {
            return Url::parse(rest, &self.scheme, false);
        }
        let path = self.path();
        let target = match location.first() {
            None | Some(b'#') => self.target.clone(),
            Some(b'/') => location.to_vec(),
            Some(b'?') => [path, location].concat(),
            Some(_) => {
                let folder = path.iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1);
                [&path[..folder], location].concat()
            }
        };
        Url::parse(&[self.scheme.as_bytes(), b"://", &self.authority, &target].concat(), "", false)
    }
}

pub(super) fn without_dots(target: &[u8]) -> Vec<u8> {
    let end = target.iter().position(|&b| b == b'?').unwrap_or(target.len());
    let (path, query) = target.split_at(end);
    let parts: Vec<&[u8]> = path.split(|&b| b == b'/').skip(1).collect();
    let mut kept: Vec<&[u8]> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        match *part {
            b"." => {}
            b".." => {
                kept.pop();
            }
            other => {
                kept.push(other);
                continue;
            }
        }
        if last {
            kept.push(b"");
        }
    }
    let mut out = Vec::with_capacity(target.len());
    for part in kept {
        out.push(b'/');
        out.extend_from_slice(part);
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out.extend_from_slice(query);
    out
}

pub fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let hex = text.get(at + 1..at + 3).and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) if text[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    out
}

/// As `--data-urlencode` does it.
pub fn encode(text: &[u8]) -> Vec<u8> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b' ' => out.push(b'+'),
            byte if plain(byte) => out.push(byte),
            byte => out.extend(format!("%{byte:02X}").bytes()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(url: &str) -> Result<String, Bad> {
        Url::parse(url.as_bytes(), "http", false).map(|u| String::from_utf8_lossy(&u.text()).into_owned())
    }

    #[test]
    fn urls() {
        assert_eq!(text("x.example").as_deref(), Ok("http://x.example/"));
        assert_eq!(text("HTTPS://X.example/a/../b?c#d").as_deref(), Ok("https://X.example/b?c"));
        assert_eq!(text("http://u:p@x.example:8080/..").as_deref(), Ok("http://x.example:8080/"));
        assert_eq!(text("http://x.example/a/./").as_deref(), Ok("http://x.example/a/"));
        assert_eq!(text("http://x.example/a/.").as_deref(), Ok("http://x.example/a/"));
        assert_eq!(text("http://"), Err(Bad::Malformed));
        assert_eq!(text("http://a b/"), Err(Bad::Malformed));
        assert_eq!(text("ftp://x/"), Err(Bad::Scheme("ftp".into())));
    }

    #[test]
    fn redirects() {
        let base = Url::parse(b"https://a.example/x/y?q", "http", false).unwrap();
        let joined = |l: &str| base.join(l.as_bytes()).map(|u| String::from_utf8_lossy(&u.text()).into_owned());
        assert_eq!(joined("/z").as_deref(), Ok("https://a.example/z"));
        assert_eq!(joined("z w").as_deref(), Ok("https://a.example/x/z%20w"));
        assert_eq!(joined("//b.example/").as_deref(), Ok("https://b.example/"));
        assert_eq!(joined("http://b.example").as_deref(), Ok("http://b.example/"));
        assert_eq!(joined("../z").as_deref(), Ok("https://a.example/z"));
        assert_eq!(joined("file:///etc/passwd"), Err(Bad::Scheme("file".into())));
        assert_eq!(joined("mailto:x"), Err(Bad::Scheme(String::new())));
    }
}

//! Cookies: those of `-b`, those servers set, and the file of `-c` in the format Netscape had.

use super::url::Url;
use crate::calendar;
use capsule_sys::now;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Cookie {
    domain: String,
    /// Also hosts below it.
    below: bool,
    path: String,
    secure: bool,
    /// 0 is until the end of the session.
    expires: i64,
    name: String,
    value: String,
    http_only: bool,
}

#[derive(Default)]
pub struct Cookies {
    all: Vec<Cookie>,
    /// As they stand in `-b a=b`: to every host.
    given: Vec<String>,
    /// Whether what servers set is kept.
    active: bool,
    /// wget sends what came first first, and nothing that is meant for TLS without it.
    of_wget: bool,
}

impl Cookies {
    pub fn of_wget() -> Cookies {
        Cookies { active: true, of_wget: true, ..Cookies::default() }
    }

    /// `-b`: pairs when there is a `=`, else a file.
    pub fn read(&mut self, value: &[u8], junk_session: bool) {
        self.active = true;
        if value.contains(&b'=') {
            self.given.push(String::from_utf8_lossy(value).into_owned());
            return;
        }
        // A file that is not there is no fault: it only turns cookies on.
        if value.is_empty() {
            return;
        }
        if let Ok(text) = super::body::read_file(value) {
            let text = String::from_utf8_lossy(&text).into_owned();
            for text in text.lines() {
                // A file of headers, as `-D` writes them, will do as well.
                match text.split_once(':') {
                    Some((name, value)) if name.eq_ignore_ascii_case("set-cookie") => {
                        self.loose(value, junk_session);
                    }
                    _ => self.all.extend(line(text).filter(|c| c.expires != 0 || !junk_session)),
                }
            }
        }
    }

    /// A cookie of a file of headers: it goes to every host unless it names one.
    fn loose(&mut self, header: &str, junk_session: bool) {
        let mut parts = header.split(';').map(str::trim);
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { return };
        let (mut path, mut domain, mut expires, mut secure) = ("/".to_owned(), String::new(), 0, false);
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            match key.to_ascii_lowercase().as_str() {
                "path" if value.starts_with('/') => path = value.to_owned(),
                "domain" => domain = value.trim_start_matches('.').to_ascii_lowercase(),
                "expires" => expires = http_date(value).unwrap_or(0),
                "max-age" => expires = value.parse::<i64>().map_or(0, |n| now().sec.saturating_add(n).max(1)),
                "secure" => secure = true,
                _ => {}
            }
        }
        if expires != 0 || !junk_session {
            let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
            self.all.push(Cookie { domain, below: true, path, secure, expires, name, value, http_only: false });
        }
    }

    pub fn activate(&mut self) {
        self.active = true;
    }

    /// The header for a URL.
    pub fn header(&self, url: &Url) -> Option<Vec<u8>> {
        let (host, path) = (url.host(), String::from_utf8_lossy(url.path()).into_owned());
        let time = now().sec;
        let mut fitting: Vec<&Cookie> = self
            .all
            .iter()
            .filter(|c| c.expires == 0 || c.expires > time)
            .filter(|c| !c.secure || url.scheme == "https" || !self.of_wget && is_here(&host))
            .filter(|c| is_host(&host, &c.domain, c.below) && is_below(&path, &c.path))
            .collect();
        // Longer paths first, then what came last.
        if !self.of_wget {
            fitting.reverse();
        }
        fitting.sort_by_key(|c| std::cmp::Reverse((c.path.len(), c.domain.len(), c.name.len())));
        let pairs = fitting.iter().map(|c| format!("{}={}", c.name, c.value));
        let all: Vec<String> = pairs.chain(self.given.iter().cloned()).collect();
        (!all.is_empty()).then(|| all.join("; ").into_bytes())
    }

    /// What a server set.
    pub fn take(&mut self, url: &Url, header: &[u8]) {
        if !self.active {
            return;
        }
        let text = String::from_utf8_lossy(header).into_owned();
        let mut parts = text.split(';');
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { return };
        let path = String::from_utf8_lossy(url.path()).into_owned();
        let folder = path.rfind('/').filter(|&at| at > 0).map_or("/", |at| &path[..at]).to_owned();
        let mut cookie = Cookie {
            domain: url.host(),
            below: false,
            path: folder,
            secure: false,
            expires: 0,
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            http_only: false,
        };
        let mut max_age = None;
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "domain" => {
                    let domain = value.trim_start_matches('.').to_ascii_lowercase();
                    // Only for the host itself or what is above it, and never for a whole top-level domain.
                    if !domain.contains('.') || !is_host(&url.host(), &domain, true) {
                        return;
                    }
                    (cookie.domain, cookie.below) = (domain, true);
                }
                "path" if value.starts_with('/') => cookie.path = value.to_owned(),
                "secure" => cookie.secure = true,
                "httponly" => cookie.http_only = true,
                "max-age" => max_age = value.parse::<i64>().ok(),
                "expires" => cookie.expires = http_date(value).unwrap_or(0),
                _ => {}
            }
        }
        match max_age {
            Some(seconds) if seconds <= 0 => cookie.expires = 1,
            Some(seconds) => cookie.expires = now().sec.saturating_add(seconds),
            None => {}
        }
        let same = |c: &Cookie| (&c.domain, &c.path, &c.name) == (&cookie.domain, &cookie.path, &cookie.name);
        self.all.retain(|c| !same(c));
        if cookie.expires == 0 || cookie.expires > now().sec {
            self.all.push(cookie);
        }
    }

    /// The file of `-c`.
    pub fn jar(&self) -> String {
        let mut text = String::from(
            "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n# This file was generated by libcurl! Edit at your own risk.\n\n",
        );
        self.all.iter().rev().for_each(|c| text += &c.line());
        text
    }

    /// The file of wget's `--save-cookies`; cookies without a date belong to the session.
    pub fn file_of_wget(&self, session: bool, time: &str) -> String {
        let mut text = format!("# HTTP Cookie File\n# Generated by Wget on {time}.\n# Edit at your own risk.\n\n");
        let kept = self.all.iter().rev().filter(|c| session || c.expires != 0);
        kept.for_each(|c| text += &Cookie { http_only: false, ..c.clone() }.line());
        text
    }
}

impl Cookie {
    fn line(&self) -> String {
        let c = self;
        let flag = |on: bool| if on { "TRUE" } else { "FALSE" };
        let dot = if c.below { "." } else { "" };
        let prefix = if c.http_only { "#HttpOnly_" } else { "" };
        format!(
            "{prefix}{dot}{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
            c.domain,
            flag(c.below),
            c.path,
            flag(c.secure),
            c.expires,
            c.name,
            c.value
        )
    }
}

fn line(text: &str) -> Option<Cookie> {
    let (http_only, text) = match text.strip_prefix("#HttpOnly_") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if text.starts_with('#') {
        return None;
    }
    let fields: Vec<&str> = text.split('\t').collect();
    let &[domain, below, path, secure, expires, name, value] = fields.as_slice() else { return None };
    Some(Cookie {
        domain: domain.trim_start_matches('.').to_ascii_lowercase(),
        below: below == "TRUE",
        path: path.to_owned(),
        secure: secure == "TRUE",
        expires: expires.parse().ok()?,
        name: name.to_owned(),
        value: value.to_owned(),
        http_only,
    })
}

fn is_here(host: &str) -> bool {
    host == "localhost" || host == "127.0.0.1"
}

fn is_host(host: &str, domain: &str, below: bool) -> bool {
    host == domain
        || (below && domain.is_empty())
        || (below && host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder == "/" || rest.is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'))
}

/// `Wed, 21 Oct 2015 07:28:00 GMT`, also with hyphens and two digits for the year.
pub fn http_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (mut day, mut month, mut year, mut time) = (None, None, None, None);
    for word in text.split([' ', '-', ',']).filter(|w| !w.is_empty()) {
        let lower = word.to_ascii_lowercase();
        if let Some(at) = MONTHS.iter().position(|m| lower.starts_with(m)) {
            month = month.or(Some(at as u32 + 1));
        } else if word.contains(':') {
            let parts: Option<Vec<i64>> = word.split(':').map(|n| n.parse().ok()).collect();
            time = parts
                .filter(|p| p.len() == 3 && p.iter().all(|n| (0..100).contains(n)))
                .map(|p| p[0] * 3600 + p[1] * 60 + p[2]);
        } else if let Ok(number) = word.parse::<i64>() {
            match (day, year) {
                (None, _) if (1..=31).contains(&number) => day = Some(number as u32),
                (_, None) => {
                    year = Some(if number < 70 {
                        number + 2000
                    } else if number < 100 {
                        number + 1900
                    } else {
                        number
                    })
                }
                _ => {}
            }
        }
    }
    let year = year.filter(|y| (1970..=9999).contains(y))?;
    Some(calendar::days_from_civil(year, month?, day?) * 86400 + time.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text.as_bytes(), "http", false).unwrap()
    }

    #[test]
    fn cookies_go_where_they_came_from() {
        let mut cookies = Cookies::default();
        cookies.activate();
        let from = url("http://a.x.example/d/p");
        for set in [
            "a=1",
            "b=2; Path=/",
            "c=3; Domain=x.example; Path=/",
            "d=4; Domain=evil.example",
            "e=5; Domain=example",
            "f=6; Max-Age=0",
        ] {
            cookies.take(&from, set.as_bytes());
        }
        let header = |u: &str| cookies.header(&url(u)).map(|h| String::from_utf8_lossy(&h).into_owned());
        assert_eq!(header("http://a.x.example/d/q").as_deref(), Some("a=1; b=2; c=3"));
        assert_eq!(header("http://a.x.example/dd").as_deref(), Some("b=2; c=3"));
        assert_eq!(header("http://b.x.example/").as_deref(), Some("c=3"));
        assert_eq!(header("http://evil.example/"), None);
        let mut again = Cookies::default();
        again.all.extend(cookies.jar().lines().filter_map(line));
        again.all.reverse();
        assert_eq!(again.all, cookies.all);
    }

    #[test]
    fn dates() {
        assert_eq!(http_date("Wed, 21 Oct 2015 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(http_date("Wednesday, 21-Oct-15 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(http_date("nonsense"), None);
    }
}

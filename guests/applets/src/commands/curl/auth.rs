//! Authentication that a server asks for: which of its offers is taken, and the answer to `Digest` (RFC 7616).

use md5::{Digest as _, Md5};
use sha2::Sha256;

/// How a user proves who he is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Auth {
    /// `--basic`: at once.
    #[default]
    Basic,
    /// `--digest`
    Digest,
    /// `--anyauth`: the best of what the server offers.
    Any,
}

/// What a server offered and was taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offer {
    Basic,
    Digest(Challenge),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Challenge {
    realm: String,
    nonce: String,
    opaque: Option<String>,
    algorithm: Option<String>,
    /// Whether `qop=auth` is offered.
    quality: bool,
    user_hash: bool,
    pub stale: bool,
}

/// The best offer of these `WWW-Authenticate` headers that is allowed.
pub fn offer<'a>(headers: impl Iterator<Item = &'a [u8]>, allowed: Auth) -> Option<Offer> {
    let mut basic = None;
    for header in headers {
        let text = String::from_utf8_lossy(header).into_owned();
        let (scheme, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match scheme.to_ascii_lowercase().as_str() {
            "digest" if allowed != Auth::Basic => {
                if let Some(challenge) = Challenge::parse(rest) {
                    return Some(Offer::Digest(challenge));
                }
            }
            "basic" if allowed == Auth::Any => basic = Some(Offer::Basic),
            _ => {}
        }
    }
    basic
}

impl Challenge {
    /// None when it asks for what is not known here.
    fn parse(text: &str) -> Option<Challenge> {
        let mut challenge = Challenge::default();
        let mut nonce = None;
        for (key, value) in fields(text) {
            match key.to_ascii_lowercase().as_str() {
                "realm" => challenge.realm = value,
                "nonce" => nonce = Some(value),
                "opaque" => challenge.opaque = Some(value),
                "algorithm" => challenge.algorithm = Some(value),
                "stale" => challenge.stale = value.eq_ignore_ascii_case("true"),
                "userhash" => challenge.user_hash = value.eq_ignore_ascii_case("true"),
                "qop" => {
                    challenge.quality = value.split(',').any(|q| q.trim().eq_ignore_ascii_case("auth"));
                    if !challenge.quality {
                        return None;
                    }
                }
                _ => {}
            }
        }
        let known = ["md5", "md5-sess", "sha-256", "sha-256-sess"];
        let algorithm = challenge.algorithm.as_deref().unwrap_or("md5").to_ascii_lowercase();
        challenge.nonce = nonce?;
        known.contains(&algorithm.as_str()).then_some(challenge)
    }

    /// The `Authorization` for a request; `user` is `NAME:PASSWORD`.
    pub fn answer(&self, user: &[u8], method: &[u8], target: &[u8], client_nonce: &str) -> Vec<u8> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (user, method, target) = (text(user), text(method), text(target));
        let (name, password) = user.split_once(':').unwrap_or((&user, ""));
        let algorithm = self.algorithm.as_deref().unwrap_or("MD5");
        let lower = algorithm.to_ascii_lowercase();
        let digest = |text: &str| match lower.starts_with("sha-256") {
            true => hex(&Sha256::digest(text.as_bytes())),
            false => hex(&Md5::digest(text.as_bytes())),
        };
        let mut secret = digest(&format!("{name}:{}:{password}", self.realm));
        if lower.ends_with("-sess") {
            secret = digest(&format!("{secret}:{}:{client_nonce}", self.nonce));
        }
        let asked = digest(&format!("{method}:{target}"));
        let (nonce, count) = (&self.nonce, "00000001");
        let response = match self.quality {
            true => digest(&format!("{secret}:{nonce}:{count}:{client_nonce}:auth:{asked}")),
            false => digest(&format!("{secret}:{nonce}:{asked}")),
        };
        let shown = if self.user_hash { digest(&format!("{name}:{}", self.realm)) } else { name.to_owned() };
        let mut out = format!(
            "Digest username=\"{}\", realm=\"{}\", nonce=\"{}\", uri=\"{target}\"",
            escape(&shown),
            escape(&self.realm),
            escape(nonce)
        );
        if self.quality {
            out += &format!(", cnonce=\"{client_nonce}\", nc={count}, qop=auth");
        }
        out += &format!(", response=\"{response}\"");
        if let Some(opaque) = &self.opaque {
            out += &format!(", opaque=\"{}\"", escape(opaque));
        }
        if self.algorithm.is_some() {
            out += &format!(", algorithm={algorithm}");
        }
        if self.user_hash {
            out += ", userhash=true";
        }
        out.into_bytes()
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// `key=value, key="quoted \" value"`
fn fields(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut rest = text.trim_start_matches([' ', ',', '\t']);
    while let Some((key, after)) = rest.split_once('=') {
        let mut value = String::new();
        rest = match after.trim_start().strip_prefix('"') {
            Some(quoted) => {
                let mut letters = quoted.char_indices();
                let mut end = quoted.len();
                while let Some((at, c)) = letters.next() {
                    match c {
                        '"' => {
                            end = at + 1;
                            break;
                        }
                        '\\' => value.extend(letters.next().map(|(_, c)| c)),
                        c => value.push(c),
                    }
                }
                &quoted[end..]
            }
            None => {
                let (plain, rest) = after.split_once(',').unwrap_or((after, ""));
                value = plain.trim().to_owned();
                rest
            }
        };
        all.push((key.trim().to_owned(), value));
        rest = rest.trim_start_matches([' ', ',', '\t']);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard() {
        let header = b"Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";
        let Some(Offer::Digest(challenge)) = offer([&header[..]].into_iter(), Auth::Digest) else { panic!("an offer") };
        let answer = challenge.answer(b"Mufasa:Circle Of Life", b"GET", b"/dir/index.html", "0a4f113b");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.contains("response=\"6629fae49393a05397450978507c4ef1\""), "{answer}");
        assert_eq!(offer([&b"Digest qop=\"auth-int\", nonce=x"[..]].into_iter(), Auth::Any), None);
        assert_eq!(offer([&b"Basic realm=x"[..]].into_iter(), Auth::Any), Some(Offer::Basic));
        assert_eq!(offer([&b"Basic realm=x"[..]].into_iter(), Auth::Digest), None);
    }

    #[test]
    fn what_servers_send_may_end_anywhere() {
        let text = "a=\"b\\\"c\", d = e ,f=\"g";
        let all = fields(text);
        let pairs: Vec<(&str, &str)> = all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("a", "b\"c"), ("d", "e"), ("f", "g")]);
        (0..text.len()).for_each(|end| drop(fields(&text[..end])));
    }
}

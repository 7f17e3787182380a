//! `HOST[::GUEST][:ro|:rw]`.

use crate::Error;
use crate::builder::WORKSPACE;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// A host folder shown inside the sandbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mount {
    pub host: PathBuf,
    pub guest: Vec<u8>,
    pub read_only: bool,
}

/// Without GUEST, an absolute path is the same inside, and a relative one is below `/workspace`. Writable unless `:ro`.
impl FromStr for Mount {
    type Err = Error;

    fn from_str(text: &str) -> Result<Mount, Error> {
        let bad = || Error::BadMount(text.to_owned());
        let (paths, read_only) = match text.rsplit_once(':') {
            Some((paths, "ro")) => (paths, true),
            Some((paths, "rw")) => (paths, false),
            _ => (text, false),
        };
        let (host, guest) = match paths.split_once("::") {
            Some((host, guest)) => (host, guest.to_owned()),
            None => (paths, guest_path(Path::new(paths)).ok_or_else(bad)?),
        };
        if host.is_empty() || !guest.starts_with('/') || guest.contains('\0') {
            return Err(bad());
        }
        Ok(Mount { host: host.into(), guest: guest.into_bytes(), read_only })
    }
}

/// Where a folder appears that nobody gave a place: none for paths with `..`, whose place would be a guess.
fn guest_path(host: &Path) -> Option<String> {
    let mut guest = if host.is_absolute() { String::new() } else { WORKSPACE.to_owned() };
    for component in host.components() {
        match component {
            Component::Normal(name) => {
                guest.push('/');
                guest.push_str(name.to_str()?);
            }
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    (guest != WORKSPACE).then_some(guest)
}

#[cfg(test)]
mod tests {
    use super::Mount;

    #[test]
    fn forms() {
        let parse = |text: &str| {
            text.parse::<Mount>()
                .map(|m| (m.host.display().to_string(), String::from_utf8(m.guest).unwrap(), m.read_only))
        };
        let is = |host: &str, guest: &str, ro| Some((host.to_owned(), guest.to_owned(), ro));
        assert_eq!(parse("/a/b").ok(), is("/a/b", "/a/b", false));
        assert_eq!(parse("/a::/b:rw").ok(), is("/a", "/b", false));
        assert_eq!(parse("./a::/b:ro").ok(), is("./a", "/b", true));
        assert_eq!(parse("./data:ro").ok(), is("./data", "/workspace/data", true));
        for bad in ["", "::/x", "/a::b", "/", "/a::", "../x", "."] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}

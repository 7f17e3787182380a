//! `-r` and `-p`: the files that pages name, level by level, and `-k`: links that lead to them.

use super::config::Config;
use super::fetch::{Fetched, Session, lossy};
use super::links::{Link, links, unescape};
use super::names::listed;
use crate::commands::curl::body::read_file;
use crate::commands::curl::url::Url;
use crate::input::base_name;
use capsule_sys::{OpenFlags, open, unlink, write_all};
use std::collections::{HashMap, HashSet, VecDeque};

/// The most URLs that are remembered: a site without end must not fill the memory.
const MOST: usize = 200_000;

struct Wanted {
    url: Url,
    depth: usize,
    from: Option<Url>,
    inline: bool,
}

/// The worst status of all of them is `each`'s affair.
pub fn recurse(session: &mut Session, first: &[u8], each: &mut dyn FnMut(u8)) {
    let config = session.config;
    let Ok(start) = Url::parse(first, "http", false) else {
        if let Err(status) = session.fetch(first, None) {
            each(status);
        }
        return;
    };
    let mut seen: HashSet<Vec<u8>> = HashSet::from([start.text()]);
    let mut saved: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut pages: Vec<(Vec<u8>, Url)> = Vec::new();
    let mut queue = VecDeque::from([Wanted { url: start.clone(), depth: 0, from: None, inline: false }]);
    while let Some(wanted) = queue.pop_front() {
        if config.quota > 0 && session.bytes > config.quota {
            config.tell(&format!("Download quota of {} EXCEEDED!\n", config.quota));
            break;
        }
        if !saved.is_empty() && config.wait > 0 {
            config.pause();
        }
        let fetched = match session.fetch(&wanted.url.text(), wanted.from.as_ref()) {
            Ok(Some(fetched)) => fetched,
            Ok(None) => continue,
            Err(status) => {
                each(status);
                continue;
            }
        };
        saved.insert(wanted.url.text(), fetched.name.clone());
        if let Some(found) = follow(config, &fetched, &wanted, &start) {
            pages.push((fetched.name.clone(), fetched.url.clone()));
            for next in found {
                if seen.len() < MOST && seen.insert(next.url.text()) {
                    queue.push_back(next);
                }
            }
        }
        let name = fetched.name.strip_suffix(IN_PASSING).unwrap_or(&fetched.name);
        if config.recursion.delete_after || !acceptable(config, base_name(name)) {
            config.say(&format!("Removing {}.\n\n", lossy(&fetched.name)));
            let _ = unlink(&fetched.name);
            saved.remove(&wanted.url.text());
        }
    }
    if config.recursion.convert {
        pages.iter().for_each(|(name, url)| convert(name, url, &saved));
    }
}

/// Behind the name of a page that is fetched for its links alone, so that it replaces nothing.
pub const IN_PASSING: &[u8] = b".tmp";

pub fn acceptable(config: &Config, name: &[u8]) -> bool {
    let recursion = &config.recursion;
    (recursion.accept.is_empty() || listed(&recursion.accept, name)) && !listed(&recursion.reject, name)
}

fn is_page(kind: &str) -> bool {
    matches!(kind, "text/html" | "application/xhtml+xml")
}

/// What a page names and is to be fetched; none where it is no page, or deep enough.
fn follow(config: &Config, fetched: &Fetched, wanted: &Wanted, start: &Url) -> Option<Vec<Wanted>> {
    let recursion = &config.recursion;
    let deeper = recursion.on && (recursion.depth == 0 || wanted.depth < recursion.depth);
    let parts = recursion.requisites && !wanted.inline;
    if !is_page(&fetched.kind) {
        return None;
    }
    let page = read_file(&fetched.name).ok()?;
    let found = links(&page);
    let base = base(&page, &found, &fetched.url);
    let mut all = Vec::new();
    for link in found.iter().filter(|link| !link.base && (deeper || parts && link.inline)) {
        let text = unescape(&page[link.start..link.end]);
        let Ok(url) = base.join(&text) else { continue };
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let host = recursion.span_hosts || (url.host(), url.port()) == (start.host(), start.port());
        let root = start.path().iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1);
        let below = !recursion.no_parent || link.inline && parts || url.path().starts_with(&start.path()[..root]);
        let name = url.file_name();
        let page = name.is_empty() || name.ends_with(b".html") || name.ends_with(b".htm");
        let leads_on = page && (recursion.depth == 0 || wanted.depth + 1 < recursion.depth);
        if host && below && (leads_on || name.is_empty() || acceptable(config, name)) {
            let from = Some(fetched.url.clone());
            all.push(Wanted { url, depth: wanted.depth + 1, from, inline: link.inline && !deeper });
        }
    }
    Some(all)
}

fn base(page: &[u8], found: &[Link], url: &Url) -> Url {
    let given =
        found.iter().find(|link| link.base).and_then(|link| url.join(&unescape(&page[link.start..link.end])).ok());
    given.unwrap_or_else(|| url.clone())
}

/// Links to what was fetched lead to the files, all others to the server.
fn convert(name: &[u8], url: &Url, saved: &HashMap<Vec<u8>, Vec<u8>>) {
    let Ok(page) = read_file(name) else { return };
    let found = links(&page);
    let base = base(&page, &found, url);
    let (mut out, mut at) = (Vec::with_capacity(page.len()), 0);
    for link in found {
        let text = unescape(&page[link.start..link.end]);
        let fragment = text.iter().position(|&b| b == b'#').map_or(&b""[..], |at| &text[at..]);
        let Ok(target) = base.join(&text) else { continue };
        if text.is_empty() || text.starts_with(b"#") || link.start < at {
            continue;
        }
        out.extend_from_slice(&page[at..link.start]);
        at = link.end;
        // What had no quotes gets some: the new text may have in it what would end it.
        let ended = page.get(link.end).is_none_or(|b| *b == b'>' || b.is_ascii_whitespace());
        let quote: &[u8] = if link.start > 0 && page[link.start - 1] == b'=' && ended { b"\"" } else { b"" };
        match saved.get(&target.text()) {
            _ if link.base => {}
            Some(file) => out.extend([quote, &relative(name, file), fragment, quote].concat()),
            None => out.extend([quote, &target.text(), fragment, quote].concat()),
        }
    }
    out.extend_from_slice(&page[at..]);
    let flags = OpenFlags::WRONLY | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
    let _ = open(name, flags, 0o666).and_then(|file| write_all(file.raw(), &out));
}

/// The way from one file to another, in a URL's spelling.
fn relative(from: &[u8], to: &[u8]) -> Vec<u8> {
    let parts = |path: &[u8]| path.split(|&b| b == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (from, to) = (parts(from), parts(to));
    let most = from.len().min(to.len()) - 1;
    let common = (0..most).take_while(|&at| from[at] == to[at]).count();
    let mut out = Vec::new();
    (common + 1..from.len()).for_each(|_| out.extend_from_slice(b"../"));
    for byte in to[common..].join(&b'/') {
        match byte {
            b'?' | b'#' | b'%' | b' ' => out.extend(format!("%{byte:02X}").bytes()),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn ways() {
        assert_eq!(relative(b"h/a/x.html", b"h/b/y?z"), b"../b/y%3Fz");
        assert_eq!(relative(b"x", b"y"), b"y");
        assert_eq!(relative(b"h/a/b/c", b"h/d"), b"../../d");
    }
}

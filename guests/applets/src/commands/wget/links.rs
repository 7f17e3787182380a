//! The links of a page: where they stand and what they are.

/// A link: the bytes of its value, and whether the page cannot be shown without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    pub start: usize,
    pub end: usize,
    pub inline: bool,
    /// `<base href>`: what the others are relative to.
    pub base: bool,
}

/// Tags, their attribute, and whether what it names is a part of the page.
const LINKS: &[(&[u8], &[u8], bool)] = &[
    (b"a", b"href", false),
    (b"area", b"href", false),
    (b"base", b"href", false),
    (b"link", b"href", false),
    (b"iframe", b"src", true),
    (b"frame", b"src", true),
    (b"img", b"src", true),
    (b"input", b"src", true),
    (b"script", b"src", true),
    (b"embed", b"src", true),
    (b"audio", b"src", true),
    (b"video", b"src", true),
    (b"video", b"poster", true),
    (b"source", b"src", true),
    (b"track", b"src", true),
    (b"object", b"data", true),
    (b"body", b"background", true),
    (b"td", b"background", true),
    (b"th", b"background", true),
    (b"table", b"background", true),
];

pub fn links(page: &[u8]) -> Vec<Link> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(open) = page[at..].iter().position(|&b| b == b'<') {
        at += open + 1;
        let rest = &page[at..];
        if rest.starts_with(b"!--") {
            at += find(rest, b"-->").map_or(rest.len(), |end| end + 3);
            continue;
        }
        let name: Vec<u8> = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
        at += name.len();
        if name.is_empty() {
            continue;
        }
        at = tag(page, at, &name, &mut all);
        if name == b"script" || name == b"style" {
            // What is inside is no markup.
            let end = [b"</".as_slice(), &name].concat();
            at += find(&page[at..].to_ascii_lowercase(), &end).unwrap_or(page.len() - at);
        }
    }
    all
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// The attributes of a tag, up to its end.
fn tag(page: &[u8], mut at: usize, name: &[u8], all: &mut Vec<Link>) -> usize {
    let blank = |b: u8| b.is_ascii_whitespace() || b == b'/';
    let (mut found, mut style) = (Vec::new(), false);
    while at < page.len() && page[at] != b'>' {
        if blank(page[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < page.len() && !blank(page[at]) && !b"=>".contains(&page[at]) {
            at += 1;
        }
        let attribute = page[start..at].to_ascii_lowercase();
        // A `=` with no name in front.
        if attribute.is_empty() {
            at += 1;
            continue;
        }
        let skip = page[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        if page.get(at + skip) != Some(&b'=') {
            continue;
        }
        at += skip + 1;
        at += page[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let (from, to) = match page.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let end = page[at + 1..].iter().position(|&b| b == quote).map_or(page.len(), |end| at + 1 + end);
                (at + 1, end)
            }
            _ => {
                let end = page[at..].iter().position(|&b| b.is_ascii_whitespace() || b == b'>');
                (at, end.map_or(page.len(), |end| at + end))
            }
        };
        at = if from > at { (to + 1).min(page.len()) } else { to };
        if attribute == b"rel" {
            let value = page[from..to].to_ascii_lowercase();
            style = find(&value, b"stylesheet").is_some() || find(&value, b"icon").is_some();
        }
        if let Some(link) = LINKS.iter().find(|link| link.0 == name && link.1 == attribute) {
            found.push(Link { start: from, end: to, inline: link.2, base: name == b"base" });
        }
    }
    all.extend(found.into_iter().map(|link| Link { inline: link.inline || name == b"link" && style, ..link }));
    at
}

/// `&amp;` in a link is an ampersand.
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        let page = b"<!-- <a href=no> --><A HREF=\"a.html\">x</a><img src='i' alt=>\n<a href = b><script>'<a href=c>'</script><link rel=stylesheet href=s>";
        let found: Vec<(&[u8], bool)> = links(page).iter().map(|l| (&page[l.start..l.end], l.inline)).collect();
        assert_eq!(found, [(&b"a.html"[..], false), (b"i", true), (b"b", false), (b"s", true)]);
        for end in 0..page.len() {
            assert!(links(&page[..end]).iter().all(|l| l.start <= l.end && l.end <= end));
        }
        assert!(links(b"<a = =>").is_empty());
    }
}

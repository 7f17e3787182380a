//! `-F`: forms of several parts. Files are read while they are sent.

use super::body::{Piece, file, read_file};
use crate::input::base_name;
use crate::{Exit, report};
use capsule_sys::random_u64;

/// A part of a form, or of a part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    name: Option<Vec<u8>>,
    content: Content,
    kind: Option<Vec<u8>>,
    filename: Option<Vec<u8>>,
    headers: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Content {
    Text(Vec<u8>),
    /// `@FILE`: as an upload; `<FILE`: as text.
    File {
        name: Vec<u8>,
        upload: bool,
    },
    /// `@FILE,FILE`, or what stands between `=(` and `=)`.
    Parts(Vec<Part>),
}

impl Default for Content {
    fn default() -> Content {
        Content::Text(Vec::new())
    }
}

/// The parts that were given so far; those inside of `=(` are collected until `=)`.
#[derive(Clone, Default, Debug)]
pub struct Form {
    parts: Vec<Part>,
    open: Vec<(Part, Vec<Part>)>,
}

/// Parts within parts; more is a mistake.
const DEEPEST: usize = 20;

impl Form {
    /// `NAME=VALUE`, `NAME=@FILE;type=T;filename=F;headers=H`, `NAME=<FILE`. None is one that cannot be read.
    pub fn add(&mut self, value: &[u8], literal: bool) -> Option<()> {
        let at = value.iter().position(|&b| b == b'=')?;
        let (name, content) = (&value[..at], &value[at + 1..]);
        let name = (!name.is_empty()).then(|| name.to_vec());
        if literal {
            self.push(Part { name, content: Content::Text(content.to_vec()), ..Part::default() });
            return Some(());
        }
        if name.is_none() && content == b")" {
            let (part, outer) = self.open.pop()?;
            let inner = std::mem::replace(&mut self.parts, outer);
            self.push(Part { content: Content::Parts(inner), ..part });
            return Some(());
        }
        if content.first() == Some(&b'(') {
            let mut part = Part { name, ..Part::default() };
            parameters(&content[1..], &mut part)?;
            if self.open.len() == DEEPEST {
                return None;
            }
            self.open.push((part, std::mem::take(&mut self.parts)));
            return Some(());
        }
        let part = match content.first() {
            Some(b'@') => {
                let mut files = Vec::new();
                let mut rest = &content[1..];
                loop {
                    let (file, after) = word(rest, b";,");
                    let mut part = Part { content: Content::File { name: file, upload: true }, ..Part::default() };
                    let after = parameters(after, &mut part)?;
                    files.push(part);
                    match after.strip_prefix(b",") {
                        Some(next) => rest = next,
                        None => break,
                    }
                }
                match files.len() {
                    1 => Part { name, ..files.remove(0) },
                    _ => Part { name, content: Content::Parts(files), ..Part::default() },
                }
            }
            Some(b'<') => {
                let (file, after) = word(&content[1..], b";");
                let mut part = Part { name, content: Content::File { name: file, upload: false }, ..Part::default() };
                parameters(after, &mut part)?;
                part
            }
            _ => {
                let (text, after) = word(content, b";");
                let mut part = Part { name, content: Content::Text(text), ..Part::default() };
                parameters(after, &mut part)?;
                part
            }
        };
        self.push(part);
        Some(())
    }

    fn push(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// The pieces of the body. `escape`: quotes in names get a backslash, not a percent sign.
    pub fn pieces(&self, boundary: &str, escape: bool) -> Result<Vec<Piece>, Exit> {
        let mut out = Out { pieces: Vec::new(), head: Vec::new(), escape };
        out.parts(&self.parts, boundary, "form-data")?;
        out.pieces.push(Piece::Bytes(out.head));
        Ok(out.pieces)
    }
}

/// A word up to one of these bytes, in quotes or not, and what follows.
fn word<'a>(text: &'a [u8], ends: &[u8]) -> (Vec<u8>, &'a [u8]) {
    let blank = |b: &u8| b.is_ascii_whitespace();
    if let Some(quoted) = text.trim_ascii_start().strip_prefix(b"\"") {
        let (mut out, mut at) = (Vec::new(), 0);
        while at < quoted.len() {
            match quoted[at] {
                b'\\' if quoted.get(at + 1).is_some_and(|b| b"\\\"".contains(b)) => {
                    at += 1;
                    out.push(quoted[at]);
                }
                b'"' => {
                    let rest = &quoted[at + 1..];
                    let skip = rest.iter().take_while(|b| blank(b)).count();
                    // Something behind the quotes: they belong to the text.
                    if rest.get(skip).is_none_or(|b| ends.contains(b)) {
                        return (out, &rest[skip..]);
                    }
                    break;
                }
                b => out.push(b),
            }
            at += 1;
        }
    }
    let end = text.iter().position(|b| ends.contains(b)).unwrap_or(text.len());
    (text[..end].to_vec(), &text[end..])
}

/// `;type=T;filename=F;headers=H` of a part; what follows a comma is another file.
fn parameters<'a>(mut text: &'a [u8], part: &mut Part) -> Option<&'a [u8]> {
    while let Some(rest) = text.strip_prefix(b";") {
        let rest = rest.trim_ascii_start();
        if let Some(rest) = rest.strip_prefix(b"type=") {
            let (mut kind, mut after) = word(rest, b";,");
            // `type=text/html; charset=utf-8`: what is none of ours belongs to the type.
            while let Some(more) = after.strip_prefix(b";") {
                let next = more.trim_ascii_start();
                let ours: [&[u8]; 4] = [b"type=", b"filename=", b"headers=", b"encoder="];
                if next.is_empty() || ours.iter().any(|name| next.starts_with(name)) {
                    break;
                }
                let (piece, behind) = word(more, b";,");
                kind.push(b';');
                kind.extend(piece);
                after = behind;
            }
            part.kind = Some(kind.trim_ascii().to_vec());
            text = after;
        } else if let Some(rest) = rest.strip_prefix(b"filename=") {
            let (name, after) = word(rest, b";,");
            (part.filename, text) = (Some(name), after);
        } else if let Some(rest) = rest.strip_prefix(b"headers=") {
            if let Some(rest) = rest.strip_prefix(b"@") {
                let (name, after) = word(rest, b";,");
                let lines = read_file(&name).ok()?;
                let lines = lines.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
                part.headers.extend(lines.filter(|l| !l.is_empty() && !l.starts_with(b"#")).map(<[u8]>::to_vec));
                text = after;
            } else {
                let (line, after) = word(rest, b";,");
                part.headers.push(line);
                text = after;
            }
        } else if let Some(rest) = rest.strip_prefix(b"encoder=") {
            let (name, after) = word(rest, b";,");
            if name != b"binary" && name != b"8bit" {
                report::plain("curl: parts of a form are sent as they are: encoder= is not supported here\n");
                return None;
            }
            text = after;
        } else {
            // Unknown: skipped, as curl does with a warning.
            let (unknown, after) = word(rest, b";,");
            report::plain(&format!("Warning: skip unknown form field: {}\n", String::from_utf8_lossy(&unknown)));
            text = after;
        }
    }
    Some(text)
}

struct Out {
    pieces: Vec<Piece>,
    head: Vec<u8>,
    escape: bool,
}

impl Out {
    fn parts(&mut self, parts: &[Part], boundary: &str, disposition: &str) -> Result<(), Exit> {
        for part in parts {
            self.head.extend(format!("--{boundary}\r\nContent-Disposition: {disposition}").bytes());
            let shown = match &part.content {
                Content::File { name, upload: true } => Some(part.filename.as_deref().unwrap_or(base_name(name))),
                _ => part.filename.as_deref(),
            };
            for (key, text) in [("name", part.name.as_deref()), ("filename", shown)] {
                if let Some(text) = text {
                    self.head.extend(format!("; {key}=\"").bytes());
                    self.head.extend(quoted(text, self.escape));
                    self.head.push(b'"');
                }
            }
            let inner = format!("------------------------{:016x}", random_u64());
            let kind = match (&part.kind, &part.content) {
                (kind, Content::Parts(_)) => {
                    let kind = kind.clone().unwrap_or_else(|| b"multipart/mixed".to_vec());
                    Some([kind.as_slice(), b"; boundary=", inner.as_bytes()].concat())
                }
                (Some(kind), _) => Some(kind.clone()),
                // Nobody knows what comes from standard input.
                (None, Content::File { name, upload: true }) if name != b"-" => {
                    let guess = shown.and_then(kind_of).or_else(|| kind_of(name));
                    Some(guess.unwrap_or(b"application/octet-stream").to_vec())
                }
                (None, _) => shown.and_then(kind_of).map(<[u8]>::to_vec),
            };
            if let Some(kind) = kind {
                self.head.extend(b"\r\nContent-Type: ");
                self.head.extend(kind.iter().filter(|b| !b"\r\n".contains(b)));
            }
            for line in &part.headers {
                self.head.extend(b"\r\n");
                self.head.extend(line.iter().filter(|b| !b"\r\n".contains(b)));
            }
            self.head.extend(b"\r\n\r\n");
            match &part.content {
                Content::Text(text) => self.head.extend(text),
                Content::Parts(parts) => self.parts(parts, &inner, "attachment")?,
                Content::File { name, .. } => {
                    self.pieces.push(Piece::Bytes(std::mem::take(&mut self.head)));
                    let piece = match name.as_slice() {
                        b"-" => read_file(name).map(Piece::Bytes),
                        name => file(name),
                    };
                    self.pieces.push(piece.map_err(|_| Exit(26))?);
                }
            }
            self.head.extend(b"\r\n");
        }
        self.head.extend(format!("--{boundary}--\r\n").bytes());
        Ok(())
    }
}

/// Quotes and line ends in names must not end the header.
fn quoted(name: &[u8], escape: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'"' | b'\\' if escape => out.extend([b'\\', byte]),
            b'"' => out.extend(b"%22"),
            b'\r' => out.extend(b"%0D"),
            b'\n' => out.extend(b"%0A"),
            other => out.push(other),
        }
    }
    out
}

/// By the end of the name, as curl guesses.
fn kind_of(name: &[u8]) -> Option<&'static [u8]> {
    const KINDS: &[(&[u8], &[u8])] = &[
        (b".gif", b"image/gif"),
        (b".jpg", b"image/jpeg"),
        (b".jpeg", b"image/jpeg"),
        (b".png", b"image/png"),
        (b".svg", b"image/svg+xml"),
        (b".txt", b"text/plain"),
        (b".htm", b"text/html"),
        (b".html", b"text/html"),
        (b".pdf", b"application/pdf"),
        (b".xml", b"application/xml"),
    ];
    let lower = name.to_ascii_lowercase();
    KINDS.iter().find(|(end, _)| lower.ends_with(end)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(values: &[&str], literal: bool) -> Form {
        let mut form = Form::default();
        values.iter().for_each(|value| form.add(value.as_bytes(), literal).expect("a part"));
        form
    }

    #[test]
    fn parameters_of_parts() {
        let form =
            form(&["f=@/tmp/a.txt;type=text/html; charset=x;filename=\"b\"", "t=\"a;b\"", "m=@x,y;type=z"], false);
        assert_eq!(form.parts[0].kind.as_deref(), Some(&b"text/html; charset=x"[..]));
        assert_eq!(form.parts[0].filename.as_deref(), Some(&b"b"[..]));
        assert_eq!(form.parts[1].content, Content::Text(b"a;b".to_vec()));
        let Content::Parts(files) = &form.parts[2].content else { panic!("two files") };
        assert_eq!((files.len(), files[1].kind.as_deref()), (2, Some(&b"z"[..])));
        assert!(Form::default().add(b"nothing", false).is_none() && Form::default().add(b"=)", false).is_none());
    }

    #[test]
    fn a_name_cannot_end_its_header() {
        let pieces = form(&["a\"\r\nX: y=1"], true).pieces("B", false).expect("pieces");
        let Piece::Bytes(bytes) = &pieces[0] else { panic!("bytes") };
        let text = String::from_utf8_lossy(bytes);
        assert!(
            text.starts_with("--B\r\nContent-Disposition: form-data; name=\"a%22%0D%0AX: y\"\r\n\r\n1\r\n"),
            "{text}"
        );
    }
}

//! Bodies: `-d`, `-F`, `-T`. Files of a form and uploads are read while they are sent.

use super::url::encode;
use crate::input::base_name;
use crate::{Exit, report};
use capsule_sys::{Errno, Fd, FileType, OpenFlags, STDIN, open, read_to_end};

/// A piece of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Bytes(Vec<u8>),
    /// A file of this length, or one whose length nobody knows.
    File {
        name: Vec<u8>,
        length: Option<u64>,
    },
}

impl Piece {
    pub fn length(&self) -> Option<u64> {
        match self {
            Piece::Bytes(bytes) => Some(bytes.len() as u64),
            Piece::File { length, .. } => *length,
        }
    }
}

/// A field of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    name: Vec<u8>,
    content: Content,
    kind: Option<Vec<u8>>,
    filename: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Content {
    Text(Vec<u8>),
    /// `@FILE`: as an upload; `<FILE`: as text.
    File {
        name: Vec<u8>,
        upload: bool,
    },
}

/// Opens a file; `-` is standard input.
pub fn open_file(name: &[u8]) -> Result<Fd, Errno> {
    match name {
        b"-" => capsule_sys::dup(STDIN, 3, true).map(Fd::new),
        name => open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0),
    }
}

pub fn read_file(name: &[u8]) -> Result<Vec<u8>, Errno> {
    read_to_end(open_file(name)?.raw())
}

/// `-d`: `@FILE` without line ends, unless they are to be kept.
pub fn data(value: &[u8], binary: bool) -> Result<Vec<u8>, Exit> {
    let Some(name) = value.strip_prefix(b"@") else { return Ok(value.to_vec()) };
    let mut bytes = read_or_end(name)?;
    if !binary {
        bytes.retain(|b| !b"\r\n\0".contains(b));
    }
    Ok(bytes)
}

fn read_or_end(name: &[u8]) -> Result<Vec<u8>, Exit> {
    read_file(name).map_err(|_| {
        let shown = String::from_utf8_lossy(name);
        report::plain(&format!("curl: Failed to open {shown}\n"));
        report::plain("curl: (26) Failed to open/read local data from file/application\n");
        Exit(26)
    })
}

/// A text, or the file that `@FILE` names.
pub fn at_file(value: &[u8]) -> Result<Vec<u8>, Exit> {
    match value.strip_prefix(b"@") {
        Some(name) => read_or_end(name),
        None => Ok(value.to_vec()),
    }
}

/// `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE`, `NAME@FILE`
pub fn urlencoded(value: &[u8]) -> Result<Vec<u8>, Exit> {
    let Some(at) = value.iter().position(|b| b"=@".contains(b)) else { return Ok(encode(value)) };
    let (name, rest) = value.split_at(at);
    let content = if rest[0] == b'@' { read_or_end(&rest[1..])? } else { rest[1..].to_vec() };
    let mut out = name.to_vec();
    if !name.is_empty() {
        out.push(b'=');
    }
    out.extend(encode(&content));
    Ok(out)
}

/// A piece for `-T`.
pub fn upload(name: &[u8]) -> Result<Piece, Exit> {
    let name = if name == b"." { b"-" } else { name };
    if name == b"-" {
        return Ok(Piece::File { name: name.to_vec(), length: None });
    }
    file(name).map_err(|_| {
        let shown = String::from_utf8_lossy(name);
        report::plain(&format!("curl: Can't open '{shown}'!\n"));
        report::plain("curl: (26) Failed to open/read local data from file/application\n");
        Exit(26)
    })
}

fn file(name: &[u8]) -> Result<Piece, Errno> {
    let stat = capsule_sys::fstat(open_file(name)?.raw())?;
    if stat.kind == FileType::Directory {
        return Err(Errno::EISDIR);
    }
    Ok(Piece::File { name: name.to_vec(), length: (stat.kind == FileType::Regular).then_some(stat.size) })
}

/// `NAME=VALUE`, `NAME=@FILE;type=T;filename=F`, `NAME=<FILE`
pub fn part(value: &[u8], literal: bool) -> Option<Part> {
    let at = value.iter().position(|&b| b == b'=')?;
    let (name, content) = (value[..at].to_vec(), &value[at + 1..]);
    if literal {
        return Some(Part { name, content: Content::Text(content.to_vec()), kind: None, filename: None });
    }
    let mut pieces = content.split(|&b| b == b';');
    let first = pieces.next().unwrap_or_default();
    let (mut kind, mut filename) = (None, None);
    let mut text = first.to_vec();
    for piece in pieces {
        if let Some(given) = piece.strip_prefix(b"type=") {
            kind = Some(given.to_vec());
        } else if let Some(given) = piece.strip_prefix(b"filename=") {
            filename = Some(given.strip_prefix(b"\"").and_then(|g| g.strip_suffix(b"\"")).unwrap_or(given).to_vec());
        } else if kind.is_some() && piece.first().is_some_and(|b| *b == b' ' || b.is_ascii_alphabetic()) {
            // `type=text/html; charset=utf-8`
            kind = kind.map(|k| [k.as_slice(), b";", piece].concat());
        } else {
            text.push(b';');
            text.extend_from_slice(piece);
        }
    }
    let content = match text.first() {
        Some(b'@') => Content::File { name: text[1..].to_vec(), upload: true },
        Some(b'<') => Content::File { name: text[1..].to_vec(), upload: false },
        _ => Content::Text(text),
    };
    Some(Part { name, content, kind, filename })
}

/// The pieces of a multipart body.
pub fn form(parts: &[Part], boundary: &str) -> Result<Vec<Piece>, Exit> {
    let mut pieces = Vec::new();
    let mut head = Vec::new();
    for part in parts {
        head.extend(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"").bytes());
        head.extend(quoted(&part.name));
        head.push(b'"');
        let shown = match &part.content {
            Content::File { name, upload: true } => Some(part.filename.as_deref().unwrap_or(base_name(name))),
            _ => part.filename.as_deref(),
        };
        if let Some(shown) = shown {
            head.extend(b"; filename=\"");
            head.extend(quoted(shown));
            head.push(b'"');
        }
        let kind = part.kind.clone().or_else(|| shown.map(|shown| kind_of(shown).to_vec()));
        if let Some(kind) = kind {
            head.extend(b"\r\nContent-Type: ");
            head.extend(kind);
        }
        head.extend(b"\r\n\r\n");
        match &part.content {
            Content::Text(text) => head.extend(text),
            Content::File { name, .. } => {
                pieces.push(Piece::Bytes(std::mem::take(&mut head)));
                let piece = match name.as_slice() {
                    b"-" => read_file(name).map(Piece::Bytes),
                    name => file(name),
                };
                pieces.push(piece.map_err(|_| {
                    report::plain("curl: (26) Failed to open/read local data from file/application\n");
                    Exit(26)
                })?);
            }
        }
        head.extend(b"\r\n");
    }
    head.extend(format!("--{boundary}--\r\n").bytes());
    pieces.push(Piece::Bytes(head));
    Ok(pieces)
}

/// Quotes and line ends in names must not end the header.
fn quoted(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'"' => out.extend(b"%22"),
            b'\r' => out.extend(b"%0D"),
            b'\n' => out.extend(b"%0A"),
            other => out.push(other),
        }
    }
    out
}

/// By the end of the name, as curl guesses.
fn kind_of(name: &[u8]) -> &'static [u8] {
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
    KINDS.iter().find(|(end, _)| lower.ends_with(end)).map_or(b"application/octet-stream", |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let part = part(b"f=@/tmp/a.txt;type=text/html; charset=x;filename=\"b\"", false).unwrap();
        assert_eq!(part.kind.as_deref(), Some(&b"text/html; charset=x"[..]));
        assert_eq!(part.filename.as_deref(), Some(&b"b"[..]));
        assert_eq!(super::part(b"nothing", false), None);
        assert_eq!(urlencoded(b"a b"), Ok(b"a+b".to_vec()));
        assert_eq!(urlencoded(b"n=a&b"), Ok(b"n=a%26b".to_vec()));
        assert_eq!(urlencoded(b"=x y"), Ok(b"x+y".to_vec()));
    }

    #[test]
    fn a_name_cannot_end_its_header() {
        let parts = [part(b"a\"\r\nX: y=1", true).unwrap()];
        let pieces = form(&parts, "B").unwrap();
        let Piece::Bytes(bytes) = &pieces[0] else { panic!("bytes") };
        let text = String::from_utf8_lossy(bytes);
        assert!(
            text.starts_with("--B\r\nContent-Disposition: form-data; name=\"a%22%0D%0AX: y\"\r\n\r\n1\r\n"),
            "{text}"
        );
    }
}

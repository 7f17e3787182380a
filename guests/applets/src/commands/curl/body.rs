//! Bodies: `-d` and `-T`. Files are read while they are sent.

use super::options::{HINT, warn};
use super::url::encode;
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
    let mut bytes = read_or_nothing(name, value);
    if !binary {
        // Lines are texts of C: what follows a NUL is lost.
        let lines = bytes.split(|&b| b == b'\n').map(|line| line.split(|&b| b == 0).next().unwrap_or_default());
        bytes = lines.flatten().copied().filter(|b| *b != b'\r').collect();
    }
    Ok(bytes)
}

/// What cannot be read is told, and is nothing.
fn read_or_nothing(name: &[u8], shown: &[u8]) -> Vec<u8> {
    read_file(name).unwrap_or_else(|_| {
        let shown = String::from_utf8_lossy(shown.strip_prefix(b"@").unwrap_or(shown));
        warn(&format!("Couldn't read data from file \"{shown}\", this makes an empty POST."));
        Vec::new()
    })
}

/// A text, or the file that `@FILE` names.
pub fn at_file(value: &[u8]) -> Vec<u8> {
    let Some(name) = value.strip_prefix(b"@") else { return value.to_vec() };
    read_file(name).unwrap_or_else(|_| {
        report::plain(&format!("Warning: Failed to read {}", String::from_utf8_lossy(name)));
        Vec::new()
    })
}

/// `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE`, `NAME@FILE`
pub fn urlencoded(value: &[u8]) -> Result<Vec<u8>, Exit> {
    let Some(at) = value.iter().position(|b| b"=@".contains(b)) else { return Ok(encode(value)) };
    let (name, rest) = value.split_at(at);
    let content = if rest[0] == b'@' { read_or_nothing(&rest[1..], value) } else { rest[1..].to_vec() };
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
        report::plain(HINT);
        Exit(26)
    })
}

pub fn file(name: &[u8]) -> Result<Piece, Errno> {
    let stat = capsule_sys::fstat(open_file(name)?.raw())?;
    if stat.kind == FileType::Directory {
        return Err(Errno::EISDIR);
    }
    Ok(Piece::File { name: name.to_vec(), length: (stat.kind == FileType::Regular).then_some(stat.size) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urlencoding() {
        assert_eq!(urlencoded(b"a b"), Ok(b"a+b".to_vec()));
        assert_eq!(urlencoded(b"n=a&b"), Ok(b"n=a%26b".to_vec()));
        assert_eq!(urlencoded(b"=x y"), Ok(b"x+y".to_vec()));
    }
}

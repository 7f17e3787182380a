//! The lines of the input: one stream of all files, or each file by itself.

use super::{BAD_INPUT, PANIC, Settings};
use crate::report;
use capsule_sys::{Errno, Fd, FileType, In, OpenFlags, STDIN, Seek, fstat, lstat, open, read, readlink, seek};
use std::rc::Rc;

/// A line, and whether it had its end.
#[derive(Clone, Default)]
pub struct Line {
    pub text: Vec<u8>,
    pub ended: bool,
}

pub struct Input<'a> {
    settings: &'a Settings,
    files: std::iter::Copied<std::slice::Iter<'a, &'a [u8]>>,
    current: Option<Current>,
    /// The line before the one at hand was the last of its file.
    pub line_number: u64,
    /// The file of the line at hand.
    pub name: Rc<[u8]>,
    pub status: u8,
    /// A file was begun: addresses start anew where files are separate.
    pub begun: bool,
    /// A file could not be put in its place: no more is read.
    dead: bool,
}

struct Current {
    name: Rc<[u8]>,
    stream: In,
    file: Option<Fd>,
    /// More can come while it is read: what is printed must not wait for it.
    waits: bool,
    /// Where a line was read byte by byte.
    ahead: Option<u8>,
}

/// What opening a file in place is to do before it is read.
pub trait Opened {
    fn open(&mut self, name: &[u8], file: i32) -> bool;
    fn end(&mut self) -> bool;
    /// Before a read that may take time.
    fn wait(&mut self);
}

impl<'a> Input<'a> {
    pub fn new(settings: &'a Settings, files: &'a [&'a [u8]]) -> Input<'a> {
        let name: &[u8] = files.first().copied().unwrap_or(b"-");
        let files = files.iter().copied();
        Input {
            settings,
            files,
            current: None,
            line_number: 0,
            name: name.into(),
            status: 0,
            begun: false,
            dead: false,
        }
    }

    /// Opens the next file that can be; false when there is none.
    fn advance(&mut self, opened: &mut impl Opened) -> bool {
        for name in self.files.by_ref() {
            let in_place = self.settings.in_place.is_some();
            let followed =
                if self.settings.follow && (in_place || name != b"-") { followed(name) } else { Ok(name.to_vec()) };
            let name = match followed {
                Ok(name) => name,
                Err(message) => {
                    opened.wait();
                    report::error(message);
                    self.status = PANIC;
                    self.dead = true;
                    return false;
                }
            };
            let (stream, file) = if name == b"-" && !in_place {
                (In::new(STDIN), None)
            } else {
                match open(&name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
                    Ok(file) => (In::new(file.raw()), Some(file)),
                    Err(e) => {
                        opened.wait();
                        report::error(format_args!("can't read {}: {e}", String::from_utf8_lossy(&name)));
                        self.status = BAD_INPUT;
                        continue;
                    }
                }
            };
            if !opened.open(&name, stream.fd()) {
                self.status = PANIC;
                continue;
            }
            let waits = !fstat(stream.fd()).is_ok_and(|s| s.kind == FileType::Regular);
            self.current = Some(Current { name: name.into(), stream, file, waits, ahead: None });
            self.begun = true;
            return true;
        }
        false
    }

    fn close(&mut self, opened: &mut impl Opened) {
        self.current = None;
        if !opened.end() {
            self.status = PANIC;
            self.dead = true;
        }
    }

    /// Whether the file at hand has more.
    fn has_more(&mut self, opened: &mut impl Opened) -> bool {
        let unbuffered = self.settings.unbuffered;
        let Some(current) = &mut self.current else { return false };
        if current.ahead.is_some() || current.stream.buffered() > 0 {
            return true;
        }
        if current.waits {
            opened.wait();
        }
        let more = if unbuffered && current.waits {
            let mut byte = [0];
            read(current.stream.fd(), &mut byte).map(|n| {
                current.ahead = (n > 0).then_some(byte[0]);
                n > 0
            })
        } else {
            current.stream.fill().map(|block| !block.is_empty())
        };
        match more {
            Ok(more) => more,
            Err(e) => {
                self.failed(e, opened);
                false
            }
        }
    }

    fn failed(&mut self, e: Errno, opened: &mut impl Opened) {
        opened.wait();
        let name = self.current.as_ref().map_or(&b""[..], |current| &current.name);
        let name = if name == b"-" { b"stdin" } else { name };
        report::error(format_args!("read error on {}: {e}", String::from_utf8_lossy(name)));
        self.status = PANIC;
    }

    /// Whether the line at hand is the last one: of its file, where files are separate.
    pub fn is_last(&mut self, opened: &mut impl Opened) -> bool {
        loop {
            if self.has_more(opened) {
                return false;
            }
            if self.settings.separate || self.status == PANIC {
                return true;
            }
            self.close(opened);
            if !self.advance(opened) {
                return true;
            }
        }
    }

    /// Reads a line, behind what `line` holds already; false at the end.
    pub fn read(&mut self, line: &mut Line, opened: &mut impl Opened) -> bool {
        while !self.has_more(opened) {
            if self.current.is_some() {
                self.close(opened);
            }
            if self.dead || self.status == PANIC && self.settings.in_place.is_none() || !self.advance(opened) {
                return false;
            }
        }
        if self.begun && self.settings.separate {
            self.line_number = 0;
        }
        self.line_number += 1;
        let (end, unbuffered) = (self.settings.end, self.settings.unbuffered);
        let Some(current) = &mut self.current else { return false };
        self.name = current.name.clone();
        let read = if unbuffered && current.waits {
            byte_by_byte(current, end, &mut line.text)
        } else {
            current.stream.read_until(end, &mut line.text).map(drop)
        };
        if let Err(e) = read {
            self.failed(e, opened);
        }
        line.ended = line.text.last() == Some(&end);
        if line.ended {
            line.text.pop();
        }
        true
    }

    /// No more is read: what was read ahead is given back to whoever reads on.
    pub fn quit(&mut self, opened: &mut impl Opened) {
        if let Some(current) = &self.current
            && current.file.is_none()
            && current.stream.buffered() > 0
        {
            let _ = seek(STDIN, Seek::Current(-(current.stream.buffered() as i64)));
        }
        self.close(opened);
    }
}

/// The links in a chain before it is a loop, as in the kernel.
const MAX_LINKS: usize = 40;

/// What a symbolic link leads to in the end.
fn followed(name: &[u8]) -> Result<Vec<u8>, String> {
    let mut at = name.to_vec();
    for _ in 0..MAX_LINKS {
        match lstat(&at) {
            Ok(s) if s.kind != FileType::Symlink => return Ok(at),
            Ok(_) => {}
            Err(e) => return Err(format!("couldn't readlink {}: {e}", String::from_utf8_lossy(&at))),
        }
        let Ok(to) = readlink(&at) else { return Ok(at) };
        at = match memchr::memrchr(b'/', &at) {
            Some(slash) if !to.starts_with(b"/") => [&at[..=slash], &to].concat(),
            _ => to,
        };
    }
    Err(format!("couldn't follow symlink {}: {}", String::from_utf8_lossy(name), Errno::ELOOP))
}

/// A line of a stream of which no more may be taken.
fn byte_by_byte(current: &mut Current, end: u8, line: &mut Vec<u8>) -> Result<(), Errno> {
    loop {
        let byte = match current.ahead.take() {
            Some(byte) => byte,
            None => {
                let mut byte = [0];
                match read(current.stream.fd(), &mut byte) {
                    Ok(0) => return Ok(()),
                    Ok(_) => byte[0],
                    Err(Errno::EINTR) => continue,
                    Err(e) => return Err(e),
                }
            }
        };
        line.push(byte);
        if byte == end {
            return Ok(());
        }
    }
}

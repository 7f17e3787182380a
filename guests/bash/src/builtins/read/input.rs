//! Where the text comes from: no further than the line, because others read on after us.

use super::Request;
use crate::shell::{OwnInput, Shell};
use capsule_sys as sys;

/// The text, without its delimiter.
#[derive(Default)]
pub(super) struct Line {
    pub text: Vec<u8>,
    /// Places of bytes that a backslash quoted, rising.
    quoted: Vec<usize>,
}

impl Line {
    pub fn is_quoted(&self, at: usize) -> bool {
        !self.quoted.is_empty() && self.quoted.binary_search(&at).is_ok()
    }
}

/// How reading ended.
pub(super) enum Ended {
    Delimiter,
    Eof,
    Timeout,
    Error(sys::Errno),
    Signal,
}

impl Shell {
    pub(super) fn read_text(&mut self, request: &Request) -> (Line, Ended) {
        let deadline = request.timeout.map(|ns| sys::clock(sys::Clock::Monotonic).saturating_add(ns));
        let mut source = self.source(request.fd, request.count.is_none() && deadline.is_none());
        let mut line = Line::default();
        let mut escaped = false;
        let ended = loop {
            if request.count.is_some_and(|n| self.count_chars(&line.text) >= n && whole_chars(&line.text, self.utf8)) {
                break Ended::Delimiter;
            }
            if let Some(deadline) = deadline
                && let Err(ended) = self.wait_for_input(request.fd, deadline)
            {
                break ended;
            }
            match source.fill() {
                Ok([]) => break Ended::Eof,
                Ok(block) => {
                    let (used, ended) = take(block, request, &mut line, &mut escaped);
                    source.at += used;
                    if ended {
                        break Ended::Delimiter;
                    }
                }
                Err(sys::Errno::EINTR) => {
                    self.note_signals();
                    // The trap runs, and reading goes on after it.
                    if self.traps.pending() && self.check_signals().is_err() {
                        break Ended::Signal;
                    }
                }
                Err(errno) => break Ended::Error(errno),
            }
        };
        if matches!(ended, Ended::Eof) {
            // An interrupt may have ended whoever wrote.
            self.traps.look_soon();
        }
        self.give_back(source);
        (line, ended)
    }

    fn source(&mut self, fd: i32, blocks: bool) -> Source {
        if blocks && let Some(own) = self.take_own_input(fd) {
            return Source { fd, block: own.block, at: own.at, from: From::Own };
        }
        self.release_input();
        let offset = if blocks { sys::seek(fd, sys::Seek::Current(0)).ok() } else { None };
        Source { fd, block: Vec::new(), at: 0, from: offset.map_or(From::Stream, From::File) }
    }

    fn give_back(&mut self, source: Source) {
        let Source { fd, block, at, from } = source;
        match from {
            From::Own => self.own_input = Some(OwnInput { fd, block, at }),
            From::File(offset) => drop(sys::seek(fd, sys::Seek::Start(offset - (block.len() - at) as u64))),
            From::Stream => {}
        }
    }

    fn wait_for_input(&mut self, fd: i32, deadline: u64) -> Result<(), Ended> {
        loop {
            let left = deadline.saturating_sub(sys::clock(sys::Clock::Monotonic));
            let mut fds = [sys::PollFd { fd, events: sys::POLLIN, revents: 0 }];
            let millis = i32::try_from(left.div_ceil(1_000_000)).unwrap_or(i32::MAX);
            match sys::poll(&mut fds, millis) {
                Ok(0) => return Err(Ended::Timeout),
                Ok(_) => return Ok(()),
                Err(sys::Errno::EINTR) => {
                    self.note_signals();
                    if self.traps.pending() {
                        return Err(Ended::Signal);
                    }
                }
                Err(errno) => return Err(Ended::Error(errno)),
            }
        }
    }

    /// One line from a descriptor, for `select`; None at the end.
    pub(crate) fn read_line_fd(&mut self, fd: i32) -> Option<Vec<u8>> {
        let request = Request { fd, raw: true, ..Request::default() };
        let (line, ended) = self.read_text(&request);
        match ended {
            Ended::Delimiter => Some(line.text),
            _ if !line.text.is_empty() => Some(line.text),
            _ => None,
        }
    }
}

/// Takes what belongs to the line; how many bytes that is, and whether the delimiter was among them.
fn take(block: &[u8], request: &Request, line: &mut Line, escaped: &mut bool) -> (usize, bool) {
    let delimiter = request.delimiter.unwrap_or(b'\n');
    let found = if request.exact { None } else { memchr::memchr(delimiter, block) };
    let whole = &block[..found.unwrap_or(block.len())];
    let plain = !*escaped && (request.raw || memchr::memchr(b'\\', whole).is_none());
    if plain && memchr::memchr(0, whole).is_none() {
        line.text.extend_from_slice(whole);
        return (whole.len() + usize::from(found.is_some()), found.is_some());
    }
    for (i, &b) in block.iter().enumerate() {
        if std::mem::take(escaped) {
            // A backslash and a newline continue the line.
            if b != b'\n' && b != 0 {
                line.quoted.push(line.text.len());
                line.text.push(b);
            }
        } else if b == b'\\' && !request.raw {
            *escaped = true;
        } else if b == delimiter && !request.exact {
            return (i + 1, true);
        } else if b != 0 {
            line.text.push(b);
        }
    }
    (block.len(), false)
}

fn whole_chars(line: &[u8], utf8: bool) -> bool {
    !utf8 || line.utf8_chunks().last().is_none_or(|chunk| chunk.invalid().is_empty() || chunk.invalid().len() > 3)
}

/// Bytes of a descriptor.
struct Source {
    fd: i32,
    block: Vec<u8>,
    at: usize,
    from: From,
}

enum From {
    /// One by one: nothing can be put back.
    Stream,
    /// In blocks, and then the offset is set to the end of the line. Where in the file the block ends.
    File(u64),
    /// In blocks, which stay in the shell.
    Own,
}

/// Most lines are short; the blocks after the first are larger.
const FIRST_BLOCK: usize = 256;
const NEXT_BLOCK: usize = 8192;

impl Source {
    /// What is there and not used yet; empty at the end.
    fn fill(&mut self) -> sys::Result<&[u8]> {
        if self.at == self.block.len() {
            let want = match self.from {
                From::Stream => 1,
                From::File(_) if self.block.is_empty() => FIRST_BLOCK,
                _ => NEXT_BLOCK,
            };
            self.at = 0;
            self.block.resize(want, 0);
            let read = match self.from {
                From::File(offset) => sys::pread(self.fd, &mut self.block, offset),
                _ => sys::read(self.fd, &mut self.block),
            };
            self.block.truncate(*read.as_ref().unwrap_or(&0));
            if let From::File(offset) = &mut self.from {
                *offset += self.block.len() as u64;
            }
            read?;
        }
        Ok(&self.block[self.at..])
    }
}

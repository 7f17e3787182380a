//! A descriptor that can be looked ahead in.

use capsule_sys::{Errno, Fd, FileType, In, Result, Seek, fstat, read, seek};
use std::io;

/// What is asked for in such pieces is read without a copy.
const LARGE: usize = 1 << 14;

pub struct Source {
    input: In,
    /// Bytes looked at and not yet used, in front of the input's.
    ahead: Vec<u8>,
    at: usize,
    taken: u64,
    /// The error behind an `io::Error`, which cannot carry it.
    errno: Option<Errno>,
    /// Kept open as long as it is read.
    _file: Option<Fd>,
}

impl Source {
    pub fn new(fd: i32, file: Option<Fd>) -> Source {
        Source { input: In::new(fd), ahead: Vec::new(), at: 0, taken: 0, errno: None, _file: file }
    }

    /// Up to `count` bytes without using them up; fewer only at the end.
    pub fn look(&mut self, count: usize) -> Result<&[u8]> {
        self.ahead.drain(..self.at);
        self.at = 0;
        while self.ahead.len() < count {
            let block = self.input.fill()?;
            if block.is_empty() {
                break;
            }
            let n = block.len().min(count - self.ahead.len());
            self.ahead.extend_from_slice(&block[..n]);
            self.input.consume(n);
        }
        Ok(&self.ahead[..count.min(self.ahead.len())])
    }

    /// The bytes at hand; none at the end.
    pub fn fill(&mut self) -> Result<&[u8]> {
        if self.at < self.ahead.len() {
            return Ok(&self.ahead[self.at..]);
        }
        self.input.fill()
    }

    pub fn consume(&mut self, count: usize) {
        self.taken += count as u64;
        if self.at < self.ahead.len() {
            self.at += count;
        } else {
            self.input.consume(count);
        }
    }

    /// Moves on in a file when much is to be left out, never beyond its end: how far.
    pub fn pass_over(&mut self, count: u64) -> u64 {
        let at_hand = self.input.buffered() as u64;
        if self.at < self.ahead.len() || count < at_hand.saturating_add(1 << 14) {
            return 0;
        }
        let fd = self.input.fd();
        let Ok(here) = seek(fd, Seek::Current(0)) else { return 0 };
        let target = here.saturating_add(count - at_hand);
        let is_file = fstat(fd).is_ok_and(|s| s.kind == FileType::Regular && s.size >= target);
        if !is_file || seek(fd, Seek::Start(target)).is_err() {
            return 0;
        }
        self.input.consume(at_hand as usize);
        self.taken += count;
        count
    }

    /// Some of the bytes, without a copy where none are at hand; none at the end.
    pub fn read_into(&mut self, buf: &mut [u8]) -> Result<usize> {
        let nothing = self.at >= self.ahead.len() && self.input.buffered() == 0;
        if !nothing || buf.len() < LARGE {
            let block = self.fill()?;
            let n = block.len().min(buf.len());
            buf[..n].copy_from_slice(&block[..n]);
            self.consume(n);
            return Ok(n);
        }
        let n = loop {
            match read(self.input.fd(), buf) {
                Err(Errno::EINTR) => {}
                other => break other?,
            }
        };
        self.taken += n as u64;
        Ok(n)
    }

    pub fn byte(&mut self) -> Result<Option<u8>> {
        let byte = self.fill()?.first().copied();
        if byte.is_some() {
            self.consume(1);
        }
        Ok(byte)
    }

    pub fn fd(&self) -> i32 {
        self.input.fd()
    }

    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The error that reading ended with.
    pub fn errno(&self) -> Option<Errno> {
        self.errno
    }
}

impl io::Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.read_into(buf).map_err(|e| {
            self.errno = Some(e);
            io::Error::other("read")
        })
    }
}

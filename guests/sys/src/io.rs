//! Buffers: every command reads and writes blocks.

use crate::{Errno, Result, fd};
use core::fmt;

/// The size of a block: what a pipe holds.
pub const BLOCK: usize = 64 * 1024;

/// A buffered writer. It keeps the first error, after which it drops what it is given; [`Out::flush`] tells it.
/// Nothing is written when it is dropped: a forked child has a copy of the buffer and must not write it too.
pub struct Out {
    fd: i32,
    buf: Vec<u8>,
    error: Option<Errno>,
    /// How much the kernel was given.
    pushed: u64,
    /// Whole lines are handed on at once.
    lines: bool,
}

/// What `stdbuf -oL` or `-o0` asked for; looked up once.
fn by_lines() -> bool {
    static ASKED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ASKED.get_or_init(|| matches!(crate::getenv(b"_STDBUF_O").as_deref(), Some(b"L" | b"0")))
}

impl Out {
    pub fn new(fd: i32) -> Out {
        Out { fd, buf: Vec::new(), error: None, pushed: 0, lines: false }
    }

    pub fn stdout() -> Out {
        Out { lines: by_lines(), ..Out::new(fd::STDOUT) }
    }

    pub fn fd(&self) -> i32 {
        self.fd
    }

    /// How many bytes were written.
    pub fn position(&self) -> u64 {
        self.pushed + self.buf.len() as u64
    }

    /// The first error, if there was one.
    pub fn error(&self) -> Option<Errno> {
        self.error
    }

    /// How many bytes are not handed on yet.
    pub fn buffered(&self) -> usize {
        self.buf.len()
    }

    /// The first error, which is told and over with.
    pub fn take_error(&mut self) -> Option<Errno> {
        self.error.take()
    }

    #[inline]
    pub fn write(&mut self, bytes: &[u8]) {
        if self.lines || self.buf.len() + bytes.len() > BLOCK {
            return self.write_out(bytes);
        }
        self.buf.extend_from_slice(bytes);
    }

    /// What does not fit, or may have to be handed on at once.
    fn write_out(&mut self, bytes: &[u8]) {
        if self.buf.len() + bytes.len() > BLOCK {
            self.push();
            // What is as large as a block gains nothing from a copy.
            if bytes.len() >= BLOCK {
                self.pushed += bytes.len() as u64;
                if self.error.is_none() {
                    self.error = fd::write_all(self.fd, bytes).err();
                }
                return;
            }
        }
        self.buf.extend_from_slice(bytes);
        if self.lines && bytes.contains(&b'\n') {
            self.push();
        }
    }

    #[inline]
    pub fn byte(&mut self, byte: u8) {
        if self.lines || self.buf.len() == BLOCK {
            return self.write_out(&[byte]);
        }
        self.buf.push(byte);
    }

    /// Hands what is buffered to the kernel.
    fn push(&mut self) {
        if self.error.is_none() && !self.buf.is_empty() {
            self.error = fd::write_all(self.fd, &self.buf).err();
        }
        self.pushed += self.buf.len() as u64;
        self.buf.clear();
    }

    /// Writes what is buffered; the first error there ever was.
    pub fn flush(&mut self) -> Result<()> {
        self.push();
        self.error.map_or(Ok(()), Err)
    }
}

impl fmt::Write for Out {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.write(s.as_bytes());
        Ok(())
    }
}

/// A block reader.
pub struct In {
    fd: i32,
    buf: Vec<u8>,
    at: usize,
    filled: usize,
}

impl In {
    pub fn new(fd: i32) -> In {
        In { fd, buf: Vec::new(), at: 0, filled: 0 }
    }

    pub fn fd(&self) -> i32 {
        self.fd
    }

    /// The bytes at hand, reading more when there are none; empty is the end.
    pub fn fill(&mut self) -> Result<&[u8]> {
        if self.at == self.filled {
            if self.buf.is_empty() {
                self.buf.resize(BLOCK, 0);
            }
            self.at = 0;
            self.filled = 0;
            self.filled = loop {
                match fd::read(self.fd, &mut self.buf) {
                    Err(Errno::EINTR) => {}
                    other => break other?,
                }
            };
        }
        Ok(&self.buf[self.at..self.filled])
    }

    /// Marks bytes of [`In::fill`] as used.
    pub fn consume(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.filled);
    }

    /// How many bytes are read and not used.
    pub fn buffered(&self) -> usize {
        self.filled - self.at
    }

    /// Appends bytes up to and with `end` to `line`; false at the end of the input with nothing read.
    pub fn read_until(&mut self, end: u8, line: &mut Vec<u8>) -> Result<bool> {
        let mut any = false;
        loop {
            let block = self.fill()?;
            if block.is_empty() {
                return Ok(any);
            }
            any = true;
            let found = memchr::memchr(end, block);
            let n = found.map_or(block.len(), |i| i + 1);
            line.extend_from_slice(&block[..n]);
            self.consume(n);
            if found.is_some() {
                return Ok(true);
            }
        }
    }

    /// All the rest.
    pub fn read_to_end(&mut self, all: &mut Vec<u8>) -> Result<()> {
        loop {
            let block = self.fill()?;
            if block.is_empty() {
                return Ok(());
            }
            all.extend_from_slice(block);
            let n = block.len();
            self.consume(n);
        }
    }
}

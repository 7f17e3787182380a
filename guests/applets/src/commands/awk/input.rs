//! Reading records.

use capsule_regex::Regex;
use capsule_sys::{Errno, POLLIN, PollFd, poll, read};
use std::rc::Rc;

/// What ends a record.
#[derive(Clone)]
pub enum Separator {
    Byte(u8),
    /// Empty lines.
    Paragraph,
    Regex(Rc<Regex>),
    /// A line end outside of quotes.
    Csv,
}

/// The bytes a read asks for.
const BLOCK: usize = 64 * 1024;

pub struct Reader {
    fd: i32,
    buf: Vec<u8>,
    at: usize,
    end: usize,
    ended: bool,
    /// Nothing was read before `buf[at]`: `^` in a separator matches there.
    first: bool,
    /// Milliseconds a read may wait.
    pub timeout: Option<i32>,
}

/// How reading a record went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Got {
    Record,
    End,
}

impl Reader {
    pub fn new(fd: i32) -> Reader {
        Reader { fd, buf: Vec::new(), at: 0, end: 0, ended: false, first: true, timeout: None }
    }

    /// Whether the next record can be had without reading, as far as that is known.
    pub fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// More bytes behind those at hand; false at the end.
    fn more(&mut self) -> Result<bool, Errno> {
        if self.ended {
            return Ok(false);
        }
        if self.at > 0 && (self.at == self.end || self.at >= self.buf.len() / 2) {
            self.buf.copy_within(self.at..self.end, 0);
            self.end -= self.at;
            self.at = 0;
        }
        if self.buf.len() - self.end < BLOCK / 2 {
            let size = (self.buf.len() * 2).max(BLOCK);
            self.buf.resize(size, 0);
        }
        if let Some(timeout) = self.timeout {
            let mut fds = [PollFd { fd: self.fd, events: POLLIN, revents: 0 }];
            if poll(&mut fds, timeout)? == 0 {
                return Err(Errno::ETIMEDOUT);
            }
        }
        loop {
            match read(self.fd, &mut self.buf[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(n) => {
                    self.end += n;
                    return Ok(true);
                }
                Err(Errno::EINTR) => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// The next record into `out`, and what ended it into `mark`.
    pub fn record(&mut self, by: &Separator, out: &mut Vec<u8>, mark: &mut Vec<u8>) -> Result<Got, Errno> {
        mark.clear();
        let got = match by {
            Separator::Byte(byte) => self.until_byte(*byte, out, mark),
            Separator::Paragraph => self.paragraph(out, mark),
            Separator::Regex(regex) => self.until_match(regex, out, mark),
            Separator::Csv => self.line_outside_quotes(out, mark),
        };
        if got == Ok(Got::Record) {
            self.first = false;
        }
        got
    }

    #[inline]
    fn until_byte(&mut self, byte: u8, out: &mut Vec<u8>, mark: &mut Vec<u8>) -> Result<Got, Errno> {
        let mut seen = 0;
        loop {
            if let Some(n) = memchr::memchr(byte, &self.buf[self.at + seen..self.end]) {
                let end = self.at + seen + n;
                out.extend_from_slice(&self.buf[self.at..end]);
                mark.push(byte);
                self.at = end + 1;
                return Ok(Got::Record);
            }
            seen = self.end - self.at;
            if !self.more()? {
                return Ok(self.rest(out));
            }
        }
    }

    /// What is left as the last record.
    fn rest(&mut self, out: &mut Vec<u8>) -> Got {
        if self.at == self.end {
            return Got::End;
        }
        out.extend_from_slice(&self.buf[self.at..self.end]);
        self.at = self.end;
        Got::Record
    }

    fn paragraph(&mut self, out: &mut Vec<u8>, mark: &mut Vec<u8>) -> Result<Got, Errno> {
        // Newlines in front do not count.
        loop {
            while self.at < self.end && self.buf[self.at] == b'\n' {
                self.at += 1;
            }
            if self.at < self.end {
                break;
            }
            if !self.more()? {
                return Ok(Got::End);
            }
        }
        let mut seen = 0;
        loop {
            let text = &self.buf[self.at..self.end];
            let found = memchr::memchr_iter(b'\n', &text[seen..])
                .map(|n| seen + n)
                .find(|&n| text.get(n + 1).is_none_or(|b| *b == b'\n'));
            match found {
                Some(n) => {
                    let run = text[n..].iter().take_while(|b| **b == b'\n').count();
                    if n + run == text.len() && self.more()? {
                        seen = n;
                        continue;
                    }
                    let text = &self.buf[self.at..self.end];
                    out.extend_from_slice(&text[..n]);
                    mark.extend_from_slice(&text[n..n + run]);
                    self.at += n + run;
                    return Ok(Got::Record);
                }
                None => {
                    seen = text.len();
                    if !self.more()? {
                        return Ok(self.rest(out));
                    }
                }
            }
        }
    }

    fn until_match(&mut self, regex: &Regex, out: &mut Vec<u8>, mark: &mut Vec<u8>) -> Result<Got, Errno> {
        if self.at == self.end && !self.more()? {
            return Ok(Got::End);
        }
        loop {
            let text = &self.buf[self.at..self.end];
            let mut from = 0;
            // A separator that is empty separates nothing.
            let found = loop {
                match regex.find_at(text, from, !self.first) {
                    Some((start, end)) if start == end => {
                        if start >= text.len() {
                            break None;
                        }
                        from = start + 1;
                    }
                    other => break other,
                }
            };
            match found {
                // What reaches the end of the bytes at hand may go on behind it.
                Some((start, end)) if end < text.len() || self.ended => {
                    out.extend_from_slice(&text[..start]);
                    mark.extend_from_slice(&text[start..end]);
                    self.at += end;
                    return Ok(Got::Record);
                }
                _ => {
                    // A terminal or a pipe gives line by line: a match at its end is taken as it is when no more comes.
                    if !self.more()? && found.is_none() {
                        // The newline at the very end is no part of the last record.
                        return Ok(self.rest(out));
                    }
                }
            }
        }
    }

    fn line_outside_quotes(&mut self, out: &mut Vec<u8>, mark: &mut Vec<u8>) -> Result<Got, Errno> {
        let (mut seen, mut quoted) = (0, false);
        loop {
            let text = &self.buf[self.at..self.end];
            while let Some(n) = memchr::memchr2(b'"', b'\n', &text[seen..]) {
                seen += n + 1;
                if text[seen - 1] == b'"' {
                    quoted = !quoted;
                } else if !quoted {
                    let end = seen - 1;
                    let end = if text[..end].ends_with(b"\r") { end - 1 } else { end };
                    out.extend_from_slice(&text[..end]);
                    mark.extend_from_slice(&text[end..seen]);
                    self.at += seen;
                    return Ok(Got::Record);
                }
            }
            seen = text.len();
            if !self.more()? {
                return Ok(self.rest(out));
            }
        }
    }
}

//! The heads of answers, byte for byte. hyper tells names in lower case and sorted by name; whoever shows a head to
//! people wants it as the server wrote it.

use crate::dial::Connection;
use parking_lot::Mutex;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How much of an answer's head is read, with all that comes before it (`100 Continue` and its like).
pub(crate) const HEAD_BYTES: usize = 256 * 1024;

/// What a connection has received of heads; the copies share it.
#[derive(Clone, Default)]
pub(crate) struct Heads(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// Where the head begins that is being received.
    start: usize,
    /// Whether a head is still to come.
    open: bool,
}

impl Heads {
    /// Another answer is to come.
    pub fn expect(&self) {
        *self.0.lock() = State { open: true, ..State::default() };
    }

    /// The heads of the answer, those before the last one too.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().bytes)
    }

    fn push(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock();
        if !state.open {
            return Ok(());
        }
        // A head's end may lie across two pieces.
        let mut from = state.bytes.len().saturating_sub(3).max(state.start);
        state.bytes.extend_from_slice(bytes);
        while let Some(end) = end_of_head(&state.bytes, state.start, from) {
            if is_interim(&state.bytes[state.start..end]) {
                (state.start, from) = (end, end);
                continue;
            }
            state.bytes.truncate(end);
            state.open = false;
            return Ok(());
        }
        if state.bytes.len() > HEAD_BYTES {
            state.open = false;
            state.bytes.clear();
            return Err(io::Error::other("the head of the answer is too long"));
        }
        Ok(())
    }
}

/// Behind the empty line of the head that begins at `start`; looked for from `from` on.
fn end_of_head(bytes: &[u8], start: usize, from: usize) -> Option<usize> {
    // Empty lines in front of a head are no end.
    let first = start + bytes[start..].iter().position(|b| !b"\r\n".contains(b))?;
    let mut at = from.max(first);
    while let Some(newline) = bytes[at..].iter().position(|&b| b == b'\n') {
        at += newline + 1;
        match &bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// `HTTP/1.1 1xx`, but for the one after which no other head comes.
fn is_interim(head: &[u8]) -> bool {
    let status = head.trim_ascii_start().split(|&b| b == b' ').nth(1).unwrap_or_default();
    status.len() >= 3 && status[0] == b'1' && !status.starts_with(b"101")
}

/// The headers of the last head, in order and with the names as they were written.
pub(crate) fn headers(heads: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut last = Vec::new();
    for line in heads.split(|&b| b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"HTTP/") {
            last.clear();
        } else if let Some(at) = line.iter().position(|&b| b == b':') {
            last.push((String::from_utf8_lossy(&line[..at]).into_owned(), line[at + 1..].trim_ascii().to_vec()));
        }
    }
    last
}

/// A connection whose heads are kept.
pub(crate) struct Tap {
    pub connection: Connection,
    pub heads: Heads,
}

impl AsyncRead for Tap {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, into: &mut ReadBuf) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.connection).poll_read(context, into))?;
        Poll::Ready(self.heads.push(&into.filled()[before..]))
    }
}

impl AsyncWrite for Tap {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_end_wherever_pieces_do() {
        let whole = b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nx-A:1\nB: 2 \r\n\r\nbody\r\n\r\n";
        let end = whole.len() - b"body\r\n\r\n".len();
        for size in 1..whole.len() {
            let heads = Heads::default();
            heads.expect();
            for piece in whole.chunks(size) {
                heads.push(piece).expect("a short head");
            }
            let got = heads.take();
            assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(&whole[..end]), "pieces of {size}");
            assert_eq!(headers(&got), [("x-A".to_owned(), b"1".to_vec()), ("B".to_owned(), b"2".to_vec())]);
        }
    }

    #[test]
    fn heads_have_an_end() {
        let heads = Heads::default();
        heads.expect();
        let flood = b"HTTP/1.1 100 Continue\r\n\r\n";
        let taken = (0..HEAD_BYTES).take_while(|_| heads.push(flood).is_ok()).count();
        assert!(taken * flood.len() <= HEAD_BYTES, "{taken}");
        // Nobody waits for a head: what comes is a body.
        assert!((0..HEAD_BYTES).all(|_| heads.push(flood).is_ok()));
    }
}

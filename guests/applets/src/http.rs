//! What curl and wget share: sending a request with its body, reading an answer, and what failed in curl's numbers.

use crate::commands::curl::body::{Piece, open_file};
use capsule_sys::http::{Body, Exchange, Failure, Fault, Head, Request};
use capsule_sys::{Clock, Errno, clock, read, write_all};
use std::cell::RefCell;
use std::io;

/// Bodies up to this size go with the request; others follow it piece by piece.
const INSIDE: u64 = 1 << 20;

/// Why a transfer ended, as curl tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// curl's exit status.
    pub status: u8,
    pub message: String,
    /// What the policy forbids is told even to those who want silence: nobody could guess it.
    pub policy: bool,
    /// Whether another attempt may do better.
    pub transient: bool,
    pub refused: bool,
}

impl Problem {
    pub fn new(status: u8, message: impl Into<String>) -> Problem {
        Problem { status, message: message.into(), policy: false, transient: false, refused: false }
    }

    pub fn of(failure: &Failure) -> Problem {
        let message = failure.message.clone();
        let status = match failure.fault {
            Fault::BadUrl => 3,
            Fault::BadRequest => 43,
            Fault::Off | Fault::Denied | Fault::Unresolved => 6,
            Fault::DeniedAddress | Fault::Connect | Fault::Requests => 7,
            Fault::Timeout | Fault::ConnectTimeout => 28,
            Fault::Tls => 35,
            Fault::Certificate => 60,
            Fault::TooLarge => 63,
            Fault::Redirects => 47,
            Fault::Protocol => 52,
            Fault::Cut => 18,
            Fault::Broken | Fault::Host => 56,
        };
        Problem {
            status,
            message: capital(message),
            policy: matches!(failure.fault, Fault::Off | Fault::Denied | Fault::DeniedAddress | Fault::Requests),
            transient: matches!(failure.fault, Fault::Timeout | Fault::ConnectTimeout),
            refused: failure.fault == Fault::Connect,
        }
    }
}

fn capital(text: String) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first)
            if text.starts_with("could not") || text.starts_with("failed to") || text.starts_with("operation") =>
        {
            first.to_ascii_uppercase().to_string() + letters.as_str()
        }
        _ => text,
    }
}

/// Milliseconds on a clock that only goes forward.
pub fn now_ms() -> u64 {
    clock(Clock::Monotonic) / 1_000_000
}

/// Sends a request and its body, and waits for the head of the answer. How many bytes of the body were sent; `each` is
/// told what they were.
pub fn send(
    mut request: Request,
    pieces: Option<&[Piece]>,
    each: &mut dyn FnMut(&[u8]),
) -> Result<(Exchange, Head, u64), Problem> {
    let length = pieces.map(|all| all.iter().map(Piece::length).try_fold(0u64, |sum, one| Some(sum + one?)));
    let streams = match (pieces, length) {
        (None, _) => None,
        (Some([]), _) => {
            request.body = Body::Bytes(Vec::new());
            None
        }
        (Some([Piece::Bytes(bytes)]), _) if bytes.len() as u64 <= INSIDE => {
            request.body = Body::Bytes(bytes.clone());
            None
        }
        (Some(pieces), length) => {
            request.body = Body::Stream { length: length.flatten() };
            Some(pieces)
        }
    };
    let mut sent = 0;
    if let Body::Bytes(bytes) = &request.body {
        sent = bytes.len() as u64;
        each(bytes);
    }
    let exchange = Exchange::begin(&request).map_err(|errno| match errno {
        Errno::ENOSYS => Problem { policy: true, ..Problem::new(7, "there is no network outside of the sandbox") },
        Errno::E2BIG => Problem::new(3, "the request is too long"),
        errno => Problem::new(2, errno.text()),
    })?;
    if let Some(pieces) = streams {
        match stream(&exchange, pieces, &mut |bytes| {
            sent += bytes.len() as u64;
            each(bytes);
        }) {
            Ok(()) => {
                let _ = exchange.finish();
            }
            // The server has answered, or the request failed: the head tells.
            Err(Stop::Taken) => {}
            Err(Stop::Input) => {
                return Err(Problem::new(26, "Failed to open/read local data from file/application"));
            }
        }
    }
    let head = exchange.head().map_err(|failure| Problem::of(&failure))?;
    Ok((exchange, head, sent))
}

enum Stop {
    Taken,
    Input,
}

fn stream(exchange: &Exchange, pieces: &[Piece], each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => push(exchange, bytes, each)?,
            Piece::File { name, length } => {
                let file = open_file(name).map_err(|_| Stop::Input)?;
                let mut left = length.unwrap_or(u64::MAX);
                let mut buf = vec![0; 64 << 10];
                while left > 0 {
                    let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    match read(file.raw(), &mut buf[..most]) {
                        Ok(0) if length.is_some() => return Err(Stop::Input),
                        Ok(0) => break,
                        Ok(n) => {
                            push(exchange, &buf[..n], each)?;
                            left = left.saturating_sub(n as u64);
                        }
                        Err(Errno::EINTR) => {}
                        Err(_) => return Err(Stop::Input),
                    }
                }
            }
        }
    }
    Ok(())
}

fn push(exchange: &Exchange, bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
    write_all(exchange.fd(), bytes).map_err(|_| Stop::Taken)?;
    each(bytes);
    Ok(())
}

/// The body of an answer as decoders read it; what failed is kept beside it.
pub struct Reading<'a> {
    exchange: &'a Exchange,
    failed: &'a RefCell<Option<Failure>>,
    received: &'a RefCell<u64>,
}

impl<'a> Reading<'a> {
    pub fn new(
        exchange: &'a Exchange,
        failed: &'a RefCell<Option<Failure>>,
        received: &'a RefCell<u64>,
    ) -> Reading<'a> {
        Reading { exchange, failed, received }
    }
}

impl io::Read for Reading<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.exchange.read(buf) {
            Ok(n) => {
                *self.received.borrow_mut() += n as u64;
                Ok(n)
            }
            Err(failure) => {
                *self.failed.borrow_mut() = Some(failure);
                Err(io::Error::other("the connection failed"))
            }
        }
    }
}

pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0u32, |n, &b| n << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { letter as char } else { '=' });
        }
    }
    out
}

/// `filename` of a `Content-Disposition`, without folders: a server must not choose where a file goes.
pub fn disposition(value: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(value).into_owned();
    let at = text.to_ascii_lowercase().find("filename=")?;
    let rest = &text[at + "filename=".len()..];
    let name = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => rest.split(';').next().unwrap_or_default().trim(),
    };
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let bad = name.is_empty() || name == "." || name == ".." || name.chars().any(char::is_control);
    (!bad).then(|| name.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_servers_are_only_names() {
        let name = |text: &str| disposition(text.as_bytes()).map(|n| String::from_utf8_lossy(&n).into_owned());
        assert_eq!(name("attachment; filename=\"a.txt\"").as_deref(), Some("a.txt"));
        assert_eq!(name("attachment; filename=../../etc/passwd").as_deref(), Some("passwd"));
        assert_eq!(name("attachment; filename=\"C:\\x\\y\"").as_deref(), Some("y"));
        assert_eq!(name("attachment; filename=\"..\""), None);
        assert_eq!(name("inline"), None);
    }

    #[test]
    fn letters() {
        assert_eq!(base64(b"user:pass"), "dXNlcjpwYXNz");
        assert_eq!(base64(b"a"), "YQ==");
    }
}

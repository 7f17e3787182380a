//! HTTP through the capsule door: what a guest asks for, the head of the answer, and why there is none. A connection of
//! bytes is asked for in the same way.

use crate::wire::{Reader, Short, Writer};
use alloc::string::String;
use alloc::vec::Vec;

/// The longest request, with the body that is inside it; longer bodies are streamed.
pub const MAX_REQUEST: usize = 4 << 20;
/// The most headers of a request.
pub const MAX_HEADERS: u32 = 256;

/// The method of a connection of bytes. HTTP's own is refused, so that the two cannot be taken for each other.
const CONNECT: &[u8] = b"CONNECT";

pub type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// The argument of `http_open`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    pub method: Vec<u8>,
    pub url: Vec<u8>,
    pub headers: Headers,
    pub body: Body,
    /// How many redirects are followed before the answer is told; each is checked as a request is.
    pub redirects: u32,
    /// For the whole exchange and for connecting; 0 leaves it to the session's limits, which hold in any case.
    pub timeout_ms: u64,
    pub connect_timeout_ms: u64,
}

/// The body of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Body {
    #[default]
    Empty,
    Bytes(Vec<u8>),
    /// Written to the descriptor until `http_finish`; with its length, if that is known.
    Stream {
        length: Option<u64>,
    },
}

impl Request {
    /// A connection of bytes to `tcp://host:port`: what is written goes out, what comes in is read. Its head has nothing in
    /// it but the address, and tells that it is made; `http_finish` ends what is sent.
    pub fn connection(host: &[u8], port: u16) -> Request {
        // An address of the sixth version is told from its port by brackets.
        let (open, close) = if host.contains(&b':') { (&b"["[..], &b"]"[..]) } else { (&b""[..], &b""[..]) };
        let url = [b"tcp://", open, host, close, b":", alloc::format!("{port}").as_bytes()].concat();
        Request { method: CONNECT.to_vec(), url, body: Body::Stream { length: None }, ..Request::default() }
    }

    pub fn is_connection(&self) -> bool {
        self.method == CONNECT && matches!(self.body, Body::Stream { .. })
    }

    pub fn to_wire(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.bytes(&self.method).bytes(&self.url);
        write_headers(&mut w, &self.headers);
        match &self.body {
            Body::Empty => w.u32(0),
            Body::Bytes(bytes) => w.u32(1).bytes(bytes),
            Body::Stream { length: None } => w.u32(2),
            Body::Stream { length: Some(length) } => w.u32(3).u64(*length),
        };
        w.u32(self.redirects).u64(self.timeout_ms).u64(self.connect_timeout_ms);
        w.finish()
    }

    pub fn from_wire(bytes: &[u8]) -> Result<Request, Short> {
        let mut r = Reader::new(bytes);
        let (method, url) = (r.bytes()?.to_vec(), r.bytes()?.to_vec());
        let headers = read_headers(&mut r)?;
        let body = match r.u32()? {
            0 => Body::Empty,
            1 => Body::Bytes(r.bytes()?.to_vec()),
            2 => Body::Stream { length: None },
            3 => Body::Stream { length: Some(r.u64()?) },
            _ => return Err(Short),
        };
        let request = Request {
            method,
            url,
            headers,
            body,
            redirects: r.u32()?,
            timeout_ms: r.u64()?,
            connect_timeout_ms: r.u64()?,
        };
        if r.is_empty() { Ok(request) } else { Err(Short) }
    }
}

/// What `http_head` tells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Head {
    pub status: u32,
    /// 10 or 11.
    pub version: u32,
    pub reason: Vec<u8>,
    /// Where it came from, after redirects.
    pub url: Vec<u8>,
    /// The address that was dialled, and its port.
    pub address: Vec<u8>,
    pub port: u32,
    /// Microseconds from the start until the name was resolved, the connection made, and TLS agreed on; all zero over a
    /// connection that was there already.
    pub resolved_us: u64,
    pub connected_us: u64,
    pub secured_us: u64,
    /// In order, with the names as the server wrote them.
    pub headers: Headers,
    /// The head byte for byte, and in front of it those that said only that there is more to come.
    pub raw: Vec<u8>,
}

impl Head {
    pub fn to_wire(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.u32(self.status).u32(self.version).bytes(&self.reason).bytes(&self.url).bytes(&self.address).u32(self.port);
        w.u64(self.resolved_us).u64(self.connected_us).u64(self.secured_us);
        write_headers(&mut w, &self.headers);
        w.bytes(&self.raw);
        w.finish()
    }

    pub fn from_wire(bytes: &[u8]) -> Result<Head, Short> {
        let mut r = Reader::new(bytes);
        Ok(Head {
            status: r.u32()?,
            version: r.u32()?,
            reason: r.bytes()?.to_vec(),
            url: r.bytes()?.to_vec(),
            address: r.bytes()?.to_vec(),
            port: r.u32()?,
            resolved_us: r.u64()?,
            connected_us: r.u64()?,
            secured_us: r.u64()?,
            headers: read_headers(&mut r)?,
            raw: r.bytes()?.to_vec(),
        })
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|h| h.0.eq_ignore_ascii_case(name.as_bytes())).map(|h| h.1.as_slice())
    }
}

/// Why there is no answer, or no more of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Fault {
    /// The session has no network.
    Off = 1,
    BadUrl = 2,
    BadRequest = 3,
    /// The policy does not name the host.
    Denied = 4,
    /// The host has an address that is refused.
    DeniedAddress = 5,
    Unresolved = 6,
    Connect = 7,
    Tls = 8,
    Certificate = 9,
    Timeout = 10,
    ConnectTimeout = 11,
    /// A limit of the session on bytes.
    TooLarge = 12,
    /// A limit of the session on the number of requests.
    Requests = 13,
    Redirects = 14,
    /// The server closed the connection, or sent something else than HTTP.
    Protocol = 15,
    /// The connection broke.
    Broken = 16,
    /// The answer ended before its end.
    Cut = 17,
    /// Something inside the host.
    Host = 18,
}

impl Fault {
    const ALL: [Fault; 18] = [
        Fault::Off,
        Fault::BadUrl,
        Fault::BadRequest,
        Fault::Denied,
        Fault::DeniedAddress,
        Fault::Unresolved,
        Fault::Connect,
        Fault::Tls,
        Fault::Certificate,
        Fault::Timeout,
        Fault::ConnectTimeout,
        Fault::TooLarge,
        Fault::Requests,
        Fault::Redirects,
        Fault::Protocol,
        Fault::Broken,
        Fault::Cut,
        Fault::Host,
    ];
}

/// What `http_error` tells: u32 fault, then a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub fault: Fault,
    pub message: String,
}

impl Failure {
    pub fn new(fault: Fault, message: impl Into<String>) -> Failure {
        Failure { fault, message: message.into() }
    }

    pub fn to_wire(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.u32(self.fault as u32).bytes(self.message.as_bytes());
        w.finish()
    }

    pub fn from_wire(bytes: &[u8]) -> Result<Failure, Short> {
        let mut r = Reader::new(bytes);
        let number = r.u32()?;
        let fault = Fault::ALL.into_iter().find(|fault| *fault as u32 == number).ok_or(Short)?;
        Ok(Failure { fault, message: String::from_utf8_lossy(r.bytes()?).into_owned() })
    }
}

fn write_headers(w: &mut Writer, headers: &Headers) {
    w.u32(headers.len() as u32);
    for (name, value) in headers {
        w.bytes(name).bytes(value);
    }
}

fn read_headers(r: &mut Reader<'_>) -> Result<Headers, Short> {
    let count = r.u32()?;
    if count > MAX_HEADERS {
        return Err(Short);
    }
    (0..count).map(|_| Ok((r.bytes()?.to_vec(), r.bytes()?.to_vec()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn records_survive_the_wire() {
        for body in
            [Body::Empty, Body::Bytes(b"x=1".to_vec()), Body::Stream { length: None }, Body::Stream { length: Some(7) }]
        {
            let request = Request {
                method: b"POST".to_vec(),
                url: b"http://x/".to_vec(),
                headers: vec![(b"A".to_vec(), b"b".to_vec())],
                body,
                redirects: 3,
                timeout_ms: 5,
                connect_timeout_ms: 6,
            };
            let wire = request.to_wire();
            assert_eq!(Request::from_wire(&wire), Ok(request));
            for cut in 0..wire.len() {
                assert!(Request::from_wire(&wire[..cut]).is_err());
            }
        }
        let head = Head { status: 200, version: 11, headers: vec![(b"A".to_vec(), vec![])], ..Head::default() };
        assert_eq!(Head::from_wire(&head.to_wire()), Ok(head));
        for fault in Fault::ALL {
            let failure = Failure::new(fault, "why");
            assert_eq!(Failure::from_wire(&failure.to_wire()), Ok(failure));
        }
    }

    #[test]
    fn a_lying_count_is_refused() {
        let mut w = Writer::default();
        w.bytes(b"GET").bytes(b"http://x/").u32(u32::MAX);
        assert!(Request::from_wire(&w.finish()).is_err());
    }
}

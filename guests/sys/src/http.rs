//! HTTP requests. The kernel decides what may be reached; a request that is refused is one that has failed.

use crate::{Errno, Fd, Result, check, raw};
pub use capsule_abi::http::{Body, Failure, Fault, Head, Headers, Request};

/// A request under way: write its body (when it is streamed), read the answer's.
#[derive(Debug)]
pub struct Exchange(Fd);

/// Records up to this size are asked for at once.
const USUAL: usize = 8 * 1024;

impl Exchange {
    pub fn begin(request: &Request) -> Result<Exchange> {
        check(raw::http_open(&request.to_wire())).map(|fd| Exchange(Fd::new(fd)))
    }

    /// A connection of bytes to a host and a port, made: its descriptor.
    pub fn connect(host: &[u8], port: u16) -> core::result::Result<Fd, Failure> {
        let exchange = Exchange::begin(&Request::connection(host, port)).map_err(|errno| failed(errno.text()))?;
        exchange.head()?;
        Ok(exchange.0)
    }

    pub fn fd(&self) -> i32 {
        self.0.raw()
    }

    /// The streamed body is complete.
    pub fn finish(&self) -> Result<()> {
        check(raw::http_finish(self.fd())).map(drop)
    }

    /// Waits for the head of the answer.
    pub fn head(&self) -> core::result::Result<Head, Failure> {
        loop {
            match record(|buf| raw::http_head(self.fd(), buf)) {
                Ok(record) => {
                    return Head::from_wire(&record).map_err(|_| failed("the kernel's record is malformed"));
                }
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(self.failure().unwrap_or_else(|| failed(errno.text()))),
            }
        }
    }

    /// Why it failed, if it has.
    pub fn failure(&self) -> Option<Failure> {
        let record = record(|buf| raw::http_error(self.fd(), buf)).ok().filter(|record| !record.is_empty())?;
        Failure::from_wire(&record).ok()
    }

    /// Some bytes of the answer's body; none at its end.
    pub fn read(&self, buf: &mut [u8]) -> core::result::Result<usize, Failure> {
        loop {
            match crate::read(self.fd(), buf) {
                Ok(n) => return Ok(n),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(self.failure().unwrap_or_else(|| failed(errno.text()))),
            }
        }
    }
}

fn failed(message: &str) -> Failure {
    Failure::new(Fault::Host, message)
}

/// A record of a length that is not known before.
fn record(mut ask: impl FnMut(&mut [u8]) -> i32) -> Result<Vec<u8>> {
    let mut buf = vec![0; USUAL];
    loop {
        let len = check(ask(&mut buf))? as usize;
        if len <= buf.len() {
            buf.truncate(len);
            return Ok(buf);
        }
        buf.resize(len, 0);
    }
}

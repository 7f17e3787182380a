//! The network, as the kernel knows it: somebody who answers HTTP requests, or none. What may be reached, and how, is
//! decided behind [`Network`]; nothing in the kernel looks at a URL.

use crate::host_end::HostEnd;
use crate::program::BoxFuture;
use capsule_abi::Errno;
use capsule_abi::http::{Failure, Fault, Head, Request};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who carries out requests. Dropping the future or the answer's body ends the exchange and closes its connection.
pub trait Network: Send + Sync {
    /// `body` is there when the request says that its body is streamed.
    fn request(&self, request: Request, body: Option<RequestBody>) -> BoxFuture<'static, Result<Answer, Failure>>;
}

/// An answer that has begun.
pub struct Answer {
    pub head: Head,
    pub body: Box<dyn AnswerBody>,
}

/// The body of an answer, piece by piece.
pub trait AnswerBody: Send {
    /// None at its end.
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, Failure>>;

    /// Nothing more comes, or nobody reads it: what is still to be sent goes out.
    fn drain(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// The body of a request that a process writes.
pub struct RequestBody {
    end: HostEnd,
    finished: Arc<AtomicBool>,
}

impl RequestBody {
    pub(crate) fn new(end: HostEnd, finished: Arc<AtomicBool>) -> RequestBody {
        RequestBody { end, finished }
    }

    /// Some bytes; none at the end. A body that nobody finished (its process was killed) is an error, not a shorter body.
    pub async fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        match self.end.read(buf).await? {
            0 if !self.finished.load(Ordering::Acquire) => Err(Errno::ECANCELED),
            n => Ok(n),
        }
    }
}

/// A session without network.
pub struct NoNetwork;

impl Network for NoNetwork {
    fn request(&self, _: Request, _: Option<RequestBody>) -> BoxFuture<'static, Result<Answer, Failure>> {
        Box::pin(async { Err(Failure::new(Fault::Off, "network is off for this session")) })
    }
}

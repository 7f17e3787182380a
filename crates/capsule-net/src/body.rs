//! Bodies: what is sent, in pieces and with secrets put in, and what is received, within the limits.

use crate::client::Meter;
use crate::error::{Error, Result};
use crate::pool::{Link, Pool};
use crate::record::{Record, Records};
use crate::secret::{Pieces, Secrets};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, timeout_at};

/// The body of a request.
#[derive(Debug, Default)]
pub enum Body {
    #[default]
    Empty,
    Bytes(Bytes),
    /// Pieces as they come; the length when it is known.
    Stream {
        pieces: mpsc::Receiver<io::Result<Bytes>>,
        length: Option<u64>,
    },
}

impl Body {
    /// What can be sent a second time, after a redirect.
    pub(crate) fn again(&self) -> Option<Body> {
        match self {
            Body::Empty => Some(Body::Empty),
            Body::Bytes(bytes) => Some(Body::Bytes(bytes.clone())),
            Body::Stream { .. } => None,
        }
    }
}

/// A body on its way out.
pub(crate) struct Outgoing {
    whole: Option<Bytes>,
    pieces: Option<mpsc::Receiver<io::Result<Bytes>>>,
    length: Option<u64>,
    secrets: Pieces,
    meter: Arc<Meter>,
    sent: u64,
}

impl Outgoing {
    pub fn new(body: Body, secrets: Secrets, meter: Arc<Meter>) -> Outgoing {
        let (whole, pieces, length) = match body {
            Body::Empty => (None, None, Some(0)),
            Body::Bytes(bytes) => {
                let bytes = Bytes::from(secrets.in_bytes(&bytes));
                let length = bytes.len() as u64;
                (Some(bytes), None, Some(length))
            }
            // With secrets in it nobody knows how long it will be.
            Body::Stream { pieces, length } => (None, Some(pieces), length.filter(|_| secrets.longest() == 0)),
        };
        Outgoing { whole, pieces, length, secrets: Pieces::new(secrets), meter, sent: 0 }
    }

    fn count(&mut self, bytes: Bytes) -> io::Result<Frame<Bytes>> {
        self.sent += bytes.len() as u64;
        self.meter.sent(bytes.len() as u64, self.sent).map_err(io::Error::other)?;
        Ok(Frame::data(bytes))
    }
}

impl hyper::body::Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(bytes) = self.whole.take() {
            return if bytes.is_empty() { Poll::Ready(None) } else { Poll::Ready(Some(self.count(bytes))) };
        }
        loop {
            let Some(pieces) = &mut self.pieces else { return Poll::Ready(None) };
            let piece = match pieces.poll_recv(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(piece))) => Bytes::from(self.secrets.push(&piece)),
                Poll::Ready(Some(Err(e))) => {
                    self.pieces = None;
                    return Poll::Ready(Some(Err(e)));
                }
                Poll::Ready(None) => {
                    self.pieces = None;
                    Bytes::from(self.secrets.finish())
                }
            };
            if !piece.is_empty() {
                return Poll::Ready(Some(self.count(piece)));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.whole.is_none() && self.pieces.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}

/// The body of an answer: read it piece by piece. When it is dropped the request is recorded and the connection closed,
/// unless the body was read to its end: then the connection waits for the next request.
pub struct ResponseBody {
    incoming: Incoming,
    pub(crate) meter: Arc<Meter>,
    received: u64,
    deadline: Instant,
    allowed: Duration,
    idle: Duration,
    link: Option<(Link, Pool)>,
    record: Option<Record>,
    records: Records,
    started: Instant,
    _permit: OwnedSemaphorePermit,
}

pub(crate) struct Ends {
    pub deadline: Instant,
    pub allowed: Duration,
    pub connect: Duration,
    pub idle: Duration,
    pub started: Instant,
}

impl ResponseBody {
    pub(crate) fn new(
        incoming: Incoming,
        meter: Arc<Meter>,
        ends: Ends,
        link: (Link, Pool),
        record: Option<Record>,
        records: Records,
        permit: OwnedSemaphorePermit,
    ) -> ResponseBody {
        let mut body = ResponseBody {
            incoming,
            meter,
            received: 0,
            deadline: ends.deadline,
            allowed: ends.allowed,
            idle: ends.idle,
            link: Some(link),
            record,
            records,
            started: ends.started,
            _permit: permit,
        };
        if body.incoming.is_end_stream() {
            body.done();
        }
        body
    }

    /// The connection is free again.
    fn done(&mut self) {
        if let Some((link, pool)) = self.link.take() {
            pool.put(link);
        }
    }

    /// The next piece; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        loop {
            let idle = Instant::now() + self.idle;
            let frame = timeout_at(self.deadline.min(idle), self.incoming.frame()).await;
            let result = match frame {
                Err(_) if idle < self.deadline => Err(Error::Timeout(self.idle)),
                Err(_) => Err(Error::Timeout(self.allowed)),
                Ok(None) => {
                    self.done();
                    return Ok(None);
                }
                Ok(Some(Err(e))) => Err(crate::client::explain(e, true)),
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => {
                        self.received += data.len() as u64;
                        self.meter.received(data.len() as u64, self.received).map(|()| data)
                    }
                    // Trailers tell nothing a guest asks for.
                    Err(_) => continue,
                },
            };
            if let (Err(e), Some(record)) = (&result, &mut self.record) {
                record.error = Some(e.to_string());
                self.link = None;
            }
            return result.map(Some);
        }
    }

    /// All of it, within the limits.
    pub async fn bytes(&mut self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(piece) = self.chunk().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        if let Some(mut record) = self.record.take() {
            record.received = self.received;
            record.sent = self.meter.request_sent();
            record.milliseconds = self.started.elapsed().as_millis() as u64;
            self.records.add(record);
        }
    }
}

impl std::fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("ResponseBody").field("received", &self.received).finish_non_exhaustive()
    }
}

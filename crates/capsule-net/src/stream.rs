//! Connections of bytes, for hosts and ports that the policy names with `tcp://`. They are checked, dialled, counted and
//! recorded as requests are; what is said on them is between the guest and the server.

use crate::body::Ends;
use crate::client::{Meter, Network};
use crate::dial::Connection;
use crate::error::{Error, Result};
use crate::host::Url;
use crate::record::{Record, Records};
use parking_lot::Mutex;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

/// A connection that was made: its two directions, which may be used by two tasks. It is closed and recorded when both
/// are gone.
pub struct Stream {
    pub address: SocketAddr,
    pub reader: Reader,
    pub writer: Writer,
}

/// What both directions share.
struct Shared {
    meter: Arc<Meter>,
    ends: Ends,
    received: AtomicU64,
    record: Mutex<Record>,
    records: Records,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Shared {
    fn noted<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(e) = &result {
            self.record.lock().error.get_or_insert_with(|| e.to_string());
        }
        result
    }

    /// The whole connection has as long as a request has.
    async fn within<T>(&self, work: impl Future<Output = std::io::Result<T>>) -> Result<T> {
        match timeout_at(self.ends.deadline, work).await {
            Ok(outcome) => outcome.map_err(|e| Error::Broken(e.to_string())),
            Err(_) => Err(Error::Timeout(self.ends.allowed)),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let record = self.record.get_mut();
        record.sent = self.meter.request_sent();
        record.received = self.received.load(Ordering::Relaxed);
        record.milliseconds = self.ends.started.elapsed().as_millis() as u64;
        self.records.add(record.clone());
    }
}

pub struct Reader {
    half: ReadHalf<Connection>,
    shared: Arc<Shared>,
}

impl Reader {
    /// Some bytes; none at the end.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.shared.within(self.half.read(buf)).await;
        let n = self.shared.noted(n)?;
        let total = self.shared.received.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
        self.shared.noted(self.shared.meter.received(n as u64, total))?;
        Ok(n)
    }
}

pub struct Writer {
    half: WriteHalf<Connection>,
    total: u64,
    shared: Arc<Shared>,
}

impl Writer {
    pub async fn write_all(&mut self, data: &[u8]) -> Result<()> {
        self.total += data.len() as u64;
        self.shared.noted(self.shared.meter.sent(data.len() as u64, self.total))?;
        let outcome = self.shared.within(self.half.write_all(data)).await;
        self.shared.noted(outcome)
    }

    /// No more is sent: the other side reads an end.
    pub async fn finish(&mut self) {
        // Who has hung up needs no goodbye.
        let _ = self.shared.within(self.half.shutdown()).await;
    }
}

impl Network {
    /// Connects to `tcp://host:port`.
    pub async fn connect(&self, target: &str) -> Result<Stream> {
        let Some(inner) = &self.inner else { return Err(Error::Off) };
        let url = Url::parse_tcp(target)?;
        let limits = &inner.options.limits;
        let started = Instant::now();
        let (allowed, connect, idle) = (limits.total, limits.connect, limits.idle);
        let record = Record {
            method: "CONNECT".into(),
            url: url.to_string(),
            status: None,
            sent: 0,
            received: 0,
            milliseconds: 0,
            error: Some("given up before it was connected".into()),
        };
        let mut shared = Shared {
            meter: inner.meter(),
            ends: Ends { deadline: started + allowed, allowed, connect, idle, started },
            received: AtomicU64::new(0),
            record: Mutex::new(record),
            records: self.records.clone(),
            _permit: None,
        };
        let dialled = async {
            inner.policy.check(&url)?;
            let permit = inner.admit(&shared.ends).await?;
            Ok((permit, inner.dial(&url, &shared.ends).await?.1))
        };
        let dialled: Result<_> = dialled.await;
        shared.record.get_mut().error = dialled.as_ref().err().map(ToString::to_string);
        let (permit, dialled) = dialled?;
        shared._permit = Some(permit);
        let address = SocketAddr::new(dialled.address, url.port);
        let (read, write) = tokio::io::split(dialled.connection);
        let shared = Arc::new(shared);
        let reader = Reader { half: read, shared: shared.clone() };
        Ok(Stream { address, reader, writer: Writer { half: write, total: 0, shared } })
    }
}

//! HTTP requests. Whether one is allowed is the network's to say; here a refused request is one that has failed.

use super::Process;
use crate::description::{FileDescription, Interest};
use crate::descriptions::exchange::Exchange;
use capsule_abi::Errno;
use capsule_abi::http::{Failure, Fault, Head, Request};
use std::sync::Arc;

impl Process {
    /// Begins a request: a descriptor to write its body to and read the answer's from, closed on exec.
    pub fn http_open(&self, request: Request) -> Result<i32, Errno> {
        let exchange = Exchange::begin(self.kernel.network(), self.kernel.budget(), request)?;
        self.insert(exchange, true, 0)
    }

    /// The body that was streamed is complete.
    pub fn http_finish(&self, fd: i32) -> Result<(), Errno> {
        self.description(fd)?.exchange().ok_or(Errno::ENOTSOCK)?.finish()
    }

    /// Waits for the head of the answer; `EIO` when there is none.
    pub async fn http_head(&self, fd: i32) -> Result<Arc<Head>, Errno> {
        let description = self.description(fd)?;
        let exchange = description.exchange().ok_or(Errno::ENOTSOCK)?;
        self.head_of(exchange).await?.map_err(|_| Errno::EIO)
    }

    /// Why it failed, if it has.
    pub fn http_failure(&self, fd: i32) -> Result<Option<Arc<Failure>>, Errno> {
        let description = self.description(fd)?;
        Ok(description.exchange().ok_or(Errno::ENOTSOCK)?.failure())
    }

    /// A whole exchange at once, for guests whose door has no streams: the head, and a body of at most `most` bytes. Its
    /// request's body is inside the request. `EINTR` when a signal is to be taken: then it is over.
    #[allow(clippy::type_complexity)]
    pub async fn http(
        &self,
        request: Request,
        most: usize,
    ) -> Result<Result<(Arc<Head>, Vec<u8>), Arc<Failure>>, Errno> {
        let exchange = Exchange::begin(self.kernel.network(), self.kernel.budget(), request)?;
        // Nobody could write it.
        let _ = exchange.finish();
        let head = match self.head_of(&exchange).await? {
            Ok(head) => head,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut body = Vec::new();
        let mut piece = vec![0; 64 << 10];
        loop {
            match exchange.read(&mut piece) {
                Ok(0) => return Ok(Ok((head, body))),
                Ok(n) if body.len() + n > most => {
                    let message = format!("the answer is larger than {most} bytes");
                    return Ok(Err(Arc::new(Failure::new(Fault::TooLarge, message))));
                }
                Ok(n) => body.extend_from_slice(&piece[..n]),
                Err(Errno::EAGAIN) => self.wait_ready(&*exchange, Interest::Read).await?,
                Err(errno) => return exchange.failure().map(Err).ok_or(errno),
            }
        }
    }

    async fn head_of(&self, exchange: &Exchange) -> Result<Result<Arc<Head>, Arc<Failure>>, Errno> {
        self.block(|id, waker| exchange.register_news(id, waker), |id| exchange.forget_news(id), || exchange.head())
            .await
    }
}

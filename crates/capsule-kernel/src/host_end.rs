//! The host's end of a pipe into the session: how streamed input and output cross the wall.

use crate::description::{Description, Interest};
use crate::descriptions::pipe::Pipe;
use crate::wait_queue::{Defer, WaiterId, host_waiter};
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use std::future::poll_fn;
use std::task::Poll;

pub struct HostEnd {
    description: Description,
    id: WaiterId,
}

impl HostEnd {
    /// A pipe the host reads: its end, and the one to give to processes.
    pub fn reader() -> (HostEnd, Description) {
        let (read, write) = Pipe::pair(OpenFlags::default(), None);
        (HostEnd { description: read, id: host_waiter() }, write)
    }

    /// A pipe the host writes.
    pub fn writer() -> (HostEnd, Description) {
        let (read, write) = Pipe::pair(OpenFlags::default(), None);
        (HostEnd { description: write, id: host_waiter() }, read)
    }

    /// Some bytes; 0 when every process has closed its end.
    pub async fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        loop {
            match self.description.read(buf) {
                Err(Errno::EAGAIN) => self.ready(Interest::Read).await,
                outcome => return outcome,
            }
        }
    }

    /// Everything, waiting for room as needed; `EPIPE` when nobody reads any more.
    pub async fn write_all(&self, mut data: &[u8]) -> Result<(), Errno> {
        while !data.is_empty() {
            match self.description.write(data) {
                Ok(n) => data = &data[n..],
                Err(Errno::EAGAIN) => self.ready(Interest::Write).await,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    async fn ready(&self, interest: Interest) {
        let _forget = Defer(|| self.description.forget(interest, self.id));
        poll_fn(|cx| {
            self.description.register(interest, self.id, cx.waker());
            match self.description.ready() & interest.events() {
                0 => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
    }
}

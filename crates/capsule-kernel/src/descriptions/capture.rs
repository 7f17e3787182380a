//! Output that the host collects in memory, until the last process has closed it.

use super::anonymous_stat;
use crate::description::{FileDescription, StatusFlags};
use crate::wait_queue::{Defer, WaitQueue, WaiterId, host_waiter};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use parking_lot::Mutex;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    closed: WaitQueue,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    closed: bool,
}

/// The end processes write to. It has no bound of its own: [`Metered`](super::metered::Metered) in front of it charges
/// the session's output limit.
pub struct CaptureWriter {
    shared: Arc<Shared>,
    flags: StatusFlags,
}

/// The host's end.
pub struct Capture {
    shared: Arc<Shared>,
    id: WaiterId,
}

impl Capture {
    pub fn new() -> (Capture, Arc<CaptureWriter>) {
        let shared = Arc::new(Shared::default());
        let writer = CaptureWriter { shared: shared.clone(), flags: StatusFlags::new(OpenFlags::WRONLY) };
        (Capture { shared, id: host_waiter() }, Arc::new(writer))
    }

    /// Takes what has been written so far.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.shared.state.lock().bytes)
    }

    /// Waits until nobody can write any more.
    pub async fn closed(&self) {
        let _forget = Defer(|| self.shared.closed.forget(self.id));
        poll_fn(|cx| {
            self.shared.closed.register(self.id, cx.waker());
            if self.shared.state.lock().closed { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl Drop for CaptureWriter {
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.shared.closed.wake();
    }
}

impl FileDescription for CaptureWriter {
    fn file_type(&self) -> FileType {
        FileType::Fifo
    }

    fn stat(&self) -> Result<Stat, Errno> {
        Ok(anonymous_stat(FileType::Fifo, 0))
    }

    fn flags(&self) -> &StatusFlags {
        &self.flags
    }

    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        self.shared.state.lock().bytes.extend_from_slice(data);
        Ok(data.len())
    }
}

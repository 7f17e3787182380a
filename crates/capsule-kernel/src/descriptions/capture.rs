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
    overflowed: bool,
}

/// Told what is written, as it is written.
pub type Listener = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// The end processes write to. For output it has no bound of its own: [`Metered`](super::metered::Metered) in front of it
/// charges the session's output limit.
pub struct CaptureWriter {
    shared: Arc<Shared>,
    flags: StatusFlags,
    most: usize,
    kept: bool,
    listener: Option<Listener>,
}

/// The host's end.
pub struct Capture {
    shared: Arc<Shared>,
    id: WaiterId,
}

impl Capture {
    pub fn new() -> (Capture, Arc<CaptureWriter>) {
        Capture::make(usize::MAX, true, None)
    }

    /// Takes no more than this: what goes beyond is `ENOSPC`, and [`overflowed`](Capture::overflowed) tells.
    pub fn bounded(most: usize) -> (Capture, Arc<CaptureWriter>) {
        Capture::make(most, true, None)
    }

    /// Somebody else sees it too. The listener is called by the writing process and holds it up.
    pub fn heard(listener: Listener) -> (Capture, Arc<CaptureWriter>) {
        Capture::make(usize::MAX, true, Some(listener))
    }

    /// Only somebody else sees it: nothing is collected.
    pub fn passed_on(listener: Listener) -> (Capture, Arc<CaptureWriter>) {
        Capture::make(usize::MAX, false, Some(listener))
    }

    fn make(most: usize, kept: bool, listener: Option<Listener>) -> (Capture, Arc<CaptureWriter>) {
        let shared = Arc::new(Shared::default());
        let flags = StatusFlags::new(OpenFlags::WRONLY);
        let writer = CaptureWriter { shared: shared.clone(), flags, most, kept, listener };
        (Capture { shared, id: host_waiter() }, Arc::new(writer))
    }

    pub fn overflowed(&self) -> bool {
        self.shared.state.lock().overflowed
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
        let mut state = self.shared.state.lock();
        if data.len() > self.most.saturating_sub(state.bytes.len()) {
            state.overflowed = true;
            return Err(Errno::ENOSPC);
        }
        if self.kept {
            state.bytes.extend_from_slice(data);
        }
        drop(state);
        if let Some(listener) = &self.listener {
            listener(data);
        }
        Ok(data.len())
    }
}

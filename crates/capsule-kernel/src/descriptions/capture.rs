//! Output that the host collects in memory, until the last process has closed it.

use super::anonymous_stat;
use crate::description::{FileDescription, StatusFlags};
use crate::wait_queue::{Defer, WaitQueue, WaiterId, host_waiter};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use capsule_vfs::Quota;
use capsule_vfs::memory::FileData;
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
    kept: Kept,
    /// How much was written, kept or not.
    total: u64,
    closed: bool,
    overflowed: bool,
}

enum Kept {
    Short(Vec<u8>),
    /// More than an answer shows: in pieces, as a file has them, so that nothing is copied to make it one.
    Long(FileData),
    /// More than the session may keep: only the beginning.
    Cut(FileData),
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::Short(Vec::new())
    }
}

/// Told what is written, as it is written.
pub type Listener = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// How much is collected.
#[derive(Clone)]
enum Bound {
    /// No more than this: what goes beyond is `ENOSPC`.
    Refuse(usize),
    /// As one piece up to this; what is longer is kept as a file within the quota, and of what does not fit that only the
    /// beginning.
    Spool(usize, Arc<Quota>),
    /// Nothing: a listener has seen it.
    Nothing,
}

/// The end processes write to. For output it refuses nothing: [`Metered`](super::metered::Metered) in front of it charges
/// the session's output limit.
pub struct CaptureWriter {
    shared: Arc<Shared>,
    flags: StatusFlags,
    bound: Bound,
    listener: Option<Listener>,
}

/// The host's end.
pub struct Capture {
    shared: Arc<Shared>,
    id: WaiterId,
}

/// What was written.
#[derive(Default)]
pub struct Collected {
    /// All of it, or as much of its beginning as was asked for.
    pub head: Vec<u8>,
    /// How much it was.
    pub total: u64,
    /// All of it, where that is more than `head` and was kept.
    pub whole: Option<FileData>,
}

impl Capture {
    pub fn new() -> (Capture, Arc<CaptureWriter>) {
        Capture::make(Bound::Refuse(usize::MAX), None)
    }

    /// Takes no more than this: what goes beyond is `ENOSPC`, and [`overflowed`](Capture::overflowed) tells.
    pub fn bounded(most: usize) -> (Capture, Arc<CaptureWriter>) {
        Capture::make(Bound::Refuse(most), None)
    }

    /// Takes everything, and keeps as much as the quota lets; `head` bytes of it are for the answer. A listener sees it
    /// too: it is called by the writing process and holds it up.
    pub fn spooled(head: usize, quota: Arc<Quota>, listener: Option<Listener>) -> (Capture, Arc<CaptureWriter>) {
        Capture::make(Bound::Spool(head, quota), listener)
    }

    /// Only somebody else sees it: nothing is collected.
    pub fn passed_on(listener: Listener) -> (Capture, Arc<CaptureWriter>) {
        Capture::make(Bound::Nothing, Some(listener))
    }

    fn make(bound: Bound, listener: Option<Listener>) -> (Capture, Arc<CaptureWriter>) {
        let shared = Arc::new(Shared::default());
        let flags = StatusFlags::new(OpenFlags::WRONLY);
        let writer = CaptureWriter { shared: shared.clone(), flags, bound, listener };
        (Capture { shared, id: host_waiter() }, Arc::new(writer))
    }

    pub fn overflowed(&self) -> bool {
        self.shared.state.lock().overflowed
    }

    /// Takes what has been written so far, where it is kept as one piece.
    pub fn take(&self) -> Vec<u8> {
        self.collect(usize::MAX).head
    }

    /// Takes what has been written so far, with this much of it as one piece.
    pub fn collect(&self, head: usize) -> Collected {
        let mut state = self.shared.state.lock();
        let total = std::mem::take(&mut state.total);
        let (data, all) = match std::mem::take(&mut state.kept) {
            Kept::Short(bytes) => return Collected { head: bytes, total, whole: None },
            Kept::Long(data) => (data, true),
            Kept::Cut(data) => (data, false),
        };
        drop(state);
        let mut bytes = vec![0; usize::try_from(data.size()).unwrap_or(usize::MAX).min(head)];
        let n = data.read(0, &mut bytes);
        bytes.truncate(n);
        Collected { head: bytes, total, whole: all.then_some(data) }
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

impl State {
    fn keep(&mut self, data: &[u8], bound: &Bound) -> Result<(), Errno> {
        match (&mut self.kept, bound) {
            (_, Bound::Nothing) => return Ok(()),
            (Kept::Short(bytes), Bound::Refuse(most)) if data.len() > most.saturating_sub(bytes.len()) => {
                self.overflowed = true;
                return Err(Errno::ENOSPC);
            }
            (Kept::Short(bytes), Bound::Spool(head, quota)) if data.len() > head.saturating_sub(bytes.len()) => {
                let bytes = std::mem::take(bytes);
                self.kept = Kept::Long(FileData::default());
                self.spool(&bytes, *head, quota);
                self.spool(data, *head, quota);
            }
            (Kept::Short(bytes), _) => bytes.extend_from_slice(data),
            (_, Bound::Spool(head, quota)) => self.spool(data, *head, quota),
            (_, Bound::Refuse(_)) => return Err(Errno::ENOSPC),
        }
        self.total += data.len() as u64;
        Ok(())
    }

    fn spool(&mut self, bytes: &[u8], head: usize, quota: &Quota) {
        let Kept::Long(data) = &mut self.kept else { return };
        if data.write(data.size(), bytes, quota) != Ok(bytes.len()) {
            let mut data = std::mem::take(data);
            let shown = data.size().min(head as u64);
            // A file that gets shorter is refused nothing.
            let _ = data.set_len(shown, quota);
            self.kept = Kept::Cut(data);
        }
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
        self.shared.state.lock().keep(data, &self.bound)?;
        if let Some(listener) = &self.listener {
            listener(data);
        }
        Ok(data.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_an_answer_is_kept_as_a_file() {
        let (capture, writer) = Capture::spooled(10, Quota::new(1 << 20, 0), None);
        for _ in 0..30_000 {
            assert_eq!(writer.write(b"0123456789"), Ok(10));
        }
        let Collected { head, total, whole } = capture.collect(10);
        assert_eq!((head.as_slice(), total), (&b"0123456789"[..], 300_000));
        assert_eq!(whole.map(|data| data.size()), Some(300_000));
        let (capture, writer) = Capture::spooled(10, Quota::new(1 << 20, 0), None);
        writer.write(b"short").unwrap();
        let collected = capture.collect(10);
        assert_eq!((collected.head.as_slice(), collected.total), (&b"short"[..], 5));
        assert!(collected.whole.is_none());
    }

    #[test]
    fn and_of_more_than_the_disk_only_the_beginning() {
        let (capture, writer) = Capture::spooled(10, Quota::new(100_000, 0), None);
        for _ in 0..300 {
            assert_eq!(writer.write(&[b'x'; 1000]), Ok(1000), "nobody is refused");
        }
        let Collected { head, total, whole } = capture.collect(10);
        assert_eq!((head.as_slice(), total, whole.is_none()), (&b"xxxxxxxxxx"[..], 300_000, true));
    }
}

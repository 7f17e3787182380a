//! Who waits for a change. Level-triggered: a waiter registers, looks whether what it waits for already holds, and
//! only then sleeps; so no wake-up is lost and a superfluous one does no harm.

use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;

/// Names one waiter. A process uses its pid, so that it stands in a queue at most once.
pub type WaiterId = u64;

/// The wakers of those who wait: one, mostly.
#[derive(Default)]
pub struct WaitQueue {
    waiters: Mutex<SmallVec<[(WaiterId, Waker); 1]>>,
}

impl WaitQueue {
    pub fn register(&self, id: WaiterId, waker: &Waker) {
        let mut waiters = self.waiters.lock();
        match waiters.iter_mut().find(|(i, _)| *i == id) {
            Some((_, old)) => old.clone_from(waker),
            None => waiters.push((id, waker.clone())),
        }
    }

    /// Takes a waiter out: those that stopped waiting must not pile up in a queue that nobody wakes.
    pub fn forget(&self, id: WaiterId) {
        self.waiters.lock().retain(|(i, _)| *i != id);
    }

    pub fn wake(&self) {
        // Taken out first: waking may drop a task, and what it drops may come back to this queue.
        let waiters = std::mem::take(&mut *self.waiters.lock());
        for (_, waker) in waiters {
            waker.wake();
        }
    }
}

/// A name for a waiter of the host's, apart from those of processes, which are 31-bit numbers.
pub(crate) fn host_waiter() -> WaiterId {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 32);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Runs a closure when dropped: who stops waiting, however it happens, leaves the queues.
pub(crate) struct Defer<F: Fn()>(pub F);

impl<F: Fn()> Drop for Defer<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

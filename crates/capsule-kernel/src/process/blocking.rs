//! Waiting. Every wait ends early, with `EINTR`, when a signal is to be taken or the process is to end; the caller then
//! asks [`checkpoint`](super::Process::checkpoint). A stopped process goes on waiting until it is continued.

use super::Process;
use crate::description::{Description, FileDescription, Interest};
use crate::wait_queue::{Defer, WaiterId, host_waiter};
use capsule_abi::Errno;
use capsule_abi::door::{POLLERR, POLLHUP, POLLNVAL};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// One question of `poll`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PollFd {
    pub fd: i32,
    pub events: u16,
    pub revents: u16,
}

/// No timer is set further away: tokio's wheel is bounded, and a year is as good as for ever.
const LONGEST_SLEEP: Duration = Duration::from_secs(365 * 24 * 3600);

impl Process {
    /// Waits until `attempt` has an answer. `register` and `forget` put the process into the queues that are woken when
    /// it may have one, and take it out again.
    pub(super) async fn block<T>(
        &self,
        register: impl Fn(WaiterId, &Waker),
        forget: impl Fn(WaiterId),
        mut attempt: impl FnMut() -> Option<T>,
    ) -> Result<T, Errno> {
        let id = self.waiter();
        // Also on cancellation: a queue must not keep those who no longer wait.
        let _forget = Defer(|| {
            forget(id);
            self.interrupts.forget(id);
        });
        poll_fn(|cx| {
            register(id, cx.waker());
            self.interrupts.register(id, cx.waker());
            if self.signals.fatal().is_some() {
                return Poll::Ready(Err(Errno::EINTR));
            }
            if self.signals.stopped() {
                return Poll::Pending;
            }
            match attempt() {
                Some(answer) => Poll::Ready(Ok(answer)),
                None if self.signals.caught_pending() => Poll::Ready(Err(Errno::EINTR)),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// Waits until a read or write is worth another attempt. Bytes go before a caught signal, as in Linux; an end does not:
    /// who signals and then hangs up has ended the wait with the first of the two, also if we look after the second.
    pub async fn wait_ready(&self, description: &dyn FileDescription, interest: Interest) -> Result<(), Errno> {
        self.block(
            |id, waker| description.register(interest, id, waker),
            |id| description.forget(interest, id),
            || match description.ready() & interest.events() {
                0 => None,
                POLLHUP if self.signals.caught_pending() => None,
                _ => Some(()),
            },
        )
        .await
    }

    /// Waits until a stopped process is continued (or is to end).
    pub async fn resumed(&self) {
        // `block` itself does not ask before that.
        let _ = self.block(|_, _| {}, |_| {}, || Some(())).await;
    }

    /// Waits for a signal that is caught; always ends with `EINTR`.
    pub async fn pause(&self) -> Errno {
        match self.block(|_, _| {}, |_| {}, || None::<()>).await {
            Ok(()) | Err(_) => Errno::EINTR,
        }
    }

    pub async fn sleep(&self, duration: Duration) -> Result<(), Errno> {
        match self.poll(&mut [], Some(duration)).await {
            Ok(_) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// `poll(2)`: how many descriptors have something to tell. No timeout waits for ever.
    pub async fn poll(&self, fds: &mut [PollFd], timeout: Option<Duration>) -> Result<usize, Errno> {
        let descriptions: Vec<Option<Description>> = fds.iter().map(|p| self.description(p.fd).ok()).collect();
        let mut look = || {
            let mut ready = 0;
            for (question, description) in fds.iter_mut().zip(&descriptions) {
                let wanted = question.events | POLLERR | POLLHUP;
                question.revents = match description {
                    Some(description) => description.ready() & wanted,
                    None if question.fd < 0 => 0,
                    None => POLLNVAL,
                };
                ready += usize::from(question.revents != 0);
            }
            ready
        };
        let ready = look();
        if ready > 0 || timeout == Some(Duration::ZERO) {
            return Ok(ready);
        }
        let mut timer = pin!(timeout.map(|t| tokio::time::sleep(t.min(LONGEST_SLEEP))));
        let both = [Interest::Read, Interest::Write];
        let waiting = self.block(
            |id, waker| {
                for description in descriptions.iter().flatten() {
                    both.iter().for_each(|&interest| description.register(interest, id, waker));
                }
            },
            |id| {
                for description in descriptions.iter().flatten() {
                    both.iter().for_each(|&interest| description.forget(interest, id));
                }
            },
            || Some(look()).filter(|&ready| ready > 0),
        );
        let mut waiting = pin!(waiting);
        poll_fn(|cx| {
            if let Poll::Ready(outcome) = waiting.as_mut().poll(cx) {
                return Poll::Ready(outcome);
            }
            match timer.as_mut().as_pin_mut().map(|timer| timer.poll(cx)) {
                Some(Poll::Ready(())) if !self.signals.stopped() => Poll::Ready(Ok(0)),
                _ => Poll::Pending,
            }
        })
        .await
    }

    /// Waits for something that takes no notice of signals by itself; `EINTR` when the process is to end meanwhile.
    pub(super) async fn unless_killed<F: Future>(&self, work: F) -> Result<F::Output, Errno> {
        let mut work = pin!(work);
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(Ok(outcome)),
            Poll::Pending if self.poll_killed(cx) => Poll::Ready(Err(Errno::EINTR)),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Whether the process is to end; if not, this task is woken when that changes.
    pub(crate) fn poll_killed(&self, cx: &Context<'_>) -> bool {
        self.interrupts.register(self.waiter(), cx.waker());
        self.signals.fatal().is_some()
    }

    /// For the host: waits until this process has ended.
    pub async fn ended(&self) -> capsule_abi::process::WaitStatus {
        let id = host_waiter();
        let _forget = Defer(|| self.end_events.forget(id));
        poll_fn(|cx| {
            self.end_events.register(id, cx.waker());
            match self.status() {
                Some(status) => Poll::Ready(status),
                None => Poll::Pending,
            }
        })
        .await
    }
}

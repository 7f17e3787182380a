//! An HTTP request and its answer behind one descriptor: what is written is the request's body, what is read the
//! answer's. Two pipes carry the bytes, so both sides wait for each other; a task of the host moves them. A connection of
//! bytes is the same with nothing around the bodies; closing it sends what was written, as closing a socket does.

use super::anonymous_stat;
use crate::budget::Budget;
use crate::description::{Description, FileDescription, Interest, StatusFlags};
use crate::host_end::HostEnd;
use crate::network::{Answer, Network, RequestBody};
use crate::wait_queue::{WaitQueue, WaiterId};
use capsule_abi::Errno;
use capsule_abi::door::{POLLERR, POLLHUP, POLLIN, POLLOUT};
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use capsule_abi::http::{Body, Failure, Fault, Head, Request};
use capsule_abi::limits::Limit;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// What one exchange takes of the host's memory beside its request: two pipes, the head of the answer (in parts and
/// whole), buffers of the connection. Charged to the session, so that a guest cannot pile them up.
const COST: u64 = 768 << 10;

pub struct Exchange {
    shared: Arc<Shared>,
    /// Where the request's body goes, until it is finished.
    sending: Mutex<Option<Description>>,
    finished: Arc<AtomicBool>,
    /// Where the answer's body comes from.
    receiving: Description,
    flags: StatusFlags,
    task: AbortHandle,
    /// Told when the last descriptor of a connection is closed.
    closed: Option<Arc<Notify>>,
}

struct Shared {
    progress: Mutex<Progress>,
    /// Woken when the head has come, or the failure.
    news: WaitQueue,
    budget: Arc<Budget>,
    cost: u64,
}

impl Drop for Shared {
    /// After the descriptor and the task: a connection that is still sending is still paid for.
    fn drop(&mut self) {
        self.budget.give_back(Limit::Memory, self.cost);
    }
}

/// How long a connection that was closed may go on sending.
const LINGER: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Progress {
    head: Option<Arc<Head>>,
    failure: Option<Arc<Failure>>,
    ended: bool,
}

impl Exchange {
    /// Begins a request; `ENOMEM` when the session has no memory left for it.
    pub fn begin(network: &dyn Network, budget: &Arc<Budget>, request: Request) -> Result<Arc<Exchange>, Errno> {
        let cost = COST + size(&request);
        if !budget.take(Limit::Memory, cost, || "an HTTP request was refused (Cannot allocate memory)".into()) {
            return Err(Errno::ENOMEM);
        }
        let finished = Arc::new(AtomicBool::new(false));
        let (sending, body) = match request.body {
            Body::Stream { .. } => {
                let (end, writer) = HostEnd::reader();
                (Some(writer), Some(RequestBody::new(end, finished.clone())))
            }
            Body::Empty | Body::Bytes(_) => (None, None),
        };
        let closed = request.is_connection().then(Arc::<Notify>::default);
        let budget = budget.clone();
        let shared = Arc::new(Shared { progress: Mutex::default(), news: WaitQueue::default(), budget, cost });
        let (end, receiving) = HostEnd::writer();
        let work = Work { shared: shared.clone(), end: Some(end), closed: closed.clone() };
        let answer = network.request(request, body);
        let task = tokio::spawn(work.carry_out(answer)).abort_handle();
        Ok(Arc::new(Exchange {
            shared,
            sending: Mutex::new(sending),
            finished,
            receiving,
            flags: StatusFlags::new(OpenFlags::RDWR),
            task,
            closed,
        }))
    }

    /// The body is complete. Once only.
    pub fn finish(&self) -> Result<(), Errno> {
        let writer = self.sending.lock().take().ok_or(Errno::EINVAL)?;
        self.finished.store(true, Ordering::Release);
        // Dropped after the flag is set: the end of the pipe is what the other side sees first.
        drop(writer);
        Ok(())
    }

    /// The head, or that there will be none; nothing while neither is known.
    pub fn head(&self) -> Option<Result<Arc<Head>, Arc<Failure>>> {
        let progress = self.shared.progress.lock();
        match (&progress.head, &progress.failure) {
            (Some(head), _) => Some(Ok(head.clone())),
            (None, Some(failure)) => Some(Err(failure.clone())),
            (None, None) => None,
        }
    }

    pub fn failure(&self) -> Option<Arc<Failure>> {
        self.shared.progress.lock().failure.clone()
    }

    pub(crate) fn register_news(&self, id: WaiterId, waker: &Waker) {
        self.shared.news.register(id, waker);
    }

    pub(crate) fn forget_news(&self, id: WaiterId) {
        self.shared.news.forget(id);
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        match &self.closed {
            Some(closed) if matches!(self.head(), Some(Ok(_))) => closed.notify_one(),
            // Nobody can ask for the answer any more: the connection is closed with the task.
            _ => self.task.abort(),
        }
    }
}

fn size(request: &Request) -> u64 {
    let headers: usize = request.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    let body = if let Body::Bytes(bytes) = &request.body { bytes.len() } else { 0 };
    (request.method.len() + request.url.len() + headers + body) as u64
}

/// The host's side.
struct Work {
    shared: Arc<Shared>,
    end: Option<HostEnd>,
    closed: Option<Arc<Notify>>,
}

impl Work {
    async fn carry_out(mut self, answer: impl Future<Output = Result<Answer, Failure>>) {
        let closed = self.closed.clone();
        let outcome = match closed {
            None => self.exchange(answer).await,
            Some(closed) => {
                let lingered = async {
                    closed.notified().await;
                    tokio::time::sleep(LINGER).await;
                };
                tokio::select! {
                    outcome = self.exchange(answer) => outcome,
                    () = lingered => Ok(()),
                }
            }
        };
        if let Err(failure) = outcome {
            if failure.fault == Fault::TooLarge {
                self.shared.budget.hit(Limit::Network, failure.message.clone());
            }
            self.end_with(Some(failure));
        } else {
            self.end_with(None);
        }
    }

    async fn exchange(&mut self, answer: impl Future<Output = Result<Answer, Failure>>) -> Result<(), Failure> {
        let Answer { head, mut body } = answer.await?;
        self.shared.progress.lock().head = Some(Arc::new(head));
        self.shared.news.wake();
        while let Some(piece) = body.piece().await? {
            // Nobody reads any more: the task is about to be ended anyway.
            if let Some(end) = &self.end
                && end.write_all(&piece).await.is_err()
            {
                break;
            }
        }
        if self.closed.is_some() {
            // The other side has ended; this one may go on writing.
            self.end = None;
            body.drain().await;
        }
        Ok(())
    }

    fn end_with(&self, failure: Option<Failure>) {
        let mut progress = self.shared.progress.lock();
        if !progress.ended {
            progress.ended = true;
            progress.failure = failure.map(Arc::new);
        }
        drop(progress);
        self.shared.news.wake();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // After a panic: whoever waits must learn of it. Before the pipe's end closes, which is what they see first.
        self.end_with(Some(Failure::new(Fault::Host, "the request failed inside the host")));
    }
}

impl FileDescription for Exchange {
    fn file_type(&self) -> FileType {
        FileType::Socket
    }

    fn stat(&self) -> Result<Stat, Errno> {
        Ok(anonymous_stat(FileType::Socket, 0))
    }

    fn flags(&self) -> &StatusFlags {
        &self.flags
    }

    fn exchange(&self) -> Option<&Exchange> {
        Some(self)
    }

    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        match self.receiving.read(buf) {
            // What came before the failure is read first.
            Ok(0) if !buf.is_empty() && self.failure().is_some() => {
                Err(if self.closed.is_some() { Errno::ECONNRESET } else { Errno::EIO })
            }
            outcome => outcome,
        }
    }

    /// Not `EPIPE` when the other side takes no more: a server that answers early is no reason to die by `PIPE`.
    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        let sending = self.sending.lock().clone();
        match sending.ok_or(Errno::ENOTCONN)?.write(data) {
            Err(Errno::EPIPE) if self.closed.is_none() => Err(Errno::ENOTCONN),
            outcome => outcome,
        }
    }

    fn ready(&self) -> u16 {
        let mut events = self.receiving.ready() & (POLLIN | POLLHUP);
        if events & POLLHUP != 0 {
            // The end can be read, too.
            events |= POLLIN;
            if self.failure().is_some() {
                events |= POLLERR;
            }
        }
        match &*self.sending.lock() {
            Some(sending) if sending.ready() & (POLLOUT | POLLERR) == 0 => events,
            // Where nothing is taken any more, a write tells that at once.
            _ => events | POLLOUT,
        }
    }

    fn register(&self, interest: Interest, id: WaiterId, waker: &Waker) {
        match interest {
            Interest::Read => self.receiving.register(interest, id, waker),
            Interest::Write => {
                if let Some(sending) = &*self.sending.lock() {
                    sending.register(interest, id, waker);
                }
            }
        }
    }

    fn forget(&self, interest: Interest, id: WaiterId) {
        match interest {
            Interest::Read => self.receiving.forget(interest, id),
            Interest::Write => {
                if let Some(sending) = &*self.sending.lock() {
                    sending.forget(interest, id);
                }
            }
        }
    }
}

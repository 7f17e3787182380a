//! Pipes and FIFOs: 64 KiB, writes up to 4 KiB in one piece, any number of readers and writers.

use super::anonymous_stat;
use crate::budget::{Budget, Charge};
use crate::description::{Description, FileDescription, Interest, StatusFlags};
use crate::wait_queue::{WaitQueue, WaiterId};
use capsule_abi::Errno;
use capsule_abi::door::{POLLERR, POLLHUP, POLLIN, POLLOUT};
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use capsule_vfs::{Caller, OpenNode};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;

/// What a pipe holds, as on Linux.
pub const CAPACITY: usize = 64 << 10;
/// Writes up to this size are never split between those of others (`PIPE_BUF`).
pub const ATOMIC: usize = 4096;

/// What a pipe takes at its first byte. Most never hold more; those that do get all of [`CAPACITY`].
const SMALL: usize = 4096;

/// Inode numbers of pipes, so that `stat` can tell two pipes apart.
static NEXT_INO: AtomicU64 = AtomicU64::new(1);

pub struct Pipe {
    state: Mutex<State>,
    readable: WaitQueue,
    writable: WaitQueue,
    ino: u64,
}

#[derive(Default)]
struct State {
    bytes: VecDeque<u8>,
    /// Who pays for the bytes: the session whose processes made the pipe. What the host connects, it pays for itself.
    charge: Option<Charge>,
    readers: usize,
    writers: usize,
    /// How often each side was ever opened: an `open` of a FIFO waits for the other side to have come, even if it has
    /// gone again since.
    reader_opens: u64,
    writer_opens: u64,
}

impl State {
    /// Makes room for so many bytes in all; `ENOMEM` when the session has no memory left for them.
    fn reserve(&mut self, bytes: usize) -> Result<(), Errno> {
        let have = self.bytes.capacity();
        if bytes <= have {
            return Ok(());
        }
        let want = if bytes <= SMALL { SMALL } else { CAPACITY };
        if let Some(charge) = &mut self.charge
            && !charge.grow((want - have) as u64, || "writing to a pipe was refused (Cannot allocate memory)".into())
        {
            return Err(Errno::ENOMEM);
        }
        self.bytes.reserve_exact(want - self.bytes.len());
        Ok(())
    }

    /// Nobody will read what is left.
    fn forget(&mut self) {
        self.bytes = VecDeque::new();
        if let Some(charge) = &mut self.charge {
            charge.clear();
        }
    }
}

impl Pipe {
    /// A pipe whose bytes are the session's memory; the host's own without a budget.
    pub fn new(budget: Option<Arc<Budget>>) -> Arc<Pipe> {
        Arc::new(Pipe {
            state: Mutex::new(State { charge: budget.map(Charge::new), ..State::default() }),
            readable: WaitQueue::default(),
            writable: WaitQueue::default(),
            ino: NEXT_INO.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Both ends of a new pipe; `flags` may hold `NONBLOCK`.
    pub fn pair(flags: OpenFlags, budget: Option<Arc<Budget>>) -> (Description, Description) {
        let pipe = Pipe::new(budget);
        (pipe.clone().end(flags | OpenFlags::RDONLY, None), pipe.end(flags | OpenFlags::WRONLY, None))
    }

    /// A new end; the access mode in `flags` says which (`RDWR` is both, for FIFOs). `node` is the FIFO's.
    pub fn end(self: Arc<Pipe>, flags: OpenFlags, node: Option<OpenNode>) -> Arc<PipeEnd> {
        let mut state = self.state.lock();
        if flags.readable() {
            state.readers += 1;
            state.reader_opens += 1;
        }
        if flags.writable() {
            state.writers += 1;
            state.writer_opens += 1;
        }
        drop(state);
        self.readable.wake();
        self.writable.wake();
        Arc::new(PipeEnd { pipe: self, flags: StatusFlags::new(flags), node })
    }

    /// How often the side that this access mode waits for was opened, and whether somebody is there now.
    pub fn other_side(&self, flags: OpenFlags) -> (u64, bool) {
        let state = self.state.lock();
        match flags.readable() {
            true => (state.writer_opens, state.writers > 0),
            false => (state.reader_opens, state.readers > 0),
        }
    }

    fn queue(&self, interest: Interest) -> &WaitQueue {
        match interest {
            Interest::Read => &self.readable,
            Interest::Write => &self.writable,
        }
    }
}

/// One opened end of a pipe (or both, for a FIFO opened for reading and writing).
pub struct PipeEnd {
    pipe: Arc<Pipe>,
    flags: StatusFlags,
    node: Option<OpenNode>,
}

impl Drop for PipeEnd {
    fn drop(&mut self) {
        let flags = self.flags.get();
        let mut state = self.pipe.state.lock();
        state.readers -= usize::from(flags.readable());
        state.writers -= usize::from(flags.writable());
        if state.readers == 0 && state.writers == 0 {
            // A FIFO forgets what nobody read once both sides are gone.
            state.forget();
        }
        drop(state);
        self.pipe.readable.wake();
        self.pipe.writable.wake();
    }
}

impl FileDescription for PipeEnd {
    fn file_type(&self) -> FileType {
        FileType::Fifo
    }

    fn stat(&self) -> Result<Stat, Errno> {
        match &self.node {
            Some(node) => node.stat(),
            None => Ok(anonymous_stat(FileType::Fifo, self.pipe.ino)),
        }
    }

    fn flags(&self) -> &StatusFlags {
        &self.flags
    }

    fn node(&self) -> Option<&OpenNode> {
        self.node.as_ref()
    }

    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        if !self.flags.get().readable() {
            return Err(Errno::EBADF);
        }
        if buf.is_empty() {
            return Ok(0);
        }
        let mut state = self.pipe.state.lock();
        if state.bytes.is_empty() {
            return if state.writers == 0 { Ok(0) } else { Err(Errno::EAGAIN) };
        }
        let n = buf.len().min(state.bytes.len());
        let (front, back) = state.bytes.as_slices();
        let first = n.min(front.len());
        buf[..first].copy_from_slice(&front[..first]);
        buf[first..n].copy_from_slice(&back[..n - first]);
        if n == state.bytes.len() {
            state.bytes.clear();
        } else {
            state.bytes.drain(..n);
        }
        drop(state);
        self.pipe.writable.wake();
        Ok(n)
    }

    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        if !self.flags.get().writable() {
            return Err(Errno::EBADF);
        }
        let mut state = self.pipe.state.lock();
        if state.readers == 0 {
            return Err(Errno::EPIPE);
        }
        if data.is_empty() {
            return Ok(0);
        }
        let room = CAPACITY - state.bytes.len();
        if room == 0 || data.len() <= ATOMIC && room < data.len() {
            return Err(Errno::EAGAIN);
        }
        let n = data.len().min(room);
        let len = state.bytes.len() + n;
        state.reserve(len)?;
        state.bytes.extend(&data[..n]);
        drop(state);
        self.pipe.readable.wake();
        Ok(n)
    }

    fn reopen(&self, _caller: &Caller, flags: OpenFlags) -> Option<Result<Description, Errno>> {
        Some(Ok(self.pipe.clone().end(flags, None)))
    }

    fn ready(&self) -> u16 {
        let flags = self.flags.get();
        let state = self.pipe.state.lock();
        let mut events = 0;
        if flags.readable() {
            if !state.bytes.is_empty() {
                events |= POLLIN;
            }
            if state.writers == 0 {
                events |= POLLHUP;
            }
        }
        if flags.writable() {
            if CAPACITY - state.bytes.len() >= ATOMIC {
                events |= POLLOUT;
            }
            if state.readers == 0 {
                events |= POLLERR;
            }
        }
        events
    }

    fn register(&self, interest: Interest, id: WaiterId, waker: &Waker) {
        self.pipe.queue(interest).register(id, waker);
    }

    fn forget(&self, interest: Interest, id: WaiterId) {
        self.pipe.queue(interest).forget(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capsule_abi::limits::{Limit, Limits};

    #[test]
    fn small_writes_are_whole_or_wait() {
        let (reader, writer) = Pipe::pair(OpenFlags::default(), None);
        assert_eq!(writer.write(&[1; CAPACITY - 10]), Ok(CAPACITY - 10));
        assert_eq!(writer.write(&[2; 11]), Err(Errno::EAGAIN));
        assert_eq!(writer.write(&[2; 5000]), Ok(10), "large writes may be split");
        assert_eq!(writer.ready() & POLLOUT, 0);
        let mut buf = vec![0; CAPACITY];
        assert_eq!(reader.read(&mut buf), Ok(CAPACITY));
        assert_eq!(buf[CAPACITY - 11..], [[1u8; 1].as_slice(), &[2; 10]].concat());
        assert_eq!(reader.read(&mut buf), Err(Errno::EAGAIN));
    }

    #[test]
    fn bytes_are_the_sessions_memory() {
        let mut limits = Limits::default();
        limits.set(Limit::Memory, 70 << 10);
        let budget = Arc::new(Budget::new(limits));
        let pair = || Pipe::pair(OpenFlags::default(), Some(budget.clone()));
        let (first, second) = (pair(), pair());
        assert_eq!(budget.used(Limit::Memory), 0, "an empty pipe costs nothing");
        assert_eq!(first.1.write(&[1; 10]), Ok(10));
        assert_eq!(budget.used(Limit::Memory), 4096);
        assert_eq!(first.1.write(&[1; CAPACITY]), Ok(CAPACITY - 10));
        assert_eq!(budget.used(Limit::Memory), CAPACITY as u64);
        assert_eq!(second.1.write(&[2; 4097]), Err(Errno::ENOMEM));
        assert_eq!(second.1.write(&[2; 4096]), Ok(4096));
        assert!(budget.hits().iter().any(|hit| hit.limit == Limit::Memory));
        drop((first, second));
        assert_eq!(budget.used(Limit::Memory), 0);
    }

    #[test]
    fn the_other_side_gone() {
        let (reader, writer) = Pipe::pair(OpenFlags::default(), None);
        writer.write(b"x").unwrap();
        drop(writer);
        assert_eq!(reader.ready(), POLLIN | POLLHUP);
        let mut buf = [0; 8];
        assert_eq!(reader.read(&mut buf), Ok(1));
        assert_eq!(reader.read(&mut buf), Ok(0));
        let (reader, writer) = Pipe::pair(OpenFlags::default(), None);
        drop(reader);
        assert_eq!(writer.write(b"x"), Err(Errno::EPIPE));
        assert_ne!(writer.ready() & POLLERR, 0);
        assert_eq!(writer.read(&mut buf), Err(Errno::EBADF));
    }
}

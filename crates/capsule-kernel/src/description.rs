//! What a descriptor refers to. A description is shared by the descriptors that were duplicated or inherited from one
//! `open`, with its offset and status flags, as in POSIX.

use crate::descriptions::exchange::Exchange;
use crate::descriptions::terminal::Terminal;
use crate::wait_queue::WaiterId;
use capsule_abi::Errno;
use capsule_abi::door::{POLLERR, POLLHUP, POLLIN, POLLOUT};
use capsule_abi::fs::{DirEntry, FileType, OpenFlags, Stat};
use capsule_vfs::{Attributes, Caller, Credentials, OpenNode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Waker;

/// A shared description.
pub type Description = Arc<dyn FileDescription>;

/// What somebody waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interest {
    Read,
    Write,
}

impl Interest {
    /// The poll events that end the wait: errors and hang-ups always do, since the next attempt will tell them.
    pub fn events(self) -> u16 {
        match self {
            Interest::Read => POLLIN | POLLHUP | POLLERR,
            Interest::Write => POLLOUT | POLLERR,
        }
    }
}

/// From where `seek` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whence {
    Set,
    Current,
    End,
}

/// Anything behind a descriptor. Every method refuses by default; each kind overrides what it can do. One that stands
/// before another ([`behind`](Self::behind)) overrides what it changes: bytes and waiting are the other's. None of them
/// blocks: what cannot be done now is `EAGAIN`, and [`register`](Self::register) tells when to try again.
pub trait FileDescription: Send + Sync {
    fn file_type(&self) -> FileType;
    fn stat(&self) -> Result<Stat, Errno>;
    fn flags(&self) -> &StatusFlags;

    /// What this one stands before.
    fn behind(&self) -> Option<&Description> {
        None
    }

    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        self.behind().map_or(Err(Errno::EBADF), |behind| behind.read(buf))
    }
    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        self.behind().map_or(Err(Errno::EBADF), |behind| behind.write(data))
    }
    fn read_at(&self, _offset: u64, _buf: &mut [u8]) -> Result<usize, Errno> {
        Err(Errno::ESPIPE)
    }
    fn write_at(&self, _offset: u64, _data: &[u8]) -> Result<usize, Errno> {
        Err(Errno::ESPIPE)
    }
    fn seek(&self, _whence: Whence, _offset: i64) -> Result<u64, Errno> {
        Err(Errno::ESPIPE)
    }
    /// Entries from `cookie` on, `.` and `..` among them, until `sink` answers false.
    fn read_dir(&self, _cookie: u64, _sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<(), Errno> {
        Err(Errno::ENOTDIR)
    }
    fn set_attributes(&self, _credentials: &Credentials, _attributes: &Attributes) -> Result<(), Errno> {
        Err(Errno::EINVAL)
    }
    fn sync(&self) -> Result<(), Errno> {
        Err(Errno::EINVAL)
    }
    /// The terminal, where it is one.
    fn terminal(&self) -> Option<&Terminal> {
        self.behind().and_then(|behind| behind.terminal())
    }
    /// The HTTP request, where it is one.
    fn exchange(&self) -> Option<&Exchange> {
        None
    }
    /// The node of the filesystem, where there is one.
    fn node(&self) -> Option<&OpenNode> {
        None
    }
    /// Opens the same thing anew, with an offset and flags of its own, as `/dev/fd/N` does; none where that is only
    /// another reference to this description.
    fn reopen(&self, _caller: &Caller, _flags: OpenFlags) -> Option<Result<Description, Errno>> {
        None
    }

    /// `POLL*` events that hold now.
    fn ready(&self) -> u16 {
        self.behind().map_or(POLLIN | POLLOUT, |behind| behind.ready())
    }
    /// Wake this waiter when [`ready`](Self::ready) may have changed for the interest.
    fn register(&self, interest: Interest, id: WaiterId, waker: &Waker) {
        if let Some(behind) = self.behind() {
            behind.register(interest, id, waker);
        }
    }
    fn forget(&self, interest: Interest, id: WaiterId) {
        if let Some(behind) = self.behind() {
            behind.forget(interest, id);
        }
    }
}

/// The status flags of a description: access mode, append, non-blocking.
pub struct StatusFlags(AtomicU32);

impl StatusFlags {
    pub fn new(flags: OpenFlags) -> StatusFlags {
        let creation = OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::TRUNC | OpenFlags::NOCTTY | OpenFlags::CLOEXEC;
        StatusFlags(AtomicU32::new(flags.without(creation).0))
    }

    pub fn get(&self) -> OpenFlags {
        OpenFlags(self.0.load(Ordering::Relaxed))
    }

    /// What `F_SETFL` does: only append, non-blocking and sync change.
    pub fn set(&self, flags: OpenFlags) {
        let changed = OpenFlags(flags.0 & OpenFlags::SETTABLE.0);
        self.0.store(self.get().without(OpenFlags::SETTABLE).0 | changed.0, Ordering::Relaxed);
    }

    pub fn nonblocking(&self) -> bool {
        self.get().contains(OpenFlags::NONBLOCK)
    }
}

//! Input that is asked for: its source learns when a process waits for more, and reads nothing before. So what a user
//! types ahead stays in the terminal until somebody wants it.

use crate::description::{Description, FileDescription, Interest, StatusFlags};
use crate::wait_queue::WaiterId;
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, Stat};
use std::sync::Arc;
use std::task::Waker;

pub struct OnDemand {
    inner: Description,
    asked: Box<dyn Fn() + Send + Sync>,
}

impl OnDemand {
    /// `asked` is called whenever a process begins to wait; it must not block.
    pub fn new(inner: Description, asked: impl Fn() + Send + Sync + 'static) -> Arc<OnDemand> {
        Arc::new(OnDemand { inner, asked: Box::new(asked) })
    }
}

impl FileDescription for OnDemand {
    fn file_type(&self) -> FileType {
        self.inner.file_type()
    }

    fn stat(&self) -> Result<Stat, Errno> {
        self.inner.stat()
    }

    fn flags(&self) -> &StatusFlags {
        self.inner.flags()
    }

    fn behind(&self) -> Option<&Description> {
        Some(&self.inner)
    }

    fn register(&self, interest: Interest, id: WaiterId, waker: &Waker) {
        self.inner.register(interest, id, waker);
        if interest == Interest::Read && self.inner.ready() & Interest::Read.events() == 0 {
            (self.asked)();
        }
    }
}

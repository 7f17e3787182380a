//! A standard descriptor behind which a person sits: the same bytes, and programs are told that it is a terminal. Lines are
//! edited, echoed and shown by the host's terminal; what it would do at a control character never reaches a guest.

use super::anonymous_stat;
use crate::description::{Description, FileDescription, StatusFlags};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, Stat};
use std::sync::Arc;

pub struct Terminal {
    inner: Description,
}

impl Terminal {
    pub fn new(inner: Description) -> Arc<Terminal> {
        Arc::new(Terminal { inner })
    }
}

impl FileDescription for Terminal {
    fn file_type(&self) -> FileType {
        FileType::CharDevice
    }

    fn stat(&self) -> Result<Stat, Errno> {
        let ino = self.inner.stat()?.ino;
        Ok(Stat { mode: 0o620, ..anonymous_stat(FileType::CharDevice, ino) })
    }

    fn flags(&self) -> &StatusFlags {
        self.inner.flags()
    }

    fn behind(&self) -> Option<&Description> {
        Some(&self.inner)
    }

    fn is_terminal(&self) -> bool {
        true
    }
}

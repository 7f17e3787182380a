//! A standard descriptor behind which a person sits: the same bytes, and programs are told that it is a terminal. Lines are
//! edited, echoed and shown by the host's terminal; what it would do at a control character never reaches a guest.

use super::anonymous_stat;
use crate::description::{Description, FileDescription, StatusFlags};
use capsule_abi::Errno;
use capsule_abi::door::Window;
use capsule_abi::fs::{FileType, Stat};
use std::sync::Arc;

/// How large the window is, asked whenever a program wants to know: a person may change it at any time.
pub type WindowSize = Arc<dyn Fn() -> Window + Send + Sync>;

pub struct Terminal {
    inner: Description,
    window: Option<WindowSize>,
}

impl Terminal {
    pub fn new(inner: Description, window: Option<WindowSize>) -> Arc<Terminal> {
        Arc::new(Terminal { inner, window })
    }

    /// Zeros where nobody knows, as a terminal without a window tells.
    pub fn window(&self) -> Window {
        self.window.as_ref().map_or(Window::default(), |size| size())
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

    fn terminal(&self) -> Option<&Terminal> {
        Some(self)
    }
}

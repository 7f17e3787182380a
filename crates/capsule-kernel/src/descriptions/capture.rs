//! Output that the host collects in memory.

use super::anonymous_stat;
use crate::description::{FileDescription, StatusFlags};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use parking_lot::Mutex;
use std::sync::Arc;

/// Collects what is written. It has no bound of its own: [`Metered`](super::metered::Metered) in front of it charges
/// the session's output limit.
pub struct Capture {
    bytes: Mutex<Vec<u8>>,
    flags: StatusFlags,
}

impl Capture {
    pub fn new() -> Arc<Capture> {
        Arc::new(Capture { bytes: Mutex::default(), flags: StatusFlags::new(OpenFlags::WRONLY) })
    }

    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.lock())
    }
}

impl FileDescription for Capture {
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
        self.bytes.lock().extend_from_slice(data);
        Ok(data.len())
    }
}

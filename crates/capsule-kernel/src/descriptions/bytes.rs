//! Bytes of the host as an open file that has no name: read from start to end, by those who were given it.

use super::anonymous_stat;
use crate::description::{FileDescription, StatusFlags};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use parking_lot::Mutex;
use std::sync::Arc;

pub struct Bytes {
    bytes: Arc<Vec<u8>>,
    offset: Mutex<usize>,
    flags: StatusFlags,
}

impl Bytes {
    pub fn new(bytes: Arc<Vec<u8>>) -> Arc<Bytes> {
        Arc::new(Bytes { bytes, offset: Mutex::new(0), flags: StatusFlags::new(OpenFlags::RDONLY) })
    }
}

/// A pipe whose writer is gone, to those who ask: it cannot be sought in.
impl FileDescription for Bytes {
    fn file_type(&self) -> FileType {
        FileType::Fifo
    }

    fn stat(&self) -> Result<Stat, Errno> {
        Ok(anonymous_stat(FileType::Fifo, 0))
    }

    fn flags(&self) -> &StatusFlags {
        &self.flags
    }

    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        let mut offset = self.offset.lock();
        let rest = &self.bytes[*offset..];
        let n = rest.len().min(buf.len());
        capsule_vfs::copy::copy(&mut buf[..n], &rest[..n]);
        *offset += n;
        Ok(n)
    }
}

//! Regular files and device files: an open node with an offset.

use crate::description::{Description, FileDescription, StatusFlags, Whence};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use capsule_vfs::{Attributes, Caller, Credentials, OpenNode};
use parking_lot::Mutex;
use std::sync::Arc;

pub struct RegularFile {
    node: OpenNode,
    kind: FileType,
    offset: Mutex<u64>,
    flags: StatusFlags,
}

impl RegularFile {
    pub fn new(node: OpenNode, kind: FileType, flags: OpenFlags) -> Arc<RegularFile> {
        Arc::new(RegularFile { node, kind, offset: Mutex::new(0), flags: StatusFlags::new(flags) })
    }
}

impl FileDescription for RegularFile {
    fn file_type(&self) -> FileType {
        self.kind
    }

    fn stat(&self) -> Result<Stat, Errno> {
        self.node.stat()
    }

    fn flags(&self) -> &StatusFlags {
        &self.flags
    }

    fn node(&self) -> Option<&OpenNode> {
        Some(&self.node)
    }

    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        if !self.flags.get().readable() {
            return Err(Errno::EBADF);
        }
        // Held while reading: two readers of one description never see the same bytes.
        let mut offset = self.offset.lock();
        let n = self.node.read_at(*offset, buf)?;
        *offset += n as u64;
        Ok(n)
    }

    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        let flags = self.flags.get();
        if !flags.writable() {
            return Err(Errno::EBADF);
        }
        let mut offset = self.offset.lock();
        if flags.contains(OpenFlags::APPEND) {
            let (end, n) = self.node.append(data)?;
            *offset = end;
            return Ok(n);
        }
        let n = self.node.write_at(*offset, data)?;
        *offset += n as u64;
        Ok(n)
    }

    // Devices take an offset and do not look at it, as on Linux.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, Errno> {
        if !self.flags.get().readable() {
            return Err(Errno::EBADF);
        }
        self.node.read_at(offset, buf)
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize, Errno> {
        let flags = self.flags.get();
        if !flags.writable() {
            return Err(Errno::EBADF);
        }
        if flags.contains(OpenFlags::APPEND) {
            // Linux appends here whatever the offset says.
            return self.node.append(data).map(|(_, n)| n);
        }
        self.node.write_at(offset, data)
    }

    fn seek(&self, whence: Whence, by: i64) -> Result<u64, Errno> {
        if self.kind != FileType::Regular {
            // Seeking on a device is accepted and means nothing, as on /dev/null.
            return Ok(0);
        }
        let mut offset = self.offset.lock();
        let base = match whence {
            Whence::Set => 0,
            Whence::Current => *offset,
            Whence::End => self.node.stat()?.size,
        };
        let target = base.checked_add_signed(by).filter(|&t| t <= i64::MAX as u64).ok_or(Errno::EINVAL)?;
        *offset = target;
        Ok(target)
    }

    fn set_attributes(&self, credentials: &Credentials, attributes: &Attributes) -> Result<(), Errno> {
        let Some(size) = attributes.size else { return self.node.set_attributes(credentials, attributes) };
        if self.kind != FileType::Regular || !self.flags.get().writable() {
            return Err(Errno::EINVAL);
        }
        self.node.set_len(size)
    }

    fn sync(&self) -> Result<(), Errno> {
        self.node.sync()
    }

    fn reopen(&self, caller: &Caller, flags: OpenFlags) -> Option<Result<Description, Errno>> {
        let kind = self.kind;
        Some(self.node.reopen(caller, flags).map(|node| RegularFile::new(node, kind, flags) as Description))
    }
}

//! Open directories.

use crate::description::{Description, FileDescription, StatusFlags, Whence};
use capsule_abi::Errno;
use capsule_abi::fs::{DirEntry, FileType, OpenFlags, Stat};
use capsule_vfs::{Attributes, Caller, Credentials, OpenNode};
use parking_lot::Mutex;
use std::sync::Arc;

pub struct Directory {
    node: OpenNode,
    /// Where `getdents` goes on. WASI's `fd_readdir` brings its own cookie instead.
    cookie: Mutex<u64>,
    flags: StatusFlags,
}

impl Directory {
    pub fn new(node: OpenNode, flags: OpenFlags) -> Arc<Directory> {
        Arc::new(Directory { node, cookie: Mutex::new(0), flags: StatusFlags::new(flags) })
    }
}

impl FileDescription for Directory {
    fn file_type(&self) -> FileType {
        FileType::Directory
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

    fn read(&self, _buf: &mut [u8]) -> Result<usize, Errno> {
        Err(Errno::EISDIR)
    }

    fn read_at(&self, _offset: u64, _buf: &mut [u8]) -> Result<usize, Errno> {
        Err(Errno::EISDIR)
    }

    /// `Set` and `Current` only: offsets of a directory are cookies.
    fn seek(&self, whence: Whence, offset: i64) -> Result<u64, Errno> {
        let mut cookie = self.cookie.lock();
        match whence {
            Whence::Set => *cookie = u64::try_from(offset).map_err(|_| Errno::EINVAL)?,
            Whence::Current if offset == 0 => {}
            _ => return Err(Errno::EINVAL),
        }
        Ok(*cookie)
    }

    fn read_dir(&self, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<(), Errno> {
        self.node.read_dir(cookie, sink)
    }

    fn set_attributes(&self, credentials: &Credentials, attributes: &Attributes) -> Result<(), Errno> {
        if attributes.size.is_some() {
            return Err(Errno::EISDIR);
        }
        self.node.set_attributes(credentials, attributes)
    }

    fn sync(&self) -> Result<(), Errno> {
        self.node.sync()
    }

    fn reopen(&self, caller: &Caller, flags: OpenFlags) -> Option<Result<Description, Errno>> {
        Some(self.node.reopen(caller, flags).map(|node| Directory::new(node, flags) as Description))
    }
}

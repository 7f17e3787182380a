//! A node of a tree in memory.

use super::data::FileData;
use super::directory::{Directory, Name};
use crate::{Errno, NodeId, Result};
use capsule_abi::fs::{FileType, Stat, Time};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// As in ext4. Keeps the list of a node's names bounded.
pub const LINK_MAX: u32 = 65_000;

#[derive(Clone)]
pub struct Inode {
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub nlink: u32,
    pub atime: Time,
    pub mtime: Time,
    pub ctime: Time,
    /// See [`Filesystem::content_version`](crate::Filesystem::content_version). Copies of a tree share it: same bytes.
    pub version: u64,
    /// Where it is; more than one for hard links, none for the root and for what is unlinked.
    pub names: Vec<(NodeId, Name)>,
    pub body: Body,
}

#[derive(Clone)]
pub enum Body {
    File(FileData),
    Directory(Directory),
    Symlink(Arc<[u8]>),
    Fifo,
}

/// Unique in the process, so that a version is never used for other bytes.
pub fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

impl Inode {
    pub fn kind(&self) -> FileType {
        match self.body {
            Body::File(_) => FileType::Regular,
            Body::Directory(_) => FileType::Directory,
            Body::Symlink(_) => FileType::Symlink,
            Body::Fifo => FileType::Fifo,
        }
    }

    /// Bytes that quota is charged for.
    pub fn cost(&self) -> u64 {
        match &self.body {
            Body::File(data) => data.cost(),
            Body::Symlink(target) => target.len() as u64,
            Body::Directory(_) | Body::Fifo => 0,
        }
    }

    pub fn stat(&self, id: NodeId) -> Stat {
        let (size, blocks) = match &self.body {
            Body::File(data) => (data.size(), data.blocks()),
            Body::Directory(_) => (4096, 8),
            Body::Symlink(target) => (target.len() as u64, 0),
            Body::Fifo => (0, 0),
        };
        Stat {
            dev: 0,
            ino: id.0,
            kind: self.kind(),
            mode: self.mode,
            nlink: self.nlink,
            uid: self.uid,
            gid: self.gid,
            rdev: 0,
            size,
            blocks,
            atime: self.atime,
            mtime: self.mtime,
            ctime: self.ctime,
        }
    }

    pub fn directory(&self) -> Result<&Directory> {
        match &self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    pub fn directory_mut(&mut self) -> Result<&mut Directory> {
        match &mut self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    pub fn is_directory(&self) -> bool {
        matches!(self.body, Body::Directory(_))
    }

    pub fn data(&self) -> Result<&FileData> {
        match &self.body {
            Body::File(data) => Ok(data),
            Body::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The bytes, to be changed: the version is renewed and the times set.
    pub fn data_mut(&mut self, now: Time) -> Result<&mut FileData> {
        match &mut self.body {
            Body::File(data) => {
                self.version = next_version();
                self.mtime = now;
                self.ctime = now;
                Ok(data)
            }
            Body::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    /// One of the names has gone.
    pub fn forget_name(&mut self, dir: NodeId, name: &[u8]) {
        if let Some(at) = self.names.iter().position(|(d, n)| *d == dir && n.bytes() == name) {
            self.names.swap_remove(at);
        }
    }
}

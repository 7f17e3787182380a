//! What is mounted where.

use super::Place;
use crate::{Access, Errno, Filesystem, NodeId, Result};
use capsule_abi::fs::{FsUsage, Stat};
use std::sync::Arc;

/// How a filesystem is mounted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MountOptions {
    pub read_only: bool,
    /// Whether the journal watches it (not `/dev`, not `/proc`).
    pub journal: bool,
}

impl Default for MountOptions {
    fn default() -> MountOptions {
        MountOptions { read_only: false, journal: true }
    }
}

/// A mount, as `/proc/mounts` lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MountInfo {
    pub id: u32,
    pub path: Vec<u8>,
    pub options: MountOptions,
}

pub(crate) struct Mount {
    pub id: u32,
    pub fs: Arc<dyn Filesystem>,
    pub root: NodeId,
    pub options: MountOptions,
    /// The directory it covers; none for `/`.
    pub covers: Option<Place>,
    /// The mount that directory is in.
    pub below: Option<Arc<Mount>>,
    /// `st_dev`: ours, never the host's. The same for two mounts of one filesystem.
    pub dev: u64,
}

impl Mount {
    pub fn writable(&self) -> Result<()> {
        if self.options.read_only { Err(Errno::EROFS) } else { Ok(()) }
    }

    pub fn stat(&self, node: NodeId) -> Result<Stat> {
        Ok(Stat { dev: self.dev, ..self.fs.stat(node).map_err(gone)? })
    }

    pub fn access(&self, node: NodeId) -> Result<Access> {
        Ok(Access::from(&self.fs.stat(node).map_err(gone)?))
    }

    pub fn usage(&self) -> FsUsage {
        let usage = self.fs.usage();
        FsUsage { read_only: usage.read_only || self.options.read_only, ..usage }
    }

    pub fn place(&self, node: NodeId) -> Place {
        Place { mount: self.id, node }
    }
}

/// A node that went away under a resolution was never found.
pub(crate) fn gone(errno: Errno) -> Errno {
    if errno == Errno::ESTALE { Errno::ENOENT } else { errno }
}

/// Mounts are few: what covers a directory is found by looking at each.
pub(crate) struct Mounts {
    list: Vec<Entry>,
}

struct Entry {
    mount: Arc<Mount>,
    /// Directories of this mount that are covered, and the mounts that cover them.
    covered: Vec<(NodeId, u32)>,
}

/// The first `st_dev`; 0 would look like no device.
const FIRST_DEV: u64 = 1;

/// The longest path that is told; calls take 4096 bytes, but a working directory may be deeper.
const LONGEST: usize = 1 << 20;

impl Mounts {
    pub fn new(fs: Arc<dyn Filesystem>) -> Mounts {
        let root = fs.root();
        let mount =
            Mount { id: 0, fs, root, options: MountOptions::default(), covers: None, below: None, dev: FIRST_DEV };
        Mounts { list: vec![Entry { mount: Arc::new(mount), covered: Vec::new() }] }
    }

    pub fn all(&self) -> impl Iterator<Item = &Arc<Mount>> {
        self.list.iter().map(|entry| &entry.mount)
    }

    pub fn root(&self) -> Place {
        self.list[0].mount.place(self.list[0].mount.root)
    }

    pub fn get(&self, id: u32) -> Result<&Arc<Mount>> {
        self.list.get(id as usize).map(|entry| &entry.mount).ok_or(Errno::ESTALE)
    }

    pub fn add(&mut self, covers: Place, fs: Arc<dyn Filesystem>, options: MountOptions) -> Result<u32> {
        let id = u32::try_from(self.list.len()).map_err(|_| Errno::ENOSPC)?;
        let known = self.all().find(|mount| Arc::ptr_eq(&mount.fs, &fs)).map(|mount| mount.dev);
        let dev = known.unwrap_or(FIRST_DEV + u64::from(id));
        let root = fs.root();
        // Held for ever: what is mounted there must not lose its place.
        let below = self.get(covers.mount)?.clone();
        below.fs.pin(covers.node)?;
        self.list[covers.mount as usize].covered.push((covers.node, id));
        let mount = Arc::new(Mount { id, fs, root, options, covers: Some(covers), below: Some(below), dev });
        self.list.push(Entry { mount, covered: Vec::new() });
        Ok(id)
    }

    /// The root of what is mounted on a place, or the place itself.
    #[inline]
    pub fn down(&self, mut place: Place) -> Place {
        while let Some(id) = self.covering(place) {
            place = self.list[id as usize].mount.place(self.list[id as usize].mount.root);
        }
        place
    }

    /// The mount on this very place.
    #[inline]
    pub fn covering(&self, place: Place) -> Option<u32> {
        let covered = &self.list.get(place.mount as usize)?.covered;
        covered.iter().rev().find(|(node, _)| *node == place.node).map(|&(_, id)| id)
    }

    /// Out of the roots of mounts, to the directory they cover; the root of all stays.
    pub fn up(&self, mut place: Place) -> Result<Place> {
        loop {
            let mount = self.get(place.mount)?;
            match mount.covers {
                Some(covers) if place.node == mount.root => place = covers,
                _ => return Ok(place),
            }
        }
    }

    /// `..` of a directory.
    pub fn parent(&self, place: Place) -> Result<Place> {
        let place = self.up(place)?;
        let mount = self.get(place.mount)?;
        Ok(self.down(mount.place(mount.fs.parent(place.node).map_err(gone)?)))
    }

    /// Whatever depth a guest builds, no longer than [`LONGEST`].
    pub fn path_of(&self, mut place: Place) -> Option<Vec<u8>> {
        let mut reversed: Vec<Vec<u8>> = Vec::new();
        let mut len = 0;
        while len <= LONGEST {
            place = self.up(place).ok()?;
            let mount = self.get(place.mount).ok()?;
            if place.node == mount.root {
                let mut path = Vec::with_capacity(len + 1);
                for name in reversed.iter().rev() {
                    path.push(b'/');
                    path.extend_from_slice(name);
                }
                return Some(if path.is_empty() { b"/".to_vec() } else { path });
            }
            let (dir, name) = mount.fs.names(place.node).into_iter().next()?;
            len += name.len() + 1;
            reversed.push(name);
            place = mount.place(dir);
        }
        None
    }
}

//! The namespace of a session: the only code that resolves a path, and the only caller of the filesystems' changing
//! methods on behalf of guests: permissions, read-only mounts and the journal hold for every change because of that.
//!
//! * `mount`: what is mounted where
//! * `walk`: from a path to a node
//! * `permissions`: who may do what
//! * `open`, `names`, `attributes`: the calls of [`Vfs`]
//! * `open_node`: what an open call gives

mod attributes;
mod mount;
mod names;
mod open;
mod open_node;
mod permissions;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use mount::{Mount, Mounts};
pub use mount::{MountInfo, MountOptions};
pub use open_node::OpenNode;

use crate::{Access, Changes, Errno, Filesystem, Journal, NodeId, Result};
use capsule_abi::fs::{F_OK, FileType, FsUsage, Stat, W_OK};
use parking_lot::{RwLock, RwLockReadGuard};
use std::sync::Arc;
use walk::{Last, Walk};

/// Who is asking. User 0 may do everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Credentials {
    pub uid: u32,
    pub gid: u32,
}

/// A node of one mount. Plain data: it keeps nothing alive ([`OpenNode`] does); a stale one gives `ENOENT`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    pub mount: u32,
    pub node: NodeId,
}

/// What path resolution must know of the process that asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    pub credentials: Credentials,
    pub umask: u32,
    /// The working directory; the process holds it open (an [`OpenNode`]), so that it stays valid once removed.
    pub cwd: Place,
    /// For links that depend on who asks (`/proc/self`).
    pub pid: u32,
}

/// The tree a session sees. Every method is atomic on its own, takes `&self`, and may be called from any thread.
///
/// `dir` is the directory a relative path starts at (`None`: the working directory, as `AT_FDCWD`). Paths are bytes; a
/// path with a NUL is `EINVAL`, an empty one `ENOENT` (`AT_EMPTY_PATH` is the caller's business: it has a place).
pub struct Vfs {
    mounts: RwLock<Mounts>,
    journal: Arc<Journal>,
}

impl Vfs {
    /// A namespace whose `/` is this filesystem, mounted for writing.
    pub fn new(root: Arc<dyn Filesystem>) -> Vfs {
        Vfs { mounts: RwLock::new(Mounts::new(root)), journal: Arc::new(Journal::default()) }
    }

    pub fn root(&self) -> Place {
        self.table().root()
    }

    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    /// What has changed since the journal began.
    pub fn changes(&self) -> Changes {
        self.journal.changes(self)
    }

    /// Mounts on an existing directory (absolute path, resolved as user 0) other than `/`; the mount's id. For good: what
    /// is mounted there is never taken away.
    pub fn mount(&self, path: &[u8], fs: Arc<dyn Filesystem>, options: MountOptions) -> Result<u32> {
        let caller = Caller { credentials: Credentials::default(), umask: 0, cwd: self.root(), pid: 0 };
        let mut mounts = self.mounts.write();
        let found = Walk::new(&mounts, &caller).existing(None, path, true)?;
        if found.stat.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        if found.place == mounts.root() {
            return Err(Errno::EBUSY);
        }
        mounts.add(found.place, fs, options)
    }

    pub fn mounts(&self) -> Vec<MountInfo> {
        let mounts = self.table();
        let info = |mount: &Arc<Mount>| {
            let path = mounts.path_of(Place { mount: mount.id, node: mount.root }).unwrap_or_default();
            MountInfo { id: mount.id, path, options: mount.options }
        };
        mounts.all().map(info).collect()
    }

    pub fn filesystem(&self, mount: u32) -> Option<Arc<dyn Filesystem>> {
        self.table().get(mount).ok().map(|mount| mount.fs.clone())
    }

    /// Held while a call lasts: only mounting waits for it. Recursive, because a filesystem may itself ask for a path
    /// (`/proc` does), also while somebody waits to mount.
    pub(crate) fn table(&self) -> RwLockReadGuard<'_, Mounts> {
        self.mounts.read_recursive()
    }

    /// Where a path leads; `follow`: a symlink at the end is followed.
    pub fn resolve(&self, caller: &Caller, dir: Option<Place>, path: &[u8], follow: bool) -> Result<Place> {
        Ok(Walk::new(&self.table(), caller).existing(dir, path, follow)?.place)
    }

    pub fn stat(&self, caller: &Caller, dir: Option<Place>, path: &[u8], follow: bool) -> Result<Stat> {
        let mounts = self.table();
        let found = Walk::new(&mounts, caller).existing(dir, path, follow)?;
        Ok(Stat { dev: mounts.get(found.place.mount)?.dev, ..found.stat })
    }

    pub fn stat_place(&self, place: Place) -> Result<Stat> {
        self.table().get(place.mount)?.stat(place.node)
    }

    pub fn read_link(&self, caller: &Caller, dir: Option<Place>, path: &[u8]) -> Result<Vec<u8>> {
        let mounts = self.table();
        let found = Walk::new(&mounts, caller).existing(dir, path, false)?;
        match found.stat.kind {
            FileType::Symlink => mounts.get(found.place.mount)?.fs.read_link_as(found.place.node, caller.pid),
            _ => Err(Errno::EINVAL),
        }
    }

    /// `mode`: `R_OK`, `W_OK`, `X_OK` in one, or `F_OK`.
    pub fn access(&self, caller: &Caller, dir: Option<Place>, path: &[u8], mode: u32, follow: bool) -> Result<()> {
        if mode & !7 != 0 {
            return Err(Errno::EINVAL);
        }
        let mounts = self.table();
        let found = Walk::new(&mounts, caller).existing(dir, path, follow)?;
        if mode == F_OK {
            return Ok(());
        }
        if mode & W_OK != 0 && permissions::has_bytes(found.stat.kind) {
            mounts.get(found.place.mount)?.writable()?;
        }
        permissions::may(&Access::from(&found.stat), &caller.credentials, mode)
    }

    /// The absolute path of a place now; none when it has been unlinked (or the path is longer than a mebibyte). A file
    /// with several names has one of them.
    pub fn path_of(&self, place: Place) -> Option<Vec<u8>> {
        self.table().path_of(place)
    }

    pub fn usage(&self, place: Place) -> Result<FsUsage> {
        Ok(self.table().get(place.mount)?.usage())
    }
}

/// A walk that must end at a name to be made or removed.
pub(crate) fn named<'p>(last: Last<'p>, otherwise: Errno) -> Result<(Place, std::borrow::Cow<'p, [u8]>, bool)> {
    match last {
        Last::Name { dir, name, slash } => Ok((dir, name, slash)),
        _ => Err(otherwise),
    }
}

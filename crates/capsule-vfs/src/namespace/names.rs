//! The calls that make, remove and move names. Checks come in the order Linux makes them.

use super::mount::gone;
use super::walk::{End, Last, Special, Walk};
use super::{Caller, Mount, Place, Vfs, named, permissions};
use crate::{Access, Errno, NewNode, NodeId, NodeKind, Result};
use capsule_abi::fs::{FileType, NAME_MAX, PATH_MAX, RENAME_EXCHANGE, RENAME_NOREPLACE, S_ISGID, S_ISVTX, Stat, W_OK};
use std::sync::Arc;

impl Vfs {
    pub fn mkdir(&self, caller: &Caller, dir: Option<Place>, path: &[u8], mode: u32) -> Result<()> {
        self.make(caller, dir, path, NodeKind::Directory, mode & (0o777 | S_ISVTX))
    }

    pub fn mkfifo(&self, caller: &Caller, dir: Option<Place>, path: &[u8], mode: u32) -> Result<()> {
        self.make(caller, dir, path, NodeKind::Fifo, mode & 0o777)
    }

    pub fn symlink(&self, caller: &Caller, target: &[u8], dir: Option<Place>, path: &[u8]) -> Result<()> {
        match () {
            _ if target.is_empty() => return Err(Errno::ENOENT),
            _ if target.len() >= PATH_MAX => return Err(Errno::ENAMETOOLONG),
            _ if target.contains(&0) => return Err(Errno::EINVAL),
            _ => {}
        }
        self.make(caller, dir, path, NodeKind::Symlink(target.to_vec()), 0o777)
    }

    fn make(&self, caller: &Caller, dir: Option<Place>, path: &[u8], kind: NodeKind, mode: u32) -> Result<()> {
        let mounts = self.table();
        let last = Walk::new(&mounts, caller).walk(dir, path, End::Parent)?;
        let (dir, name, slash) = named(last, Errno::EEXIST)?;
        let mount = mounts.get(dir.mount)?;
        free_name(mount, dir.node, &name)?;
        if slash && kind != NodeKind::Directory {
            return Err(Errno::ENOENT);
        }
        let new = new_node(mount, dir.node, caller, kind, mode)?;
        self.create(mount, dir.node, &name, &new).map(|_| ())
    }

    /// Makes a node, seen by the journal.
    pub(super) fn create(&self, mount: &Arc<Mount>, dir: NodeId, name: &[u8], new: &NewNode) -> Result<NodeId> {
        let Some(mut watch) = self.journal.watch(mount) else {
            return mount.fs.create(dir, name, new).map_err(gone);
        };
        watch.slot(dir, name);
        let made = mount.fs.create(dir, name, new).map_err(gone);
        if let Ok(node) = made {
            watch.born(node);
        }
        watch.settle(dir, name);
        made
    }

    /// `follow`: `AT_SYMLINK_FOLLOW`.
    pub fn link(
        &self,
        caller: &Caller,
        dir: Option<Place>,
        path: &[u8],
        to_dir: Option<Place>,
        to_path: &[u8],
        follow: bool,
    ) -> Result<()> {
        let mounts = self.table();
        let walk = Walk::new(&mounts, caller);
        let found = walk.existing(dir, path, follow)?;
        let last = walk.walk(to_dir, to_path, End::Parent)?;
        self.link_at(caller, &mounts, found.place, &found.stat, last)
    }

    /// Gives an open node a name (`linkat` with `AT_EMPTY_PATH`).
    pub fn link_place(&self, caller: &Caller, place: Place, to_dir: Option<Place>, to_path: &[u8]) -> Result<()> {
        let mounts = self.table();
        let stat = mounts.get(place.mount)?.stat(place.node)?;
        let last = Walk::new(&mounts, caller).walk(to_dir, to_path, End::Parent)?;
        self.link_at(caller, &mounts, place, &stat, last)
    }

    fn link_at(&self, caller: &Caller, mounts: &super::Mounts, place: Place, stat: &Stat, to: Last<'_>) -> Result<()> {
        let (dir, name, slash) = named(to, Errno::EEXIST)?;
        let mount = mounts.get(dir.mount)?;
        free_name(mount, dir.node, &name)?;
        if slash {
            return Err(Errno::ENOENT);
        }
        mount.writable()?;
        if dir.mount != place.mount {
            return Err(Errno::EXDEV);
        }
        permissions::may_change_names(&mount.access(dir.node)?, &caller.credentials)?;
        if stat.kind == FileType::Directory {
            return Err(Errno::EPERM);
        }
        let watch = self.journal.watch(mount).map(|mut watch| {
            watch.slot(dir.node, &name);
            watch
        });
        let linked = mount.fs.link(place.node, dir.node, &name).map_err(gone);
        if let Some(mut watch) = watch {
            watch.settle(dir.node, &name);
        }
        linked
    }

    pub fn unlink(&self, caller: &Caller, dir: Option<Place>, path: &[u8]) -> Result<()> {
        let mounts = self.table();
        let last = Walk::new(&mounts, caller).walk(dir, path, End::Parent)?;
        let (dir, name, slash) = named(last, Errno::EISDIR)?;
        let mount = mounts.get(dir.mount)?;
        mount.writable()?;
        let (_, access) = find(mount, dir.node, &name)?;
        let is_dir = access.kind == FileType::Directory;
        if slash {
            return Err(if is_dir { Errno::EISDIR } else { Errno::ENOTDIR });
        }
        permissions::may_remove(&mount.access(dir.node)?, &access, &caller.credentials)?;
        if is_dir {
            return Err(Errno::EISDIR);
        }
        self.remove(mount, dir.node, &name, || mount.fs.unlink(dir.node, &name))
    }

    pub fn remove_dir(&self, caller: &Caller, dir: Option<Place>, path: &[u8]) -> Result<()> {
        let mounts = self.table();
        let last = Walk::new(&mounts, caller).walk(dir, path, End::Parent)?;
        let (dir, name) = match last {
            Last::Name { dir, name, .. } => (dir, name),
            Last::Special { kind: Special::Dot, .. } => return Err(Errno::EINVAL),
            Last::Special { kind: Special::DotDot, .. } => return Err(Errno::ENOTEMPTY),
            _ => return Err(Errno::EBUSY),
        };
        let mount = mounts.get(dir.mount)?;
        mount.writable()?;
        let (node, access) = find(mount, dir.node, &name)?;
        permissions::may_remove(&mount.access(dir.node)?, &access, &caller.credentials)?;
        if access.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        if mounts.covering(mount.place(node)).is_some() {
            return Err(Errno::EBUSY);
        }
        self.remove(mount, dir.node, &name, || mount.fs.remove_dir(dir.node, &name))
    }

    /// Removes a name, seen by the journal.
    fn remove(&self, mount: &Arc<Mount>, dir: NodeId, name: &[u8], remove: impl FnOnce() -> Result<()>) -> Result<()> {
        let Some(mut watch) = self.journal.watch(mount) else {
            return remove().map_err(gone);
        };
        watch.slot(dir, name);
        let node = watch.losing(dir, name);
        let removed = remove().map_err(gone);
        watch.settle(dir, name);
        watch.lost(node);
        removed
    }

    /// `flags`: `RENAME_NOREPLACE` or `RENAME_EXCHANGE`.
    pub fn rename(
        &self,
        caller: &Caller,
        dir: Option<Place>,
        path: &[u8],
        to_dir: Option<Place>,
        to_path: &[u8],
        flags: u32,
    ) -> Result<()> {
        if flags & !(RENAME_NOREPLACE | RENAME_EXCHANGE) != 0 || flags == RENAME_NOREPLACE | RENAME_EXCHANGE {
            return Err(Errno::EINVAL);
        }
        let mounts = self.table();
        let walk = Walk::new(&mounts, caller);
        let from = walk.walk(dir, path, End::Parent)?;
        let to = walk.walk(to_dir, to_path, End::Parent)?;
        if directory_of(&from).mount != directory_of(&to).mount {
            return Err(Errno::EXDEV);
        }
        let (dir, name, slash) = named(from, Errno::EBUSY)?;
        let no_replace = flags & RENAME_NOREPLACE != 0;
        let (to_dir, to_name, to_slash) = named(to, if no_replace { Errno::EEXIST } else { Errno::EBUSY })?;
        let mount = mounts.get(dir.mount)?;
        mount.writable()?;
        let (node, access) = find(mount, dir.node, &name)?;
        let target = match find(mount, to_dir.node, &to_name) {
            Ok(_) if no_replace => return Err(Errno::EEXIST),
            Ok(target) => Some(target),
            Err(Errno::ENOENT) => None,
            Err(errno) => return Err(errno),
        };
        let is_dir = access.kind == FileType::Directory;
        let exchange = flags & RENAME_EXCHANGE != 0;
        if exchange {
            let (_, target) = target.ok_or(Errno::ENOENT)?;
            if to_slash && target.kind != FileType::Directory {
                return Err(Errno::ENOTDIR);
            }
        }
        if !is_dir && (slash || (to_slash && !exchange)) {
            return Err(Errno::ENOTDIR);
        }
        let who = &caller.credentials;
        let from_access = mount.access(dir.node)?;
        let to_access = if dir == to_dir { from_access } else { mount.access(to_dir.node)? };
        permissions::may_remove(&from_access, &access, who)?;
        match &target {
            Some((_, target)) => permissions::may_remove(&to_access, target, who)?,
            None => permissions::may_change_names(&to_access, who)?,
        }
        if dir != to_dir {
            // Its `..` changes, which is a change of the directory itself.
            let moved = [Some((node, access)), target.filter(|_| exchange)];
            for (_, moved) in moved.iter().flatten().filter(|(_, moved)| moved.kind == FileType::Directory) {
                permissions::may(moved, who, W_OK)?;
            }
        }
        let busy = |node: NodeId| mounts.covering(mount.place(node)).is_some();
        if busy(node) || target.is_some_and(|(target, _)| busy(target)) {
            return Err(Errno::EBUSY);
        }
        let rename = || mount.fs.rename(dir.node, &name, to_dir.node, &to_name, flags).map_err(gone);
        let Some(mut watch) = self.journal.watch(mount) else {
            return rename();
        };
        watch.slot(dir.node, &name);
        watch.slot(to_dir.node, &to_name);
        let replaced = if exchange { None } else { watch.losing(to_dir.node, &to_name) };
        let renamed = rename();
        watch.settle(dir.node, &name);
        watch.settle(to_dir.node, &to_name);
        watch.lost(replaced);
        renamed
    }
}

/// The directory a walk to a parent ended in.
fn directory_of(last: &Last<'_>) -> Place {
    match last {
        Last::Node { dir, .. } | Last::Name { dir, .. } => *dir,
        Last::Special { found, .. } => found.place,
    }
}

/// `EEXIST` comes before every other objection to making a name.
fn free_name(mount: &Mount, dir: NodeId, name: &[u8]) -> Result<()> {
    match find(mount, dir, name) {
        Ok(_) => Err(Errno::EEXIST),
        Err(Errno::ENOENT) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn find(mount: &Mount, dir: NodeId, name: &[u8]) -> Result<(NodeId, Access)> {
    if name.len() > NAME_MAX {
        return Err(Errno::ENAMETOOLONG);
    }
    mount.fs.lookup_access(dir, name).map_err(gone)
}

/// What the caller may make in a directory: umask applied, group inherited where the directory says so.
pub(super) fn new_node(mount: &Mount, dir: NodeId, caller: &Caller, kind: NodeKind, mode: u32) -> Result<NewNode> {
    mount.writable()?;
    let parent = mount.access(dir)?;
    permissions::may_change_names(&parent, &caller.credentials)?;
    let inherits = parent.mode & S_ISGID != 0;
    let keep = if inherits && kind == NodeKind::Directory { S_ISGID } else { 0 };
    let mode = mode & !(caller.umask & 0o777) | keep;
    let gid = if inherits { parent.gid } else { caller.credentials.gid };
    Ok(NewNode { kind, mode, uid: caller.credentials.uid, gid })
}

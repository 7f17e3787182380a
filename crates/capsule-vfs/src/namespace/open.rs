//! `open(2)`.

use super::mount::gone;
use super::names::new_node;
use super::walk::{End, Found, Last, Walk};
use super::{Caller, Mount, OpenNode, Place, Vfs, permissions};
use crate::{Access, Attributes, Errno, Journal, NodeId, NodeKind, Result};
use capsule_abi::fs::{FileType, MODE_BITS, OpenFlags, R_OK, Stat, W_OK, X_OK};
use std::sync::Arc;

/// How often an open starts again because the name came or went meanwhile.
const RETRIES: usize = 100;

impl Vfs {
    /// `open(2)`. FIFOs and devices come back as nodes too ([`OpenNode::kind`]): the kernel knows what to do with them.
    pub fn open(
        &self,
        caller: &Caller,
        dir: Option<Place>,
        path: &[u8],
        flags: OpenFlags,
        mode: u32,
    ) -> Result<OpenNode> {
        let flags = check_flags(flags)?;
        if !flags.contains(OpenFlags::CREAT) {
            let mounts = self.table();
            let found = Walk::new(&mounts, caller).existing(dir, path, !flags.contains(OpenFlags::NOFOLLOW))?;
            let mount = mounts.get(found.place.mount)?;
            return open_node(mount, &self.journal, caller, found.place.node, &found.stat, flags).map_err(gone);
        }
        for _ in 0..RETRIES {
            match self.open_or_create(caller, dir, path, flags, mode) {
                // Made by another process between looking and making, or removed between looking and opening.
                Err(Errno::EEXIST) if !flags.contains(OpenFlags::EXCL) => {}
                Err(Errno::ESTALE) => {}
                other => return other,
            }
        }
        Err(Errno::EAGAIN)
    }

    fn open_or_create(
        &self,
        caller: &Caller,
        dir: Option<Place>,
        path: &[u8],
        flags: OpenFlags,
        mode: u32,
    ) -> Result<OpenNode> {
        let exclusive = flags.contains(OpenFlags::EXCL);
        let mounts = self.table();
        let end = End::Create { follow: !exclusive && !flags.contains(OpenFlags::NOFOLLOW) };
        match Walk::new(&mounts, caller).walk(dir, path, end)? {
            Last::Special { .. } if exclusive => Err(Errno::EEXIST),
            Last::Special { .. } | Last::Node { slash: true, .. } | Last::Name { slash: true, .. } => {
                Err(Errno::EISDIR)
            }
            Last::Node { .. } if exclusive => Err(Errno::EEXIST),
            Last::Node { found: Found { stat, .. }, .. } if stat.kind == FileType::Directory => Err(Errno::EISDIR),
            Last::Node { found: Found { place, stat }, .. } => {
                let mount = mounts.get(place.mount)?;
                open_node(mount, &self.journal, caller, place.node, &stat, flags)
            }
            Last::Name { dir, name, .. } => {
                let mount = mounts.get(dir.mount)?;
                let new = new_node(mount, dir.node, caller, NodeKind::Regular, mode & MODE_BITS)?;
                let node = self.create(mount, dir.node, &name, &new)?;
                // The mode is for those who come later: this opening may do what it asked for.
                pinned(mount, &self.journal, caller, node, FileType::Regular, flags)
            }
        }
    }

    /// Opens a place itself (`/proc/self/fd/N`), with the permission checks of `open`.
    pub fn open_place(&self, caller: &Caller, place: Place, flags: OpenFlags) -> Result<OpenNode> {
        let flags = check_flags(flags)?;
        let mounts = self.table();
        let mount = mounts.get(place.mount)?;
        open_node(mount, &self.journal, caller, place.node, &mount.stat(place.node)?, flags).map_err(gone)
    }

    /// What `execve` reads: a regular file that the caller may run, whether it may read it or not.
    pub fn open_program(&self, caller: &Caller, path: &[u8]) -> Result<OpenNode> {
        let mounts = self.table();
        let found = Walk::new(&mounts, caller).existing(None, path, true)?;
        if found.stat.kind != FileType::Regular {
            return Err(Errno::EACCES);
        }
        permissions::may(&Access::from(&found.stat), &caller.credentials, X_OK)?;
        let mount = mounts.get(found.place.mount)?;
        let node = found.place.node;
        let open = pinned(mount, &self.journal, caller, node, FileType::Regular, OpenFlags::RDONLY).map_err(gone)?;
        mount.fs.prepare(node, true, false).map_err(gone)?;
        Ok(open)
    }

    /// `chdir`: a directory the caller may search, held open.
    pub fn open_cwd(&self, caller: &Caller, dir: Option<Place>, path: &[u8]) -> Result<OpenNode> {
        let mounts = self.table();
        let found = Walk::new(&mounts, caller).existing(dir, path, true)?;
        if found.stat.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        permissions::may(&Access::from(&found.stat), &caller.credentials, X_OK)?;
        let mount = mounts.get(found.place.mount)?;
        let flags = OpenFlags::PATH | OpenFlags::DIRECTORY;
        pinned(mount, &self.journal, caller, found.place.node, FileType::Directory, flags).map_err(gone)
    }
}

pub(super) fn check_flags(flags: OpenFlags) -> Result<OpenFlags> {
    if flags.contains(OpenFlags::PATH) {
        let kept = OpenFlags::PATH | OpenFlags::DIRECTORY | OpenFlags::NOFOLLOW | OpenFlags::CLOEXEC;
        return Ok(OpenFlags(flags.0 & kept.0));
    }
    if flags.0 & 3 == 3 || flags.contains(OpenFlags::CREAT | OpenFlags::DIRECTORY) {
        return Err(Errno::EINVAL);
    }
    Ok(flags)
}

/// Opens what exists: the checks, truncation, the pin.
pub(super) fn open_node(
    mount: &Arc<Mount>,
    journal: &Arc<Journal>,
    caller: &Caller,
    node: NodeId,
    stat: &Stat,
    flags: OpenFlags,
) -> Result<OpenNode> {
    let kind = stat.kind;
    if flags.contains(OpenFlags::DIRECTORY) && kind != FileType::Directory {
        return Err(Errno::ENOTDIR);
    }
    if flags.contains(OpenFlags::PATH) {
        return pinned(mount, journal, caller, node, kind, flags);
    }
    let truncate = flags.contains(OpenFlags::TRUNC);
    let writes = flags.writable() || truncate;
    match kind {
        FileType::Symlink => return Err(Errno::ELOOP),
        FileType::Directory if writes => return Err(Errno::EISDIR),
        FileType::Fifo if !mount.fs.allows_fifos() => return Err(Errno::ENXIO),
        FileType::CharDevice | FileType::BlockDevice if !mount.fs.allows_devices() => return Err(Errno::EACCES),
        FileType::Socket => return Err(Errno::ENXIO),
        _ => {}
    }
    if writes && permissions::has_bytes(kind) {
        mount.writable()?;
    }
    let want = if flags.readable() { R_OK } else { 0 } | if writes { W_OK } else { 0 };
    permissions::may(&stat.into(), &caller.credentials, want)?;
    let open = pinned(mount, journal, caller, node, kind, flags)?;
    mount.fs.prepare(node, flags.readable(), writes)?;
    if truncate && kind == FileType::Regular && stat.size > 0 {
        open.set_len(0)?;
    } else if truncate && kind == FileType::Regular {
        // Nothing to cut, yet the times change.
        mount.fs.set_attributes(node, &Attributes { size: Some(0), ..Attributes::default() })?;
    }
    Ok(open)
}

fn pinned(
    mount: &Arc<Mount>,
    journal: &Arc<Journal>,
    caller: &Caller,
    node: NodeId,
    kind: FileType,
    flags: OpenFlags,
) -> Result<OpenNode> {
    mount.fs.pin(node)?;
    let once = OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::TRUNC | OpenFlags::NOCTTY;
    Ok(OpenNode::new(mount.clone(), journal.clone(), node, kind, flags.without(once), caller.credentials.uid != 0))
}

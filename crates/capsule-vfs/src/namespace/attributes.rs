//! `chmod`, `chown`, `utimensat`, `truncate`: who may, and what changes along with it.

use super::open_node::without_set_id;
use super::walk::Walk;
use super::{Caller, Credentials, Mount, Place, Vfs, permissions};
use crate::journal::Touch;
use crate::{Attributes, Errno, Journal, NodeId, Result};
use capsule_abi::fs::{FileType, MODE_BITS, S_ISGID, SetTime, Stat, W_OK};
use std::sync::Arc;

impl Vfs {
    /// `chmod`, `chown`, `utimensat`, `truncate`.
    pub fn set_attributes(
        &self,
        caller: &Caller,
        dir: Option<Place>,
        path: &[u8],
        follow: bool,
        attributes: &Attributes,
    ) -> Result<()> {
        let mounts = self.table();
        let found = Walk::new(&mounts, caller).existing(dir, path, follow)?;
        let mount = mounts.get(found.place.mount)?;
        set(mount, &self.journal, &caller.credentials, found.place.node, &found.stat, attributes)
    }
}

/// Changes a node's attributes after the checks, seen by the journal.
pub(super) fn set(
    mount: &Arc<Mount>,
    journal: &Journal,
    who: &Credentials,
    node: NodeId,
    stat: &Stat,
    attributes: &Attributes,
) -> Result<()> {
    if attributes.size.is_some() {
        match stat.kind {
            FileType::Regular => {}
            FileType::Directory => return Err(Errno::EISDIR),
            _ => return Err(Errno::EINVAL),
        }
    }
    if *attributes == Attributes::default() {
        return Ok(());
    }
    mount.writable()?;
    let mut changed = *attributes;
    if attributes.size.is_some() {
        permissions::may(&stat.into(), who, W_OK)?;
        if who.uid != 0 && attributes.mode.is_none() {
            changed.mode = Some(without_set_id(stat.mode)).filter(|&mode| mode != stat.mode);
        }
    }
    if let Some(mode) = attributes.mode {
        changed.mode = Some(new_mode(stat, who, mode)?);
    }
    if attributes.uid.is_some() || attributes.gid.is_some() {
        may_chown(stat, who, attributes)?;
        if stat.kind == FileType::Regular && attributes.mode.is_none() {
            changed.mode = Some(without_set_id(stat.mode)).filter(|&mode| mode != stat.mode);
        }
    }
    may_set_times(stat, who, attributes)?;
    if attributes.size.is_some() {
        journal.touch(mount, node, Touch::Content);
    } else if changed.mode.is_some() || changed.uid.is_some() || changed.gid.is_some() {
        journal.touch(mount, node, Touch::Attributes);
    }
    mount.fs.set_attributes(node, &changed)
}

fn new_mode(stat: &Stat, who: &Credentials, mode: u32) -> Result<u32> {
    if stat.kind == FileType::Symlink {
        return Err(Errno::EOPNOTSUPP);
    }
    if !permissions::is_owner(&stat.into(), who) {
        return Err(Errno::EPERM);
    }
    let foreign_group = who.uid != 0 && who.gid != stat.gid;
    Ok(mode & MODE_BITS & !if foreign_group { S_ISGID } else { 0 })
}

fn may_chown(stat: &Stat, who: &Credentials, attributes: &Attributes) -> Result<()> {
    let keeps_user = attributes.uid.is_none_or(|uid| uid == stat.uid);
    let own_group = attributes.gid.is_none_or(|gid| gid == stat.gid || gid == who.gid);
    if who.uid == 0 || (who.uid == stat.uid && keeps_user && own_group) { Ok(()) } else { Err(Errno::EPERM) }
}

fn may_set_times(stat: &Stat, who: &Credentials, attributes: &Attributes) -> Result<()> {
    match (attributes.atime, attributes.mtime) {
        (SetTime::Omit, SetTime::Omit) => Ok(()),
        _ if permissions::is_owner(&stat.into(), who) => Ok(()),
        // Who may write may make it look written now, and nothing else.
        (SetTime::Now, SetTime::Now) => permissions::may(&stat.into(), who, W_OK),
        _ => Err(Errno::EPERM),
    }
}

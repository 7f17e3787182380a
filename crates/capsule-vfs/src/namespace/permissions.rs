//! Who may do what: modes, owners, sticky directories. User 0 passes, as on Linux, but for executing what nobody may.

use super::Credentials;
use crate::{Access, Errno, Result};
use capsule_abi::fs::{FileType, S_ISVTX, W_OK, X_OK};

/// `want`: `R_OK`, `W_OK`, `X_OK` in one.
pub fn may(node: &Access, who: &Credentials, want: u32) -> Result<()> {
    let allowed = if who.uid == 0 {
        want & X_OK == 0 || node.kind == FileType::Directory || node.mode & 0o111 != 0
    } else {
        let class = match () {
            _ if who.uid == node.uid => 6,
            _ if who.gid == node.gid => 3,
            _ => 0,
        };
        node.mode >> class & want == want
    };
    if allowed { Ok(()) } else { Err(Errno::EACCES) }
}

/// Making and removing names in a directory.
pub fn may_change_names(dir: &Access, who: &Credentials) -> Result<()> {
    may(dir, who, W_OK | X_OK)
}

/// In a sticky directory a name is removed by the owner of the node or of the directory only.
pub fn may_remove(dir: &Access, victim: &Access, who: &Credentials) -> Result<()> {
    may_change_names(dir, who)?;
    if dir.mode & S_ISVTX == 0 || is_owner(victim, who) || who.uid == dir.uid { Ok(()) } else { Err(Errno::EPERM) }
}

pub fn is_owner(node: &Access, who: &Credentials) -> bool {
    who.uid == 0 || who.uid == node.uid
}

/// What a read-only mount protects: writing to a FIFO or a device changes nothing on it.
pub fn has_bytes(kind: FileType) -> bool {
    matches!(kind, FileType::Regular | FileType::Directory | FileType::Symlink)
}

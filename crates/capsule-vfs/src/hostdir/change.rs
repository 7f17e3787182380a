//! Making, linking, moving and removing names: always one name in an opened directory, never a path.

use super::attributes::{set_new_mode, settable};
use super::{Errno, HostDir, HostErrno, NodeId, Result, check_name, errno, identity};
use crate::{NewNode, NodeKind};
use capsule_abi::fs::{FileType, RENAME_EXCHANGE, RENAME_NOREPLACE};
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use std::sync::Arc;

impl HostDir {
    pub(super) fn make(&self, dir: NodeId, name: &[u8], new: &NewNode) -> Result<NodeId> {
        check_name(name)?;
        self.writable()?;
        let _tree = self.tree.write();
        let handle = self.directory(dir)?;
        self.quota.charge_nodes(1)?;
        let made = match &new.kind {
            NodeKind::Regular => self.make_file(&handle, name, new.mode),
            NodeKind::Directory => self.make_directory(&handle, name, new.mode),
            NodeKind::Symlink(target) => rustix::fs::symlinkat(target.as_slice(), &handle, name).and_then(|()| {
                let stat = rustix::fs::statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
                Ok((None, stat))
            }),
            // Programs on the host could hang on it.
            NodeKind::Fifo => Err(HostErrno::PERM),
        };
        let (fd, stat) = match made {
            Ok(made) => made,
            Err(error) => {
                self.quota.refund_nodes(1);
                return Err(errno(error));
            }
        };
        let node = self.note(dir, name, &stat);
        let mut table = self.table.lock();
        for id in [dir.0, node.0] {
            if let Some(known) = table.get_mut(id) {
                known.touched = true;
            }
        }
        if let Some(known) = table.get_mut(node.0) {
            known.charged_names = 1;
            known.base = Some(0);
        }
        table.made = fd.map(|fd| (node.0, Arc::new(fd)));
        Ok(node)
    }

    fn make_file(&self, dir: &impl AsFd, name: &[u8], mode: u32) -> Made {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let fd = self.root.open_name(dir.as_fd(), name, flags, settable(mode))?;
        let stat = set_new_mode(fd.as_fd(), mode)?;
        Ok((Some(fd), stat))
    }

    fn make_directory(&self, dir: &impl AsFd, name: &[u8], mode: u32) -> Made {
        // Ours alone until it has its mode; that it can be opened for that.
        rustix::fs::mkdirat(dir, name, Mode::RWXU)?;
        let fd = self.root.open_name(dir.as_fd(), name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        let stat = set_new_mode(fd.as_fd(), mode)?;
        Ok((None, stat))
    }

    pub(super) fn add_link(&self, node: NodeId, dir: NodeId, name: &[u8]) -> Result<()> {
        check_name(name)?;
        self.writable()?;
        let _tree = self.tree.write();
        match self.identity_of(node)?.kind {
            FileType::Regular | FileType::Symlink => {}
            _ => return Err(Errno::EPERM),
        }
        let (from, old_name) = self.a_name(node)?;
        let handle = self.directory(dir)?;
        self.quota.charge_nodes(1)?;
        // No AT_SYMLINK_FOLLOW: a link swapped in at this moment is linked itself.
        if let Err(error) = rustix::fs::linkat(&from, &*old_name, &handle, name, AtFlags::empty()) {
            self.quota.refund_nodes(1);
            return Err(errno(error));
        }
        let (linked, _) = self.find(dir, &handle, name)?;
        self.touch(dir);
        if let Some(known) = self.table.lock().get_mut(linked.0) {
            known.touched = true;
            known.charged_names += 1;
        }
        if linked == node { Ok(()) } else { Err(Errno::ESTALE) }
    }

    /// A directory, opened, and a name in it that is this node's.
    fn a_name(&self, node: NodeId) -> Result<(super::Directory<'_>, super::table::Name)> {
        let names = self.table.lock().names(node.0).to_vec();
        for (dir, name) in names {
            let Ok(handle) = self.directory(NodeId(dir)) else { continue };
            if self.find(NodeId(dir), &handle, &name).is_ok_and(|(found, _)| found == node) {
                return Ok((handle, name));
            }
        }
        Err(Errno::ENOENT)
    }

    pub(super) fn remove(&self, dir: NodeId, name: &[u8], directory: bool) -> Result<()> {
        check_name(name)?;
        self.writable()?;
        let _tree = self.tree.write();
        let handle = self.directory(dir)?;
        let (node, stat) = self.find(dir, &handle, name)?;
        match (directory, identity(&stat).kind == FileType::Directory) {
            (true, false) => return Err(Errno::ENOTDIR),
            (false, true) => return Err(Errno::EISDIR),
            _ => {}
        }
        self.keep_writer(node);
        let flags = if directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        rustix::fs::unlinkat(&handle, name, flags).map_err(errno)?;
        self.touch(dir);
        let refund = self.table.lock().unbind(dir.0, name);
        self.give_back(refund);
        Ok(())
    }

    pub(super) fn move_name(&self, dir: NodeId, name: &[u8], to_dir: NodeId, to_name: &[u8], flags: u32) -> Result<()> {
        check_name(name)?;
        check_name(to_name)?;
        self.writable()?;
        let host_flags = match flags {
            0 => RenameFlags::empty(),
            RENAME_NOREPLACE => RenameFlags::NOREPLACE,
            RENAME_EXCHANGE => RenameFlags::EXCHANGE,
            _ => return Err(Errno::EINVAL),
        };
        let _tree = self.tree.write();
        let from = self.directory(dir)?;
        let to = self.directory(to_dir)?;
        let (node, _) = self.find(dir, &from, name)?;
        let replaced = match self.find(to_dir, &to, to_name) {
            Ok((replaced, _)) => Some(replaced),
            Err(Errno::ENOENT) => None,
            Err(error) => return Err(error),
        };
        if let Some(replaced) = replaced {
            self.keep_writer(replaced);
        }
        rustix::fs::renameat_with(&from, name, &to, to_name, host_flags).map_err(rename_errno)?;
        let mut table = self.table.lock();
        for id in [Some(dir), Some(to_dir), Some(node), replaced].into_iter().flatten() {
            if let Some(known) = table.get_mut(id.0) {
                known.touched = true;
            }
        }
        // Two names of one file: rename(2) does nothing.
        if replaced == Some(node) {
            return Ok(());
        }
        if flags == RENAME_EXCHANGE {
            table.exchanged(dir.0, name, to_dir.0, to_name);
            return Ok(());
        }
        let refund = table.moved(dir.0, name, to_dir.0, to_name);
        drop(table);
        self.give_back(refund);
        Ok(())
    }
}

type Made = Result<(Option<rustix::fd::OwnedFd>, rustix::fs::Stat), HostErrno>;

fn rename_errno(error: HostErrno) -> Errno {
    match error {
        // A mount point of the host: here it cannot be reached at all.
        HostErrno::BUSY | HostErrno::XDEV => Errno::EBUSY,
        _ => errno(error),
    }
}

//! `rename(2)`: the checks in the order Linux makes them, then the moves.

use super::super::directory::Name;
use super::{Slot, Tree};
use crate::clock::now;
use crate::{Errno, NodeId, Quota, Result};
use capsule_abi::fs::{RENAME_EXCHANGE, RENAME_NOREPLACE, Time};

impl Tree {
    pub fn rename(&mut self, from: Slot<'_>, to: Slot<'_>, flags: u32, quota: &Quota) -> Result<()> {
        let exchange = flags & RENAME_EXCHANGE != 0;
        if flags & !(RENAME_NOREPLACE | RENAME_EXCHANGE) != 0 || flags == RENAME_NOREPLACE | RENAME_EXCHANGE {
            return Err(Errno::EINVAL);
        }
        let node = self.table.get(from.0)?.directory()?.get(from.1).ok_or(Errno::ENOENT)?;
        let old = self.open_directory(to.0)?.get(to.1);
        match old {
            None if exchange => return Err(Errno::ENOENT),
            Some(_) if flags & RENAME_NOREPLACE != 0 => return Err(Errno::EEXIST),
            _ => {}
        }
        if from.0 != to.0 && self.is_within(to.0, node)? {
            return Err(Errno::EINVAL);
        }
        if let Some(old) = old {
            if from.0 != to.0 && self.is_within(from.0, old)? {
                return Err(if exchange { Errno::EINVAL } else { Errno::ENOTEMPTY });
            }
            if old == node {
                return Ok(());
            }
            if exchange {
                return self.exchange(from, node, to, old);
            }
            self.may_replace(node, old)?;
            self.replace(to, old, quota)?;
        }
        self.move_to(from, to, node)
    }

    /// Whether `dir` is `top` or somewhere under it.
    fn is_within(&self, mut dir: NodeId, top: NodeId) -> Result<bool> {
        if !self.table.get(top)?.is_directory() {
            return Ok(false);
        }
        loop {
            if dir == top {
                return Ok(true);
            }
            let parent = self.table.get(dir)?.directory()?.parent;
            if parent == dir {
                return Ok(false);
            }
            dir = parent;
        }
    }

    fn may_replace(&self, node: NodeId, old: NodeId) -> Result<()> {
        let (node, old) = (self.table.get(node)?, self.table.get(old)?);
        match (node.is_directory(), old.directory()) {
            (true, Err(_)) => Err(Errno::ENOTDIR),
            (false, Ok(_)) => Err(Errno::EISDIR),
            (true, Ok(old)) if !old.is_empty() => Err(Errno::ENOTEMPTY),
            _ => Ok(()),
        }
    }

    /// Takes what is in the way off its name; the name itself stays for [`move_to`](Self::move_to).
    fn replace(&mut self, to: Slot<'_>, old: NodeId, quota: &Quota) -> Result<()> {
        if self.table.get(old)?.is_directory() {
            self.table.get_mut(to.0)?.nlink -= 1;
        }
        self.drop_name(old, to.0, to.1, now(), quota)
    }

    fn move_to(&mut self, from: Slot<'_>, to: Slot<'_>, node: NodeId) -> Result<()> {
        let now = now();
        self.directory_changed(from.0, now)?.directory_mut()?.remove(from.1);
        let directory = self.directory_changed(to.0, now)?.directory_mut()?;
        if directory.get(to.1).is_some() {
            directory.replace(to.1, node);
        } else {
            directory.insert(Name::from(to.1), node);
        }
        self.settle(node, from, to, now)
    }

    fn exchange(&mut self, from: Slot<'_>, node: NodeId, to: Slot<'_>, old: NodeId) -> Result<()> {
        let now = now();
        self.directory_changed(from.0, now)?.directory_mut()?.replace(from.1, old);
        self.directory_changed(to.0, now)?.directory_mut()?.replace(to.1, node);
        self.settle(node, from, to, now)?;
        self.settle(old, to, from, now)
    }

    /// The node's own side of a move: its name, its parent, the link counts of the directories.
    fn settle(&mut self, node: NodeId, from: Slot<'_>, to: Slot<'_>, now: Time) -> Result<()> {
        let inode = self.table.get_mut(node)?;
        inode.forget_name(from.0, from.1);
        inode.names.push((to.0, Name::from(to.1)));
        inode.ctime = now;
        if let Ok(directory) = inode.directory_mut() {
            directory.parent = to.0;
            self.table.get_mut(from.0)?.nlink -= 1;
            self.table.get_mut(to.0)?.nlink += 1;
        }
        Ok(())
    }
}

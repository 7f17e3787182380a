//! Making, linking, moving and removing names. The state is locked for all of it; each change is checked whole first.

use super::state::{Born, State};
use super::{Errno, FileType, NodeId, Overlay, Result};
use crate::{Attributes, NewNode};
use capsule_abi::fs::{RENAME_EXCHANGE, RENAME_NOREPLACE, SetTime};

/// A name in a directory.
type At<'a> = (NodeId, &'a [u8]);

impl Overlay {
    pub(super) fn make(&self, dir: NodeId, name: &[u8], new: &NewNode) -> Result<NodeId> {
        let mut state = self.state.write();
        self.check_free(&state, (dir, name))?;
        let upper_dir = self.copy_up(&mut state, dir, 0)?;
        let upper = self.upper.create(upper_dir, name, new)?;
        Ok(Born::Upper(upper).id())
    }

    fn check_free(&self, state: &State, (dir, name): At) -> Result<()> {
        match self.find(state, dir, name) {
            Ok(_) => Err(Errno::EEXIST),
            Err(Errno::ENOENT) => state.check_there(dir),
            Err(error) => Err(error),
        }
    }

    pub(super) fn add_link(&self, node: NodeId, dir: NodeId, name: &[u8]) -> Result<()> {
        let mut state = self.state.write();
        self.check_free(&state, (dir, name))?;
        let stat = self.stat_in(&state, node)?;
        match stat.kind {
            FileType::Directory => return Err(Errno::EPERM),
            _ if stat.nlink == 0 => return Err(Errno::ENOENT),
            _ => {}
        }
        let upper_dir = self.copy_up(&mut state, dir, 0)?;
        let upper = self.copy_up(&mut state, node, u64::MAX)?;
        self.upper.link(upper, upper_dir, name)
    }

    pub(super) fn remove_name(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        let mut state = self.state.write();
        let node = self.find(&state, dir, name)?;
        let stat = self.stat_in(&state, node)?;
        if stat.kind == FileType::Directory {
            return Err(Errno::EISDIR);
        }
        let upper_dir = self.copy_up(&mut state, dir, 0)?;
        if self.is_alone_below(&state, (dir, name), node, stat.nlink)? {
            return self.hide(&mut state, (dir, name), node, upper_dir);
        }
        self.bring_name_up(&mut state, (dir, name), node)?;
        self.upper.unlink(upper_dir, name)?;
        self.name_went(&mut state, node);
        Ok(())
    }

    pub(super) fn remove_directory(&self, dir: NodeId, name: &[u8]) -> Result<()> {
        let mut state = self.state.write();
        let node = self.find(&state, dir, name)?;
        if self.stat_in(&state, node)?.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        if !self.is_empty(&state, node)? {
            return Err(Errno::ENOTEMPTY);
        }
        let upper_dir = self.copy_up(&mut state, dir, 0)?;
        if self.is_alone_below(&state, (dir, name), node, 1)? {
            return self.hide(&mut state, (dir, name), node, upper_dir);
        }
        self.upper.remove_dir(upper_dir, name)?;
        self.name_went(&mut state, node);
        Ok(())
    }

    /// Whether a name is in the lower layer only, and its node has no other: then hiding the name is all there is to do.
    fn is_alone_below(&self, state: &State, (dir, name): At, node: NodeId, nlink: u32) -> Result<bool> {
        Ok(self.find_lower(state, dir, name)?.is_some() && state.upper(node).is_none() && nlink == 1)
    }

    fn hide(&self, state: &mut State, (dir, name): At, node: NodeId, upper_dir: NodeId) -> Result<()> {
        self.upper.set_attributes(upper_dir, &Attributes { mtime: SetTime::Now, ..Attributes::default() })?;
        self.cover_lower(state, (dir, name), node)
    }

    /// A lower node loses the only name it had.
    fn cover_lower(&self, state: &mut State, (dir, name): At, node: NodeId) -> Result<()> {
        if let (Born::Lower(lower_dir), Born::Lower(lower)) = (Born::of(dir), Born::of(node)) {
            let is_directory = self.lower.stat(lower)?.kind == FileType::Directory;
            state.add_cover(lower_dir, name, is_directory);
            state.set_gone(lower);
        }
        Ok(())
    }

    /// Copies a node up, and makes sure that this very name is in the upper layer: a lower layer may not have told it.
    fn bring_name_up(&self, state: &mut State, (dir, name): At, node: NodeId) -> Result<()> {
        let upper = self.copy_up(state, node, u64::MAX)?;
        if self.find_lower(state, dir, name)?.is_some() {
            let upper_dir = self.copy_up(state, dir, 0)?;
            self.link_unseen(state, upper, upper_dir, name)?;
        }
        Ok(())
    }

    /// After a name went in the upper layer: whether it was the node's last.
    fn name_went(&self, state: &mut State, node: NodeId) {
        let (Born::Lower(lower), Some(upper)) = (Born::of(node), state.upper(node)) else { return };
        match self.upper.stat(upper) {
            Ok(stat) if stat.nlink > 0 => {}
            // Kept by its pins until those go.
            Ok(_) if self.is_pinned(node) => state.set_gone(lower),
            _ => {
                state.set_gone(lower);
                state.drop_copy(lower);
            }
        }
    }

    pub(super) fn move_name(&self, from: At, to: At, flags: u32) -> Result<()> {
        if flags & !(RENAME_NOREPLACE | RENAME_EXCHANGE) != 0 || flags == RENAME_NOREPLACE | RENAME_EXCHANGE {
            return Err(Errno::EINVAL);
        }
        let mut state = self.state.write();
        let node = self.find(&state, from.0, from.1)?;
        let replaced = match self.find(&state, to.0, to.1) {
            Ok(replaced) => Some(replaced),
            Err(Errno::ENOENT) => None,
            Err(error) => return Err(error),
        };
        state.check_there(to.0)?;
        self.check_move(&state, node, from.0, replaced, to.0, flags)?;
        if replaced == Some(node) {
            return Ok(());
        }
        let from_dir = self.copy_up(&mut state, from.0, 0)?;
        let to_dir = self.copy_up(&mut state, to.0, 0)?;
        self.bring_name_up(&mut state, from, node)?;
        let Some(replaced) = replaced else {
            return self.upper.rename(from_dir, from.1, to_dir, to.1, flags);
        };
        if flags == RENAME_EXCHANGE {
            self.bring_name_up(&mut state, to, replaced)?;
            return self.upper.rename(from_dir, from.1, to_dir, to.1, flags);
        }
        let stat = self.stat_in(&state, replaced)?;
        let nlink = if stat.kind == FileType::Directory { 1 } else { stat.nlink };
        if self.is_alone_below(&state, to, replaced, nlink)? {
            self.upper.rename(from_dir, from.1, to_dir, to.1, flags)?;
            return self.cover_lower(&mut state, to, replaced);
        }
        if stat.kind != FileType::Directory {
            self.bring_name_up(&mut state, to, replaced)?;
        }
        self.upper.rename(from_dir, from.1, to_dir, to.1, flags)?;
        self.name_went(&mut state, replaced);
        Ok(())
    }

    /// The rules of rename(2).
    fn check_move(
        &self,
        state: &State,
        node: NodeId,
        dir: NodeId,
        replaced: Option<NodeId>,
        to_dir: NodeId,
        flags: u32,
    ) -> Result<()> {
        let is_directory = |id| Ok(self.stat_in(state, id)?.kind == FileType::Directory);
        let moves_directory = is_directory(node)?;
        let Some(replaced) = replaced else {
            if flags == RENAME_EXCHANGE {
                return Err(Errno::ENOENT);
            }
            return if moves_directory { self.check_outside(state, node, to_dir, Errno::EINVAL) } else { Ok(()) };
        };
        if flags == RENAME_NOREPLACE {
            return Err(Errno::EEXIST);
        }
        if moves_directory {
            self.check_outside(state, node, to_dir, Errno::EINVAL)?;
        }
        let replaces_directory = is_directory(replaced)?;
        if replaces_directory {
            let error = if flags == RENAME_EXCHANGE { Errno::EINVAL } else { Errno::ENOTEMPTY };
            self.check_outside(state, replaced, dir, error)?;
        }
        if flags == RENAME_EXCHANGE || node == replaced {
            return Ok(());
        }
        match (moves_directory, replaces_directory) {
            (true, false) => Err(Errno::ENOTDIR),
            (false, true) => Err(Errno::EISDIR),
            (true, true) if !self.is_empty(state, replaced)? => Err(Errno::ENOTEMPTY),
            _ => Ok(()),
        }
    }

    /// `error` when a directory is `inside` or below it.
    fn check_outside(&self, state: &State, directory: NodeId, inside: NodeId, error: Errno) -> Result<()> {
        let mut at = inside;
        loop {
            if at == directory {
                return Err(error);
            }
            let parent = self.parent_in(state, at)?;
            if parent == at {
                return Ok(());
            }
            at = parent;
        }
    }
}

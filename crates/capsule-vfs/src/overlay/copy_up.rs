//! Bringing a lower node into the upper layer. Nobody notices: number, attributes, times and bytes stay.

use super::state::{Born, Layer, State};
use super::{Errno, FileType, NodeId, Overlay, Result, Stat};
use crate::{Attributes, NewNode, NodeKind};
use capsule_abi::fs::SetTime;

/// Bytes copied at a time.
const BUFFER: usize = 64 * 1024;

impl Overlay {
    /// What only files have: asked before anything is copied.
    pub(super) fn check_bytes(&self, id: NodeId) -> Result<()> {
        match self.state.read().layer(id) {
            // The upper layer will say so itself.
            Layer::Upper(_) => Ok(()),
            Layer::Lower(lower) => match self.lower.stat(lower)?.kind {
                FileType::Regular => Ok(()),
                FileType::Directory => Err(Errno::EISDIR),
                _ => Err(Errno::EINVAL),
            },
        }
    }

    /// The names a node is known by.
    pub(super) fn names_in(&self, state: &State, id: NodeId) -> Vec<(NodeId, Vec<u8>)> {
        match state.layer(id) {
            Layer::Upper(upper) => {
                let names = self.upper.names(upper).into_iter();
                names.map(|(dir, name)| (state.id_of_upper(dir), name)).collect()
            }
            Layer::Lower(lower) => {
                let names = self.lower.names(lower).into_iter();
                let seen = names.filter(|(dir, name)| !state.is_covered(*dir, name));
                seen.map(|(dir, name)| (Born::Lower(dir).id(), name)).collect()
            }
        }
    }

    /// The node in the upper layer; made there with the directories it is in when it is not there yet. Of a file at most
    /// `keep` bytes are taken along.
    pub(super) fn copy_up(&self, state: &mut State, id: NodeId, keep: u64) -> Result<NodeId> {
        let lower = match state.layer(id) {
            Layer::Upper(upper) => return Ok(upper),
            Layer::Lower(lower) => lower,
        };
        if state.is_gone(id) {
            return if self.is_pinned(id) { self.copy_nameless(state, lower, keep) } else { Err(Errno::ESTALE) };
        }
        let names = self.names_in(state, id);
        let ((dir, name), others) = names.split_first().ok_or(Errno::ESTALE)?;
        let dir = self.copy_up_directory(state, *dir)?;
        let upper = self.copy_to(state, lower, dir, name, keep)?;
        // The other names of a hard link.
        for (dir, name) in others {
            let dir = self.copy_up_directory(state, *dir)?;
            self.link_unseen(state, upper, dir, name)?;
        }
        Ok(upper)
    }

    /// A directory and those it is in, from the outside inwards; as deep as a guest likes, so no recursion.
    fn copy_up_directory(&self, state: &mut State, dir: NodeId) -> Result<NodeId> {
        let mut missing = Vec::new();
        let mut at = dir;
        let mut upper = loop {
            match state.layer(at) {
                Layer::Upper(upper) => break upper,
                Layer::Lower(lower) => {
                    missing.push(lower);
                    at = Born::Lower(self.lower.parent(lower)?).id();
                }
            }
        };
        while let Some(lower) = missing.pop() {
            let (_, name) = self.lower.names(lower).into_iter().next().ok_or(Errno::ESTALE)?;
            upper = self.copy_to(state, lower, upper, &name, 0)?;
        }
        Ok(upper)
    }

    /// A second name of a file copied up; the directory is as old as before.
    pub(super) fn link_unseen(&self, state: &mut State, upper: NodeId, dir: NodeId, name: &[u8]) -> Result<()> {
        let before = self.upper.stat(dir)?;
        self.upper.link(upper, dir, name)?;
        self.set_times(dir, &before)?;
        if let Some(lower_dir) = state.original(dir) {
            state.add_cover(lower_dir, name, false);
        }
        Ok(())
    }

    /// One node into an upper directory that stands for the one it is in.
    fn copy_to(&self, state: &mut State, lower: NodeId, dir: NodeId, name: &[u8], keep: u64) -> Result<NodeId> {
        let (stat, before) = (self.lower.stat(lower)?, self.upper.stat(dir)?);
        let upper = if stat.kind == FileType::Regular && stat.size > 0 && keep > 0 {
            // Under another name until it is whole: should the host stop now, half a file must not cover the real one.
            let temporary = self.unused_name(dir)?;
            let upper = self.make_copy(lower, &stat, dir, &temporary, keep)?;
            let moved = self.upper.rename(dir, &temporary, dir, name, 0);
            if let Err(error) = moved {
                let _ = self.upper.unlink(dir, &temporary);
                return Err(error);
            }
            upper
        } else {
            self.make_copy(lower, &stat, dir, name, keep)?
        };
        self.set_times(dir, &before)?;
        self.copied(state, lower, upper, stat.ino)?;
        if let Some(lower_dir) = state.original(dir) {
            state.add_cover(lower_dir, name, stat.kind == FileType::Directory);
        }
        Ok(upper)
    }

    /// A file that has lost its name is copied for those who have it open, and is without a name there too.
    fn copy_nameless(&self, state: &mut State, lower: NodeId, keep: u64) -> Result<NodeId> {
        let (stat, root) = (self.lower.stat(lower)?, self.upper.root());
        let (before, name) = (self.upper.stat(root)?, self.unused_name(root)?);
        let upper = self.make_copy(lower, &stat, root, &name, keep)?;
        self.copied(state, lower, upper, stat.ino)?;
        match stat.kind {
            FileType::Directory => self.upper.remove_dir(root, &name)?,
            _ => self.upper.unlink(root, &name)?,
        }
        self.set_times(root, &before)?;
        Ok(upper)
    }

    /// Notes a copy; what pinned the original pins the copy.
    fn copied(&self, state: &mut State, lower: NodeId, upper: NodeId, ino: u64) -> Result<()> {
        if self.pins.lock().contains_key(&lower) {
            self.upper.pin(upper)?;
            self.lower.unpin(lower);
        }
        state.add_copy(lower, upper, ino);
        Ok(())
    }

    /// Makes a copy under a name, or nothing.
    fn make_copy(&self, lower: NodeId, stat: &Stat, dir: NodeId, name: &[u8], keep: u64) -> Result<NodeId> {
        let kind = match stat.kind {
            FileType::Regular => NodeKind::Regular,
            FileType::Directory => NodeKind::Directory,
            FileType::Symlink => NodeKind::Symlink(self.lower.read_link(lower)?),
            FileType::Fifo => NodeKind::Fifo,
            // A device cannot be made anew.
            _ => return Err(Errno::EPERM),
        };
        let new = NewNode { kind, mode: stat.mode, uid: stat.uid, gid: stat.gid };
        let upper = self.upper.create(dir, name, &new)?;
        let filled = match stat.kind {
            FileType::Regular => self.copy_bytes(lower, upper, stat.size.min(keep), stat.size),
            _ => Ok(()),
        };
        if let Err(error) = filled.and_then(|()| self.set_times(upper, stat)) {
            let _ = match stat.kind {
                FileType::Directory => self.upper.remove_dir(dir, name),
                _ => self.upper.unlink(dir, name),
            };
            return Err(error);
        }
        Ok(upper)
    }

    fn copy_bytes(&self, lower: NodeId, upper: NodeId, size: u64, whole: u64) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        if size == whole && self.upper.set_content(upper, &self.lower.content(lower)?)? {
            return Ok(());
        }
        let mut buffer = vec![0; BUFFER.min(usize::try_from(size).unwrap_or(BUFFER))];
        let mut offset = 0;
        while let Some(data) = self.lower.next_data(lower, offset)?.filter(|&data| data < size) {
            offset = data;
            let want = buffer.len().min(usize::try_from(size - offset).unwrap_or(usize::MAX));
            let got = self.lower.read(lower, offset, &mut buffer[..want])?;
            if got == 0 {
                break;
            }
            let mut part = &buffer[..got];
            while !part.is_empty() {
                let written = self.upper.write(upper, offset, part)?;
                part = part.get(written..).filter(|_| written > 0).ok_or(Errno::EIO)?;
                offset += written as u64;
            }
        }
        // A hole at the end.
        self.upper.set_attributes(upper, &Attributes { size: Some(size), ..Attributes::default() })
    }

    fn set_times(&self, upper: NodeId, stat: &Stat) -> Result<()> {
        let times =
            Attributes { atime: SetTime::At(stat.atime), mtime: SetTime::At(stat.mtime), ..Attributes::default() };
        self.upper.set_attributes(upper, &times)
    }

    /// A name that is in neither layer of a directory. Guests do not see it: the state is locked while it is used.
    fn unused_name(&self, dir: NodeId) -> Result<Vec<u8>> {
        for number in 0_u32.. {
            let name = format!(".copy-up-{number}").into_bytes();
            match self.upper.lookup(dir, &name) {
                Ok(_) => {}
                Err(Errno::ENOENT) => return Ok(name),
                Err(error) => return Err(error),
            }
        }
        Err(Errno::EEXIST)
    }
}

//! Descriptors: opening, duplicating, reading and writing.

use super::Process;
use crate::description::{Description, FileDescription, Interest, Whence};
use crate::descriptions::directory::Directory;
use crate::descriptions::pipe::Pipe;
use crate::descriptions::regular::RegularFile;
use crate::descriptions::terminal::Terminal;
use crate::fd_table::Entry;
use capsule_abi::Errno;
use capsule_abi::door::{RLIM_INFINITY, Resource, Window};
use capsule_abi::fs::{AT_FDCWD, DirEntry, FileType, OpenFlags};
use capsule_abi::signal::Signal;
use capsule_vfs::devices::TTY;
use capsule_vfs::{OpenNode, Place};

/// A directory argument: the place, and what keeps it alive meanwhile. None is the working directory.
pub(super) struct At(Option<(Place, Description)>);

impl At {
    pub fn place(&self) -> Option<Place> {
        self.0.as_ref().map(|(place, _)| *place)
    }
}

impl Process {
    pub fn description(&self, fd: i32) -> Result<Description, Errno> {
        self.fds.lock().entry(fd).map(|e| e.description.clone())
    }

    /// The size of the terminal's window; `ENOTTY` of what is no terminal.
    pub fn window(&self, fd: i32) -> Result<Window, Errno> {
        self.description(fd)?.terminal().map(Terminal::window).ok_or(Errno::ENOTTY)
    }

    /// The directory that a path is relative to.
    pub(super) fn at(&self, dirfd: i32) -> Result<At, Errno> {
        if dirfd == AT_FDCWD {
            return Ok(At(None));
        }
        let description = self.description(dirfd)?;
        let place = match description.node() {
            Some(node) if node.kind() == FileType::Directory => node.place(),
            _ => return Err(Errno::ENOTDIR),
        };
        Ok(At(Some((place, description))))
    }

    /// `openat(2)`; the lowest free descriptor that is not below `least`. Waits for the other side of a FIFO.
    pub async fn open(&self, dirfd: i32, path: &[u8], flags: OpenFlags, mode: u32, least: i32) -> Result<i32, Errno> {
        let at = self.at(if path.starts_with(b"/") { AT_FDCWD } else { dirfd })?;
        let description = self.open_description(at.place(), path, flags, mode).await?;
        self.insert(description, flags.contains(OpenFlags::CLOEXEC), least)
    }

    pub(super) async fn open_description(
        &self,
        dir: Option<Place>,
        path: &[u8],
        flags: OpenFlags,
        mode: u32,
    ) -> Result<Description, Errno> {
        if let Some(fd) = descriptor_path(path) {
            let description = self.description(fd).map_err(|_| Errno::ENOENT)?;
            return description.reopen(&self.caller(), flags).unwrap_or(Ok(description));
        }
        let node = match self.kernel.vfs().open(&self.caller(), dir, path, flags, mode) {
            // What a descriptor's link tells of a pipe is no path.
            Err(Errno::ENOENT) if !flags.contains(OpenFlags::NOFOLLOW) => {
                let fd = self.linked_descriptor(dir, path).ok_or(Errno::ENOENT)?;
                let description = self.description(fd).map_err(|_| Errno::ENOENT)?;
                return description.reopen(&self.caller(), flags).unwrap_or(Ok(description));
            }
            outcome => outcome?,
        };
        match node.kind() {
            FileType::Directory => Ok(Directory::new(node, flags)),
            FileType::Fifo if !flags.contains(OpenFlags::PATH) => self.open_fifo(node, flags).await,
            FileType::CharDevice if !flags.contains(OpenFlags::PATH) && node.stat()?.rdev == TTY => {
                let sid = self.family.lock().sid;
                self.kernel.open_terminal(sid, node, flags)
            }
            kind => Ok(RegularFile::new(node, kind, flags)),
        }
    }

    /// The own descriptor that a path leads to by links or from a working directory, where [`descriptor_path`] did not
    /// see it.
    pub(super) fn linked_descriptor(&self, dir: Option<Place>, path: &[u8]) -> Option<i32> {
        let (vfs, caller) = (self.kernel.vfs(), self.caller());
        // Most of what is not there is no link either.
        vfs.read_link(&caller, dir, path).ok()?;
        let own = format!("/proc/{}/fd/", self.pid()).into_bytes();
        let (mut dir, mut path) = (dir, path.to_vec());
        for _ in 0..MOST_LINKS {
            let slash = path.iter().rposition(|&b| b == b'/');
            let name = path[slash.map_or(0, |at| at + 1)..].to_vec();
            let parent = match slash {
                Some(0) => &b"/"[..],
                Some(at) => &path[..at],
                None => b".",
            };
            let parent = vfs.resolve(&caller, dir, parent, true).ok()?;
            let place = [&vfs.path_of(parent)?[..], b"/", &name].concat();
            if let Some(number) = place.strip_prefix(&own[..]) {
                return descriptor_path(&[b"/dev/fd/", number].concat());
            }
            path = vfs.read_link(&caller, Some(parent), &name).ok()?;
            dir = Some(parent);
        }
        None
    }

    async fn open_fifo(&self, node: OpenNode, flags: OpenFlags) -> Result<Description, Errno> {
        let pipe = self.kernel.fifo(node.place());
        let (opens_before, present) = pipe.other_side(flags);
        let (both, nonblocking) = (flags.readable() && flags.writable(), flags.contains(OpenFlags::NONBLOCK));
        if flags.writable() && !both && nonblocking && !present {
            return Err(Errno::ENXIO);
        }
        let end = pipe.clone().end(flags, Some(node));
        if both || nonblocking || present {
            return Ok(end);
        }
        // The other side is awaited by how often it was opened: it may have come and gone before we look.
        let interest = if flags.readable() { Interest::Read } else { Interest::Write };
        self.block(
            |id, waker| end.register(interest, id, waker),
            |id| end.forget(interest, id),
            || (pipe.other_side(flags).0 != opens_before).then_some(()),
        )
        .await?;
        Ok(end)
    }

    pub(super) fn insert(&self, description: Description, close_on_exec: bool, least: i32) -> Result<i32, Errno> {
        let most = self.soft_limit(Resource::OpenFiles);
        self.fds.lock().insert(Entry { description, close_on_exec }, least, most)
    }

    /// Puts a description at a descriptor of the host's choosing.
    pub fn install(&self, fd: i32, description: Description) -> Result<(), Errno> {
        let most = self.soft_limit(Resource::OpenFiles);
        let entry = Entry { description, close_on_exec: false };
        // Dropped after the lock: closing may wake others.
        let old = self.fds.lock().replace(fd, entry, most)?;
        drop(old);
        Ok(())
    }

    pub fn close(&self, fd: i32) -> Result<(), Errno> {
        let old = self.fds.lock().remove(fd)?;
        drop(old);
        Ok(())
    }

    pub fn dup(&self, fd: i32, least: i32, close_on_exec: bool) -> Result<i32, Errno> {
        self.insert(self.description(fd)?, close_on_exec, least)
    }

    pub fn dup2(&self, from: i32, to: i32, close_on_exec: bool) -> Result<i32, Errno> {
        let description = self.description(from)?;
        if from == to {
            return Ok(to);
        }
        let most = self.soft_limit(Resource::OpenFiles);
        let old = self.fds.lock().replace(to, Entry { description, close_on_exec }, most)?;
        drop(old);
        Ok(to)
    }

    /// WASI's `fd_renumber`: moves a descriptor over an open one.
    pub fn renumber(&self, from: i32, to: i32) -> Result<(), Errno> {
        self.description(to)?;
        self.dup2(from, to, false)?;
        if from == to { Ok(()) } else { self.close(from) }
    }

    pub fn close_on_exec(&self, fd: i32) -> Result<bool, Errno> {
        self.fds.lock().entry(fd).map(|e| e.close_on_exec)
    }

    pub fn set_close_on_exec(&self, fd: i32, on: bool) -> Result<(), Errno> {
        self.fds.lock().entry_mut(fd).map(|e| e.close_on_exec = on)
    }

    /// The open descriptors, in order.
    pub fn open_fds(&self) -> Vec<i32> {
        self.fds.lock().open_fds().collect()
    }

    pub fn pipe(&self, flags: OpenFlags) -> Result<(i32, i32), Errno> {
        if flags.without(OpenFlags::CLOEXEC | OpenFlags::NONBLOCK) != OpenFlags::default() {
            return Err(Errno::EINVAL);
        }
        let cloexec = flags.contains(OpenFlags::CLOEXEC);
        let (read, write) = Pipe::pair(flags.without(OpenFlags::CLOEXEC), Some(self.kernel.budget().clone()));
        let read = self.insert(read, cloexec, 0)?;
        match self.insert(write, cloexec, 0) {
            Ok(write) => Ok((read, write)),
            Err(e) => {
                self.close(read)?;
                Err(e)
            }
        }
    }

    /// One attempt to write; `EAGAIN` when it would wait. A broken pipe also sends `PIPE`, an output limit ends the run.
    pub fn try_write(&self, description: &dyn FileDescription, data: &[u8]) -> Result<usize, Errno> {
        let data = self.within_file_size(description, None, data)?;
        let outcome = description.write(data);
        match outcome {
            Err(Errno::EPIPE) => self.post(Signal::PIPE),
            // Only the session's own output says so.
            Err(Errno::EFBIG) if description.node().is_none() => self.kernel.kill_all(Signal::KILL),
            _ => {}
        }
        outcome
    }

    /// Writes at an offset of the file, which must be one that has offsets.
    pub fn write_at(&self, description: &dyn FileDescription, offset: u64, data: &[u8]) -> Result<usize, Errno> {
        description.write_at(offset, self.within_file_size(description, Some(offset), data)?)
    }

    /// `RLIMIT_FSIZE`: a write is cut at the limit; one that begins there sends `XFSZ`. Without an offset, the write is
    /// where the description stands.
    fn within_file_size<'a>(
        &self,
        description: &dyn FileDescription,
        offset: Option<u64>,
        data: &'a [u8],
    ) -> Result<&'a [u8], Errno> {
        let most = self.soft_limit(Resource::FileSize);
        if most == RLIM_INFINITY || description.file_type() != FileType::Regular {
            return Ok(data);
        }
        let append = description.flags().get().contains(OpenFlags::APPEND);
        let offset = match offset {
            _ if append => description.stat()?.size,
            Some(offset) => offset,
            None => description.seek(Whence::Current, 0)?,
        };
        let room = usize::try_from(most.saturating_sub(offset)).unwrap_or(usize::MAX);
        if room == 0 && !data.is_empty() {
            self.post(Signal::XFSZ);
            return Err(Errno::EFBIG);
        }
        Ok(&data[..data.len().min(room)])
    }

    /// Directory entries from where the description stands, as many as `sink` takes; the position moves past them.
    pub fn getdents(&self, fd: i32, sink: &mut dyn FnMut(&DirEntry) -> bool) -> Result<(), Errno> {
        let description = self.description(fd)?;
        if description.file_type() != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        let start = description.seek(Whence::Current, 0)?;
        let mut next = start;
        description.read_dir(start, &mut |entry| {
            let taken = sink(&entry);
            if taken {
                next = entry.next;
            }
            taken
        })?;
        let next = i64::try_from(next).map_err(|_| Errno::EOVERFLOW)?;
        description.seek(Whence::Set, next).map(drop)
    }
}

/// The descriptor a path like `/dev/fd/3` stands for. These names mean something else in every process, so the
/// filesystem cannot know them.
pub(super) fn descriptor_path(path: &[u8]) -> Option<i32> {
    match path {
        b"/dev/stdin" => return Some(0),
        b"/dev/stdout" => return Some(1),
        b"/dev/stderr" => return Some(2),
        _ => {}
    }
    let number = path.strip_prefix(b"/dev/fd/").or_else(|| path.strip_prefix(b"/proc/self/fd/"))?;
    let digits = std::str::from_utf8(number).ok().filter(|s| s.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok()
}

/// As many links as a path may lead through.
const MOST_LINKS: u32 = 40;

#[cfg(test)]
mod tests {
    use super::descriptor_path;

    #[test]
    fn names_of_descriptors() {
        assert_eq!(descriptor_path(b"/dev/stderr"), Some(2));
        assert_eq!(descriptor_path(b"/dev/fd/63"), Some(63));
        for other in [b"/dev/fd/".as_slice(), b"/dev/fd/-1", b"/dev/fd/1/2", b"/dev/fd/99999999999", b"dev/fd/1"] {
            assert_eq!(descriptor_path(other), None);
        }
    }
}

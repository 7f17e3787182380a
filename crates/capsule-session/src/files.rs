//! The host's own look at a session's files.

use crate::Error;
use crate::builder::WORKSPACE;
use crate::world::World;
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags};
use capsule_kernel::descriptions::capture::Collected;
use capsule_vfs::memory::FileData;
use capsule_vfs::{Caller, Content};
use serde::Serialize;

/// A name in a folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Entry {
    pub name: String,
    /// The name as it is: `name` cannot hold bytes that are no text.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// `file`, `folder`, `link` or `other`.
    pub kind: &'static str,
    pub size: u64,
    pub mode: u32,
}

/// No file is handed out larger: it is held in memory.
const MOST: u64 = 1 << 30;

impl World {
    /// Paths of the host's callers are relative to the workspace.
    fn at_workspace(&self) -> Result<(Caller, capsule_vfs::OpenNode), Errno> {
        let caller = self.caller();
        let cwd = self.kernel.vfs().open_cwd(&caller, None, WORKSPACE.as_bytes())?;
        Ok((Caller { cwd: cwd.place(), ..caller }, cwd))
    }

    pub fn exists(&self, path: &[u8], cwd: &[u8]) -> bool {
        let root = self.caller();
        match self.kernel.vfs().open_cwd(&root, None, cwd) {
            Ok(cwd) => self.kernel.vfs().stat(&Caller { cwd: cwd.place(), ..root }, None, path, true).is_ok(),
            Err(_) => false,
        }
    }

    pub fn read_file(&self, path: &[u8]) -> Result<Vec<u8>, Error> {
        self.read_bytes(path).map_err(|why| file(path, why))
    }

    fn read_bytes(&self, path: &[u8]) -> Result<Vec<u8>, Errno> {
        let (caller, _cwd) = self.at_workspace()?;
        let node = self.kernel.vfs().open(&caller, None, path, OpenFlags::RDONLY, 0)?;
        match node.kind() {
            FileType::Regular => {}
            FileType::Directory => return Err(Errno::EISDIR),
            _ => return Err(Errno::EINVAL),
        }
        let size = node.stat()?.size;
        if size > MOST {
            return Err(Errno::EFBIG);
        }
        let mut bytes = vec![0; size as usize];
        let mut filled = 0;
        while filled < bytes.len() {
            match node.read_at(filled as u64, &mut bytes[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Replaces what is there; folders above it are made.
    pub fn write_file(&self, path: &[u8], bytes: &[u8], mode: u32) -> Result<(), Error> {
        self.write_bytes(path, bytes, mode).map_err(|why| file(path, why))
    }

    fn write_bytes(&self, path: &[u8], bytes: &[u8], mode: u32) -> Result<(), Errno> {
        let (caller, _cwd) = self.at_workspace()?;
        let vfs = self.kernel.vfs();
        for end in path.iter().enumerate().filter(|&(i, &b)| b == b'/' && i > 0).map(|(i, _)| i) {
            match vfs.mkdir(&caller, None, &path[..end], 0o755) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(e) => return Err(e),
            }
        }
        let flags = OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::WRONLY;
        let node = vfs.open(&caller, None, path, flags, mode)?;
        if node.kind() != FileType::Regular {
            return Err(Errno::EINVAL);
        }
        let mut written = 0;
        while written < bytes.len() {
            written += node.write_at(written as u64, &bytes[written..])?;
        }
        Ok(())
    }

    /// Keeps an output as a file, sharing its bytes; false, and nothing is there, when it does not fit.
    pub fn keep_output(&self, path: &[u8], output: &Collected) -> bool {
        let kept = match &output.whole {
            Some(data) => self.write_bytes(path, &[], 0o644).and_then(|()| self.fill(path, data)),
            None if output.head.len() as u64 == output.total => self.write_bytes(path, &output.head, 0o644),
            None => Err(Errno::ENOSPC),
        };
        if kept.is_err() {
            // A part of it would be mistaken for all, and take the room of others.
            let _ = self.kernel.vfs().unlink(&self.caller(), None, path);
        }
        kept.is_ok()
    }

    fn fill(&self, path: &[u8], data: &FileData) -> Result<(), Errno> {
        let vfs = self.kernel.vfs();
        let node = vfs.open(&self.caller(), None, path, OpenFlags::WRONLY, 0)?;
        let fs = vfs.filesystem(node.place().mount).ok_or(Errno::ENOENT)?;
        if fs.set_content(node.node(), &Content::Shared(data.clone()))? {
            return Ok(());
        }
        let mut block = vec![0; 256 << 10];
        let mut offset = 0;
        while offset < data.size() {
            let n = data.read(offset, &mut block);
            let mut done = 0;
            while done < n {
                done += node.write_at(offset + done as u64, &block[done..n])?;
            }
            offset += n as u64;
        }
        Ok(())
    }

    /// What a folder holds, by name.
    pub fn list_files(&self, path: &[u8]) -> Result<Vec<Entry>, Error> {
        self.list(path).map_err(|why| file(path, why))
    }

    fn list(&self, path: &[u8]) -> Result<Vec<Entry>, Errno> {
        let (caller, _cwd) = self.at_workspace()?;
        let vfs = self.kernel.vfs();
        let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
        let folder = vfs.open(&caller, None, path, flags, 0)?;
        let mut names = Vec::new();
        folder.read_dir(0, &mut |entry| {
            if entry.name != b"." && entry.name != b".." {
                names.push(entry.name);
            }
            true
        })?;
        names.sort();
        let entry = |name: Vec<u8>| {
            let stat = vfs.stat(&caller, Some(folder.place()), &name, false).ok()?;
            let kind = match stat.kind {
                FileType::Regular => "file",
                FileType::Directory => "folder",
                FileType::Symlink => "link",
                _ => "other",
            };
            let shown = String::from_utf8_lossy(&name).into_owned();
            Some(Entry { name: shown, bytes: name, kind, size: stat.size, mode: stat.mode })
        };
        Ok(names.into_iter().filter_map(entry).collect())
    }
}

fn file(path: &[u8], why: Errno) -> Error {
    Error::File { path: String::from_utf8_lossy(path).into_owned(), why }
}

//! The difference between a tree and an earlier copy of it as bytes, so that a tree can outlive the process. The
//! difference to nothing is the whole tree.
//!
//! What is embedded in the binary is told by name: a later binary brings its own. Bytes that are read may be anybody's:
//! lengths are bounded before anything is reserved, and [`check`](super::check) looks at the result as a whole.

use super::directory::{Directory, Name};
use super::inode::{Body, Inode, next_version};
use super::table::{Slot, id_of};
use super::{FileData, MemoryFs, check, data};
use crate::{NodeId, Quota, Result};
use capsule_abi::fs::{MODE_BITS, NAME_MAX, Time};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// What stands before a node.
mod tag {
    pub const END: u8 = 0;
    pub const FREE: u8 = 1;
    pub const FILE: u8 = 2;
    pub const EMBEDDED: u8 = 3;
    pub const DIRECTORY: u8 = 4;
    pub const SYMLINK: u8 = 5;
    pub const FIFO: u8 = 6;
    /// The node is described by what differs from what its slot held.
    pub const CHANGED: u8 = 0x80;
}

/// No symlink is longer.
const TARGET_MAX: usize = 4096;

/// Files whose bytes are in the binary, by name.
pub struct Embedded {
    files: Vec<(String, FileData, u64)>,
}

impl Embedded {
    /// These files of an image.
    pub fn new(image: &MemoryFs, files: &[(&str, NodeId)]) -> Result<Embedded> {
        let tree = image.tree.read();
        let file = |&(name, node): &(&str, NodeId)| {
            let inode = tree.table.get(node)?;
            Ok((name.to_owned(), inode.data()?.clone(), inode.version))
        };
        Ok(Embedded { files: files.iter().map(file).collect::<Result<_>>()? })
    }

    fn name(&self, data: &FileData) -> Option<&str> {
        let bytes = data.embedded()?;
        let same = |file: &FileData| file.embedded().is_some_and(|known| std::ptr::eq(known, bytes));
        self.files.iter().find(|(_, file, _)| same(file)).map(|(name, ..)| name.as_str())
    }

    fn find(&self, name: &[u8]) -> Option<(&FileData, u64)> {
        let found = self.files.iter().find(|(known, ..)| known.as_bytes() == name);
        found.map(|(_, data, version)| (data, *version))
    }
}

impl MemoryFs {
    /// Writes how this tree differs from an earlier copy of it, or from nothing.
    pub fn write_delta(&self, before: Option<&MemoryFs>, embedded: &Embedded, to: &mut dyn Write) -> io::Result<()> {
        // A copy has no files that are unlinked but open.
        let now = self.tree.read().fork();
        let empty = super::table::Table::new();
        let then = before.map(|before| before.tree.read());
        let then = then.as_ref().map_or(&empty, |tree| &tree.table);
        let mut out = Out(to);
        for (number, old, new) in now.table.differences(then) {
            let old = old.inode.as_deref().filter(|_| old.generation == new.generation);
            match &new.inode {
                Some(inode) => out.node(number, new.generation, old, inode, embedded)?,
                None => out.u8(tag::FREE)?.u32(number)?.u32(new.generation).map(drop)?,
            }
        }
        out.u8(tag::END).map(drop)
    }

    /// The tree that differs from `before` (or from nothing) as the bytes tell. None of it is charged.
    /// `MemoryFs::checked` must be asked before it is used.
    pub fn read_delta(before: Option<&MemoryFs>, embedded: &Embedded, from: &mut dyn Read) -> io::Result<MemoryFs> {
        let fs = match before {
            Some(before) => before.fork(Quota::unlimited()),
            None => MemoryFs::new(Quota::unlimited()),
        };
        let mut from = In(from);
        let mut tree = fs.tree.write();
        loop {
            let tag = from.u8()?;
            if tag == tag::END {
                break;
            }
            let (number, generation) = (from.u32()?, from.u32()?);
            let id = id_of(number, generation);
            let inode = match tag {
                tag::FREE => None,
                _ => {
                    let old = tree.table.get(id).ok().filter(|_| tag & tag::CHANGED != 0);
                    Some(Arc::new(from.inode(tag & !tag::CHANGED, old, embedded)?))
                }
            };
            if !tree.table.put(number, Slot { generation, inode }) {
                return Err(damaged("a node"));
            }
        }
        tree.read_in();
        drop(tree);
        Ok(fs)
    }

    /// Whether what was read is a tree.
    pub fn checked(&self) -> bool {
        check::is_tree(&self.tree.read().table, self.root)
    }
}

struct Out<'a>(&'a mut dyn Write);

impl Out<'_> {
    fn u8(&mut self, value: u8) -> io::Result<&mut Self> {
        self.0.write_all(&[value])?;
        Ok(self)
    }

    fn u32(&mut self, value: u32) -> io::Result<&mut Self> {
        self.0.write_all(&value.to_le_bytes())?;
        Ok(self)
    }

    fn u64(&mut self, value: u64) -> io::Result<&mut Self> {
        self.0.write_all(&value.to_le_bytes())?;
        Ok(self)
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<&mut Self> {
        self.u32(bytes.len() as u32)?.0.write_all(bytes)?;
        Ok(self)
    }

    fn time(&mut self, time: Time) -> io::Result<&mut Self> {
        self.u64(time.sec as u64)?.u32(time.nsec)
    }

    fn node(
        &mut self,
        number: u32,
        generation: u32,
        old: Option<&Inode>,
        inode: &Inode,
        embedded: &Embedded,
    ) -> io::Result<()> {
        let image = inode.data().ok().and_then(|data| embedded.name(data));
        let (tag, changes) = match &inode.body {
            Body::File(_) if image.is_some() => (tag::EMBEDDED, false),
            Body::File(_) => (tag::FILE, old.is_some_and(|old| old.data().is_ok())),
            Body::Directory(_) => (tag::DIRECTORY, old.is_some_and(Inode::is_directory)),
            Body::Symlink(_) => (tag::SYMLINK, false),
            Body::Fifo => (tag::FIFO, false),
        };
        let old = old.filter(|_| changes);
        self.u8(tag | if changes { tag::CHANGED } else { 0 })?.u32(number)?.u32(generation)?;
        self.u32(inode.mode)?.u32(inode.uid)?.u32(inode.gid)?.u32(inode.nlink)?;
        self.time(inode.atime)?.time(inode.mtime)?.time(inode.ctime)?;
        self.u32(inode.names.len() as u32)?;
        for (dir, name) in &inode.names {
            self.u64(dir.0)?.bytes(name.bytes())?;
        }
        match &inode.body {
            Body::File(data) => match image {
                Some(name) => self.bytes(name.as_bytes()).map(drop),
                None => self.data(data, old.and_then(|old| old.data().ok())),
            },
            Body::Directory(directory) => self.directory(directory, old.and_then(|old| old.directory().ok())),
            Body::Symlink(target) => self.bytes(target).map(drop),
            Body::Fifo => Ok(()),
        }
    }

    fn data(&mut self, data: &FileData, old: Option<&FileData>) -> io::Result<()> {
        let (changed, gone) = data.differences(old);
        self.u64(data.size())?.numbers(&gone)?.u64(changed.len() as u64)?;
        for (index, bytes) in changed {
            self.u64(index)?.bytes(bytes)?;
        }
        Ok(())
    }

    fn directory(&mut self, directory: &Directory, old: Option<&Directory>) -> io::Result<()> {
        let (new, gone) = directory.differences(old);
        self.u64(directory.parent.0)?.u64(directory.next())?.numbers(&gone)?.u64(new.len() as u64)?;
        for (number, name, node) in new {
            self.u64(number)?.bytes(name.bytes())?.u64(node.0)?;
        }
        Ok(())
    }

    fn numbers(&mut self, numbers: &[u64]) -> io::Result<&mut Self> {
        self.u64(numbers.len() as u64)?;
        for &number in numbers {
            self.u64(number)?;
        }
        Ok(self)
    }
}

struct In<'a>(&'a mut dyn Read);

impl In<'_> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn u8(&mut self) -> io::Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self, most: usize, what: &'static str) -> io::Result<Vec<u8>> {
        let len = self.u32()? as usize;
        if len > most {
            return Err(damaged(what));
        }
        let mut bytes = vec![0; len];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn time(&mut self) -> io::Result<Time> {
        let time = Time { sec: self.u64()? as i64, nsec: self.u32()? };
        if time.nsec < 1_000_000_000 { Ok(time) } else { Err(damaged("a time")) }
    }

    /// As many as the bytes say, though nothing is reserved for what they only promise.
    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> io::Result<T>) -> io::Result<Vec<T>> {
        (0..self.u64()?).map(|_| one(self)).collect()
    }

    fn name(&mut self) -> io::Result<Name> {
        Ok(Name::from(self.bytes(NAME_MAX, "a name")?.as_slice()))
    }

    fn inode(&mut self, tag: u8, old: Option<&Inode>, embedded: &Embedded) -> io::Result<Inode> {
        let (mode, uid, gid, nlink) = (self.u32()? & MODE_BITS, self.u32()?, self.u32()?, self.u32()?);
        let (atime, mtime, ctime) = (self.time()?, self.time()?, self.time()?);
        let names = (0..self.u32()?).map(|_| Ok((NodeId(self.u64()?), self.name()?))).collect::<io::Result<_>>()?;
        let mut version = next_version();
        let body = match tag {
            tag::FILE => {
                let old = old.and_then(|old| old.data().ok()).cloned().unwrap_or_default();
                let (size, gone) = (self.u64()?, self.many(In::u64)?);
                let changed = self.many(|from| Ok((from.u64()?, from.bytes(data::CHUNK, "a file")?)))?;
                Body::File(old.patched(size, changed, &gone).ok_or_else(|| damaged("a file"))?)
            }
            tag::EMBEDDED => {
                let name = self.bytes(NAME_MAX, "an embedded file")?;
                let (data, known) = embedded.find(&name).ok_or_else(|| damaged("an embedded file"))?;
                version = known;
                Body::File(data.clone())
            }
            tag::DIRECTORY => {
                let parent = NodeId(self.u64()?);
                let old = old.and_then(|old| old.directory().ok()).cloned().unwrap_or(Directory::new(parent));
                let (next, gone) = (self.u64()?, self.many(In::u64)?);
                let new = self.many(|from| Ok((from.u64()?, from.name()?, NodeId(from.u64()?))))?;
                Body::Directory(old.patched(parent, next, new, &gone).ok_or_else(|| damaged("a folder"))?)
            }
            tag::SYMLINK => Body::Symlink(self.bytes(TARGET_MAX, "a link")?.into()),
            tag::FIFO => Body::Fifo,
            _ => return Err(damaged("the kind of a node")),
        };
        Ok(Inode { mode, uid, gid, nlink, atime, mtime, ctime, version, names, body })
    }
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the tree is damaged: {what}"))
}

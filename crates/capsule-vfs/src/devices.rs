//! `/dev`: a fixed tree. null, zero, full, random and urandom do their work here; the terminal is there and cannot be
//! opened. stdin, stdout, stderr and fd are links into `/proc/self`.

use crate::clock::now;
use crate::{Attributes, Content, Errno, Filesystem, NodeId, Result};
use capsule_abi::fs::{DirEntry, FileType, FsUsage, Stat, Time};

/// `st_rdev` as Linux has it, for numbers below 256.
const fn device(major: u64, minor: u64) -> u64 {
    major << 8 | minor
}

const NULL: u64 = device(1, 3);
const ZERO: u64 = device(1, 5);
const FULL: u64 = device(1, 7);
const RANDOM: u64 = device(1, 8);
const URANDOM: u64 = device(1, 9);
/// The terminal of a run, which only a kernel knows: here it can be opened, not used.
pub const TTY: u64 = device(5, 0);

/// What Linux gives at most in one read.
const RANDOM_MAX: usize = (32 << 20) - 1;

enum Body {
    Directory,
    Device(u64),
    Link(&'static str),
}

/// The root has number 1, the others count on in this order.
const ENTRIES: &[(&str, Body)] = &[
    ("null", Body::Device(NULL)),
    ("zero", Body::Device(ZERO)),
    ("full", Body::Device(FULL)),
    ("random", Body::Device(RANDOM)),
    ("urandom", Body::Device(URANDOM)),
    ("tty", Body::Device(TTY)),
    ("fd", Body::Link("/proc/self/fd")),
    ("stdin", Body::Link("/proc/self/fd/0")),
    ("stdout", Body::Link("/proc/self/fd/1")),
    ("stderr", Body::Link("/proc/self/fd/2")),
    ("capsule", Body::Directory),
];

const ROOT: NodeId = NodeId(1);

/// `/dev`. Mount it read-only and out of the journal.
pub struct DevFs {
    made: Time,
}

impl Default for DevFs {
    fn default() -> DevFs {
        DevFs { made: now() }
    }
}

impl DevFs {
    pub fn new() -> DevFs {
        DevFs::default()
    }
}

fn entry(node: NodeId) -> Result<&'static (&'static str, Body)> {
    let index = node.0.checked_sub(2).and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| ENTRIES.get(index)).ok_or(Errno::ESTALE)
}

fn body(node: NodeId) -> Result<&'static Body> {
    if node == ROOT { Ok(&Body::Directory) } else { entry(node).map(|(_, body)| body) }
}

fn rdev(node: NodeId) -> Result<u64> {
    match body(node)? {
        Body::Device(number) => Ok(*number),
        Body::Directory => Err(Errno::EISDIR),
        Body::Link(_) => Err(Errno::EINVAL),
    }
}

fn is_directory(node: NodeId) -> Result<()> {
    match body(node)? {
        Body::Directory => Ok(()),
        _ => Err(Errno::ENOTDIR),
    }
}

impl Filesystem for DevFs {
    fn root(&self) -> NodeId {
        ROOT
    }

    fn lookup(&self, dir: NodeId, name: &[u8]) -> Result<NodeId> {
        is_directory(dir)?;
        let at = ENTRIES.iter().position(|(known, _)| known.as_bytes() == name).filter(|_| dir == ROOT);
        at.map(|index| NodeId(index as u64 + 2)).ok_or(Errno::ENOENT)
    }

    fn parent(&self, dir: NodeId) -> Result<NodeId> {
        is_directory(dir).map(|()| ROOT)
    }

    fn names(&self, node: NodeId) -> Vec<(NodeId, Vec<u8>)> {
        entry(node).map(|(name, _)| (ROOT, name.as_bytes().to_vec())).into_iter().collect()
    }

    fn stat(&self, node: NodeId) -> Result<Stat> {
        let (kind, mode, nlink, rdev, size) = match body(node)? {
            Body::Directory => (FileType::Directory, 0o755, if node == ROOT { 3 } else { 2 }, 0, 4096),
            Body::Device(number) => (FileType::CharDevice, 0o666, 1, *number, 0),
            Body::Link(target) => (FileType::Symlink, 0o777, 1, 0, target.len() as u64),
        };
        let (atime, mtime, ctime) = (self.made, self.made, self.made);
        Ok(Stat { dev: 0, ino: node.0, kind, mode, nlink, uid: 0, gid: 0, rdev, size, blocks: 0, atime, mtime, ctime })
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>> {
        match body(node)? {
            Body::Link(target) => Ok(target.as_bytes().to_vec()),
            _ => Err(Errno::EINVAL),
        }
    }

    fn read_dir(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        is_directory(dir)?;
        let entries = if dir == ROOT { ENTRIES } else { &[] };
        let skip = usize::try_from(cookie).unwrap_or(usize::MAX);
        for (index, (name, _)) in (0..).zip(entries).skip(skip) {
            let node = NodeId(index + 2);
            let kind = self.stat(node)?.kind;
            if !sink(DirEntry { next: index + 1, ino: node.0, kind, name: name.as_bytes().to_vec() }) {
                break;
            }
        }
        Ok(())
    }

    fn read(&self, node: NodeId, _offset: u64, buf: &mut [u8]) -> Result<usize> {
        match rdev(node)? {
            NULL => return Ok(0),
            ZERO | FULL => buf.fill(0),
            RANDOM | URANDOM => {
                let len = buf.len().min(RANDOM_MAX);
                return getrandom::fill(&mut buf[..len]).map(|()| len).map_err(|_| Errno::EIO);
            }
            _ => return Err(Errno::ENXIO),
        }
        Ok(buf.len())
    }

    fn write(&self, node: NodeId, _offset: u64, data: &[u8]) -> Result<usize> {
        match rdev(node)? {
            NULL | ZERO | RANDOM | URANDOM => Ok(data.len()),
            FULL => Err(Errno::ENOSPC),
            _ => Err(Errno::ENXIO),
        }
    }

    fn append(&self, node: NodeId, data: &[u8]) -> Result<(u64, usize)> {
        self.write(node, 0, data).map(|written| (0, written))
    }

    fn set_attributes(&self, node: NodeId, attributes: &Attributes) -> Result<()> {
        match body(node)? {
            Body::Device(_) if attributes.size.is_some() => Err(Errno::EINVAL),
            _ => Err(Errno::EROFS),
        }
    }

    fn pin(&self, node: NodeId) -> Result<()> {
        body(node).map(|_| ())
    }

    fn unpin(&self, _: NodeId) {}

    fn content(&self, _: NodeId) -> Result<Content> {
        Err(Errno::EINVAL)
    }

    fn usage(&self) -> FsUsage {
        FsUsage { read_only: true, ..FsUsage::default() }
    }

    fn allows_devices(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Caller, Credentials, MemoryFs, MountOptions, Quota, Vfs};
    use capsule_abi::fs::OpenFlags;
    use std::sync::Arc;

    fn session() -> (Vfs, Caller) {
        let vfs = Vfs::new(Arc::new(MemoryFs::new(Quota::unlimited())));
        let me = Caller { credentials: Credentials::default(), umask: 0, cwd: vfs.root(), pid: 1 };
        vfs.mkdir(&me, None, b"/dev", 0o755).unwrap();
        vfs.mount(b"/dev", Arc::new(DevFs::new()), MountOptions { read_only: true, journal: false }).unwrap();
        (vfs, me)
    }

    #[test]
    fn devices_read_and_write_as_on_linux() {
        let (vfs, me) = session();
        let flags = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::TRUNC;
        let open = |name: &str| vfs.open(&me, None, format!("/dev/{name}").as_bytes(), flags, 0o666).unwrap();
        let mut buf = [7; 16];
        assert_eq!(open("null").read_at(0, &mut buf), Ok(0));
        assert_eq!(open("null").write_at(9, &buf), Ok(16));
        assert_eq!(open("full").write_at(0, &buf), Err(Errno::ENOSPC));
        assert_eq!(open("zero").read_at(1 << 40, &mut buf), Ok(16));
        assert_eq!(buf, [0; 16]);
        assert_eq!(open("urandom").read_at(0, &mut buf), Ok(16));
        assert_ne!(buf, [0; 16]);
        assert_eq!(vfs.stat(&me, None, b"/dev/tty", true).unwrap().rdev, TTY);
        assert_eq!(open("tty").read_at(0, &mut buf), Err(Errno::ENXIO));
        assert_eq!(open("tty").write_at(0, &buf), Err(Errno::ENXIO));
    }

    #[test]
    fn nothing_is_made_or_removed() {
        let (vfs, me) = session();
        assert_eq!(vfs.unlink(&me, None, b"/dev/null"), Err(Errno::EROFS));
        assert_eq!(vfs.mkdir(&me, None, b"/dev/x", 0o777), Err(Errno::EROFS));
        assert_eq!(vfs.read_link(&me, None, b"/dev/stdin").as_deref(), Ok(&b"/proc/self/fd/0"[..]));
        assert_eq!(vfs.stat(&me, None, b"/dev/capsule/x", true), Err(Errno::ENOENT));
        let dir = vfs.open(&me, None, b"/dev", OpenFlags::DIRECTORY, 0).unwrap();
        let mut count = 0;
        dir.read_dir(0, &mut |_| {
            count += 1;
            true
        })
        .unwrap();
        assert_eq!(count, ENTRIES.len() + 2);
    }
}

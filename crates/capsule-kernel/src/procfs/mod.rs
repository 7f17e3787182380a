//! `/proc`: the session's own processes and limits, in the form Linux gives them, so that `ps`, `free` and scripts that
//! read these files work. Nothing of the host is in it. Every read makes the text anew.
//!
//! A node's number says what it is: the process in the upper bits (0 for the files of the whole session), the entry below.

mod text;

use crate::kernel::Kernel;
use crate::process::{Pid, Process};
use capsule_abi::Errno;
use capsule_abi::fs::{DirEntry, FileType, FsUsage, Stat, Time};
use capsule_vfs::{Attributes, Content, Filesystem, MountOptions, NodeId};
use std::sync::{Arc, Weak};

type Result<T> = std::result::Result<T, Errno>;

/// Bits of a node number for the entry; a descriptor's link has [`DESCRIPTOR`] plus its number.
const ENTRY_BITS: u32 = 20;
const DESCRIPTOR: u64 = 1 << 19;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Link,
    Directory,
}

/// The entries of the root, numbered from 2 on.
const SESSION: &[(&str, Kind)] = &[
    ("self", Kind::Link),
    ("mounts", Kind::Link),
    ("cpuinfo", Kind::File),
    ("loadavg", Kind::File),
    ("meminfo", Kind::File),
    ("stat", Kind::File),
    ("uptime", Kind::File),
    ("version", Kind::File),
];

/// The entries of a process, numbered from 2 on.
const PROCESS: &[(&str, Kind)] = &[
    ("cmdline", Kind::File),
    ("comm", Kind::File),
    ("cwd", Kind::Link),
    ("environ", Kind::File),
    ("exe", Kind::Link),
    ("fd", Kind::Directory),
    ("mounts", Kind::File),
    ("root", Kind::Link),
    ("stat", Kind::File),
    ("statm", Kind::File),
    ("status", Kind::File),
];

/// The directory itself: of the session, or of a process.
const TOP: u64 = 1;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    Root,
    Session(&'static str, Kind),
    Process(Pid),
    Entry(Pid, &'static str, Kind),
    Descriptor(Pid, i32),
}

impl Node {
    fn of(id: NodeId) -> Result<Node> {
        let pid = Pid::try_from(id.0 >> ENTRY_BITS).map_err(|_| Errno::ESTALE)?;
        let entry = id.0 & ((1 << ENTRY_BITS) - 1);
        let listed = |entries: &'static [(&str, Kind)]| {
            let index = entry.checked_sub(2).and_then(|index| usize::try_from(index).ok());
            index.and_then(|index| entries.get(index)).copied().ok_or(Errno::ESTALE)
        };
        match (pid, entry) {
            (0, TOP) => Ok(Node::Root),
            (0, _) => listed(SESSION).map(|(name, kind)| Node::Session(name, kind)),
            (pid, TOP) => Ok(Node::Process(pid)),
            (pid, DESCRIPTOR..) => Ok(Node::Descriptor(pid, (entry - DESCRIPTOR) as i32)),
            (pid, _) => listed(PROCESS).map(|(name, kind)| Node::Entry(pid, name, kind)),
        }
    }

    fn kind(self) -> Kind {
        match self {
            Node::Root | Node::Process(_) => Kind::Directory,
            Node::Session(_, kind) | Node::Entry(_, _, kind) => kind,
            Node::Descriptor(..) => Kind::Link,
        }
    }
}

fn id(pid: Pid, entry: u64) -> NodeId {
    NodeId((pid as u64) << ENTRY_BITS | entry)
}

/// The number of an entry by its name.
fn entry_of(entries: &[(&str, Kind)], name: &[u8]) -> Result<u64> {
    let at = entries.iter().position(|(known, _)| known.as_bytes() == name);
    at.map(|index| index as u64 + 2).ok_or(Errno::ENOENT)
}

/// A number as it stands in a name: no sign, no leading zero.
fn number(name: &[u8]) -> Result<i32> {
    let text = std::str::from_utf8(name).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()) && !t.starts_with('0'));
    match name {
        b"0" => Ok(0),
        _ => text.and_then(|text| text.parse().ok()).ok_or(Errno::ENOENT),
    }
}

/// A name in a directory.
struct Entry {
    /// Stays the same while the entry does.
    number: u64,
    node: NodeId,
    kind: Kind,
    name: Vec<u8>,
}

pub struct ProcFs {
    kernel: Weak<Kernel>,
}

impl ProcFs {
    /// Mounts it at `/proc`.
    pub fn mount(kernel: &Arc<Kernel>) -> Result<()> {
        let fs = ProcFs { kernel: Arc::downgrade(kernel) };
        let options = MountOptions { journal: false, read_only: true };
        kernel.vfs().mount(b"/proc", Arc::new(fs), options).map(drop)
    }

    fn kernel(&self) -> Result<Arc<Kernel>> {
        self.kernel.upgrade().ok_or(Errno::ENOENT)
    }

    fn process(&self, pid: Pid) -> Result<Arc<Process>> {
        self.kernel()?.process(pid).ok_or(Errno::ENOENT)
    }

    /// What a file holds now.
    fn text(&self, node: Node) -> Result<Vec<u8>> {
        match node {
            Node::Session(name, Kind::File) => text::of_session(&*self.kernel()?, name),
            Node::Entry(pid, name, Kind::File) => text::of_process(&*self.process(pid)?, name),
            _ if node.kind() == Kind::Directory => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    fn entries(&self, node: Node) -> Result<Vec<Entry>> {
        let listed = |pid: Pid, entries: &[(&str, Kind)]| -> Vec<_> {
            let numbered = (2u64..).zip(entries);
            let entry = |(number, (name, kind)): (u64, &(&str, Kind))| Entry {
                number,
                node: id(pid, number),
                kind: *kind,
                name: name.as_bytes().to_vec(),
            };
            numbered.map(entry).collect()
        };
        match node {
            Node::Root => {
                let mut entries = listed(0, SESSION);
                for process in self.kernel()?.processes() {
                    let pid = process.pid();
                    entries.push(Entry {
                        number: 1 << ENTRY_BITS | pid as u64,
                        node: id(pid, TOP),
                        kind: Kind::Directory,
                        name: pid.to_string().into_bytes(),
                    });
                }
                Ok(entries)
            }
            Node::Process(pid) => self.process(pid).map(|_| listed(pid, PROCESS)),
            Node::Entry(pid, "fd", _) => {
                let fds = self.process(pid)?.open_fds().into_iter();
                let link = |fd: i32| Entry {
                    number: fd as u64 + 2,
                    node: id(pid, DESCRIPTOR + fd as u64),
                    kind: Kind::Link,
                    name: fd.to_string().into_bytes(),
                };
                Ok(fds.filter(|&fd| (fd as u64) < DESCRIPTOR).map(link).collect())
            }
            _ => Err(Errno::ENOTDIR),
        }
    }
}

impl Filesystem for ProcFs {
    fn root(&self) -> NodeId {
        id(0, TOP)
    }

    fn lookup(&self, dir: NodeId, name: &[u8]) -> Result<NodeId> {
        match Node::of(dir)? {
            Node::Root => match entry_of(SESSION, name) {
                Ok(entry) => Ok(id(0, entry)),
                Err(_) => self.process(number(name)?).map(|process| id(process.pid(), TOP)),
            },
            Node::Process(pid) => {
                self.process(pid)?;
                entry_of(PROCESS, name).map(|entry| id(pid, entry))
            }
            Node::Entry(pid, "fd", _) => {
                let fd = number(name)?;
                self.process(pid)?.description(fd).map_err(|_| Errno::ENOENT)?;
                Ok(id(pid, DESCRIPTOR + fd as u64))
            }
            _ => Err(Errno::ENOTDIR),
        }
    }

    fn parent(&self, dir: NodeId) -> Result<NodeId> {
        match Node::of(dir)? {
            Node::Root | Node::Process(_) => Ok(self.root()),
            Node::Entry(pid, "fd", _) => Ok(id(pid, TOP)),
            _ => Err(Errno::ENOTDIR),
        }
    }

    fn names(&self, node: NodeId) -> Vec<(NodeId, Vec<u8>)> {
        match Node::of(node) {
            Ok(Node::Session(name, _)) => vec![(self.root(), name.as_bytes().to_vec())],
            Ok(Node::Process(pid)) => vec![(self.root(), pid.to_string().into_bytes())],
            Ok(Node::Entry(pid, name, _)) => vec![(id(pid, TOP), name.as_bytes().to_vec())],
            _ => Vec::new(),
        }
    }

    fn stat(&self, node: NodeId) -> Result<Stat> {
        let what = Node::of(node)?;
        let (mut uid, mut gid, mut started) = (0, 0, 0);
        if let Node::Process(pid) | Node::Entry(pid, ..) | Node::Descriptor(pid, _) = what {
            let report = self.process(pid)?.report();
            (uid, gid, started) = (report.uid, report.gid, report.started);
        }
        let (kind, mode, nlink) = match (what.kind(), what) {
            (Kind::Directory, Node::Entry(..)) => (FileType::Directory, 0o500, 2),
            (Kind::Directory, _) => (FileType::Directory, 0o555, 2),
            (Kind::Link, _) => (FileType::Symlink, 0o777, 1),
            (Kind::File, Node::Entry(_, "environ", _)) => (FileType::Regular, 0o400, 1),
            (Kind::File, _) => (FileType::Regular, 0o444, 1),
        };
        let kernel = self.kernel()?;
        let clock = kernel.clock();
        let made = clock.realtime().saturating_sub(clock.monotonic()) + started;
        let made = Time { sec: (made / 1_000_000_000) as i64, nsec: (made % 1_000_000_000) as u32 };
        let (atime, mtime, ctime) = (made, made, made);
        let ino = node.0;
        Ok(Stat { dev: 0, ino, kind, mode, nlink, uid, gid, rdev: 0, size: 0, blocks: 0, atime, mtime, ctime })
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>> {
        self.read_link_as(node, 0)
    }

    fn read_link_as(&self, node: NodeId, pid: u32) -> Result<Vec<u8>> {
        match Node::of(node)? {
            // The host, when it looks, is no process.
            Node::Session("self", _) if pid == 0 => Err(Errno::ENOENT),
            Node::Session("self", _) => Ok(pid.to_string().into_bytes()),
            Node::Session("mounts", _) => Ok(b"self/mounts".to_vec()),
            Node::Entry(pid, "cwd", _) => self.process(pid)?.cwd_path().ok_or(Errno::ENOENT),
            Node::Entry(pid, "exe", _) => Ok(self.process(pid)?.report().path.to_vec()),
            Node::Entry(_, "root", _) => Ok(b"/".to_vec()),
            Node::Descriptor(pid, fd) => {
                let description = self.process(pid)?.description(fd).map_err(|_| Errno::ENOENT)?;
                let path = description.node().and_then(|open| self.kernel().ok()?.vfs().path_of(open.place()));
                match path {
                    Some(path) => Ok(path),
                    // Pipes and the host's own ends have no name.
                    None => Ok(format!("{}:[{}]", text::descriptor_kind(&*description), fd).into_bytes()),
                }
            }
            _ => Err(Errno::EINVAL),
        }
    }

    fn read_dir(&self, dir: NodeId, cookie: u64, sink: &mut dyn FnMut(DirEntry) -> bool) -> Result<()> {
        // An entry's number is the cookie after it: processes that come and go do not move the others.
        for Entry { number, node, kind, name } in self.entries(Node::of(dir)?)? {
            let kind = match kind {
                Kind::File => FileType::Regular,
                Kind::Link => FileType::Symlink,
                Kind::Directory => FileType::Directory,
            };
            if number > cookie && !sink(DirEntry { next: number, ino: node.0, kind, name }) {
                break;
            }
        }
        Ok(())
    }

    fn read(&self, node: NodeId, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let text = self.text(Node::of(node)?)?;
        let rest = usize::try_from(offset).ok().and_then(|offset| text.get(offset..)).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn write(&self, _: NodeId, _: u64, _: &[u8]) -> Result<usize> {
        Err(Errno::EROFS)
    }

    fn append(&self, _: NodeId, _: &[u8]) -> Result<(u64, usize)> {
        Err(Errno::EROFS)
    }

    fn set_attributes(&self, _: NodeId, _: &Attributes) -> Result<()> {
        Err(Errno::EROFS)
    }

    fn pin(&self, node: NodeId) -> Result<()> {
        Node::of(node).map(drop)
    }

    fn unpin(&self, _: NodeId) {}

    fn content(&self, _: NodeId) -> Result<Content> {
        Err(Errno::EINVAL)
    }

    fn usage(&self) -> FsUsage {
        FsUsage { read_only: true, ..FsUsage::default() }
    }
}

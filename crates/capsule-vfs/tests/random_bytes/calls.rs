//! A session's tree (an overlay, `/dev`, a read-only mount) and calls on it, made of bytes.

use super::sound;
use capsule_abi::fs::{OpenFlags, SetTime, Time};
use capsule_vfs::devices::DevFs;
use capsule_vfs::{
    Attributes, Caller, Credentials, Filesystem, MemoryFs, MountOptions, NewNode, NodeKind, OpenNode, Overlay, Place,
    Quota, Vfs,
};
use std::sync::Arc;

const HANDLES: usize = 6;
/// Small, so that they are hit.
const BYTES: u64 = 300_000;
const NAMES: u64 = 40;

struct World {
    vfs: Vfs,
    lower: Arc<MemoryFs>,
    upper: Arc<MemoryFs>,
    overlay: Arc<Overlay>,
    quota: Arc<Quota>,
    open: [Option<OpenNode>; HANDLES],
    caller: Caller,
    /// Held as a process holds its working directory.
    cwd: Option<OpenNode>,
}

/// Reads what the calls need; zeros when the bytes are used up.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn bool(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    fn u64(&mut self) -> u64 {
        u64::from(self.u32()) << 32 | u64::from(self.u32())
    }

    /// Small ones, ones around the edges of chunks, and any.
    fn offset(&mut self) -> u64 {
        match self.byte() % 4 {
            0 => u64::from(self.byte()),
            1 => 65_536 - 4 + u64::from(self.byte() % 8),
            2 => i64::MAX as u64 - 4 + u64::from(self.byte() % 8),
            _ => self.u64(),
        }
    }

    fn data(&mut self) -> Vec<u8> {
        let (byte, kind) = (self.byte(), self.byte());
        let len = if kind.is_multiple_of(4) { 70_000 } else { usize::from(kind) };
        vec![byte; len]
    }

    /// Mostly short names that meet, some as long as may be, some of any bytes.
    fn path(&mut self) -> Vec<u8> {
        let mut path = Vec::new();
        if self.byte().is_multiple_of(4) {
            path.push(b'/');
        }
        for _ in 0..1 + self.byte() % 4 {
            match self.byte() % 32 {
                0 => path.extend_from_slice(b".."),
                1 => path.extend_from_slice(b"."),
                2 => path.extend_from_slice(b"dev"),
                3 => path.extend_from_slice(b"ro"),
                4 => path.extend(std::iter::repeat_n(b'n', 250 + usize::from(self.byte() % 8))),
                5 => path.extend(std::iter::repeat_n(b'/', usize::from(self.byte()) * 17)),
                6 => {
                    for _ in 0..self.byte() % 8 {
                        path.push(self.byte());
                    }
                }
                name => path.push(b'a' + name % 5),
            }
            path.push(b'/');
        }
        if !self.byte().is_multiple_of(8) {
            path.pop();
        }
        path
    }

    fn time(&mut self) -> SetTime {
        match self.byte() % 4 {
            0 => SetTime::Now,
            1 => SetTime::At(Time { sec: self.u64() as i64, nsec: self.u32() }),
            _ => SetTime::Omit,
        }
    }

    fn attributes(&mut self) -> Attributes {
        let which = self.byte();
        Attributes {
            mode: (which & 1 != 0).then(|| self.u32()),
            uid: (which & 2 != 0).then(|| self.u32() % 3),
            gid: (which & 4 != 0).then(|| self.u32() % 3),
            size: (which & 8 != 0).then(|| self.offset()),
            atime: self.time(),
            mtime: self.time(),
        }
    }

    fn flags(&mut self) -> OpenFlags {
        // Mostly plain ones; some of all bits.
        match self.byte() {
            255 => OpenFlags(self.u32()),
            some => {
                let create = if some & 4 != 0 { OpenFlags::CREAT } else { OpenFlags::default() };
                let truncate = if some & 24 == 24 { OpenFlags::TRUNC } else { OpenFlags::default() };
                OpenFlags(u32::from(some & 3)) | create | truncate
            }
        }
    }
}

fn new(kind: NodeKind) -> NewNode {
    NewNode { kind, mode: 0o755, uid: 0, gid: 0 }
}

/// The lower tree: every kind of node, hard links, a hole, links that go round.
fn lower() -> Arc<MemoryFs> {
    let fs = MemoryFs::new(Quota::unlimited());
    let root = fs.root();
    let make = |dir, name: &[u8], kind| fs.create(dir, name, &new(kind)).expect("there is room");
    let a = make(root, b"a", NodeKind::Directory);
    let b = make(a, b"b", NodeKind::Directory);
    let file = make(b, b"c", NodeKind::Regular);
    fs.write(file, 0, &[b'l'; 70_000]).expect("there is room");
    fs.link(file, root, b"d").expect("there is room");
    let giant = make(a, b"a", NodeKind::Regular);
    let size = Attributes { size: Some(1 << 50), ..Attributes::default() };
    fs.set_attributes(giant, &size).expect("a hole needs no room");
    make(root, b"b", NodeKind::Symlink(b"a/b".to_vec()));
    make(root, b"c", NodeKind::Symlink(b"/c".to_vec()));
    make(a, b"c", NodeKind::Fifo);
    fs.create_static(a, b"d", 0o644, b"embedded").expect("there is room");
    for name in [&b"dev"[..], b"ro"] {
        make(root, name, NodeKind::Directory);
    }
    Arc::new(fs)
}

impl World {
    fn new() -> World {
        let (lower, quota) = (lower(), Quota::new(BYTES, NAMES));
        let upper = Arc::new(MemoryFs::new(quota.clone()));
        let overlay = Arc::new(Overlay::new(lower.clone(), upper.clone()).expect("an overlay"));
        let vfs = Vfs::new(overlay.clone());
        let options = MountOptions { read_only: false, journal: false };
        vfs.mount(b"/dev", Arc::new(DevFs::new()), options).expect("a directory");
        let read_only = MountOptions { read_only: true, journal: true };
        vfs.mount(b"/ro", lower.clone(), read_only).expect("a directory");
        let caller = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
        World { vfs, lower, upper, overlay, quota, open: Default::default(), caller, cwd: None }
    }

    fn dir(&self, from: &mut Source<'_>) -> Option<Place> {
        self.open.get(usize::from(from.byte())).and_then(|open| open.as_ref()).map(OpenNode::place)
    }

    /// One call; what it answers does not matter.
    fn call(&mut self, from: &mut Source<'_>) {
        let (vfs, caller) = (&self.vfs, self.caller);
        let slot = usize::from(from.byte()) % HANDLES;
        let dir = self.dir(from);
        match from.byte() % 28 {
            0..4 => {
                if let Ok(node) = vfs.open(&caller, dir, &from.path(), from.flags(), from.u32()) {
                    self.open[slot] = Some(node);
                }
            }
            4 => self.open[slot] = None,
            5 => _ = vfs.mkdir(&caller, dir, &from.path(), from.u32()),
            6 => _ = vfs.mkfifo(&caller, dir, &from.path(), from.u32()),
            7 => _ = vfs.symlink(&caller, &from.path(), dir, &from.path()),
            8 => _ = vfs.link(&caller, dir, &from.path(), None, &from.path(), from.bool()),
            9 | 10 => _ = vfs.unlink(&caller, dir, &from.path()),
            11 => _ = vfs.remove_dir(&caller, dir, &from.path()),
            12..15 => {
                let flags = if from.bool() { 0 } else { from.u32() % 8 };
                _ = vfs.rename(&caller, dir, &from.path(), None, &from.path(), flags);
            }
            15 => _ = vfs.set_attributes(&caller, dir, &from.path(), from.bool(), &from.attributes()),
            16 => _ = vfs.stat(&caller, dir, &from.path(), from.bool()),
            17 => {
                _ = vfs.read_link(&caller, dir, &from.path());
                _ = vfs.access(&caller, dir, &from.path(), from.u32() % 9, from.bool());
            }
            18 => {
                if let Ok(cwd) = vfs.open_cwd(&caller, dir, &from.path()) {
                    self.caller.cwd = cwd.place();
                    self.cwd = Some(cwd);
                }
            }
            19 => self.caller.credentials = Credentials { uid: from.u32() % 3, gid: from.u32() % 3 },
            20 => self.caller.umask = from.u32(),
            21 => match from.byte() % 4 {
                0 => vfs.journal().begin(),
                1 => vfs.journal().stop(),
                _ => sound::changes(vfs, &vfs.changes()),
            },
            call => {
                if let Some(node) = &self.open[slot] {
                    use_open(vfs, &caller, node, call, from);
                }
            }
        }
    }

    fn check(&self) {
        sound::tree(&*self.overlay);
        sound::tree(&*self.upper);
        sound::tree(&*self.lower);
    }

    fn finish(mut self) {
        self.check();
        sound::changes(&self.vfs, &self.vfs.changes());
        self.open = Default::default();
        self.cwd = None;
        self.vfs.journal().stop();
        // Nothing is held any more: what is counted is what is there.
        assert_eq!(self.quota.used(), sound::cost(&*self.upper));
        let fork = Arc::new(self.upper.fork(Quota::unlimited()));
        assert_eq!(fork.quota().used(), self.quota.used());
        let again = self.overlay.fork(|| fork);
        assert_eq!(sound::tree(&*self.overlay), sound::tree(&again));
        let state = self.overlay.state().expect("the overlay's state");
        let again = Overlay::with_state(self.lower.clone(), self.upper.clone(), &state).expect("an overlay");
        assert_eq!(sound::tree(&*self.overlay), sound::tree(&again));
        // Hiding what is below may need a copy of the directory it is in.
        self.quota.set_limits(u64::MAX, u64::MAX);
        sound::remove_everything(&*self.overlay);
        assert_eq!(self.quota.used(), (0, 0));
    }
}

fn use_open(vfs: &Vfs, caller: &Caller, node: &OpenNode, call: u8, from: &mut Source<'_>) {
    match call {
        22 => _ = node.write_at(from.offset(), &from.data()),
        23 => _ = node.append(&from.data()),
        24 => _ = node.set_len(from.offset()),
        25 => {
            let mut buf = vec![0; from.data().len()];
            let offset = from.offset();
            if let Ok(n) = node.read_at(offset, &mut buf) {
                assert!(n <= buf.len());
            }
            let _ = node.sync();
        }
        26 => {
            let mut left = 3;
            let _ = node.read_dir(from.offset(), &mut |_| {
                left -= 1;
                left > 0
            });
            let _ = node.set_attributes(&caller.credentials, &from.attributes());
        }
        _ => {
            let _ = vfs.link_place(caller, node.place(), None, &from.path());
            let _ = node.reopen(caller, from.flags());
            if let (Some(path), Ok(stat)) = (vfs.path_of(node.place()), node.stat()) {
                sound::leads_back(vfs, &path, node.place(), stat.nlink);
            }
        }
    }
}

/// Makes the calls that the bytes say, and checks the tree.
pub fn carry_out(bytes: &[u8]) {
    let mut world = World::new();
    let before = sound::tree(&*world.lower);
    let mut source = Source(bytes);
    for at in 0..400 {
        if source.0.is_empty() {
            break;
        }
        world.call(&mut source);
        if at % 64 == 63 {
            world.check();
        }
    }
    let lower = world.lower.clone();
    world.finish();
    assert_eq!(before, sound::tree(&*lower), "the lower tree never changes");
}

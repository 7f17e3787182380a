//! Operations through a [`Vfs`] on any filesystem.

use crate::ops::{HANDLES, Op, Outcome, Start, Subject, Value};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, SetTime, Stat, Time};
use capsule_vfs::{Attributes, Caller, Credentials, Filesystem, OpenNode, Place, Vfs};
use std::sync::Arc;

/// The base directory lies so deep that no generated path climbs out of it to a root: those differ.
pub const DEPTH: usize = 12;

pub struct OnVfs {
    pub vfs: Vfs,
    pub caller: Caller,
    handles: [Option<OpenNode>; HANDLES],
    _cwd: OpenNode,
}

impl OnVfs {
    /// Makes the base directory where it is not there yet.
    pub fn new(fs: Arc<dyn Filesystem>) -> OnVfs {
        let vfs = Vfs::new(fs);
        let root = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
        let base = "/x".repeat(DEPTH);
        for depth in 1..=DEPTH {
            match vfs.mkdir(&root, None, &base.as_bytes()[..2 * depth], 0o755) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(errno) => panic!("the base directory cannot be made: {errno:?}"),
            }
        }
        let cwd = vfs.open_cwd(&root, None, base.as_bytes()).expect("the base directory");
        let caller = Caller { cwd: cwd.place(), ..root };
        OnVfs { vfs, caller, handles: Default::default(), _cwd: cwd }
    }

    fn start(&self, start: Start) -> Option<Place> {
        let node = self.handles[start?].as_ref()?;
        (node.kind() == FileType::Directory).then(|| node.place())
    }

    fn handle(&self, handle: usize) -> Result<&OpenNode, Outcome> {
        self.handles[handle].as_ref().ok_or(Ok(Value::Closed))
    }

    /// The kernel's part: what a descriptor was opened for.
    fn with(&self, handle: usize, refused: Option<Errno>, call: impl FnOnce(&OpenNode) -> Outcome) -> Outcome {
        match (self.handle(handle), refused) {
            (Err(closed), _) => closed,
            (Ok(_), Some(errno)) => Err(errno),
            (Ok(node), None) => call(node),
        }
    }

    fn unless(&self, handle: usize, allowed: fn(OpenFlags) -> bool, errno: Errno) -> Option<Errno> {
        let node = self.handles[handle].as_ref()?;
        (!allowed(node.flags())).then_some(errno)
    }

    fn set(&self, path: &[u8], follow: bool, attributes: Attributes) -> Outcome {
        self.vfs.set_attributes(&self.caller, None, path, follow, &attributes).map(|()| Value::Nothing)
    }
}

pub fn stat_value(stat: &Stat, mtime: bool) -> Value {
    // What a directory's size and links are is each filesystem's own business.
    let dir = stat.kind == FileType::Directory;
    Value::Stat {
        kind: stat.kind,
        mode: stat.mode,
        nlink: if dir { 0 } else { stat.nlink },
        size: if dir { 0 } else { stat.size },
        mtime: mtime.then_some(stat.mtime.sec),
    }
}

impl Subject for OnVfs {
    fn apply(&mut self, op: &Op) -> Outcome {
        let (vfs, me) = (&self.vfs, &self.caller);
        let done = |result: Result<(), Errno>| result.map(|()| Value::Nothing);
        match op {
            Op::Open { start, path, flags, mode, handle } => {
                let node = vfs.open(me, self.start(*start), path, *flags, *mode)?;
                self.handles[*handle] = Some(node);
                Ok(Value::Nothing)
            }
            Op::Close { handle } => {
                self.handles[*handle] = None;
                Ok(Value::Nothing)
            }
            Op::Read { handle, offset, len } => {
                let refused = self.unless(*handle, OpenFlags::readable, Errno::EBADF);
                self.with(*handle, refused, |node| {
                    let mut buf = vec![0; *len];
                    let n = node.read_at(*offset, &mut buf)?;
                    Ok(Value::Bytes(buf[..n].to_vec()))
                })
            }
            Op::Write { handle, offset, byte, len } => {
                let refused = self.unless(*handle, OpenFlags::writable, Errno::EBADF);
                self.with(*handle, refused, |node| node.write_at(*offset, &vec![*byte; *len]).map(Value::Count))
            }
            Op::Append { handle, byte, len } => {
                let refused = self.unless(*handle, OpenFlags::writable, Errno::EBADF);
                self.with(*handle, refused, |node| node.append(&vec![*byte; *len]).map(|(_, n)| Value::Count(n)))
            }
            Op::SetLen { handle, size } => {
                let refused = self.unless(*handle, OpenFlags::writable, Errno::EINVAL);
                self.with(*handle, refused, |node| done(node.set_len(*size)))
            }
            Op::StatHandle { handle } => {
                self.with(*handle, None, |node| node.stat().map(|stat| stat_value(&stat, false)))
            }
            Op::ChmodHandle { handle, mode } => self.with(*handle, None, |node| {
                let attributes = Attributes { mode: Some(*mode), ..Attributes::default() };
                done(node.set_attributes(&me.credentials, &attributes))
            }),
            Op::Mkdir { start, path, mode } => done(vfs.mkdir(me, self.start(*start), path, *mode)),
            Op::RemoveDir { start, path } => done(vfs.remove_dir(me, self.start(*start), path)),
            Op::Unlink { start, path } => done(vfs.unlink(me, self.start(*start), path)),
            Op::Symlink { target, start, path } => done(vfs.symlink(me, target, self.start(*start), path)),
            Op::Link { path, to, follow } => done(vfs.link(me, None, path, None, to, *follow)),
            Op::Rename { start, path, to, flags } => done(vfs.rename(me, self.start(*start), path, None, to, *flags)),
            Op::Chmod { path, mode } => self.set(path, true, Attributes { mode: Some(*mode), ..Attributes::default() }),
            Op::Truncate { path, size } => {
                self.set(path, true, Attributes { size: Some(*size), ..Attributes::default() })
            }
            Op::SetTime { path, seconds, follow } => {
                let time = SetTime::At(Time { sec: *seconds, nsec: 0 });
                self.set(path, *follow, Attributes { atime: time, mtime: time, ..Attributes::default() })?;
                vfs.stat(me, None, path, *follow).map(|stat| stat_value(&stat, true))
            }
            Op::Stat { start, path, follow } => {
                vfs.stat(me, self.start(*start), path, *follow).map(|stat| stat_value(&stat, false))
            }
            Op::ReadLink { path } => vfs.read_link(me, None, path).map(Value::Bytes),
            Op::ReadDir { start, path } => {
                let dir = vfs.open(me, self.start(*start), path, OpenFlags::DIRECTORY, 0)?;
                let mut names = Vec::new();
                dir.read_dir(0, &mut |entry| {
                    names.push((entry.name, entry.kind));
                    true
                })?;
                names.sort_by(|a, b| a.0.cmp(&b.0));
                Ok(Value::Names(names))
            }
        }
    }
}

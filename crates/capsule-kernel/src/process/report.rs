//! What `/proc` tells of a process.

use super::{Pid, Process};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A process at one moment.
pub struct Report {
    pub pid: Pid,
    pub ppid: Pid,
    pub pgid: Pid,
    pub sid: Pid,
    /// As Linux writes it: `R`, `S`, `T`, `Z`.
    pub state: char,
    /// The name of its file, cut to 15 bytes.
    pub comm: Vec<u8>,
    pub path: Arc<Vec<u8>>,
    pub argv: Arc<Vec<Vec<u8>>>,
    /// Nanoseconds.
    pub cpu: u64,
    pub children_cpu: u64,
    /// On the session's monotonic clock.
    pub started: u64,
    /// Bytes.
    pub memory: u64,
    pub peak_memory: u64,
    pub uid: u32,
    pub gid: u32,
    pub umask: u32,
    pub descriptors: usize,
}

impl Process {
    pub fn report(&self) -> Report {
        let (pgid, sid, ended) = {
            let family = self.family.lock();
            (family.pgid, family.sid, family.status.is_some())
        };
        let state = match (ended, self.signals.stopped(), self.usage.turn_began.load(Ordering::Relaxed)) {
            (true, _, _) => 'Z',
            (_, true, _) => 'T',
            (_, _, 0) => 'S',
            _ => 'R',
        };
        let (path, argv) = {
            let image = self.image.lock();
            (image.path.clone(), image.argv.clone())
        };
        let (umask, credentials) = {
            let context = self.context.lock();
            (context.umask, context.credentials)
        };
        let name = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
        Report {
            pid: self.pid,
            ppid: self.ppid(),
            pgid,
            sid,
            state,
            comm: name[..name.len().min(15)].to_vec(),
            path,
            argv,
            cpu: self.cpu_ns(),
            children_cpu: self.usage.children_cpu_ns.load(Ordering::Relaxed),
            started: self.started,
            memory: self.usage.memory.load(Ordering::Relaxed),
            peak_memory: self.usage.peak_memory.load(Ordering::Relaxed),
            uid: credentials.uid,
            gid: credentials.gid,
            umask,
            descriptors: self.fds.lock().open_fds().count(),
        }
    }

    /// Where its working directory is; none once it has ended.
    pub fn cwd_path(&self) -> Option<Vec<u8>> {
        let cwd = self.context.lock().cwd.clone()?;
        self.kernel.vfs().path_of(cwd.place())
    }
}

//! How processes are started and how they end.

use crate::wire::{Reader, Short, Writer};
use alloc::vec::Vec;

/// Command not found.
pub const EXIT_NOT_FOUND: u8 = 127;
/// Found, but not executable.
pub const EXIT_NOT_EXECUTABLE: u8 = 126;

/// The most bytes of argv and environment one process may be given, as Linux with an 8 MiB stack.
pub const ARG_MAX: usize = 2 << 20;

/// How a process ended (or changed its state, for those who wait for that).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitStatus {
    Exited(u8),
    Signaled(u8),
    Stopped(u8),
    Continued,
}

impl WaitStatus {
    /// The number C's `wait` gives.
    pub fn to_raw(self) -> u32 {
        match self {
            WaitStatus::Exited(code) => u32::from(code) << 8,
            WaitStatus::Signaled(signal) => u32::from(signal) & 0x7f,
            WaitStatus::Stopped(signal) => u32::from(signal) << 8 | 0x7f,
            WaitStatus::Continued => 0xffff,
        }
    }

    pub fn from_raw(raw: u32) -> WaitStatus {
        match raw {
            0xffff => WaitStatus::Continued,
            r if r & 0x7f == 0 => WaitStatus::Exited((r >> 8) as u8),
            r if r & 0x7f == 0x7f => WaitStatus::Stopped((r >> 8) as u8),
            r => WaitStatus::Signaled((r & 0x7f) as u8),
        }
    }

    /// The number a shell shows in `$?`.
    pub fn shell_code(self) -> i32 {
        match self {
            WaitStatus::Exited(code) => code.into(),
            WaitStatus::Signaled(signal) | WaitStatus::Stopped(signal) => 128 + i32::from(signal),
            WaitStatus::Continued => 0,
        }
    }
}

/// `wait`: answer at once, with 0, when nothing has ended.
pub const WNOHANG: u32 = 1;
/// `wait`: also report stopped children.
pub const WUNTRACED: u32 = 2;
/// `wait`: also report continued children.
pub const WCONTINUED: u32 = 8;

/// What `wait` writes: u32 raw status, u32 zero, u64 processor time in ns, u64 peak memory in bytes.
pub const WAIT_WIRE: usize = 24;

/// A change to the descriptors of a process that is being started, carried out in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FdAction {
    /// Make `to` the same description as `from`; `from == to` clears close-on-exec.
    Dup2 {
        from: i32,
        to: i32,
    },
    Close {
        fd: i32,
    },
    /// Open `path` (relative to the new process's working directory) as `fd`.
    Open {
        fd: i32,
        path: Vec<u8>,
        flags: u32,
        mode: u32,
    },
}

/// The argument of `spawn` and `exec`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpawnRequest {
    /// The program's file; not searched in `PATH`.
    pub path: Vec<u8>,
    pub argv: Vec<Vec<u8>>,
    /// `NAME=value` strings.
    pub env: Vec<Vec<u8>>,
    /// Working directory of the new process (the caller's when none).
    pub cwd: Option<Vec<u8>>,
    /// Only for `spawn`.
    pub actions: Vec<FdAction>,
    /// Process group: none keeps the caller's, 0 makes a new one led by the process. Only for `spawn`.
    pub pgid: Option<i32>,
    /// Signals set back to their default action, bit n-1 for signal n. Only for `spawn`.
    pub default_signals: u64,
}

impl SpawnRequest {
    pub fn to_wire(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.bytes(&self.path);
        for list in [&self.argv, &self.env] {
            w.u32(list.len() as u32);
            for s in list {
                w.bytes(s);
            }
        }
        match &self.cwd {
            Some(cwd) => w.u32(1).bytes(cwd),
            None => w.u32(0),
        };
        w.u32(self.actions.len() as u32);
        for action in &self.actions {
            match action {
                FdAction::Dup2 { from, to } => w.u32(0).i32(*from).i32(*to),
                FdAction::Close { fd } => w.u32(1).i32(*fd),
                FdAction::Open { fd, path, flags, mode } => w.u32(2).i32(*fd).bytes(path).u32(*flags).u32(*mode),
            };
        }
        match self.pgid {
            Some(pgid) => w.u32(1).i32(pgid),
            None => w.u32(0),
        };
        w.u64(self.default_signals);
        w.finish()
    }

    pub fn from_wire(bytes: &[u8]) -> Result<SpawnRequest, Short> {
        let mut r = Reader::new(bytes);
        let path = r.bytes()?.to_vec();
        let mut strings = || -> Result<Vec<Vec<u8>>, Short> {
            // No capacity from the count: it is the sender's claim. The bytes are what bounds the loop.
            (0..r.u32()?).map(|_| r.bytes().map(<[u8]>::to_vec)).collect()
        };
        let (argv, env) = (strings()?, strings()?);
        let cwd = if r.u32()? != 0 { Some(r.bytes()?.to_vec()) } else { None };
        let mut actions = Vec::new();
        for _ in 0..r.u32()? {
            actions.push(match r.u32()? {
                0 => FdAction::Dup2 { from: r.i32()?, to: r.i32()? },
                1 => FdAction::Close { fd: r.i32()? },
                2 => FdAction::Open { fd: r.i32()?, path: r.bytes()?.to_vec(), flags: r.u32()?, mode: r.u32()? },
                _ => return Err(Short),
            });
        }
        let pgid = if r.u32()? != 0 { Some(r.i32()?) } else { None };
        Ok(SpawnRequest { path, argv, env, cwd, actions, pgid, default_signals: r.u64()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn request_survives_the_wire() {
        let request = SpawnRequest {
            path: b"/bin/ls".to_vec(),
            argv: vec![b"ls".to_vec(), b"-l".to_vec()],
            env: vec![b"A=1".to_vec()],
            cwd: Some(b"/".to_vec()),
            actions: vec![
                FdAction::Dup2 { from: 3, to: 1 },
                FdAction::Close { fd: 3 },
                FdAction::Open { fd: 0, path: b"/dev/null".to_vec(), flags: 0, mode: 0 },
            ],
            pgid: Some(0),
            default_signals: 1 << 12,
        };
        let wire = request.to_wire();
        assert_eq!(SpawnRequest::from_wire(&wire), Ok(request));
        for cut in 0..wire.len() {
            assert!(SpawnRequest::from_wire(&wire[..cut]).is_err());
        }
    }

    #[test]
    fn statuses_survive() {
        for status in [WaitStatus::Exited(3), WaitStatus::Signaled(15), WaitStatus::Stopped(19), WaitStatus::Continued]
        {
            assert_eq!(WaitStatus::from_raw(status.to_raw()), status);
        }
    }
}

//! A process: what it is, and its system calls, one method each. The doors decode a guest's arguments and call exactly
//! one of them; every argument is hostile.
//!
//! * `lifecycle`: fork, spawn, exec, wait, end
//! * `blocking`: waiting for descriptors, signals, time
//! * `descriptors`: open, close, dup, pipes, reading and writing
//! * `files`: the calls that take a path
//! * `groups`: process groups, sessions, kill, signal dispositions
//! * `network`: HTTP requests
//! * `resources`: memory, fuel, processor time, rlimits
//! * `report`: what `/proc` tells of it

mod blocking;
mod descriptors;
mod files;
mod groups;
mod lifecycle;
mod network;
mod report;
mod resources;

pub use blocking::PollFd;
pub use lifecycle::Waited;
pub use report::Report;

use crate::budget::Charge;
use crate::fd_table::FdTable;
use crate::kernel::{INIT, Kernel};
use crate::program::Program;
use crate::signals::SignalState;
use crate::wait_queue::{WaitQueue, WaiterId};
use capsule_abi::Errno;
use capsule_abi::process::WaitStatus;
use capsule_abi::signal::Signal;
use capsule_vfs::{Caller, Credentials, OpenNode};
use parking_lot::Mutex;
use resources::{ResourceLimits, Usage};
use std::sync::{Arc, Weak};

pub type Pid = i32;

/// Bytes of a name in a message.
const LONGEST_NAME: usize = 64;

/// What a running guest does next, asked at every epoch tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checkpoint {
    Run,
    /// End now, with this signal.
    Killed(Signal),
    /// Wait for [`Process::resumed`].
    Stopped,
}

pub struct Process {
    pid: Pid,
    kernel: Arc<Kernel>,
    image: Mutex<ImageState>,
    context: Mutex<Context>,
    fds: Mutex<FdTable>,
    signals: SignalState,
    /// Woken when a signal wants the process's attention.
    interrupts: WaitQueue,
    family: Mutex<Family>,
    /// Woken when a child has ended or changed.
    child_events: WaitQueue,
    /// Woken when this process has ended.
    end_events: WaitQueue,
    limits: Mutex<ResourceLimits>,
    usage: Usage,
    /// When it was made, on the monotonic clock.
    started: u64,
}

/// What exec replaces.
struct ImageState {
    /// The file it was started from, as it was asked for.
    path: Arc<Vec<u8>>,
    argv: Arc<Vec<Vec<u8>>>,
    env: Arc<Vec<Vec<u8>>>,
    /// The memory of argv and env, where it is worth counting; copies of the process share it as they share those.
    charge: Option<Arc<Charge>>,
    replacement: Option<Arc<dyn Program>>,
}

/// What paths are resolved with.
struct Context {
    /// None once the process has ended.
    cwd: Option<Arc<OpenNode>>,
    umask: u32,
    credentials: Credentials,
}

struct Family {
    parent: Weak<Process>,
    pgid: Pid,
    sid: Pid,
    children: Vec<Arc<Process>>,
    /// How the process ended, once it has.
    status: Option<WaitStatus>,
    /// A stop or continuation that `wait` has not told yet.
    news: Option<WaitStatus>,
}

impl Process {
    pub fn pid(&self) -> Pid {
        self.pid
    }

    pub fn ppid(&self) -> Pid {
        self.family.lock().parent.upgrade().map_or(INIT, |p| p.pid)
    }

    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    pub fn argv(&self) -> Arc<Vec<Vec<u8>>> {
        self.image.lock().argv.clone()
    }

    pub fn env(&self) -> Arc<Vec<Vec<u8>>> {
        self.image.lock().env.clone()
    }

    /// The name for messages: the first argument, readable. A guest chose it, and messages go to terminals: no control
    /// characters, and no longer than a name.
    pub fn name(&self) -> String {
        let argv = self.argv();
        let name = argv.first().map_or(b"?".as_slice(), |name| &name[..name.len().min(LONGEST_NAME)]);
        String::from_utf8_lossy(name).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }

    /// What the filesystem must know of this process.
    pub fn caller(&self) -> Caller {
        let context = self.context.lock();
        let cwd = context.cwd.as_ref().map_or_else(|| self.kernel.vfs().root(), |cwd| cwd.place());
        Caller { credentials: context.credentials, umask: context.umask, cwd, pid: self.pid as u32 }
    }

    pub fn credentials(&self) -> Credentials {
        self.context.lock().credentials
    }

    /// How the process ended, once it has.
    pub fn status(&self) -> Option<WaitStatus> {
        self.family.lock().status
    }

    /// The signal that is to end the process, once there is one.
    pub fn killed_by(&self) -> Option<Signal> {
        self.signals.fatal()
    }

    /// Asked by a running guest at every tick, and by the doors after every `EINTR`.
    pub fn checkpoint(&self) -> Checkpoint {
        if let Some(signal) = self.killed_by() {
            return Checkpoint::Killed(signal);
        }
        if self.kernel.past_deadline() {
            self.kernel.expire();
            return Checkpoint::Killed(Signal::KILL);
        }
        if self.over_cpu_limit() {
            self.post(Signal::XCPU);
        }
        if self.signals.stopped() { Checkpoint::Stopped } else { Checkpoint::Run }
    }

    fn waiter(&self) -> WaiterId {
        self.pid as WaiterId
    }

    /// A process in the kernel's table that does not run yet.
    fn new(
        kernel: &Arc<Kernel>,
        image: ImageState,
        context: Context,
        fds: FdTable,
        signals: SignalState,
        limits: ResourceLimits,
        parent: Option<&Process>,
    ) -> Result<Arc<Process>, Errno> {
        let pid = kernel.new_pid()?;
        let (pgid, sid) = match parent {
            Some(parent) => {
                let family = parent.family.lock();
                (family.pgid, family.sid)
            }
            None => (pid, pid),
        };
        let family = Family { parent: Weak::new(), pgid, sid, children: Vec::new(), status: None, news: None };
        let process = Arc::new(Process {
            pid,
            kernel: kernel.clone(),
            image: Mutex::new(image),
            context: Mutex::new(context),
            fds: Mutex::new(fds),
            signals,
            interrupts: WaitQueue::default(),
            family: Mutex::new(family),
            child_events: WaitQueue::default(),
            end_events: WaitQueue::default(),
            limits: Mutex::new(limits),
            usage: Usage::default(),
            started: kernel.clock().monotonic(),
        });
        kernel.insert(process.clone());
        Ok(process)
    }
}

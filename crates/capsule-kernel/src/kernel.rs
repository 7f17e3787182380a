//! One kernel a session: the table of its processes, and how they start and end.

use crate::budget::Budget;
use crate::clock::{Clock, SystemClock};
use crate::description::Description;
use crate::descriptions::console::Controlling;
use crate::descriptions::pipe::Pipe;
use crate::exec;
use crate::network::{Network, NoNetwork};
use crate::process::{Pid, Process};
use crate::program::{Exit, LoadError, Program, Runtime};
use crate::task;
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_abi::limits::{Limit, LimitHit, Limits};
use capsule_abi::process::WaitStatus;
use capsule_abi::signal::Signal;
use capsule_vfs::{Caller, Credentials, OpenNode, Place, Quota, Vfs};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The kernel itself, as a parent: orphans belong to it and are reaped at once.
pub const INIT: Pid = 1;
/// Process ids wrap here, as on 64-bit Linux.
const MAX_PID: Pid = 4 << 20;

pub struct KernelConfig {
    pub vfs: Arc<Vfs>,
    /// The quota the session's filesystems charge; asked for hits when a run is over.
    pub quota: Arc<Quota>,
    pub limits: Limits,
    pub runtime: Arc<dyn Runtime>,
    pub clock: Arc<dyn Clock>,
    pub credentials: Credentials,
    pub network: Arc<dyn Network>,
}

impl KernelConfig {
    pub fn new(vfs: Arc<Vfs>, quota: Arc<Quota>, limits: Limits, runtime: Arc<dyn Runtime>) -> KernelConfig {
        let clock = Arc::new(SystemClock::default());
        let network = Arc::new(NoNetwork);
        KernelConfig { vfs, quota, limits, runtime, clock, credentials: Credentials::default(), network }
    }
}

/// A process the host starts.
pub struct Start {
    pub path: Vec<u8>,
    pub argv: Vec<Vec<u8>>,
    pub env: Vec<Vec<u8>>,
    pub cwd: Vec<u8>,
    pub umask: u32,
    pub descriptors: Vec<(i32, Description)>,
}

pub struct Kernel {
    config: KernelConfig,
    budget: Arc<Budget>,
    table: Mutex<HashMap<Pid, Arc<Process>>>,
    next_pid: AtomicI32,
    fifos: Mutex<HashMap<Place, Weak<Pipe>>>,
    commands: RwLock<HashMap<Vec<u8>, Arc<dyn Program>>>,
    /// How long the run may take, in nanoseconds: the limit, or less when the run asked for less.
    wall: AtomicU64,
    /// When the run must be over, on the monotonic clock; `u64::MAX` without a limit.
    deadline: AtomicU64,
    /// The terminal that `/dev/tty` is.
    terminal: Mutex<Option<Controlling>>,
}

impl Kernel {
    pub fn new(config: KernelConfig) -> Arc<Kernel> {
        let budget = Arc::new(Budget::new(config.limits));
        Arc::new(Kernel {
            config,
            budget,
            table: Mutex::default(),
            next_pid: AtomicI32::new(INIT + 1),
            fifos: Mutex::default(),
            commands: RwLock::default(),
            wall: AtomicU64::new(u64::MAX),
            deadline: AtomicU64::new(u64::MAX),
            terminal: Mutex::default(),
        })
    }

    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.config.vfs
    }

    pub fn runtime(&self) -> &Arc<dyn Runtime> {
        &self.config.runtime
    }

    pub fn network(&self) -> &dyn Network {
        &*self.config.network
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.config.clock
    }

    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    pub fn credentials(&self) -> Credentials {
        self.config.credentials
    }

    /// Whether instructions are counted: only when there is a limit to count towards.
    pub fn meters_fuel(&self) -> bool {
        self.config.limits.get(Limit::Fuel) != u64::MAX
    }

    // ---- runs -----------------------------------------------------------------------------------------------------

    /// Begins a run: what is counted per run starts at zero. The wall clock starts with the first program, once it is
    /// loaded: that it had to be compiled for this machine is not the run's fault. `timeout` is for this run, where it is
    /// less than the limit.
    pub fn begin_run(&self, timeout: Option<Duration>) {
        self.budget.begin_run();
        let timeout = timeout.map_or(u64::MAX, |t| u64::try_from(t.as_nanos()).unwrap_or(u64::MAX));
        self.wall.store(timeout.min(self.config.limits.get(Limit::Wall)), Ordering::Release);
        self.config.quota.take_hits();
        self.deadline.store(u64::MAX, Ordering::Release);
    }

    fn start_wall_clock(&self) {
        let deadline = self.clock().monotonic().saturating_add(self.wall.load(Ordering::Acquire));
        // Only the first program of a run starts it.
        let _ = self.deadline.compare_exchange(u64::MAX, deadline, Ordering::AcqRel, Ordering::Acquire);
    }

    /// How long the run may still take; none without a limit.
    pub fn time_left(&self) -> Option<Duration> {
        match self.deadline.load(Ordering::Acquire) {
            u64::MAX => None,
            deadline => Some(Duration::from_nanos(deadline.saturating_sub(self.clock().monotonic()))),
        }
    }

    pub(crate) fn past_deadline(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Acquire);
        deadline != u64::MAX && self.clock().monotonic() >= deadline
    }

    /// Ends everything because the time is over.
    pub fn expire(&self) {
        self.budget.hit_at(Limit::Wall, self.wall.load(Ordering::Acquire), "the run was ended".into());
        self.kill_all(Signal::KILL);
    }

    /// The limits that were reached in this run.
    pub fn limit_hits(&self) -> Vec<LimitHit> {
        let (disk, files) = self.config.quota.take_hits();
        for (hit, limit) in [(disk, Limit::Disk), (files, Limit::Files)] {
            if hit {
                self.budget.hit(limit, "writing was refused (No space left on device)".into());
            }
        }
        self.budget.hits()
    }

    // ---- processes ------------------------------------------------------------------------------------------------

    /// Starts a process of the host's, with its own group.
    pub async fn start(self: &Arc<Kernel>, start: Start) -> Result<Arc<Process>, LoadError> {
        let root = Caller { credentials: self.credentials(), umask: start.umask, cwd: self.vfs().root(), pid: 0 };
        let cwd = self.vfs().open_cwd(&root, None, &start.cwd)?;
        let caller = Caller { cwd: cwd.place(), ..root };
        let loaded = exec::load(self, &caller, &start.path, start.argv).await?;
        self.start_wall_clock();
        let process = Process::first(self, cwd, start.umask, start.path, loaded.argv, start.env)?;
        let terminal = Controlling::of(process.pid(), &start.descriptors);
        for (fd, description) in start.descriptors {
            process.install(fd, description).inspect_err(|_| self.abandon(&process))?;
        }
        if terminal.is_some() {
            *self.terminal.lock() = terminal;
        }
        self.launch(process.clone(), loaded.program);
        Ok(process)
    }

    /// Runs a program as this process.
    pub fn launch(self: &Arc<Kernel>, process: Arc<Process>, program: Arc<dyn Program>) {
        let ending = Ending(process.clone());
        task::start(async move {
            let mut program = program;
            let exit = loop {
                match process.timed(program.run(process.clone())).await {
                    Exit::Exec => match process.take_replacement() {
                        Some(next) => program = next,
                        None => break Exit::Signal(Signal::ABRT),
                    },
                    exit => break exit,
                }
            };
            ending.with(match exit {
                Exit::Code(code) => WaitStatus::Exited(code),
                Exit::Signal(signal) => WaitStatus::Signaled(signal.number()),
                Exit::Exec => WaitStatus::Signaled(Signal::ABRT.number()),
            });
        });
    }

    /// Gives up a process that was made but never launched.
    pub fn abandon(&self, process: &Arc<Process>) {
        process.discard();
    }

    pub fn process(&self, pid: Pid) -> Option<Arc<Process>> {
        self.table.lock().get(&pid).cloned()
    }

    /// All processes, zombies included, by pid.
    pub fn processes(&self) -> Vec<Arc<Process>> {
        let mut all: Vec<_> = self.table.lock().values().cloned().collect();
        all.sort_by_key(|p| p.pid());
        all
    }

    pub fn kill_all(&self, signal: Signal) {
        for process in self.processes() {
            process.post(signal);
        }
    }

    /// Waits until no process runs any more.
    pub async fn all_ended(&self) {
        // Again and again: those that run may start others.
        while let Some(running) = self.processes().into_iter().find(|p| p.status().is_none()) {
            running.ended().await;
        }
    }

    /// Ends everything, and waits until nothing runs any more. Again and again: a process that was just being made may have
    /// been missed.
    pub async fn end_all(&self) {
        while let Some(running) = self.processes().into_iter().find(|p| p.status().is_none()) {
            self.kill_all(Signal::KILL);
            running.ended().await;
        }
    }

    pub(crate) fn new_pid(&self) -> Result<Pid, Errno> {
        let effect = || "starting another process was refused (Resource temporarily unavailable)".into();
        if !self.budget.take(Limit::Processes, 1, effect) {
            return Err(Errno::EAGAIN);
        }
        loop {
            let pid = self.next_pid.fetch_add(1, Ordering::Relaxed);
            if pid >= MAX_PID {
                self.next_pid.store(INIT + 1, Ordering::Relaxed);
            } else if pid > INIT && !self.table.lock().contains_key(&pid) {
                return Ok(pid);
            }
        }
    }

    pub(crate) fn insert(&self, process: Arc<Process>) {
        self.table.lock().insert(process.pid(), process);
    }

    /// Takes a process out of the table, once: the parent that waits, the parent that ends and the process itself may all
    /// find that nobody will ask for it any more.
    pub(crate) fn remove(&self, pid: Pid) {
        if self.table.lock().remove(&pid).is_some() {
            self.budget.give_back(Limit::Processes, 1);
        }
    }

    // ---- names in the filesystem that stand for something in the kernel -------------------------------------------

    /// Opens `/dev/tty` for a process of this session.
    pub(crate) fn open_terminal(&self, sid: Pid, node: OpenNode, flags: OpenFlags) -> Result<Description, Errno> {
        let terminal = self.terminal.lock();
        terminal.as_ref().filter(|t| t.leader == sid).ok_or(Errno::ENXIO)?.open(node, flags)
    }

    /// A process of the host's has ended, and its terminal is no longer its session's.
    pub(crate) fn hang_up(&self, leader: Pid) {
        // Dropped after the lock: closing may wake others.
        let left = self.terminal.lock().take_if(|terminal| terminal.leader == leader);
        drop(left);
    }

    /// The pipe behind a FIFO: one as long as anybody has it open.
    pub(crate) fn fifo(&self, place: Place) -> Arc<Pipe> {
        let mut fifos = self.fifos.lock();
        if let Some(pipe) = fifos.get(&place).and_then(Weak::upgrade) {
            return pipe;
        }
        fifos.retain(|_, pipe| pipe.strong_count() > 0);
        let pipe = Pipe::new(Some(self.budget.clone()));
        fifos.insert(place, Arc::downgrade(&pipe));
        pipe
    }

    /// Makes a host function available to files that begin with [`exec::COMMAND_MAGIC`] and this name.
    pub fn add_command(&self, name: &[u8], program: Arc<dyn Program>) {
        self.commands.write().insert(name.to_vec(), program);
    }

    pub(crate) fn command(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        self.commands.read().get(name).cloned()
    }
}

/// Makes sure that a process ends whatever happens to its task: a panic in a program must not leave its parent waiting.
struct Ending(Arc<Process>);

impl Ending {
    fn with(self, status: WaitStatus) {
        self.0.end(status);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Does nothing when the process has ended already.
        self.0.end(WaitStatus::Signaled(Signal::ABRT.number()));
    }
}

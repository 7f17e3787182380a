//! How processes come and go: fork, spawn, exec, wait, end.

use super::resources::ResourceLimits;
use super::{Context, ImageState, Pid, Process};
use crate::budget::Charge;
use crate::exec;
use crate::fd_table::FdTable;
use crate::kernel::Kernel;
use crate::program::{LoadError, Program};
use crate::signals::SignalState;
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_abi::process::{ARG_MAX, FdAction, SpawnRequest, WCONTINUED, WNOHANG, WUNTRACED, WaitStatus};
use capsule_abi::signal::{Disposition, Signal};
use capsule_vfs::OpenNode;
use std::sync::{Arc, Weak};

/// What `wait` tells of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waited {
    pub pid: Pid,
    pub status: WaitStatus,
    pub cpu_ns: u64,
    pub peak_memory: u64,
}

impl Process {
    /// The first process of a run: a child of the kernel, with no descriptors yet.
    pub(crate) fn first(
        kernel: &Arc<Kernel>,
        cwd: OpenNode,
        umask: u32,
        path: Vec<u8>,
        argv: Vec<Vec<u8>>,
        env: Vec<Vec<u8>>,
    ) -> Result<Arc<Process>, Errno> {
        let (path, argv, env) = (Arc::new(path), Arc::new(argv), Arc::new(env));
        let image = ImageState { path, argv, env, charge: None, replacement: None };
        let context = Context { cwd: Some(Arc::new(cwd)), umask: umask & 0o777, credentials: kernel.credentials() };
        let fds = FdTable::new(kernel.budget().clone());
        let limits = ResourceLimits::of_session(kernel.budget().limits());
        Process::new(kernel, image, context, fds, SignalState::default(), limits, None)
    }

    /// A copy of this process that does not run yet: the runtime copies the memory, then the kernel launches it.
    pub fn fork(self: &Arc<Process>) -> Result<Arc<Process>, Errno> {
        let image = self.image.lock();
        let (path, argv, env) = (image.path.clone(), image.argv.clone(), image.env.clone());
        let image = ImageState { path, argv, env, charge: image.charge.clone(), replacement: None };
        let context = self.context.lock();
        let context = Context { cwd: context.cwd.clone(), umask: context.umask, credentials: context.credentials };
        let fds = self.fds.lock().fork()?;
        let limits = self.limits.lock().clone();
        let child = Process::new(&self.kernel, image, context, fds, self.signals.inherit(), limits, Some(self))?;
        child.family.lock().parent = Arc::downgrade(self);
        self.family.lock().children.push(child.clone());
        Ok(child)
    }

    /// Starts another program as a child.
    pub async fn spawn(self: &Arc<Process>, request: SpawnRequest) -> Result<Pid, LoadError> {
        let charge = self.charge_for(&request)?;
        // Undone also when this future is given up midway, as happens to a process that is killed.
        let child = Unlaunched(Some(self.fork()?));
        let process = child.process()?;
        let program = self.unless_killed(process.become_program(request, charge)).await??;
        Ok(child.launch(program)?.pid)
    }

    /// What happens in a child between fork and exec, and the exec.
    async fn become_program(
        self: &Arc<Process>,
        mut request: SpawnRequest,
        charge: Option<Arc<Charge>>,
    ) -> Result<Arc<dyn Program>, LoadError> {
        if let Some(cwd) = &request.cwd {
            self.chdir(cwd)?;
        }
        for action in &request.actions {
            match action {
                FdAction::Dup2 { from, to } if from == to => self.set_close_on_exec(*from, false)?,
                FdAction::Dup2 { from, to } => self.dup2(*from, *to, false).map(drop)?,
                FdAction::Close { fd } => self.close(*fd)?,
                FdAction::Open { fd, path, flags, mode } => {
                    let opened = self.open_description(None, path, OpenFlags(*flags), *mode).await?;
                    self.install(*fd, opened)?;
                }
            }
        }
        if let Some(pgid) = request.pgid {
            self.family.lock().pgid = if pgid == 0 { self.pid } else { self.existing_group(pgid)? };
        }
        let loaded = exec::load(&self.kernel, &self.caller(), &request.path, std::mem::take(&mut request.argv)).await?;
        self.replace_image(loaded.argv, request, charge);
        Ok(loaded.program)
    }

    /// Becomes another program: when this answers `Ok`, the runtime must end the current one with
    /// [`Exit::Exec`](crate::Exit::Exec).
    pub async fn exec(self: &Arc<Process>, mut request: SpawnRequest) -> Result<(), LoadError> {
        let charge = self.charge_for(&request)?;
        // The new directory counts for finding the program, but is entered only when nothing can fail any more.
        let mut caller = self.caller();
        let cwd = match &request.cwd {
            Some(path) => Some(self.kernel.vfs().open_cwd(&caller, None, path)?),
            None => None,
        };
        if let Some(cwd) = &cwd {
            caller.cwd = cwd.place();
        }
        let loading = exec::load(&self.kernel, &caller, &request.path, std::mem::take(&mut request.argv));
        let loaded = self.unless_killed(loading).await??;
        if let Some(cwd) = cwd {
            self.set_cwd(cwd);
        }
        self.replace_image(loaded.argv, request, charge);
        self.image.lock().replacement = Some(loaded.program);
        Ok(())
    }

    /// Checks what a new program is to be given, and takes the memory that it is kept in.
    fn charge_for(&self, request: &SpawnRequest) -> Result<Option<Arc<Charge>>, Errno> {
        let bytes = size_of(request)?;
        if bytes <= SMALL_IMAGE {
            return Ok(None);
        }
        let mut charge = Charge::new(self.kernel.budget().clone());
        let effect = || "starting a program with many arguments was refused (Cannot allocate memory)".into();
        if charge.grow(bytes, effect) { Ok(Some(Arc::new(charge))) } else { Err(Errno::ENOMEM) }
    }

    fn replace_image(&self, argv: Vec<Vec<u8>>, request: SpawnRequest, charge: Option<Arc<Charge>>) {
        self.signals.reset_for_exec(request.default_signals);
        // Bound to a name: closing may wake others, so not under the lock.
        let closed = self.fds.lock().close_on_exec();
        drop(closed);
        let mut image = self.image.lock();
        image.path = Arc::new(request.path);
        image.argv = Arc::new(argv);
        image.env = Arc::new(request.env);
        image.charge = charge;
    }

    pub(crate) fn take_replacement(&self) -> Option<Arc<dyn Program>> {
        self.image.lock().replacement.take()
    }

    /// Waits for a child: `which` as in waitpid (a pid, 0 own group, -1 any, -n group n). `None` is "not yet", with
    /// `WNOHANG`.
    pub async fn wait(&self, which: Pid, flags: u32) -> Result<Option<Waited>, Errno> {
        if flags & !(WNOHANG | WUNTRACED | WCONTINUED) != 0 {
            return Err(Errno::EINVAL);
        }
        let attempt = || match self.look_for_child(which, flags) {
            Ok(None) if flags & WNOHANG == 0 => None,
            outcome => Some(outcome),
        };
        // Tried first without registering: most waits find their child ended.
        if let Some(outcome) = attempt() {
            return outcome;
        }
        self.block(|id, waker| self.child_events.register(id, waker), |id| self.child_events.forget(id), attempt)
            .await?
    }

    fn look_for_child(&self, which: Pid, flags: u32) -> Result<Option<Waited>, Errno> {
        let mut family = self.family.lock();
        let own_group = family.pgid;
        let mut any = false;
        let mut found = None;
        for (at, child) in family.children.iter().enumerate() {
            let mut of_child = child.family.lock();
            let matches = match which {
                -1 => true,
                0 => of_child.pgid == own_group,
                pid if pid > 0 => child.pid == pid,
                group => group.checked_neg() == Some(of_child.pgid),
            };
            if !matches {
                continue;
            }
            any = true;
            if let Some(status) = of_child.status {
                found = Some((at, status, true));
                break;
            }
            let wanted = match of_child.news {
                Some(WaitStatus::Stopped(_)) => flags & WUNTRACED != 0,
                Some(WaitStatus::Continued) => flags & WCONTINUED != 0,
                _ => false,
            };
            if wanted && let Some(status) = of_child.news.take() {
                found = Some((at, status, false));
                break;
            }
        }
        let Some((at, status, ended)) = found else {
            return if any { Ok(None) } else { Err(Errno::ECHILD) };
        };
        let child = match ended {
            true => family.children.remove(at),
            false => family.children[at].clone(),
        };
        drop(family);
        if ended {
            self.usage.add_child(&child.usage);
            self.kernel.remove(child.pid);
        }
        let (cpu_ns, peak_memory) = child.usage.of_self();
        Ok(Some(Waited { pid: child.pid, status, cpu_ns, peak_memory }))
    }

    /// Ends the process: everything it held is given back, its children go to the kernel, its parent is told.
    /// The first call counts.
    pub(crate) fn end(self: &Arc<Process>, status: WaitStatus) {
        if self.status().is_some() {
            return;
        }
        self.release();
        // Only now: who sees the status may rely on everything being given back. The parent is asked under the same
        // lock, so that one that ends at the same moment either reaps this process or is no longer seen by it.
        let parent = {
            let mut family = self.family.lock();
            let parent = family.parent.upgrade();
            if parent.is_none() {
                self.kernel.remove(self.pid);
            }
            family.status = Some(status);
            parent
        };
        self.end_events.wake();
        match parent {
            Some(parent) if parent.signals.disposition(Signal::CHLD) != Disposition::Ignore => {
                parent.post(Signal::CHLD);
                parent.child_events.wake();
            }
            // Nobody will wait for it.
            Some(parent) => {
                self.disown();
                self.kernel.remove(self.pid);
                parent.child_events.wake();
            }
            None => self.kernel.hang_up(self.pid),
        }
    }

    /// Undoes the making of a process that never ran; its parent hears nothing.
    pub(crate) fn discard(self: &Arc<Process>) {
        self.release();
        self.disown();
        self.kernel.remove(self.pid);
    }

    /// Gives back all that a process holds.
    fn release(self: &Arc<Process>) {
        // Each is taken out first and dropped after its lock: closing may wake others.
        let closed = self.fds.lock().close_all();
        drop(closed);
        let cwd = self.context.lock().cwd.take();
        drop(cwd);
        self.release_image();
        self.release_all_memory();
        let children = std::mem::take(&mut self.family.lock().children);
        for child in children {
            child.orphan();
        }
    }

    /// One that waits to be waited for needs no arguments; a few are not worth the work.
    fn release_image(&self) {
        let mut image = self.image.lock();
        if image.charge.is_some() {
            image.argv = Arc::default();
            image.env = Arc::default();
            image.charge = None;
        }
    }

    /// The parent is gone: an ended child is reaped now, a running one when it ends.
    fn orphan(self: &Arc<Process>) {
        let ended = {
            let mut family = self.family.lock();
            family.parent = Weak::new();
            family.status.is_some()
        };
        if ended {
            self.kernel.remove(self.pid);
        }
    }

    /// Takes this process out of its parent's children.
    pub(crate) fn disown(&self) {
        let parent = self.family.lock().parent.upgrade();
        if let Some(parent) = parent {
            parent.family.lock().children.retain(|child| child.pid != self.pid);
        }
    }
}

/// A child that does not run yet: given up when dropped.
struct Unlaunched(Option<Arc<Process>>);

impl Unlaunched {
    fn process(&self) -> Result<&Arc<Process>, Errno> {
        self.0.as_ref().ok_or(Errno::ESRCH)
    }

    fn launch(mut self, program: Arc<dyn Program>) -> Result<Arc<Process>, Errno> {
        let process = self.0.take().ok_or(Errno::ESRCH)?;
        process.kernel.launch(process.clone(), program);
        Ok(process)
    }
}

impl Drop for Unlaunched {
    fn drop(&mut self) {
        if let Some(process) = self.0.take() {
            process.discard();
        }
    }
}

/// Arguments and environments up to this size are not counted: with as many processes as a session has, they are few.
const SMALL_IMAGE: u64 = 16 << 10;

/// What a string costs the host beside its bytes.
const STRING: usize = 64;

/// More than any program needs that closes and moves its descriptors; each is work for the kernel.
const MAX_ACTIONS: usize = 4096;

/// What the host will keep for a program, if it may be started like that.
fn size_of(request: &SpawnRequest) -> Result<u64, Errno> {
    let (mut strings, mut bytes, mut nul) = (0, 0, false);
    for string in request.argv.iter().chain(&request.env) {
        strings += 1;
        bytes += string.len();
        nul |= string.contains(&0);
    }
    // Eight bytes a string for its pointer, as Linux counts.
    if bytes + 9 * strings > ARG_MAX || request.actions.len() > MAX_ACTIONS {
        return Err(Errno::E2BIG);
    }
    if nul { Err(Errno::EINVAL) } else { Ok((bytes + STRING * strings) as u64) }
}

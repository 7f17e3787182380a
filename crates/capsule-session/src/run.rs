//! One program of a session from start to end.

use crate::Error;
use crate::stdio::{Input, Output};
use crate::world::World;
use capsule_abi::limits::{Limit, LimitHit};
use capsule_abi::process::WaitStatus;
use capsule_abi::signal::Signal;
use capsule_kernel::descriptions::capture::Collected;
use capsule_kernel::descriptions::terminal::{Terminal, WindowSize};
use capsule_kernel::task::in_turns;
use capsule_kernel::{Description, Kernel, Process, Start};
use capsule_vfs::{Changes, Content};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Which output some bytes are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// Told of output as it is written; the writing process waits meanwhile.
pub type OutputListener = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// How a command is run. The working directory and the variables stay, as if the command began with `cd` and `export`.
#[derive(Default)]
pub struct RunOptions {
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
    /// Less than the wall limit: more is not given.
    pub timeout: Option<Duration>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub cwd: Option<Vec<u8>>,
    /// Ends the run, as a kill would. A run that is cancelled before its turn does not begin.
    pub cancel: Option<CancellationToken>,
    /// Sends `SIGINT` to what runs, once, as Ctrl-C does. A script without a trap for it ends with status 130, and the shell
    /// keeps what it knew.
    pub interrupt: Option<CancellationToken>,
    pub on_output: Option<OutputListener>,
    /// Which of standard input, output and error a person sits behind: programs there are told that it is a terminal.
    pub terminals: [bool; 3],
    /// How large the terminal's window is.
    pub window: Option<WindowSize>,
    /// Whether the answer's diff tells what is in the files that changed.
    pub contents: bool,
}

/// A program other than a command for the session's shell: it gets the session's files, and the variables the session
/// began with. What it does to its own state is forgotten.
#[derive(Default)]
pub struct Run {
    pub program: Vec<u8>,
    pub args: Vec<Vec<u8>>,
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
    /// These as in [`RunOptions`].
    pub terminals: [bool; 3],
    pub window: Option<WindowSize>,
    pub cancel: Option<CancellationToken>,
    pub interrupt: Option<CancellationToken>,
}

impl Run {
    /// A new `bash` with these arguments.
    pub fn bash(args: Vec<Vec<u8>>) -> Run {
        Run { program: b"/bin/bash".to_vec(), args, ..Run::default() }
    }

    /// A new `bash -c SCRIPT`.
    pub fn script(script: impl Into<Vec<u8>>) -> Run {
        Run::bash(vec![b"-c".to_vec(), script.into()])
    }
}

/// Everything the kernel needs to start.
pub(crate) struct Launch {
    pub program: Run,
    pub env: Vec<Vec<u8>>,
    pub cwd: Vec<u8>,
    /// Descriptors above 2.
    pub descriptors: Vec<(i32, Description)>,
    pub timeout: Option<Duration>,
    pub cancel: Option<CancellationToken>,
    pub interrupt: Option<CancellationToken>,
    pub on_output: Option<OutputListener>,
    pub contents: bool,
}

/// How a program ended and what it left.
pub(crate) struct Outcome {
    pub status: WaitStatus,
    pub stdout: Collected,
    pub stderr: Collected,
    pub changes: Changes,
    /// What the files held that were modified or deleted; empty unless it was asked for.
    pub before: BTreeMap<Vec<u8>, Content>,
    /// Messages of limits that were reached.
    pub limits: Vec<String>,
    pub cancelled: bool,
    /// Why output did not reach whom it was streamed to.
    pub output_lost: Option<String>,
}

impl World {
    /// Runs a program to its end. Like whoever reads the other end of a pipe, it also waits for what the program left
    /// running as long as that can still write to the output; the rest is ended.
    pub(crate) async fn execute(&self, launch: Launch) -> Result<Outcome, Error> {
        in_turns(self.run_to_end(launch)).await
    }

    async fn run_to_end(&self, launch: Launch) -> Result<Outcome, Error> {
        let kernel = &self.kernel;
        self.load(&launch.program.program).await;
        kernel.begin_run(launch.timeout);
        self.begin_step();
        let run = launch.program;
        let listener = |stream| launch.on_output.clone().map(|listener| (stream, listener));
        let (stdout, mut out) = run.stdout.connect(kernel, listener(Stream::Stdout), None);
        let (stderr, mut err) = run.stderr.connect(kernel, listener(Stream::Stderr), Some(&stdout));
        let name = run.program.rsplit(|&b| b == b'/').next().unwrap_or_default().to_vec();
        let mut standard = [(0, run.stdin.connect(kernel.vfs(), &self.caller())), (1, stdout), (2, stderr)];
        for ((_, description), terminal) in standard.iter_mut().zip(run.terminals) {
            if terminal {
                *description = Terminal::new(description.clone(), run.window.clone());
            }
        }
        let start = Start {
            argv: [name].into_iter().chain(run.args).collect(),
            path: run.program,
            env: launch.env,
            cwd: launch.cwd,
            umask: 0o022,
            descriptors: standard.into_iter().chain(launch.descriptors).collect(),
        };
        let process = self.start(start).await?;
        // Also when the caller gives up: what nobody waits for must not run on.
        let _ended = KillOnDrop(kernel);
        let finished = async {
            let status = process.ended().await;
            out.closed().await;
            err.closed().await;
            status
        };
        let (status, cancelled) = self.within_bounds(finished, launch.cancel, launch.interrupt).await;
        kernel.end_all().await;
        self.keep_nothing_more();
        let (changes, before) = match launch.contents {
            true => kernel.vfs().journal().changes_with_contents(kernel.vfs()),
            false => (kernel.vfs().journal().changes(kernel.vfs()), BTreeMap::new()),
        };
        let output_lost = out.lost("standard output").or_else(|| err.lost("standard error"));
        Ok(Outcome {
            status,
            output_lost,
            stdout: out.take(kernel.budget().limits()),
            stderr: err.take(kernel.budget().limits()),
            changes,
            before,
            limits: kernel.limit_hits().iter().map(|hit| told(hit, launch.timeout)).collect(),
            cancelled,
        })
    }

    /// Before the clock runs: a first program may have to be compiled, and that is not the run's time. Whatever is wrong with
    /// it is told by starting it.
    async fn load(&self, program: &[u8]) {
        if !self.loaded.swap(true, Ordering::Relaxed) {
            let _ = capsule_kernel::exec::load(&self.kernel, &self.caller(), program, Vec::new()).await;
        }
    }

    async fn start(&self, start: Start) -> Result<Arc<Process>, Error> {
        let name = String::from_utf8_lossy(&start.path).into_owned();
        let (cwd, path) = (start.cwd.clone(), String::from_utf8_lossy(&start.cwd).into_owned());
        self.kernel.start(start).await.map_err(|e| match self.kernel.vfs().open_cwd(&self.caller(), None, &cwd) {
            Err(why) => Error::Cwd { path, why: why.to_string() },
            Ok(_) if e.why.is_empty() => Error::Program { name, why: e.errno.to_string() },
            Ok(_) => Error::Program { name, why: e.why },
        })
    }

    /// Waits, and ends everything when the time is over or somebody cancels; whether somebody did.
    async fn within_bounds<T>(
        &self,
        work: impl Future<Output = T>,
        cancel: Option<CancellationToken>,
        interrupt: Option<CancellationToken>,
    ) -> (T, bool) {
        let mut work = std::pin::pin!(work);
        let left = self.kernel.time_left();
        if left.is_none() && cancel.is_none() && interrupt.is_none() {
            return (work.await, false);
        }
        let time_is_over = async {
            match left {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        let cancelled = fired(cancel.as_ref());
        // Never over: it only sends the signal.
        let interrupted = async {
            fired(interrupt.as_ref()).await;
            self.kernel.kill_all(Signal::INT);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            done = &mut work => return (done, false),
            () = cancelled => {
                self.kernel.end_all().await;
                return (work.await, true);
            }
            () = time_is_over => self.kernel.expire(),
            () = interrupted => {}
        }
        self.kernel.end_all().await;
        (work.await, false)
    }
}

/// A limit that was reached. Whoever gave the run less time than its session has needs no advice about the session.
fn told(hit: &LimitHit, timeout: Option<Duration>) -> String {
    match timeout {
        Some(timeout) if hit.limit == Limit::Wall && u128::from(hit.value) == timeout.as_nanos() => {
            format!("capsule: the timeout of {timeout:?} was reached: {}; give the run more time", hit.effect)
        }
        _ => hit.to_string(),
    }
}

async fn fired(token: Option<&CancellationToken>) {
    match token {
        Some(token) => token.cancelled().await,
        None => std::future::pending().await,
    }
}

/// Ends whatever still runs when a run is over or given up.
struct KillOnDrop<'a>(&'a Kernel);

impl Drop for KillOnDrop<'_> {
    fn drop(&mut self) {
        self.0.kill_all(Signal::KILL);
    }
}

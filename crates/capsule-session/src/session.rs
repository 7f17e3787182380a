//! A session and its runs.

use crate::answer::{self, Answer, Diff, State};
use crate::builder::{SessionBuilder, WORKSPACE};
use crate::stdio::{Input, Output};
use crate::{Error, feedback};
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_abi::limits::Limit;
use capsule_abi::signal::Signal;
use capsule_kernel::{Kernel, Process, Runtime, Start};
use capsule_vfs::Caller;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// What a session's environment starts with.
const ENVIRONMENT: &[(&str, &str)] =
    &[("HOME", "/root"), ("LANG", "C.UTF-8"), ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")];

/// One program started in a session.
#[derive(Default)]
pub struct Run {
    /// The program's file and arguments; `bash` by default.
    pub program: Vec<u8>,
    pub args: Vec<Vec<u8>>,
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
}

impl Run {
    /// `bash` with these arguments.
    pub fn bash(args: Vec<Vec<u8>>) -> Run {
        Run { program: b"/bin/bash".to_vec(), args, ..Run::default() }
    }

    /// `bash -c SCRIPT`.
    pub fn script(script: impl Into<Vec<u8>>) -> Run {
        Run::bash(vec![b"-c".to_vec(), script.into()])
    }
}

/// A filesystem, and a kernel over it.
pub struct Session {
    kernel: Arc<Kernel>,
    env: BTreeMap<Vec<u8>, Vec<u8>>,
    cwd: Vec<u8>,
}

impl Session {
    pub fn builder(runtime: Arc<dyn Runtime>) -> SessionBuilder {
        SessionBuilder::new(runtime)
    }

    pub(crate) fn new(kernel: Arc<Kernel>, env: Vec<(Vec<u8>, Vec<u8>)>, cwd: Vec<u8>) -> Session {
        let defaults = ENVIRONMENT.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()));
        Session { kernel, env: defaults.chain(env).collect(), cwd }
    }

    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    /// Runs a program to its end. Like whoever reads the other end of a pipe, it also waits for what the program left
    /// running as long as that can still write to the output; the rest is ended.
    pub async fn run(&self, run: Run) -> Result<Answer, Error> {
        let began = Instant::now();
        self.kernel.begin_run();
        self.kernel.vfs().journal().begin();
        let (stdout, mut out) = run.stdout.connect(&self.kernel);
        let (stderr, mut err) = run.stderr.connect(&self.kernel);
        let name = run.program.rsplit(|&b| b == b'/').next().unwrap_or_default().to_vec();
        let start = Start {
            argv: [name].into_iter().chain(run.args).collect(),
            path: run.program,
            env: self.env.iter().map(|(name, value)| [name.as_slice(), b"=", value].concat()).collect(),
            cwd: self.cwd.clone(),
            umask: 0o022,
            descriptors: vec![(0, run.stdin.connect()), (1, stdout), (2, stderr)],
        };
        let process = self.start(start).await?;
        // Also when the caller gives up: what nobody waits for must not run on.
        let _ended = KillOnDrop(&self.kernel);
        let finished = async {
            let status = process.ended().await;
            out.closed().await;
            err.closed().await;
            status
        };
        let status = self.within_time(finished).await;
        self.kernel.kill_all(Signal::KILL);
        self.kernel.all_ended().await;
        let (out, err) = (out.take(), err.take());
        let mut limit: Vec<String> = self.kernel.limit_hits().iter().map(ToString::to_string).collect();
        let changes = self.kernel.vfs().journal().changes(self.kernel.vfs());
        let diff = Diff::new(&changes, WORKSPACE.as_bytes());
        let most = self.kernel.budget().limits().get(Limit::Answer);
        let (stdout, stderr) = (answer::text(&out, most), answer::text(&err, most));
        for (text, bytes) in [(&stdout, &out), (&stderr, &err)] {
            if text.cut {
                limit.push(answer::cut_notice(bytes.len(), most));
            }
        }
        Ok(Answer {
            truncated: stdout.cut || stderr.cut,
            stdout: stdout.text,
            stderr: stderr.text,
            stdout_base64: stdout.base64,
            stderr_base64: stderr.base64,
            exit_code: status.shell_code(),
            feedback: feedback::of(&changes, self.kernel.vfs()),
            diff,
            state: State { cwd: String::from_utf8_lossy(&self.cwd).into_owned(), env: BTreeMap::new() },
            duration: began.elapsed().as_secs_f64() * 1e3,
            limit,
        })
    }

    /// Whether a path leads somewhere, seen from the session's working directory.
    pub fn exists(&self, path: &[u8]) -> bool {
        let root = self.root();
        match self.kernel.vfs().open_cwd(&root, None, &self.cwd) {
            Ok(cwd) => self.kernel.vfs().stat(&Caller { cwd: cwd.place(), ..root }, None, path, true).is_ok(),
            Err(_) => false,
        }
    }

    /// Writes a file of the session, replacing what is there.
    pub fn write_file(&self, path: &[u8], bytes: &[u8], mode: u32) -> Result<(), Errno> {
        let flags = OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::WRONLY;
        let file = self.kernel.vfs().open(&self.root(), None, path, flags, mode)?;
        let mut written = 0;
        while written < bytes.len() {
            written += file.write_at(written as u64, &bytes[written..])?;
        }
        Ok(())
    }

    /// The host, asking for itself.
    fn root(&self) -> Caller {
        Caller { credentials: self.kernel.credentials(), umask: 0, cwd: self.kernel.vfs().root(), pid: 0 }
    }

    async fn start(&self, start: Start) -> Result<Arc<Process>, Error> {
        let name = String::from_utf8_lossy(&start.path).into_owned();
        let (cwd, path) = (start.cwd.clone(), String::from_utf8_lossy(&start.cwd).into_owned());
        self.kernel.start(start).await.map_err(|e| match self.kernel.vfs().open_cwd(&self.root(), None, &cwd) {
            Err(why) => Error::Cwd { path, why: why.to_string() },
            Ok(_) if e.why.is_empty() => Error::Program { name, why: e.errno.to_string() },
            Ok(_) => Error::Program { name, why: e.why },
        })
    }

    /// Waits, and ends everything when the time is over.
    async fn within_time<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        if let Some(left) = self.kernel.time_left() {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(left) => self.kernel.expire(),
            }
        }
        work.await
    }
}

/// Ends whatever still runs when a run is over or given up.
struct KillOnDrop<'a>(&'a Kernel);

impl Drop for KillOnDrop<'_> {
    fn drop(&mut self) {
        self.0.kill_all(Signal::KILL);
    }
}

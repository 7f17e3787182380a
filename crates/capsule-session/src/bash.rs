//! The handle of a session: whose turn it is, and what the session remembers.

use crate::answer::{self, Answer, Diff, State};
use crate::builder::{BashBuilder, Config, Feedback, WORKSPACE};
use crate::run::{Launch, Outcome, Run, RunOptions};
use crate::shell_state::{self, ShellState};
use crate::world::World;
use crate::{Entry, Error, feedback, guests};
use capsule_abi::limits::Limit;
use capsule_abi::process::WaitStatus;
use capsule_kernel::descriptions::bytes::Bytes;
use capsule_kernel::descriptions::capture::Capture;
use capsule_kernel::{Description, Kernel};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Mutex as Turn, MutexGuard};

/// What a session's environment starts with.
const ENVIRONMENT: &[(&str, &str)] =
    &[("HOME", "/root"), ("LANG", "C.UTF-8"), ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")];

/// A session: a shell that remembers. Copies of the handle are the same session. Whatever is asked of it is done one
/// after the other, in the order of asking; different sessions run at the same time.
#[derive(Clone)]
pub struct Bash {
    shared: Arc<Shared>,
}

struct Shared {
    config: Config,
    /// Whoever holds it has its turn. Waiters are served in order.
    turn: Turn<Session>,
    /// What the last completed run left, to be read at any time.
    shown: Mutex<State>,
}

/// What only the one whose turn it is may touch.
struct Session {
    /// None once the session is closed.
    world: Option<World>,
    shell: ShellState,
    /// A run began and was given up before its end: what it left running is ended first.
    unsettled: bool,
}

impl Session {
    fn world(&self) -> Result<&World, Error> {
        self.world.as_ref().ok_or(Error::Closed)
    }
}

impl Bash {
    pub fn builder() -> BashBuilder {
        BashBuilder::default()
    }

    pub(crate) fn open(config: Config) -> Result<Bash, Error> {
        let (world, shell) = (World::new(&config)?, ShellState::default());
        let shown = Mutex::new(shell.shown(&config.initial_cwd, &config.env, ENVIRONMENT));
        let session = Session { world: Some(world), shell, unsettled: false };
        Ok(Bash { shared: Arc::new(Shared { config, turn: Turn::new(session), shown }) })
    }

    pub fn id(&self) -> &str {
        &self.shared.config.id
    }

    /// Runs a command in the session's shell: working directory, variables, functions, aliases, options and files are those
    /// the last run left.
    pub async fn run(&self, command: impl Into<Vec<u8>>) -> Result<Answer, Error> {
        self.run_with(command, RunOptions::default()).await
    }

    pub async fn run_with(&self, command: impl Into<Vec<u8>>, options: RunOptions) -> Result<Answer, Error> {
        let mut session = self.turn().await?;
        let began = Instant::now();
        let (saved, writer) = Capture::bounded(shell_state::MOST);
        let is_new = session.shell.is_new();
        let mut descriptors: Vec<(i32, Description)> = vec![(4, writer)];
        let mut args: Vec<Vec<u8>> = vec![b"--save-state".to_vec(), b"4".to_vec()];
        if !is_new {
            descriptors.push((3, Bytes::new(session.shell.bytes().clone())));
            args.extend([b"--load-state".to_vec(), b"3".to_vec()]);
        }
        // The shell goes where it was by itself; if that is gone, it stays where its process starts.
        let initial = &self.shared.config.initial_cwd;
        let cwd = match options.cwd {
            Some(cwd) => {
                args.extend([b"--cwd".to_vec(), cwd.clone()]);
                cwd
            }
            None if is_new || session.world()?.exists(initial, b"/") => initial.clone(),
            None => b"/".to_vec(),
        };
        args.extend([b"-c".to_vec(), command.into()]);
        let launch = Launch {
            program: Run { stdin: options.stdin, ..Run::bash(args) },
            env: self.environment(is_new, &options.env),
            cwd,
            descriptors,
            timeout: options.timeout,
            cancel: options.cancel,
            on_output: options.on_output,
        };
        session.unsettled = true;
        let outcome = session.world()?.execute(launch).await?;
        session.unsettled = false;
        let note = session.remember(&saved, &outcome);
        *self.shared.shown.lock() =
            session.shell.shown(&self.shared.config.initial_cwd, &self.shared.config.env, ENVIRONMENT);
        let mut answer = self.answer(session.world()?, outcome, began);
        answer.feedback.extend(note);
        Ok(answer)
    }

    /// Runs a program that is not a command for the session's shell.
    pub async fn execute(&self, run: Run) -> Result<Answer, Error> {
        let mut session = self.turn().await?;
        let began = Instant::now();
        let launch = Launch {
            program: run,
            env: self.environment(true, &[]),
            cwd: self.shared.config.initial_cwd.clone(),
            descriptors: Vec::new(),
            timeout: None,
            cancel: None,
            on_output: None,
        };
        session.unsettled = true;
        let outcome = session.world()?.execute(launch).await?;
        session.unsettled = false;
        Ok(self.answer(session.world()?, outcome, began))
    }

    /// Makes the first run of a guest as quick as the others: `bash`, `python` or `js`.
    pub async fn preload(&self, guest: &str) -> Result<(), Error> {
        let session = self.turn().await?;
        let program = guests::program(guest)?;
        let world = session.world()?;
        let caller = world.caller();
        let loaded = capsule_kernel::exec::load(&world.kernel, &caller, program.as_bytes(), Vec::new()).await;
        loaded.map(drop).map_err(|e| Error::Program { name: guest.to_owned(), why: e.why })
    }

    /// Files, variables and working directory are again what they were when the session began.
    pub async fn reset(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        let config = &self.shared.config;
        session.world = Some(World::new(config)?);
        session.shell = ShellState::default();
        *self.shared.shown.lock() = session.shell.shown(&config.initial_cwd, &config.env, ENVIRONMENT);
        Ok(())
    }

    /// Working directory and variables as the last completed run left them. Does not wait for a run that goes on.
    pub fn state(&self) -> State {
        self.shared.shown.lock().clone()
    }

    /// The bytes of a file; a relative path starts at `/workspace`.
    pub async fn read_file(&self, path: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        self.turn().await?.world()?.read_file(path.as_ref())
    }

    /// Writes a file, replacing what is there; folders above it are made.
    pub async fn write_file(&self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
        self.turn().await?.world()?.write_file(path.as_ref(), bytes.as_ref(), 0o644)
    }

    /// Writes a file that can be run.
    pub async fn write_program(&self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
        self.turn().await?.world()?.write_file(path.as_ref(), bytes.as_ref(), 0o755)
    }

    /// What a folder holds, by name.
    pub async fn list_files(&self, path: impl AsRef<[u8]>) -> Result<Vec<Entry>, Error> {
        self.turn().await?.world()?.list_files(path.as_ref())
    }

    /// Whether a path leads somewhere, seen from the directory the session begins in.
    pub async fn exists(&self, path: impl AsRef<[u8]>) -> Result<bool, Error> {
        Ok(self.turn().await?.world()?.exists(path.as_ref(), &self.shared.config.initial_cwd))
    }

    /// Ends the session: whatever is asked of it afterwards is refused.
    pub async fn close(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        session.world = None;
        Ok(())
    }

    /// The kernel as it is now, for measurements.
    pub async fn kernel(&self) -> Result<Arc<Kernel>, Error> {
        Ok(self.turn().await?.world()?.kernel.clone())
    }

    async fn turn(&self) -> Result<MutexGuard<'_, Session>, Error> {
        let mut session = self.shared.turn.lock().await;
        if session.unsettled {
            // Whoever gave up the run has had everything killed; it only has to be over.
            session.world()?.kernel.all_ended().await;
            session.unsettled = false;
        }
        session.world()?;
        Ok(session)
    }

    /// The first run gets everything; later ones have it in the shell's state, and get only what is to change.
    fn environment(&self, first: bool, extra: &[(Vec<u8>, Vec<u8>)]) -> Vec<Vec<u8>> {
        let defaults = ENVIRONMENT.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let own = self.shared.config.env.iter().map(|(name, value)| (name.as_slice(), value.as_slice()));
        let extra = extra.iter().map(|(name, value)| (name.as_slice(), value.as_slice()));
        let mut all: Vec<(&[u8], &[u8])> = Vec::new();
        for (name, value) in defaults.chain(own).filter(|_| first).chain(extra) {
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some(known) => known.1 = value,
                None => all.push((name, value)),
            }
        }
        all.into_iter().map(|(name, value)| [name, b"=", value].concat()).collect()
    }

    fn answer(&self, world: &World, outcome: Outcome, began: Instant) -> Answer {
        let mut limit = outcome.limits;
        let most = world.kernel.budget().limits().get(Limit::Answer);
        let (stdout, stderr) = (answer::text(&outcome.stdout, most), answer::text(&outcome.stderr, most));
        for (text, bytes) in [(&stdout, &outcome.stdout), (&stderr, &outcome.stderr)] {
            if text.cut {
                limit.push(answer::cut_notice(bytes.len(), most));
            }
        }
        let feedback = feedback::of(&outcome.changes, world.kernel.vfs());
        let told = self.shared.config.feedback == Feedback::Stdout && stdout.text.is_empty();
        Answer {
            truncated: stdout.cut || stderr.cut,
            stdout: if told { feedback.join("\n") } else { stdout.text },
            stderr: stderr.text,
            stdout_base64: stdout.base64,
            stderr_base64: stderr.base64,
            exit_code: outcome.status.shell_code(),
            diff: Diff::new(&outcome.changes, WORKSPACE.as_bytes()),
            feedback,
            state: self.state(),
            duration: began.elapsed().as_secs_f64() * 1e3,
            limit,
        }
    }
}

impl Session {
    /// Takes over the state that a run left. When it left none, a line that says what the session goes on with.
    fn remember(&mut self, saved: &Capture, outcome: &Outcome) -> Option<String> {
        let kept = "files it wrote stay, the shell's state is that of the last completed run";
        if outcome.cancelled {
            return Some(format!("The run was cancelled: {kept}"));
        }
        if let WaitStatus::Signaled(_) = outcome.status {
            return Some(format!("The run was killed: {kept}"));
        }
        if saved.overflowed() {
            let most = shell_state::MOST >> 20;
            return Some(format!("The shell's variables and functions are larger than {most} MiB: {kept}"));
        }
        match ShellState::from_guest(saved.take()) {
            Some(shell) => {
                self.shell = shell;
                None
            }
            None => Some(format!("The shell did not end by itself (exec?): {kept}")),
        }
    }
}

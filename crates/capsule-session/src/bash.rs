//! The handle of a session: whose turn it is, and what the session remembers.

use crate::answer::{self, Answer, Diff, State};
use crate::builder::{BashBuilder, Config, Feedback, WORKSPACE};
use crate::history::History;
use crate::run::{Launch, Outcome, Run, RunOptions};
use crate::shell_state::{self, ShellState};
use crate::store::{Step, Store};
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
use tokio_util::sync::CancellationToken;

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
    history: History,
    /// Where the session is kept, when it is to outlive the process.
    store: Option<Store>,
    /// A run began and was given up before its end: what it left running is ended first.
    unsettled: bool,
}

impl Session {
    /// On the disk, where the session is to outlive the process.
    async fn keep(&self, step: Step) -> Result<(), Error> {
        match &self.store {
            Some(store) => store.keep(step, &self.history).await,
            None => Ok(()),
        }
    }

    fn world(&self) -> Result<&World, Error> {
        self.world.as_ref().ok_or(Error::Closed)
    }
}

impl Bash {
    pub fn builder() -> BashBuilder {
        BashBuilder::default()
    }

    pub(crate) fn open(config: Config) -> Result<Bash, Error> {
        let world = World::new(&config)?;
        let (store, kept) = match &config.sessions {
            Some(folder) => Store::open(folder, &config.id).map(|(store, kept)| (Some(store), kept))?,
            None => (None, None),
        };
        let (world, history) = match kept {
            Some(mut history) => {
                let world = world.replaced(&config, &history.current.files)?;
                history.follow(&world.root);
                (world, history)
            }
            None => {
                let history = History::new(&world.root, ShellState::default());
                (world, history)
            }
        };
        Ok(Bash::with(config, world, history, store))
    }

    fn with(config: Config, world: World, history: History, store: Option<Store>) -> Bash {
        let shown = Mutex::new(history.current.shell.shown(&config.initial_cwd, &config.env, ENVIRONMENT));
        let session = Session { world: Some(world), history, store, unsettled: false };
        Bash { shared: Arc::new(Shared { config, turn: Turn::new(session), shown }) }
    }

    pub fn id(&self) -> &str {
        &self.shared.config.id
    }

    /// Whether nobody else has a handle of the session, so that nothing can be going on in it.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
    }

    /// Runs a command in the session's shell: working directory, variables, functions, aliases, options and files are those
    /// the last run left.
    pub async fn run(&self, command: impl Into<Vec<u8>>) -> Result<Answer, Error> {
        self.run_with(command, RunOptions::default()).await
    }

    pub async fn run_with(&self, command: impl Into<Vec<u8>>, options: RunOptions) -> Result<Answer, Error> {
        let mut session = self.turn().await?;
        if options.cancel.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Err(Error::Cancelled);
        }
        let began = Instant::now();
        let (saved, writer) = Capture::bounded(shell_state::MOST);
        let is_new = session.history.current.shell.is_new();
        let mut descriptors: Vec<(i32, Description)> = vec![(4, writer)];
        let mut args: Vec<Vec<u8>> = vec![b"--save-state".to_vec(), b"4".to_vec()];
        if !is_new {
            descriptors.push((3, Bytes::new(session.history.current.shell.bytes().clone())));
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
        let (shell, note) = session.shell_after(&saved, &outcome);
        self.step(&mut session, shell).await?;
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
        let shell = session.history.current.shell.clone();
        self.step(&mut session, shell).await?;
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

    /// Files, variables and working directory are again what they were when the session began. Can be taken back by
    /// [`undo`](Bash::undo).
    pub async fn reset(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        let world = World::new(&self.shared.config)?;
        let first = History::new(&world.root, ShellState::default()).current;
        session.world = Some(world);
        session.history.go_to(first);
        self.settled(&mut session, Step::Forward).await
    }

    /// Another session that begins as this one is now: files and shell. They share what neither changes.
    pub async fn fork(&self, id: impl Into<String>) -> Result<Bash, Error> {
        let session = self.turn().await?;
        let config = Config { id: id.into(), ..self.shared.config.clone() };
        let world = World::new(&config)?.replaced(&config, &session.history.current.files)?;
        let history = History::new(&world.root, session.history.current.shell.clone());
        let store = match &config.sessions {
            Some(folder) => match Store::open(folder, &config.id)? {
                (store, None) => Some(store),
                (_, Some(_)) => return Err(Error::Exists(config.id)),
            },
            None => None,
        };
        let fork = Bash::with(config, world, history, store);
        fork.turn().await?.keep(Step::Forward).await?;
        Ok(fork)
    }

    /// Remembers files and shell as they are now; the number to go back to them with. The last 64 are kept.
    pub async fn snapshot(&self) -> Result<u64, Error> {
        let mut session = self.turn().await?;
        let id = session.history.next_snapshot;
        session.history.mark(id);
        session.keep(Step::Mark(id)).await?;
        Ok(id)
    }

    /// Files and shell are again what they were at a snapshot. Can be taken back by [`undo`](Bash::undo).
    pub async fn restore(&self, snapshot: u64) -> Result<(), Error> {
        let mut session = self.turn().await?;
        let version = session.history.snapshots.get(&snapshot).cloned().ok_or(Error::NoSnapshot(snapshot))?;
        session.history.go_to(version);
        self.settled(&mut session, Step::Forward).await
    }

    /// Takes back what the last step did to files and shell: a run, a written file, a reset, a restore. The last 8 steps can
    /// be taken back, one after the other.
    pub async fn undo(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        if !session.history.undo() {
            return Err(Error::NothingToUndo);
        }
        self.settled(&mut session, Step::Back).await
    }

    /// What has changed in the session's files since a snapshot.
    pub async fn diff_since(&self, snapshot: u64) -> Result<Diff, Error> {
        let session = self.turn().await?;
        let then = session.history.snapshots.get(&snapshot).ok_or(Error::NoSnapshot(snapshot))?;
        let changes = session.history.current.files.changes_since(&then.files);
        Ok(Diff::new(&changes, WORKSPACE.as_bytes()))
    }

    /// A step was made in the world as it is.
    async fn step(&self, session: &mut Session, shell: ShellState) -> Result<(), Error> {
        let world = session.world.as_ref().ok_or(Error::Closed)?;
        if session.history.step(&world.root, shell) {
            self.show(session);
            session.keep(Step::Forward).await?;
        }
        Ok(())
    }

    /// Another version is the current one: the world follows.
    async fn settled(&self, session: &mut Session, step: Step) -> Result<(), Error> {
        let world = session.world.take().ok_or(Error::Closed)?;
        let world = world.replaced(&self.shared.config, &session.history.current.files)?;
        session.history.follow(&world.root);
        session.world = Some(world);
        self.show(session);
        session.keep(step).await
    }

    fn show(&self, session: &Session) {
        let config = &self.shared.config;
        *self.shared.shown.lock() = session.history.current.shell.shown(&config.initial_cwd, &config.env, ENVIRONMENT);
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
        self.write(path.as_ref(), bytes.as_ref(), 0o644).await
    }

    /// Writes a file that can be run.
    pub async fn write_program(&self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
        self.write(path.as_ref(), bytes.as_ref(), 0o755).await
    }

    async fn write(&self, path: &[u8], bytes: &[u8], mode: u32) -> Result<(), Error> {
        let mut session = self.turn().await?;
        session.world()?.write_file(path, bytes, mode)?;
        let shell = session.history.current.shell.clone();
        self.step(&mut session, shell).await
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
        session.store = None;
        Ok(())
    }

    /// The kernel as it is now, for measurements.
    pub async fn kernel(&self) -> Result<Arc<Kernel>, Error> {
        Ok(self.turn().await?.world()?.kernel.clone())
    }

    async fn turn(&self) -> Result<MutexGuard<'_, Session>, Error> {
        let mut session = self.shared.turn.lock().await;
        if session.unsettled {
            // Whoever gave up the run has had everything killed; it only has to be over. What it wrote stays.
            session.world()?.kernel.end_all().await;
            session.unsettled = false;
            let shell = session.history.current.shell.clone();
            self.step(&mut session, shell).await?;
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
    /// The shell that a run left. When it left none, that of the last completed run, and a line that says so.
    fn shell_after(&self, saved: &Capture, outcome: &Outcome) -> (ShellState, Option<String>) {
        let why = match outcome.status {
            _ if outcome.cancelled => "The run was cancelled".to_owned(),
            WaitStatus::Signaled(_) => "The run was killed".to_owned(),
            _ if saved.overflowed() => {
                format!("The shell's variables and functions are larger than {} MiB", shell_state::MOST >> 20)
            }
            _ => match ShellState::from_guest(saved.take()) {
                Some(shell) => return (shell, None),
                None => "The shell did not end by itself (exec?)".to_owned(),
            },
        };
        let note = format!("{why}: files it wrote stay, the shell's state is that of the last completed run");
        (self.history.current.shell.clone(), Some(note))
    }
}

//! The handle of a session: whose turn it is, and what the session remembers.

use crate::answer::{Diff, State};
use crate::builder::{BashBuilder, Config, WORKSPACE, Workspace};
use crate::history::{History, HostPast};
use crate::shell_state::ShellState;
use crate::store::{Step, Store};
use crate::world::World;
use crate::{Entry, Error, NetworkRecord, guests, host_copy, image, store};
use capsule_abi::limits::Limit;
use capsule_kernel::Kernel;
use capsule_vfs::{Quota, trees};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::{Mutex as Turn, MutexGuard};

/// What a session's environment starts with.
pub(crate) const ENVIRONMENT: &[(&str, &str)] =
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
pub(crate) struct Session {
    /// None once the session is closed.
    world: Option<World>,
    pub history: History,
    /// Where the session is kept, when it is to outlive the process.
    store: Option<Store>,
    /// A run began and was given up before its end: what it left running is ended first.
    pub unsettled: bool,
    /// Whether the host's workspace was empty when the session began.
    was_empty: bool,
}

impl Session {
    /// On the disk, where the session is to outlive the process.
    async fn keep(&self, step: Step) -> Result<(), Error> {
        match &self.store {
            Some(store) => store.keep(step, &self.history).await,
            None => Ok(()),
        }
    }

    pub fn world(&self) -> Result<&World, Error> {
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

    pub(crate) fn config(&self) -> &Config {
        &self.shared.config
    }

    /// Whether the session outlives the process.
    pub(crate) fn is_kept(&self) -> bool {
        self.shared.config.sessions.is_some()
    }

    fn with(config: Config, world: World, mut history: History, store: Option<Store>) -> Bash {
        history.hold_at_most(config.limits.get(Limit::Disk));
        let shown = Mutex::new(history.current.shell.shown(&config.initial_cwd, &config.env, ENVIRONMENT));
        let was_empty = world.host_workspace().is_none_or(|host| trees::is_empty(&*host).unwrap_or(false));
        let session = Session { world: Some(world), history, store, unsettled: false, was_empty };
        Bash { shared: Arc::new(Shared { config, turn: Turn::new(session), shown }) }
    }

    pub fn id(&self) -> &str {
        &self.shared.config.id
    }

    /// The ids of the sessions that are kept in the same folder as this one; none when it is not kept.
    pub fn kept_beside(&self) -> Result<Vec<String>, Error> {
        self.shared.config.sessions.as_deref().map_or(Ok(Vec::new()), store::ids)
    }

    /// Whether nobody else has a handle of the session, so that nothing can be going on in it.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
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

    /// Files, variables and working directory are again what they were when the session began; a workspace on the host is
    /// empty. Can be taken back by [`undo`](Bash::undo), unless the workspace is on the host.
    pub async fn reset(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        let mut host = HostPast::Same;
        if let Some(workspace) = session.world()?.host_workspace() {
            host_copy::empty(&workspace, self.config(), session.was_empty)?;
            host = HostPast::Unknown;
        }
        let world = session.world.take().ok_or(Error::Closed)?;
        let world = world.replaced(self.config(), &image::fork(Quota::unlimited())?)?;
        let first = History::new(&world.root, ShellState::default()).current;
        session.world = Some(world);
        session.history.go_to(first, host);
        self.settled(&mut session, Step::Forward).await
    }

    /// Another session that begins as this one is now: files and shell. In memory they share what neither changes; a
    /// workspace on the host is copied to a folder beside it.
    pub async fn fork(&self, id: impl Into<String>) -> Result<Bash, Error> {
        let session = self.turn().await?;
        let network = self.config().policy.open(self.config().limits.get(Limit::Network))?;
        let mut config = Config { id: id.into(), network, ..self.config().clone() };
        let store = match &config.sessions {
            Some(folder) => match Store::open(folder, &config.id)? {
                (store, None) => Some(store),
                (_, Some(_)) => return Err(Error::Exists(config.id)),
            },
            None => None,
        };
        if let (Workspace::Host(folder), Some(host)) = (&config.workspace, session.world()?.host_workspace()) {
            let copy = host_copy::beside(folder, &config.id);
            if copy.exists() {
                return Err(Error::Exists(config.id));
            }
            host_copy::make(&host, &copy)?;
            config.workspace = Workspace::Host(copy);
        }
        let world = World::new(&config)?.replaced(&config, &session.history.current.files)?;
        let history = History::new(&world.root, session.history.current.shell.clone());
        let fork = Bash::with(config, world, history, store);
        fork.turn().await?.keep(Step::Forward).await?;
        Ok(fork)
    }

    /// Remembers files and shell as they are now; the number to go back to them with. The last 64 are kept.
    pub async fn snapshot(&self) -> Result<u64, Error> {
        let mut session = self.turn().await?;
        let id = session.history.next_snapshot;
        if let (Some(host), Some(folder)) = (session.world()?.host_workspace(), host_copy::folder(self.config())?) {
            host_copy::make(&host, &folder.join(id.to_string()))?;
        }
        if let (Some(gone), Some(folder)) = (session.history.mark(id), host_copy::folder(self.config())?) {
            host_copy::remove(&folder.join(gone.to_string()))?;
        }
        session.keep(Step::Mark(id)).await?;
        Ok(id)
    }

    /// Files and shell are again what they were at a snapshot. Can be taken back by [`undo`](Bash::undo), unless the workspace
    /// is on the host. Other folders of the host stay as they are.
    pub async fn restore(&self, snapshot: u64) -> Result<(), Error> {
        let mut session = self.turn().await?;
        let version = session.history.snapshots.get(&snapshot).cloned().ok_or(Error::NoSnapshot(snapshot))?;
        let mut host = HostPast::Same;
        if let (Some(workspace), Some(folder)) = (session.world()?.host_workspace(), host_copy::folder(self.config())?)
        {
            host_copy::put_back(&workspace, &folder.join(snapshot.to_string()))?;
            host = HostPast::Unknown;
        }
        session.history.go_to(version, host);
        self.settled(&mut session, Step::Forward).await
    }

    /// Takes back what the last step did to files and shell: a run, a written file, a reset, a restore. The last 8 steps can
    /// be taken back, one after the other, as far as what they replaced is not more than the disk limit. Of folders of the
    /// host, what this process has done, as far as files were small enough to be kept in memory.
    pub async fn undo(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        let nothing = || match session.history.let_go {
            true => Error::CannotUndo("its files and what is there now are more than the disk limit together".into()),
            false => Error::NothingToUndo,
        };
        let passed = session.history.past.back().ok_or_else(nothing)?;
        session.world()?.take_back(&passed.host)?;
        session.history.undo();
        self.settled(&mut session, Step::Back).await
    }

    /// What has changed in the session's files since a snapshot; of folders of the host, the workspace only.
    pub async fn diff_since(&self, snapshot: u64) -> Result<Diff, Error> {
        let session = self.turn().await?;
        let then = session.history.snapshots.get(&snapshot).ok_or(Error::NoSnapshot(snapshot))?;
        let mut changes = session.history.current.files.changes_since(&then.files);
        if let (Some(host), Some(folder)) = (session.world()?.host_workspace(), host_copy::folder(self.config())?) {
            let more = host_copy::changes(&host, &folder.join(snapshot.to_string()), WORKSPACE)?;
            changes.created.extend(more.created);
            changes.modified.extend(more.modified);
            changes.deleted.extend(more.deleted);
        }
        Ok(Diff::new(&changes, WORKSPACE.as_bytes()))
    }

    /// A step was made in the world as it is.
    pub(crate) async fn step(&self, session: &mut Session, shell: ShellState, host: HostPast) -> Result<(), Error> {
        let world = session.world.as_ref().ok_or(Error::Closed)?;
        if session.history.step(&world.root, shell, host) {
            self.show(session);
            session.keep(Step::Forward).await?;
        }
        Ok(())
    }

    /// What was done belongs to the last step. In folders of the host it would be lost there: then it is one of its own.
    pub(crate) async fn amend(&self, session: &mut Session, shell: ShellState, host: HostPast) -> Result<(), Error> {
        if !matches!(host, HostPast::Same) {
            return self.step(session, shell, host).await;
        }
        let world = session.world.as_ref().ok_or(Error::Closed)?;
        if session.history.amend(&world.root, shell) {
            self.show(session);
            session.keep(Step::Amendment).await?;
        }
        Ok(())
    }

    /// Another version is the current one: the world follows.
    async fn settled(&self, session: &mut Session, step: Step) -> Result<(), Error> {
        let world = session.world.take().ok_or(Error::Closed)?;
        let world = world.replaced(self.config(), &session.history.current.files)?;
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
        let world = session.world()?;
        world.begin_step();
        let written = world.write_file(path, bytes, mode);
        let host = world.end_step();
        let shell = session.history.current.shell.clone();
        // Also when it failed midway: what was written is there.
        self.step(&mut session, shell, host).await?;
        written
    }

    /// What a folder holds, by name.
    pub async fn list_files(&self, path: impl AsRef<[u8]>) -> Result<Vec<Entry>, Error> {
        self.turn().await?.world()?.list_files(path.as_ref())
    }

    /// Whether a path leads somewhere, seen from the directory the session begins in.
    pub async fn exists(&self, path: impl AsRef<[u8]>) -> Result<bool, Error> {
        Ok(self.turn().await?.world()?.exists(path.as_ref(), &self.shared.config.initial_cwd))
    }

    /// What the session asked of other hosts: the last ten thousand requests, in the order in which they ended.
    pub fn network_records(&self) -> Vec<NetworkRecord> {
        self.config().network.records()
    }

    /// Ends the session: whatever is asked of it afterwards is refused.
    pub async fn close(&self) -> Result<(), Error> {
        let mut session = self.turn().await?;
        session.world = None;
        session.store = None;
        // Snapshots go with a session that is not kept.
        match host_copy::folder(self.config())? {
            Some(folder) if !self.is_kept() => host_copy::remove(&folder),
            _ => Ok(()),
        }
    }

    /// The kernel as it is now, for measurements.
    pub async fn kernel(&self) -> Result<Arc<Kernel>, Error> {
        Ok(self.turn().await?.world()?.kernel.clone())
    }

    pub(crate) async fn turn(&self) -> Result<MutexGuard<'_, Session>, Error> {
        let mut session = self.shared.turn.lock().await;
        if session.unsettled {
            // Whoever gave up the run has had everything killed; it only has to be over. What it wrote stays.
            session.world()?.kernel.end_all().await;
            session.unsettled = false;
            let shell = session.history.current.shell.clone();
            let host = session.world()?.end_step();
            self.step(&mut session, shell, host).await?;
        }
        session.world()?;
        Ok(session)
    }
}

//! What a session is made of.

use crate::network::{NetworkPolicy, SessionNetwork};
use crate::{Bash, CustomCommand, Error, Mount, host_copy};
use capsule_abi::limits::{Limit, Limits};
use capsule_engine::{Options, WasmRuntime};
use capsule_kernel::Runtime;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The working folder of a session and its first working directory.
pub const WORKSPACE: &str = "/workspace";

/// Where the files of a session's workspace live when nobody says.
const DEFAULT_WORKSPACE: &str = ".capsule/session/workspace";

/// Where the files of `/workspace` live.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Workspace {
    Memory,
    /// Plain files in this folder of the host, which is made when it is missing.
    Host(PathBuf),
}

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace::Host(DEFAULT_WORKSPACE.into())
    }
}

/// `memory`, or the path of a folder.
impl From<&str> for Workspace {
    fn from(text: &str) -> Workspace {
        match text {
            "memory" => Workspace::Memory,
            folder => Workspace::Host(folder.into()),
        }
    }
}

impl From<PathBuf> for Workspace {
    fn from(folder: PathBuf) -> Workspace {
        Workspace::Host(folder)
    }
}

/// Where the words about what a silent command did are told; they are always in the answer's `feedback`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Feedback {
    #[default]
    Field,
    /// In `stdout` too, when the command itself printed nothing.
    Stdout,
}

/// All that a session was asked to be.
#[derive(Clone)]
pub(crate) struct Config {
    pub id: String,
    pub runtime: Arc<dyn Runtime>,
    pub workspace: Workspace,
    pub mounts: Vec<Mount>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub initial_cwd: Vec<u8>,
    pub limits: Limits,
    pub feedback: Feedback,
    pub commands: Vec<CustomCommand>,
    /// Where sessions are kept that outlive the process.
    pub sessions: Option<PathBuf>,
    pub policy: NetworkPolicy,
    /// The policy at work: it counts, so each session has its own.
    pub network: Arc<SessionNetwork>,
}

/// Makes a [`Bash`].
#[derive(Clone, Default)]
pub struct BashBuilder {
    id: Option<String>,
    runtime: Option<Arc<dyn Runtime>>,
    workspace: Workspace,
    mounts: Vec<Mount>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    initial_cwd: Option<Vec<u8>>,
    limits: Limits,
    feedback: Feedback,
    network: NetworkPolicy,
    commands: Vec<CustomCommand>,
    sessions: Option<PathBuf>,
}

impl BashBuilder {
    /// A name for the session; any text.
    pub fn id(mut self, id: impl Into<String>) -> BashBuilder {
        self.id = Some(id.into());
        self
    }

    /// Keeps the session in this folder: what a run answered is there when the same id is opened again, whatever became of the
    /// process. A workspace in memory is kept with it.
    pub fn sessions_folder(mut self, folder: impl Into<PathBuf>) -> BashBuilder {
        self.sessions = Some(folder.into());
        self
    }

    /// What runs programs; without one, a [`WasmRuntime`] that all sessions of the host process share.
    pub fn runtime(mut self, runtime: Arc<dyn Runtime>) -> BashBuilder {
        self.runtime = Some(runtime);
        self
    }

    /// Functions of the host that scripts call like commands.
    pub fn custom_commands(mut self, commands: impl IntoIterator<Item = CustomCommand>) -> BashBuilder {
        self.commands.extend(commands);
        self
    }

    /// Where the files of `/workspace` live: a folder of the host (`.capsule/session/workspace` when nobody says), or
    /// `memory`.
    pub fn host_workspace(mut self, workspace: impl Into<Workspace>) -> BashBuilder {
        self.workspace = workspace.into();
        self
    }

    /// Where the first run starts, and the first after `reset`; `/workspace` when nobody says.
    pub fn initial_cwd(mut self, cwd: impl Into<Vec<u8>>) -> BashBuilder {
        self.initial_cwd = Some(cwd.into());
        self
    }

    pub fn mount(mut self, mount: Mount) -> BashBuilder {
        self.mounts.push(mount);
        self
    }

    pub fn mounts(mut self, mounts: impl IntoIterator<Item = Mount>) -> BashBuilder {
        self.mounts.extend(mounts);
        self
    }

    /// A variable that the shell starts with.
    pub fn env(mut self, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> BashBuilder {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn limits(mut self, limits: Limits) -> BashBuilder {
        self.limits = limits;
        self
    }

    /// Which hosts the session may reach; none when nobody says.
    pub fn network(mut self, policy: NetworkPolicy) -> BashBuilder {
        self.network = policy;
        self
    }

    pub fn feedback(mut self, feedback: Feedback) -> BashBuilder {
        self.feedback = feedback;
        self
    }

    /// One of many sessions: its workspace is below the one that was named.
    pub(crate) fn own_workspace(mut self, id: &str) -> BashBuilder {
        if let Workspace::Host(folder) = &self.workspace {
            self.workspace = Workspace::Host(host_copy::beside(&folder.join("x"), id));
        }
        self
    }

    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.sessions.clone()
    }

    pub fn build(self) -> Result<Bash, Error> {
        // Programs find placeholders where they look for secrets, unless something else was put there.
        let placeholders = self.network.placeholders().map(|(name, value)| (name.into(), value.into()));
        let env = placeholders.chain(self.env).collect();
        let config = Config {
            id: self.id.unwrap_or_else(|| "default".to_owned()),
            runtime: match self.runtime {
                Some(runtime) => runtime,
                None => shared_runtime()?,
            },
            workspace: self.workspace,
            mounts: self.mounts,
            env,
            initial_cwd: self.initial_cwd.unwrap_or_else(|| WORKSPACE.into()),
            limits: self.limits,
            feedback: self.feedback,
            commands: self.commands,
            sessions: self.sessions,
            network: self.network.open(self.limits.get(Limit::Network))?,
            policy: self.network,
        };
        config.commands.iter().try_for_each(CustomCommand::check)?;
        Bash::open(config)
    }
}

/// One engine for all sessions of the process: their programs are compiled once.
fn shared_runtime() -> Result<Arc<dyn Runtime>, Error> {
    static RUNTIME: OnceLock<Result<Arc<WasmRuntime>, String>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| WasmRuntime::new(Options::default()).map_err(|e| e.to_string()));
    runtime.clone().map(|runtime| runtime as Arc<dyn Runtime>).map_err(Error::Engine)
}

//! Capsule Bash: a session is a filesystem, a kernel over it, and a shell to run commands with.
//!
//! * [`builder`]: what a session is made of: workspace, mounts, environment, limits
//! * [`session`]: [`Session`] and `run`
//! * [`answer`]: what a run answers: output, exit code, what changed
//! * `image`: the base image: `/usr/bin`, `/etc`, `/tmp` …; `guests`: the embedded programs
//! * [`mount`]: host folders inside, as `HOST::GUEST:ro`
//! * [`stdio`]: where a run's input comes from and its output goes

pub mod answer;
pub mod builder;
mod feedback;
mod guests;
mod image;
pub mod mount;
pub mod session;
pub mod stdio;

pub use answer::{Answer, Diff, State};
pub use builder::{SessionBuilder, Workspace};
pub use mount::Mount;
pub use session::{Run, Session};
pub use stdio::{Input, Output};

/// Why a session could not be made or a run not be started. What happens inside a run is in its answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the engine could not start: {0}")]
    Engine(String),
    #[error("cannot open the host folder {path}: {why}")]
    HostFolder { path: String, why: String },
    #[error("cannot mount {host} at {guest}: {why}")]
    Mount { host: String, guest: String, why: String },
    #[error("'{0}' is not a mount: expected HOST[::GUEST][:ro|:rw], GUEST an absolute path")]
    BadMount(String),
    #[error("the working directory {path} cannot be used: {why}")]
    Cwd { path: String, why: String },
    #[error("{name} cannot be run: {why}")]
    Program { name: String, why: String },
    #[error("the base image could not be made: {0}")]
    Image(String),
}

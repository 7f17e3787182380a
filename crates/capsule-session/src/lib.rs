//! Capsule Bash: a session is a filesystem, a kernel over it, and a shell that remembers.
//!
//! ```no_run
//! # async fn example() -> Result<(), capsule_session::Error> {
//! let bash = capsule_session::Bash::builder().host_workspace("memory").build()?;
//! let answer = bash.run("mkdir src && cd src && x=1").await?;
//! assert_eq!(answer.diff.created, ["src"]);
//! let answer = bash.run("echo $x in $PWD").await?;
//! assert_eq!(answer.stdout, "1 in /workspace/src\n");
//! # Ok(())
//! # }
//! ```
//!
//! * [`builder`]: what a session is made of: workspace, mounts, environment, limits
//! * [`bash`]: [`Bash`], the session's handle: whose turn it is, and what it remembers
//! * `world`: the files and the kernel of a session; `files`: the host's own look at them
//! * [`run`]: one program from start to end; `runs`: commands of a session, and their answers; [`stdio`]: where its input comes from and its output goes
//! * [`answer`]: what a run answers: output, exit code, what changed; `feedback`: the same in words; `contents`: what is in
//!   the files that changed; `fit`: what of all that fits into an answer
//! * `host_copy`: copies of a workspace on the host; `history`: what can be gone back to; `shell_state`: what is known of the shell between runs
//! * [`sessions`]: many of them by id; `store`: sessions that outlive the process
//! * [`command`]: functions of the host as commands
//! * `image`: the base image: `/usr/bin`, `/etc`, `/tmp` …; `guests`: the embedded programs
//! * [`network`]: which hosts a session reaches, and what it asked them
//! * [`mount`]: host folders inside, as `HOST::GUEST:ro`

pub mod answer;
pub mod bash;
pub mod builder;
pub mod command;
mod contents;
mod error;
mod feedback;
mod files;
mod fit;
mod guests;
mod history;
mod host_copy;
mod image;
pub mod mount;
pub mod network;
pub mod run;
mod runs;
pub mod sessions;
mod shell_state;
pub mod stdio;
mod store;
mod world;

pub use answer::{Answer, Diff, Omitted, State};
pub use bash::Bash;
pub use builder::{BashBuilder, Feedback, WORKSPACE, Workspace};
pub use capsule_abi::door::Window;
pub use capsule_kernel::descriptions::terminal::WindowSize;
pub use command::{CommandIo, CommandOptions, CommandOutput, CommandState, CustomCommand};
pub use contents::{FileDiff, Summary};
pub use error::Error;
pub use files::Entry;
pub use guests::module as guest_module;
pub use mount::Mount;
pub use network::{NetworkPolicy, NetworkRecord};
pub use run::{OutputListener, Run, RunOptions, Stream};
pub use sessions::Sessions;
pub use stdio::{Input, Output};
pub use tokio_util::sync::CancellationToken;

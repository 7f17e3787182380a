//! What can go wrong outside a run.

use capsule_abi::Errno;
use std::io;

/// What an error of the operating system says, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Why a session could not be made or a run not be started. What happens inside a run is in its answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the engine could not start: {0}")]
    Engine(String),
    #[error("cannot open the host folder {path}: {why}")]
    HostFolder { path: String, why: String },
    #[error("nothing can be mounted at {guest}: {why}")]
    Mount { guest: String, why: String },
    #[error("'{0}' is not a mount: expected HOST[::GUEST][:ro|:rw], GUEST an absolute path")]
    BadMount(String),
    #[error("the working directory {path} cannot be used: {why}")]
    Cwd { path: String, why: String },
    #[error("{name} cannot be run: {why}")]
    Program { name: String, why: String },
    #[error("the base image could not be made: {0}")]
    Image(String),
    #[error("'{0}' cannot be the name of a command: up to 100 bytes without '/', NUL or blanks, and no '.' in front")]
    BadCommand(String),
    #[error("this build has no guest '{0}': there are {1}")]
    NoGuest(String, String),
    #[error("{0}")]
    Network(String),
    #[error("{path}: {why}")]
    File { path: String, why: Errno },
    #[error("there is no snapshot {0}")]
    NoSnapshot(u64),
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("the last step cannot be taken back: {0}")]
    CannotUndo(String),
    #[error("the copy of the workspace could not be made or read: {0}")]
    Copy(String),
    #[error("the session '{0}' is in use by another process (or opened twice by this one)")]
    InUse(String),
    #[error("the session '{0}' exists already")]
    Exists(String),
    #[error("a session id of {0} bytes is too long: 256 are allowed")]
    LongId(usize),
    #[error("the session '{id}' could not be kept or read: {why}")]
    Store { id: String, why: String },
    #[error("the run was cancelled before it began")]
    Cancelled,
    #[error("the session is closed")]
    Closed,
    #[error(
        "the workspace {0} held files before this session began, and no copy of them was made: empty it with a command"
    )]
    ForeignWorkspace(String),
}

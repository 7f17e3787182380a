//! What a process runs. The kernel knows no WebAssembly: a [`Runtime`] turns a file into a [`Program`], and a custom
//! command is a program of the host.

use crate::process::Process;
use capsule_abi::Errno;
use capsule_abi::signal::Signal;
use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a program's run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Code(u8),
    Signal(Signal),
    /// [`Process::exec`] has prepared another program: the same process goes on with it.
    Exec,
}

/// Something a process can run.
pub trait Program: Send + Sync {
    /// Runs until it ends. All that the run holds (memory, instance) must be given back when the future ends.
    fn run(self: Arc<Self>, process: Arc<Process>) -> BoxFuture<'static, Exit>;
}

/// An executable file with the Wasm magic.
pub struct Image<'a> {
    /// The path, for messages.
    pub name: &'a [u8],
    /// Identifies the bytes within this host process, where the filesystem can tell.
    pub version: Option<u64>,
    /// Whether the session counts fuel.
    pub fuel: bool,
    /// Reads the whole file; what is part of the host program is borrowed.
    pub read: &'a (dyn Fn() -> Result<Cow<'static, [u8]>, Errno> + Send + Sync),
}

/// Why a file cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    pub errno: Errno,
    /// What the user should know beyond the error number.
    pub why: String,
}

impl From<Errno> for LoadError {
    fn from(errno: Errno) -> LoadError {
        LoadError { errno, why: String::new() }
    }
}

/// How a file becomes a program.
pub trait Runtime: Send + Sync {
    /// The program of a file that was loaded before and has not changed since, if it is at hand.
    fn known(&self, _version: u64, _fuel: bool) -> Option<Arc<dyn Program>> {
        None
    }

    fn load<'a>(&'a self, image: Image<'a>) -> BoxFuture<'a, Result<Arc<dyn Program>, LoadError>>;
}

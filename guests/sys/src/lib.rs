//! The system as a guest sees it: safe calls over the kernel's two doors, with byte paths and Linux errors.
//!
//! * [`process`]: fork, spawn, exec, wait, signals, process groups, limits, argv and environment
//! * [`fd`]: reading, writing, pipes, duplicates, polling
//! * [`fs`]: files, directories, metadata, the working directory
//! * [`http`]: requests through the kernel, which decides what may be reached
//! * [`time`]: clocks and sleeping; random numbers
//! * [`io`]: the buffered [`Out`](io::Out) and the block reader [`In`](io::In)
//! * `raw`: the imports themselves; together with `host` the only unsafe code of the guests
//! * `host`: the same functions on the machine's own Linux, so that guests can be unit-tested without the sandbox
//!
//! Nothing here uses `std::fs`, `std::env` or `std::process`: they bring wasi-libc's preopen tables and its UTF-8 rules
//! into every start of every small command.

pub mod fd;
pub mod fs;
pub mod http;
pub mod io;
pub mod process;
mod raw;
pub mod time;

#[cfg(not(target_arch = "wasm32"))]
mod host;

pub use capsule_abi::Errno;
pub use capsule_abi::door::{F_GETFD, F_GETFL, F_SETFD, F_SETFL, FD_CLOEXEC, Resource, Window};
pub use capsule_abi::fs::*;
pub use capsule_abi::process::{FdAction, SpawnRequest, WNOHANG, WUNTRACED, WaitStatus};
pub use capsule_abi::signal::{Disposition, Signal};
pub use fd::*;
pub use fs::*;
pub use io::{In, Out};
pub use process::*;
pub use time::*;

pub type Result<T> = core::result::Result<T, Errno>;

/// The door's answer: less than zero is minus an error number.
fn check(answer: i32) -> Result<i32> {
    if answer >= 0 { Ok(answer) } else { Err(Errno::from_linux(-answer).unwrap_or(Errno::EIO)) }
}

/// WASI's answer: zero, or its own error number.
fn check_wasi(answer: i32) -> Result<()> {
    if answer == 0 {
        return Ok(());
    }
    Err(Errno::ALL.iter().copied().find(|e| i32::from(e.wasi()) == answer).unwrap_or(match answer {
        // "not capable": a right the descriptor does not have.
        76 => Errno::EPERM,
        _ => Errno::EIO,
    }))
}

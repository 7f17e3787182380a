//! What the two sides of the wall agree on: error numbers, file metadata, open flags, signals, limits, and the wire
//! types of the kernel's own door. Shared by the host crates and by the guests; it has no dependencies and no code
//! that touches the outside.
//!
//! * [`errno`]: Linux error numbers, their texts, their WASI preview1 twins
//! * [`fs`]: [`Stat`](fs::Stat), [`FileType`](fs::FileType), [`OpenFlags`](fs::OpenFlags) and the `*at` flags
//! * [`process`]: wait statuses and the spawn request
//! * [`http`]: requests, heads of answers, failures
//! * [`signal`]: signal numbers, names and default actions
//! * [`limits`]: the limits of a session, by name
//! * [`state`]: the head of a shell's saved state
//! * [`seal`]: the hash a guest carries
//! * [`stub`]: the files of the commands that are part of the shell's module
//! * [`door`]: the `capsule` import module: its functions, constants and rules
//! * [`wasi`]: constants of WASI preview1
//! * [`wire`]: the little-endian reader and writer the wire types are made with

#![no_std]

extern crate alloc;

pub mod door;
pub mod errno;
pub mod fs;
pub mod http;
pub mod limits;
pub mod process;
pub mod seal;
pub mod signal;
pub mod state;
pub mod stub;
pub mod wasi;
pub mod wire;

pub use errno::Errno;

//! The kernel of a session: processes, descriptors, pipes, signals, time and limits. No WebAssembly in here: a
//! [`Runtime`] brings it, and the tests bring scripted programs instead.
//!
//! * [`kernel`]: [`Kernel`], one a session: the process table, starting and ending
//! * [`process`]: [`Process`] and its system calls, one method each; the doors only decode and call them
//! * [`program`]: what a process runs ([`Program`], [`Runtime`]); [`command`]: programs that are host functions
//! * [`exec`]: from a path to a program: Wasm magic, `#!`, plain scripts
//! * [`description`], [`descriptions`]: what descriptors refer to; [`fd_table`]: the descriptors of a process
//! * [`host_end`]: the host's end of a pipe into the session
//! * [`network`]: what brings the network, where a session has one
//! * [`procfs`]: the files of `/proc`
//! * [`task`]: how processes get the processor
//! * [`signals`], [`wait_queue`], [`clock`], [`budget`]: the small parts
//!
//! Uses capsule-vfs, capsule-abi and tokio's tasks and timers. Nothing here blocks a thread: what must wait is `async`,
//! and ends with `EINTR` when a signal interrupts it.

pub mod budget;
pub mod clock;
pub mod command;
pub mod description;
pub mod descriptions;
pub mod exec;
pub mod fd_table;
pub mod host_end;
pub mod kernel;
pub mod network;
pub mod process;
pub mod procfs;
pub mod program;
pub mod signals;
pub mod task;
pub mod wait_queue;

pub use description::{Description, FileDescription, Interest, Whence};
pub use host_end::HostEnd;
pub use kernel::{Kernel, KernelConfig, Start};
pub use network::Network;
pub use process::{Checkpoint, Pid, PollFd, Process, Waited};
pub use program::{BoxFuture, Exit, Image, LoadError, Program, Runtime};

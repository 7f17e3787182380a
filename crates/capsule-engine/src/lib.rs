//! Runs WebAssembly programs as processes of the kernel, on Wasmtime. The only crate that knows Wasmtime, and the only
//! one where `unsafe` may stand (two places: loading compiled code from the user's own cache, and one ioctl).
//!
//! * `runtime`: [`WasmRuntime`], what the kernel loads programs with; one for all sessions of a host process
//! * `config`, `machine`: how the engines are set up, and for how many processes
//! * `modules`, `cache`, `shape`: from bytes to programs: what is kept, what is compiled, what is refused
//! * `program`, `instance`, `ending`: a program, a run of it, and how a run ends
//! * `fork`, `pagemap`: copying a running process
//! * `ticker`, `fuel`: the clock behind kills and deadlines; the count of instructions
//! * `marks`: where an interpreter wants to be told of signals
//! * `memory`, `call`: guest memory, where every pointer is hostile; what a door function gets
//! * `wasi`: the door that any WASI preview1 program uses; `door`: the kernel's own; `bridge`: the Python guest's
//!
//! A door function decodes its arguments, checks every pointer and length, and makes one call into the kernel.

mod bridge;
pub mod cache;
mod call;
pub mod config;
mod door;
mod ending;
mod fork;
mod fuel;
mod instance;
mod machine;
mod marks;
mod memory;
mod modules;
mod pagemap;
mod program;
mod runtime;
mod shape;
mod ticker;
mod wasi;

pub use runtime::{CacheFolder, Elsewhere, EngineError, Listener, Options, WasmRuntime};

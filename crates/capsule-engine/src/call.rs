//! What a door function gets: the guest's memory, the process, and a way to end or wait.

use crate::ending::Ended;
use crate::instance::GuestState;
use crate::memory::GuestMemory;
use crate::program::WasmProgram;
use capsule_abi::Errno;
use capsule_kernel::{Checkpoint, Process};
use std::sync::Arc;
use wasmtime::Caller;

pub type Guest<'a> = Caller<'a, GuestState>;

/// The arguments every door function has beside its own.
pub struct Call<'a> {
    pub memory: GuestMemory<'a>,
    pub process: &'a Arc<Process>,
    pub program: &'a WasmProgram,
}

impl<'a> Call<'a> {
    /// Guest code that runs before the memory is known (a start function) has an empty one.
    pub fn new(guest: &'a mut Guest<'_>) -> Call<'a> {
        let (bytes, state) = match guest.data().memory {
            Some(memory) => memory.data_and_store_mut(guest),
            None => (Default::default(), guest.data_mut()),
        };
        Call { memory: GuestMemory::new(bytes), process: &state.process, program: &state.program }
    }
}

/// Acts on the signals of the calling process: ends it if one is to end it, waits while it is stopped. Asked after every
/// call that may have waited, or that may have sent the process a signal.
pub async fn heed_signals(process: &Process) -> wasmtime::Result<()> {
    loop {
        match process.checkpoint() {
            Checkpoint::Run => return Ok(()),
            Checkpoint::Killed(signal) => return Err(Ended::Signal(signal).into()),
            Checkpoint::Stopped => process.resumed().await,
        }
    }
}

/// Lets others run in the middle of a long call, and ends the process if it is to end.
pub async fn breathe(process: &Process) -> wasmtime::Result<()> {
    tokio::task::yield_now().await;
    heed_signals(process).await
}

/// The outcome of a call that may wait. Only a failed one can have been interrupted.
pub async fn answer<T>(process: &Process, outcome: Result<T, Errno>) -> wasmtime::Result<Result<T, Errno>> {
    if outcome.is_err() {
        heed_signals(process).await?;
    }
    Ok(outcome)
}

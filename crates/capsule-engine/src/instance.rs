//! One run of a program: a store with an instance from the pool, and the task that polls it.

use crate::config::Metering;
use crate::ending::{self, Ended};
use crate::fuel::{self, Given};
use crate::marks::{self, SignalMarks};
use crate::program::WasmProgram;
use crate::ticker::Ticker;
use capsule_kernel::{Checkpoint, Exit, Process};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use wasmtime::{Instance, Memory, ResourceLimiter, Store, StoreContextMut, UpdateDeadline};

/// What the doors know of the process whose guest calls them.
pub struct GuestState {
    pub process: Arc<Process>,
    pub program: Arc<WasmProgram>,
    /// The exported memory; none while the instance is being made, and for modules that export none.
    pub memory: Option<Memory>,
    pub fuel: Given,
    /// The answer to the last request through the bridge, until it is taken.
    pub reply: Vec<u8>,
    /// Where it wants to be told of signals, when it has said so.
    pub marks: Option<SignalMarks>,
    /// Bytes taken from the session's memory, given back when the instance is gone.
    reserved: u64,
    /// The part of it that the growth under way has taken.
    growing: u64,
}

impl Drop for GuestState {
    fn drop(&mut self) {
        self.process.release_memory(self.reserved);
    }
}

/// The memory of a session is one budget; Wasmtime asks here before each instance's part of it grows.
impl ResourceLimiter for GuestState {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current) as u64;
        if maximum.is_some_and(|most| desired > most) || !self.process.reserve_memory(more) {
            return Ok(false);
        }
        self.growing = more;
        self.reserved += more;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        let taken = std::mem::take(&mut self.growing);
        self.reserved -= taken;
        self.process.release_memory(taken);
        Ok(())
    }

    fn table_growing(&mut self, _current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        // The pool bounds tables to half a mebibyte each.
        Ok(maximum.is_none_or(|most| desired <= most))
    }
}

/// A store for one run, and an instance in it.
pub async fn instantiate(
    program: &Arc<WasmProgram>,
    process: Arc<Process>,
) -> wasmtime::Result<(Store<GuestState>, Instance)> {
    let state = GuestState {
        process,
        program: program.clone(),
        memory: None,
        fuel: Given::default(),
        reply: Vec::new(),
        marks: None,
        reserved: 0,
        growing: 0,
    };
    let mut store = Store::new(program.engine(), state);
    store.limiter(|state| state);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(at_tick);
    if program.metering() == Metering::Fuel {
        fuel::give(&mut store)?;
    }
    let instance = program.pre().instantiate_async(&mut store).await?;
    store.data_mut().memory = program.memory(&mut store, &instance);
    Ok((store, instance))
}

/// What a running guest does at every tick of the epoch: end, wait, or let others run.
fn at_tick(mut store: StoreContextMut<'_, GuestState>) -> wasmtime::Result<UpdateDeadline> {
    fuel::settle(&mut store)?;
    marks::deliver(&mut store);
    let process = &store.data().process;
    match process.checkpoint() {
        Checkpoint::Run => Ok(UpdateDeadline::Yield(1)),
        Checkpoint::Killed(signal) => Err(Ended::Signal(signal).into()),
        Checkpoint::Stopped => {
            let process = process.clone();
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(async move { process.resumed().await })))
        }
    }
}

/// Runs what `outcome` is the call of, and settles the accounts.
pub async fn finish(
    mut store: Store<GuestState>,
    call: impl AsyncFnOnce(&mut Store<GuestState>) -> wasmtime::Result<()>,
) -> Exit {
    let ended = ending::ended(call(&mut store).await);
    fuel::close(&mut store, ended);
    ended.exit()
}

/// A run as the kernel polls it. The epoch advances while it is polled; and a process that was killed while others had
/// the processor ends without running again.
pub async fn polled(run: impl Future<Output = Exit>, process: Arc<Process>, ticker: Arc<Ticker>) -> Exit {
    let mut run = pin!(run);
    poll_fn(|cx| {
        if let Some(signal) = process.killed_by() {
            return Poll::Ready(Exit::Signal(signal));
        }
        let _running = ticker.running();
        run.as_mut().poll(cx)
    })
    .await
}

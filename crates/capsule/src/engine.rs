//! The engine of this process, and what it tells the user.

use crate::commands::preload;
use anyhow::Context;
use capsule_abi::limits::{Limit, Limits};
use capsule_engine::{Listener, Options, WasmRuntime};
use std::io::{IsTerminal, stderr};
use std::sync::Arc;

/// What a machine with the usual `vm.max_map_count` can hold.
const MOST_SLOTS: u64 = 8192;

/// Processes that live at once in all sessions of a server; one that only waits for a client has none.
const SHARED_SLOTS: u64 = 1024;

/// A runtime for one session: a pool as large as its limit of processes starts faster than one for the whole machine.
pub fn runtime(limits: &Limits) -> anyhow::Result<Arc<WasmRuntime>> {
    let slots = limits.get(Limit::Processes).clamp(1, MOST_SLOTS);
    with_slots(u32::try_from(slots).ok())
}

/// A runtime for many sessions. Of a larger pool a client would wait for the start: every slot costs microseconds.
pub fn shared_runtime(limits: &Limits) -> anyhow::Result<Arc<WasmRuntime>> {
    let slots = limits.get(Limit::Processes).clamp(SHARED_SLOTS, MOST_SLOTS);
    with_slots(u32::try_from(slots).ok())
}

fn with_slots(pool_slots: Option<u32>) -> anyhow::Result<Arc<WasmRuntime>> {
    let options = Options {
        pool_slots,
        // Only people are told: in a pipe it would look like output of the script.
        on_compile: stderr().is_terminal().then(|| Arc::new(compiling) as Listener),
        elsewhere: Some(Arc::new(preload::elsewhere)),
        on_warning: Some(Arc::new(|text| eprintln!("capsule: {text}"))),
        ..Options::default()
    };
    WasmRuntime::new(options).context("cannot start the engine")
}

fn compiling(name: &str) {
    eprintln!("capsule: compiling {name} for this machine (once)…");
}

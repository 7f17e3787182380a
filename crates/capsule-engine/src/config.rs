//! How Wasmtime is set up. Two engines exist: [`Metering::Epoch`] for ordinary sessions, and [`Metering::Fuel`], which
//! also counts instructions, made when the first session with a fuel limit appears. The numbers are measured ones; each
//! constant says what it buys.

use crate::machine;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, WasmFeatures};

/// What the compiled code checks while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Metering {
    /// A look at the epoch at loop heads and function entries: kills and deadlines.
    Epoch,
    /// The same, and an exact count of instructions.
    Fuel,
}

/// CPython's interpreter recurses through native frames up to 8 MiB before its own limit stops it.
pub const MAX_WASM_STACK: usize = 8 << 20;

/// What is left above [`MAX_WASM_STACK`] is all the stack host functions have; the VFS keeps its recursion bounded.
pub const ASYNC_STACK: usize = MAX_WASM_STACK + (512 << 10);

// Stacks are not wiped between processes: a guest cannot read them, and wiping costs 2 µs a process (dev build). The
// price is that a pool slot keeps the stack pages of the deepest guest it ever held, up to ASYNC_STACK.

/// How much of a linear memory stays mapped after its process ended, which saves the next one the page faults. Every
/// process that gets the slot pays for wiping all of it, so it is what a small command writes and not what a big one does.
const KEEP_RESIDENT: usize = 256 << 10;

/// The same for tables: three times the shell's. What does not fit is unmapped after every process, and a process with a
/// table of three pages and one kept paid 5 µs for that.
const KEEP_TABLE_RESIDENT: usize = 36 << 10;

/// Slots that keep their module's pages mapped while no process uses them; with [`KEEP_RESIDENT`] and
/// [`KEEP_TABLE_RESIDENT`], idle memory is at most 37 MiB.
const WARM_SLOTS: u32 = 128;

/// Table entries a module may have: three times Wasmtime's own default, for interpreters with many functions.
const TABLE_ELEMENTS: usize = 1 << 16;

/// Compilers usually emit one table; a few more cost only address space.
const TABLES_PER_MODULE: u32 = 4;

/// Which features of WebAssembly a guest may use. Nothing that shares memory between threads, that needs a collector,
/// or that makes bounds checks slow for everyone.
fn features(config: &mut Config) {
    for (feature, on) in [
        (WasmFeatures::MUTABLE_GLOBAL, true),
        (WasmFeatures::SATURATING_FLOAT_TO_INT, true),
        (WasmFeatures::SIGN_EXTENSION, true),
        (WasmFeatures::REFERENCE_TYPES, true),
        (WasmFeatures::MULTI_VALUE, true),
        (WasmFeatures::BULK_MEMORY, true),
        (WasmFeatures::SIMD, true),
        (WasmFeatures::TAIL_CALL, true),
        (WasmFeatures::EXTENDED_CONST, true),
        (WasmFeatures::RELAXED_SIMD, false),
        (WasmFeatures::THREADS, false),
        (WasmFeatures::SHARED_EVERYTHING_THREADS, false),
        (WasmFeatures::MULTI_MEMORY, false),
        (WasmFeatures::MEMORY64, false),
        (WasmFeatures::EXCEPTIONS, false),
        (WasmFeatures::FUNCTION_REFERENCES, false),
        (WasmFeatures::GC, false),
        (WasmFeatures::CUSTOM_PAGE_SIZES, false),
        (WasmFeatures::STACK_SWITCHING, false),
        (WasmFeatures::WIDE_ARITHMETIC, false),
        (WasmFeatures::COMPONENT_MODEL, false),
    ] {
        config.wasm_features(feature, on);
    }
}

fn config(metering: Metering, slots: u32) -> Config {
    let mut config = Config::new();
    features(&mut config);
    config.epoch_interruption(true).consume_fuel(metering == Metering::Fuel);
    config.memory_init_cow(true).max_wasm_stack(MAX_WASM_STACK).async_stack_size(ASYNC_STACK);
    // Nobody reads a guest's native backtrace: without them a trap costs a microsecond and artefacts are smaller.
    config.wasm_backtrace_max_frames(None).generate_address_map(false);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(slots)));
    config
}

fn pool(slots: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(slots).total_memories(slots).total_stacks(slots);
    pool.max_memories_per_module(1).max_tables_per_module(TABLES_PER_MODULE);
    pool.total_tables(slots.saturating_add(slots / 4).max(TABLES_PER_MODULE)).table_elements(TABLE_ELEMENTS);
    pool.max_unused_warm_slots(WARM_SLOTS.min(slots));
    // Wasmtime's scan takes a written page that is swapped out for an untouched one, and the next process in the slot
    // would read it (bytecodealliance/wasmtime#14357). Where there is swap, memories are reset the slow way: 12 µs more.
    if PoolingAllocationConfig::is_pagemap_scan_available() && !machine::has_swap() {
        pool.pagemap_scan(Enabled::Yes)
            .linear_memory_keep_resident(KEEP_RESIDENT)
            .table_keep_resident(KEEP_TABLE_RESIDENT);
    }
    pool
}

/// An engine with as many slots as asked for, or as many as the machine grants: a limit on address space
/// (`ulimit -v`, a small virtual address width) makes the reservation fail, and half of it may still fit.
pub fn engine(metering: Metering, slots: Option<u32>) -> wasmtime::Result<(Engine, u32)> {
    let mut slots = slots.unwrap_or_else(|| machine::pool_slots(metering)).max(1);
    loop {
        match Engine::new(&config(metering, slots)) {
            Ok(engine) => return Ok((engine, slots)),
            Err(error) if slots == 1 => return Err(error),
            Err(_) => slots /= 2,
        }
    }
}

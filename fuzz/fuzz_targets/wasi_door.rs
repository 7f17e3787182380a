//! Random WASI calls with random arguments never panic the host.
//! The guest that makes them is explained in the engine's `tests/common/calls.rs`.
#![no_main]

#[path = "../../crates/capsule-engine/tests/common/mod.rs"]
mod common;

use common::calls::{Door, carry_out, guest, script};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tokio::runtime::Runtime;

static GUEST: LazyLock<Vec<u8>> = LazyLock::new(|| guest(Door::Wasi));
static TOKIO: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

fuzz_target!(|input: &[u8]| {
    TOKIO.block_on(carry_out(&GUEST, &script(Door::Wasi, input)));
});

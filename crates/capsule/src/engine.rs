//! The engine of this process, and what it tells the user.

use anyhow::Context;
use capsule_engine::{Options, WasmRuntime};
use std::sync::Arc;

pub fn runtime() -> anyhow::Result<Arc<WasmRuntime>> {
    let options = Options {
        on_compile: Some(Arc::new(|name| eprintln!("capsule: compiling {name} for this machine (once)…"))),
        on_warning: Some(Arc::new(|text| eprintln!("capsule: {text}"))),
        ..Options::default()
    };
    WasmRuntime::new(options).context("cannot start the engine")
}

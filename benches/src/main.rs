//! `cargo xtask bench [FILTER]`: what things cost, beside real bash in the same run, and whether the targets of
//! docs/SPECIFICATION.md hold. Numbers are medians of many rounds; ratios are what to compare between machines.

mod cold;
mod guest;
mod kernel;
mod limits;
mod mcp;
mod memory;
mod python;
mod report;
mod session;
mod shell;
mod vfs;
mod work;

use capsule_engine::{Options, WasmRuntime};
use capsule_session::Bash;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// What every group needs.
struct Bench {
    filter: Option<String>,
    runtime: Arc<WasmRuntime>,
    /// As many workers as cores: what a host uses that runs many sessions.
    tokio: Runtime,
    /// One worker: no process is handed from core to core, so latencies are those of the work itself.
    one_worker: Runtime,
    report: report::Report,
}

impl Bench {
    fn wanted(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
    }

    fn session(&self) -> anyhow::Result<Bash> {
        Ok(Bash::builder().runtime(self.runtime.clone()).host_workspace("memory").build()?)
    }
}

fn main() -> anyhow::Result<()> {
    let mut bench = Bench {
        filter: std::env::args().nth(1),
        runtime: WasmRuntime::new(Options::default())?,
        tokio: Builder::new_multi_thread().enable_time().build()?,
        one_worker: Builder::new_multi_thread().worker_threads(1).enable_time().build()?,
        report: report::Report::new(),
    };
    guest::run(&mut bench)?;
    kernel::run(&mut bench)?;
    shell::run(&mut bench)?;
    work::run(&mut bench)?;
    session::run(&mut bench)?;
    vfs::run(&mut bench)?;
    limits::run(&mut bench)?;
    memory::run(&mut bench)?;
    cold::run(&mut bench)?;
    mcp::run(&mut bench)?;
    python::run(&mut bench)?;
    bench.report.finish();
    Ok(())
}

//! `capsule preload`: what makes a guest ready on a new machine.

use anyhow::Context;
use capsule_engine::{Options, WasmRuntime};
use capsule_session::guest_module;
use std::borrow::Cow;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The guests that are in this binary.
const GUESTS: [&str; 2] = ["bash", "python"];

/// Compile the shell or another guest for this machine, so that its first start is quick
///
/// The first start does it by itself. Here it can be done ahead, as when an image for a container is made.
#[derive(clap::Args)]
pub struct Preload {
    #[arg(default_value = "bash", value_parser = GUESTS)]
    guest: String,
    /// The kind that counts fuel, for sandboxes with --limit fuel=N
    #[arg(long)]
    fuel: bool,
}

impl Preload {
    pub fn run(self) -> anyhow::Result<u8> {
        let options = Options {
            pool_slots: Some(1),
            on_warning: Some(std::sync::Arc::new(|text| eprintln!("capsule: {text}"))),
            ..Options::default()
        };
        let module = guest_module(&self.guest).context("there is no such guest")?;
        let runtime = WasmRuntime::new(options).context("cannot start the engine")?;
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let compiled = tokio.block_on(runtime.prepare(&self.guest, Cow::Borrowed(module), self.fuel));
        compiled.map_err(|error| anyhow::anyhow!("cannot compile {}: {}", self.guest, error.why))?;
        Ok(0)
    }
}

/// Has a process of its own do it, in a group of its own: a client that ends this one after some seconds, or a user with
/// Ctrl-C, does not end that one, and the next start finds its work. False when it is no guest of ours or there is no such
/// process.
pub fn elsewhere(module: &[u8], fuel: bool) -> bool {
    let Some(guest) = GUESTS.into_iter().find(|guest| guest_module(guest) == Some(module)) else { return false };
    // The very program that runs now, whatever became of its file.
    let mut command = Command::new("/proc/self/exe");
    command.args(["preload", guest]).args(fuel.then_some("--fuel"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.status().is_ok_and(|status| status.success())
}

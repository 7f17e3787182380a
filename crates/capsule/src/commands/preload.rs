//! `capsule preload`: what makes the shell ready on a new machine.

use anyhow::Context;
use capsule_engine::{Options, WasmRuntime};
use capsule_session::SHELL_MODULE;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Compile the shell for this machine, so that the first sandbox starts at once
///
/// The first sandbox does it by itself. Here it can be done ahead, as when an image for a container is made.
#[derive(clap::Args)]
pub struct Preload {
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
        let runtime = WasmRuntime::new(options).context("cannot start the engine")?;
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let compiled = tokio.block_on(runtime.prepare("bash", SHELL_MODULE.to_vec(), self.fuel));
        compiled.map_err(|error| anyhow::anyhow!("cannot compile the shell: {}", error.why))?;
        Ok(0)
    }
}

/// Has a process of its own do it, in a group of its own: a client that ends this one after some seconds, or a user with
/// Ctrl-C, does not end that one, and the next start finds its work. False when it is not the shell or there is no such
/// process.
pub fn elsewhere(module: &[u8], fuel: bool) -> bool {
    if module != SHELL_MODULE {
        return false;
    }
    // The very program that runs now, whatever became of its file.
    let mut command = Command::new("/proc/self/exe");
    command.arg("preload").args(fuel.then_some("--fuel"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.status().is_ok_and(|status| status.success())
}

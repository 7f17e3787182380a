//! The subcommands.

mod bash;
mod wasm;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Command {
    /// Run a shell command or script in a sandbox
    Bash(bash::Bash),
    /// Run a WASI preview1 program in a sandbox
    Wasm(wasm::Wasm),
}

impl Command {
    /// Runs it; the status to exit with.
    pub fn run(self) -> anyhow::Result<u8> {
        match self {
            Command::Bash(bash) => bash.run(),
            Command::Wasm(wasm) => wasm.run(),
        }
    }
}

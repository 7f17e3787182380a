//! The subcommands.

mod bash;
mod mcp;
pub mod preload;
mod shell;
mod wasm;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Command {
    Bash(bash::Bash),
    Mcp(mcp::Mcp),
    Preload(preload::Preload),
    Shell(shell::Shell),
    Wasm(wasm::Wasm),
}

impl Command {
    /// Runs it; the status to exit with.
    pub fn run(self) -> anyhow::Result<u8> {
        match self {
            Command::Bash(bash) => bash.run(),
            Command::Mcp(mcp) => mcp.run(),
            Command::Preload(preload) => preload.run(),
            Command::Shell(shell) => shell.run(),
            Command::Wasm(wasm) => wasm.run(),
        }
    }
}

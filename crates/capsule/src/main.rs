//! The `capsule` command. One file a subcommand in [`commands`]; nothing of what they do lives here.

mod commands;
mod engine;
mod sandbox;
mod shell;
mod window;

use clap::Parser;
use std::process::ExitCode;

/// Runs untrusted code in WebAssembly sandboxes.
#[derive(Parser)]
#[command(name = "capsule", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  capsule bash -c 'seq 3 | wc -l'
  capsule bash --json -c 'mkdir src && touch src/index.ts'
  capsule bash --mount ./data::/data:ro --limit wall=10s script.sh
  capsule mcp --mount ./project::/project
  capsule shell
  capsule wasm --dir ./data::/data tool.wasm /data/input.txt")]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("capsule: {error:#}");
            // As `env` and `timeout` do when the fault is their own.
            ExitCode::from(125)
        }
    }
}

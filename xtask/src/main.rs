//! The developer commands: `cargo xtask COMMAND`. None does work that is done.
//!
//! * `commands/`: one file per command
//! * `toolchain`: a rustc that builds for wasm32-wasip1, found or fetched
//! * `guests`: the table of guests, and how they are built and copied to target/guests
//! * `tools`: cargo subcommands installed into the cache (cargo-deny, cargo-fuzz)
//! * `mcp_clients`: SDKs that tests of the MCP server are clients with
//! * `project`, `process`, `progress`, `test_results`: paths, child processes, messages, the sum of test results

mod commands;
mod guests;
mod mcp_clients;
mod process;
mod progress;
mod project;
mod test_results;
mod toolchain;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{bench, conformance, fuzz, lint, quickstart, setup, test};
use project::Project;

/// Capsule's developer commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Quickstart(quickstart::Args),
    Test(test::Args),
    Lint(lint::Args),
    Setup(setup::Args),
    Guests(commands::guests::Args),
    Bench(bench::Args),
    Conformance(conformance::Args),
    Fuzz(fuzz::Args),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let result = Project::find().and_then(|project| match command {
        Command::Quickstart(args) => args.run(&project),
        Command::Test(args) => args.run(&project),
        Command::Lint(args) => args.run(&project),
        Command::Setup(args) => args.run(&project),
        Command::Guests(args) => args.run(&project),
        Command::Bench(args) => args.run(&project),
        Command::Conformance(args) => args.run(&project),
        Command::Fuzz(args) => args.run(&project),
    });
    result.unwrap_or_else(|error| {
        progress::failure(format_args!("{error:#}"));
        ExitCode::FAILURE
    })
}

//! The `capsule` command. One file a subcommand in [`commands`]; nothing of what they do lives here.

mod commands;
mod engine;
mod interrupts;
mod sandbox;
mod shell;
mod streams;
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

/// Errors of the operating system carry their numbers, which tell people nothing.
fn without_numbers(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(')').unwrap_or(part));
    }
    shown
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("capsule: {}", without_numbers(&format!("{error:#}")));
            // As `env` and `timeout` do when the fault is their own.
            ExitCode::from(125)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_of_errors_are_not_shown() {
        assert_eq!(without_numbers("cannot read x: Is a directory (os error 21)"), "cannot read x: Is a directory");
        assert_eq!(without_numbers("a (os error 2): b"), "a: b");
        assert_eq!(without_numbers("plain"), "plain");
    }
}

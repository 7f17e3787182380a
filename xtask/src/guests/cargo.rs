//! A guest written in Rust.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Result;
use serde_json::Value;

use crate::process::CommandExt;
use crate::project::Project;
use crate::toolchain::GuestToolchain;

/// The programs cargo made, or found to be fresh.
pub fn programs(
    project: &Project,
    toolchain: &GuestToolchain,
    package: &str,
    profile: &str,
    rustflags: &[&str],
) -> Result<Vec<PathBuf>> {
    let mut cargo = toolchain.cargo(project, rustflags);
    cargo.args(["build", "--package", package, "--bins", "--profile", profile]);
    cargo.arg("--message-format=json-render-diagnostics").stdin(Stdio::null());
    Ok(cargo.text()?.lines().filter_map(program_of_message).collect())
}

/// The program that a message of cargo's names.
pub fn program_of_message(line: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    message["executable"].as_str().map(|program| Path::new(program).to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_cargos_messages() {
        let artifact = r#"{"reason":"compiler-artifact","executable":"/t/bash.wasm","fresh":true}"#;
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let end = r#"{"reason":"build-finished","success":true}"#;
        assert_eq!(program_of_message(artifact), Some(PathBuf::from("/t/bash.wasm")));
        assert_eq!([library, end, "not json"].map(program_of_message), [None, None, None]);
    }
}

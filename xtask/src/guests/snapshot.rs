//! The Python guest: cargo says where the crates are whose files it is made of, and `capsule-snapshot` makes it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::cargo::program_of_message;
use crate::process::{self, CommandExt};
use crate::project::Project;

const TOOL: &str = "capsule-snapshot";

/// CPython, and the sources of its library; the versions are in guests/python/Cargo.toml.
const INTERPRETER: &str = "bashkit-cpython-wasm";
const LIBRARY: &str = "componentize-py";

/// What it makes.
const PROGRAMS: [&str; 2] = ["python.wasm", "python314.zip"];

/// How the tool is built: as what comes after it, so that Wasmtime is built once.
#[derive(Clone, Copy)]
pub enum Tool {
    Debug,
    Release,
}

pub fn programs(project: &Project, tool: Tool) -> Result<Vec<PathBuf>> {
    let guest = project.guests().join("python");
    let crates = crates(&guest)?;
    let output = project.guests_build().join("python");
    let mut make = Command::new(build_tool(project, tool)?);
    make.arg("--interpreter").arg(folder_of(&crates, INTERPRETER)?);
    make.arg("--library").arg(folder_of(&crates, LIBRARY)?);
    make.arg("--guest").arg(&guest).arg("--output").arg(&output);
    make.run()?;
    Ok(PROGRAMS.map(|name| output.join(name)).to_vec())
}

/// What cargo knows of the crates, after it has fetched them.
fn crates(guest: &Path) -> Result<Value> {
    let mut cargo = process::cargo();
    cargo.current_dir(guest).args(["metadata", "--locked", "--format-version", "1"]).stdin(Stdio::null());
    let text = cargo.text().context("cannot fetch the crates of the Python guest: is there a network?")?;
    serde_json::from_str(&text).context("cargo metadata")
}

/// The folder of a crate's files.
fn folder_of(crates: &Value, name: &str) -> Result<PathBuf> {
    let packages = crates["packages"].as_array().into_iter().flatten();
    let manifest = packages.filter(|package| package["name"] == name).find_map(|p| p["manifest_path"].as_str());
    let manifest = manifest.with_context(|| format!("guests/python/Cargo.toml names no crate {name}"))?;
    Path::new(manifest).parent().map(Path::to_path_buf).context("a manifest without a folder")
}

/// The features are those of the whole workspace, so that nothing is built twice.
fn build_tool(project: &Project, tool: Tool) -> Result<PathBuf> {
    let mut cargo = project.cargo();
    cargo.args(["build", "--workspace", "--bin", TOOL, "--message-format=json-render-diagnostics"]);
    if let Tool::Release = tool {
        cargo.arg("--release");
    }
    let messages = cargo.stdin(Stdio::null()).text()?;
    messages.lines().filter_map(program_of_message).next().with_context(|| format!("cargo made no {TOOL}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_found_by_its_name() {
        let text = r#"{"packages":[{"name":"a","manifest_path":"/r/a-1/Cargo.toml"},{"name":"b","manifest_path":"/r/b/Cargo.toml"}]}"#;
        let crates: Value = serde_json::from_str(text).unwrap();
        assert_eq!(folder_of(&crates, "a").unwrap(), Path::new("/r/a-1"));
        assert!(folder_of(&crates, "c").unwrap_err().to_string().contains("no crate c"));
        assert!(folder_of(&Value::Null, "a").is_err());
    }
}

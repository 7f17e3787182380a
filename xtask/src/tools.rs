//! Cargo subcommands the project uses, installed into the cache when the machine does not have them.

use std::path::PathBuf;

use anyhow::Result;

use crate::process::{self, CommandExt, on_path};
use crate::progress;
use crate::project::Project;

pub struct Tool {
    pub name: &'static str,
    /// The versions known to work with what we ask of it.
    version: &'static str,
}

pub const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "^0.20" };
pub const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "^0.13" };

/// These tools run for seconds and are built for minutes: light optimisation halves the wait.
const QUICK_BUILD: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
];

/// The tool's program: the one on PATH, or the one in the cache, installed first if need be.
pub fn ensure(project: &Project, tool: &Tool) -> Result<PathBuf> {
    let tools = project.cache().join("tools");
    let installed = tools.join("bin").join(tool.name);
    if let Some(program) = on_path(tool.name).or_else(|| installed.is_file().then(|| installed.clone())) {
        return Ok(program);
    }
    let build = tools.join("build").join(tool.name);
    progress::step(format_args!("installing {} into {} (some minutes, once)", tool.name, tools.display()), || {
        let mut install = process::nice_cargo();
        install.args(["install", "--locked", tool.name, "--version", tool.version]);
        install.arg("--root").arg(&tools).arg("--target-dir").arg(&build).envs(QUICK_BUILD).run()
    })?;
    // Kept until here, so that a run that was ended goes on where it was. What cannot be removed only takes room.
    let _ = std::fs::remove_dir_all(build);
    Ok(installed)
}

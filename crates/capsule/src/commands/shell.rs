//! `capsule shell`.

use crate::sandbox::Sandbox;
use crate::shell;
use anyhow::{Context, bail};
use std::env;
use std::fs::DirBuilder;
use std::io::{IsTerminal, stdin, stdout};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Type commands into a sandbox
///
/// A bash prompt with history, completion and colours. After each command one line tells what it changed; `:undo` takes it
/// back, `:help` tells the rest. `capsule bash` without arguments on a terminal is the same.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  capsule shell
  capsule shell --session notes
  capsule shell --workspace . --mount ~/data::/data:ro")]
pub struct Shell {
    #[command(flatten)]
    sandbox: Sandbox,
}

impl Shell {
    pub fn run(self) -> anyhow::Result<u8> {
        talk(&self.sandbox)
    }
}

/// Whether somebody sits there.
pub fn is_interactive() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

pub fn talk(sandbox: &Sandbox) -> anyhow::Result<u8> {
    if !is_interactive() {
        bail!("the interactive shell needs a terminal; for a script use: capsule bash FILE");
    }
    let mut builder = sandbox.builder()?;
    // So that programs know which colours there are.
    if let Some(terminal) = env::var_os("TERM").filter(|_| !sandbox.session.sets("TERM")) {
        builder = builder.env("TERM", terminal.into_vec());
    }
    let session = builder.clone().build()?;
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let status = shell::run(&tokio, builder, session, histories());
    // Not waited for: a thread may still be reading the terminal.
    tokio.shutdown_background();
    Ok(status? as u8)
}

/// Where the lines typed into sessions are kept; nowhere when there is no home.
fn histories() -> Option<PathBuf> {
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()).or_else(home)?;
    let folder = state.join("capsule/history");
    // What people type may be secret.
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    Some(folder)
}

//! `cargo xtask setup`

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::guests;
use crate::process::CommandExt;
use crate::progress;
use crate::project::Project;

/// Make everything ready: the guest toolchain, the guests, the binary, and the guests compiled for this machine
///
/// The guest toolchain is rustup's wasm32-wasip1, or Debian's in a private folder. Nothing is installed on the system; what
/// is fetched goes to ${CAPSULE_CACHE:-~/.cache/capsule}/guest-toolchain. CAPSULE_GUEST_TOOLCHAIN=rustup or =debian allows
/// only that one.
#[derive(clap::Args)]
pub struct Args {}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let capsule = everything(project)?;
        progress::done(format_args!("ready: {}", project.shown(&capsule)));
        Ok(ExitCode::SUCCESS)
    }
}

/// All that a first session needs; where the binary is.
pub fn everything(project: &Project) -> Result<PathBuf> {
    let toolchain = guests::build_shipped(project)?;
    progress::note(format_args!("guest toolchain: {}", toolchain.summary()));
    let capsule = project.build_capsule()?;
    for guest in ["bash", "python"] {
        progress::step(format_args!("compiling the guest {guest} for this machine"), || {
            Command::new(&capsule).args(["preload", guest]).run()
        })?;
    }
    Ok(capsule)
}

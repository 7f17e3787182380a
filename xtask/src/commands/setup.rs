//! `cargo xtask setup`

use std::process::ExitCode;

use anyhow::Result;

use crate::progress;
use crate::project::Project;
use crate::toolchain;

/// Make the guest toolchain available: rustup's wasm32-wasip1, or Debian's in a private folder
///
/// Nothing is installed on the system; what is fetched goes to ${CAPSULE_CACHE:-~/.cache/capsule}/guest-toolchain.
/// CAPSULE_GUEST_TOOLCHAIN=rustup or =debian allows only that one.
#[derive(clap::Args)]
pub struct Args {}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let toolchain = toolchain::ensure(project)?;
        progress::done(format_args!("guest toolchain: {}", toolchain.summary()));
        Ok(ExitCode::SUCCESS)
    }
}

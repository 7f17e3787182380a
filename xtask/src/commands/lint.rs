//! `cargo xtask lint`

mod deny;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::guests;
use crate::process::{self, CommandExt};
use crate::progress;
use crate::project::Project;
use crate::toolchain::GuestToolchain;

/// Check the format, clippy's lints, the documentation and the dependencies (cargo-deny)
#[derive(clap::Args)]
pub struct Args {}

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        // capsule-session embeds the guests, so even clippy needs them.
        let toolchain = guests::build_shipped(project)?;
        let mut failed = Vec::new();
        // All checks run, whatever the first ones say: one round shows everything there is to mend.
        let mut check = |name: &'static str, result: Result<()>| {
            if let Err(error) = result {
                progress::note(format_args!("{error:#}"));
                failed.push(name);
            }
        };
        check("format", progress::step("cargo fmt --check", || format(project)));
        check("clippy", progress::step("clippy, host workspace", || clippy(project)));
        if project.has_guests() {
            check("guest clippy", progress::step("clippy, guests", || guest_clippy(project, &toolchain)));
        }
        check("documentation", progress::step("cargo doc", || documentation(project)));
        check("dependencies", deny::check(project));
        if !failed.is_empty() {
            bail!("lint failed: {}", failed.join(", "));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn format(project: &Project) -> Result<()> {
    // Each is a workspace of its own.
    for workspace in ["", "guests", "fuzz"] {
        let folder = project.root().join(workspace);
        if folder.join("Cargo.toml").is_file() {
            process::cargo().current_dir(folder).args(["fmt", "--all", "--check"]).run()?;
        }
    }
    Ok(())
}

fn clippy(project: &Project) -> Result<()> {
    project.cargo().args(["clippy", "--workspace", "--all-targets"]).args(DENY_WARNINGS).run()
}

/// What ships is checked for its real target when the toolchain can; the tests run natively, so they are checked natively.
fn guest_clippy(project: &Project, toolchain: &GuestToolchain) -> Result<()> {
    if toolchain.clippy {
        toolchain.cargo(project, &[guests::FEATURES]).args(["clippy", "--workspace"]).args(DENY_WARNINGS).run()?;
    } else {
        progress::note("the guest toolchain has no clippy: the guests are checked natively only");
    }
    project
        .native_guests_cargo()
        .args(["clippy", "--workspace", "--exclude", "capsule-door-tests", "--all-targets"])
        .args(DENY_WARNINGS)
        .run()
}

fn documentation(project: &Project) -> Result<()> {
    project.cargo().env("RUSTDOCFLAGS", "-D warnings").args(["doc", "--workspace", "--no-deps"]).run()
}

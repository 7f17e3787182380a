//! The guest toolchain: a rustc with a prebuilt std for wasm32-wasip1.
//!
//! In order: the rustup (or system) toolchain when it has the target; a Debian toolchain fetched before; `rustup target add`;
//! Debian's packages in a private folder; else one line that says what to do. `CAPSULE_GUEST_TOOLCHAIN=rustup|debian` allows
//! only one of the routes (CI tries both this way).

mod debian;
mod host;

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;
use crate::progress;
use crate::project::Project;

pub const TARGET: &str = "wasm32-wasip1";

pub struct GuestToolchain {
    /// Where it is from, for messages.
    origin: &'static str,
    /// `rustc -vV`: part of the guests' fingerprint.
    pub version: String,
    /// Set when it is another rustc than the host's.
    rustc: Option<PathBuf>,
    /// Set when rustc does not find its wasm linker by itself.
    linker: Option<PathBuf>,
    /// Whether `cargo clippy` works for the target.
    pub clippy: bool,
}

impl GuestToolchain {
    /// Cargo for the guests' workspace. `rustflags` go to the target only, in place of any the user has set: what is built
    /// must not depend on the shell it was built from.
    pub fn cargo(&self, project: &Project, rustflags: &[&str]) -> Command {
        let mut cargo = process::cargo();
        cargo.current_dir(project.guests());
        cargo.env("CARGO_TARGET_DIR", project.guests_build()).env("CARGO_BUILD_TARGET", TARGET);
        cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", rustflags.join("\x1f"));
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc);
        }
        if let Some(linker) = &self.linker {
            cargo.env("CARGO_TARGET_WASM32_WASIP1_LINKER", linker);
        }
        cargo
    }

    /// One line: which rustc, and where it is from.
    pub fn summary(&self) -> String {
        format!("{} for {TARGET} ({})", self.version.lines().next().unwrap_or("rustc"), self.origin)
    }
}

/// Finds the guest toolchain, or makes it.
pub fn ensure(project: &Project) -> Result<GuestToolchain> {
    let route = env::var("CAPSULE_GUEST_TOOLCHAIN").unwrap_or_default();
    let (rustup, debian) = match route.as_str() {
        "" => (true, true),
        "rustup" => (true, false),
        "debian" => (false, true),
        other => bail!("CAPSULE_GUEST_TOOLCHAIN={other}: say rustup or debian, or leave it out"),
    };
    let host = host::Host::find()?;
    if rustup && host.has_target() {
        return host.toolchain();
    }
    let fetched = debian::Route::new(project, &host);
    if debian && fetched.is_current() {
        return fetched.toolchain();
    }
    if rustup && host.add_target() {
        return host.toolchain();
    }
    if debian && debian::possible() {
        progress::step("fetching a guest toolchain from Debian", || fetched.fetch())?;
        return fetched.toolchain();
    }
    bail!(
        "no Rust std for {TARGET}, and no way found to fetch one here: run `rustup target add {TARGET}`, then this again"
    )
}

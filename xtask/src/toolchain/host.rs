//! The toolchain that builds the host side: rustup's, or the system's.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{GuestToolchain, TARGET};
use crate::process::{CommandExt, on_path};
use crate::progress;

/// Long enough for 30 MB on a slow line; where the download is impossible rustup mostly says so within seconds.
const TARGET_ADD_LIMIT: Duration = Duration::from_secs(60);

pub struct Host {
    rustc: PathBuf,
    sysroot: PathBuf,
}

impl Host {
    pub fn find() -> Result<Self> {
        // Beside the cargo that runs us is the rustc it uses; asking that one spares the start of rustup's proxy.
        let beside_cargo = env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name("rustc"));
        let rustc = beside_cargo.filter(|rustc| rustc.is_file()).unwrap_or_else(|| "rustc".into());
        let sysroot = Command::new(&rustc).args(["--print", "sysroot"]).text().context("is Rust installed?")?;
        Ok(Self { rustc, sysroot: sysroot.into() })
    }

    pub fn has_target(&self) -> bool {
        self.rustlib().join(TARGET).join("lib").is_dir()
    }

    /// `rustup target add`, quietly. `false` when there is no rustup or it cannot download.
    pub fn add_target(&self) -> bool {
        if on_path("rustup").is_none() {
            return false;
        }
        progress::begin(format_args!("rustup target add {TARGET}"));
        let added = Command::new("rustup").args(["target", "add", TARGET]).succeeds_within(TARGET_ADD_LIMIT);
        if !added || !self.has_target() {
            progress::note("rustup cannot download it here");
            return false;
        }
        true
    }

    pub fn toolchain(&self) -> Result<GuestToolchain> {
        Ok(GuestToolchain {
            origin: "the target of the installed toolchain",
            version: Command::new(&self.rustc).arg("-vV").text()?,
            rustc: None,
            linker: None,
            clippy: self.sysroot.join("bin/clippy-driver").is_file(),
        })
    }

    /// The linker for wasm that comes with rustup's toolchains.
    pub fn rust_lld(&self) -> Option<PathBuf> {
        let targets = self.rustlib().read_dir().ok()?;
        targets.flatten().map(|target| target.path().join("bin/rust-lld")).find(|lld| lld.is_file())
    }

    fn rustlib(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib")
    }
}

//! Debian testing's rustc in a private folder of the cache. The work is done by assets/get-guest-toolchain.sh; here is when.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::host::Host;
use super::{GuestToolchain, TARGET};
use crate::process::{CommandExt, on_path};
use crate::project::Project;

const SCRIPT: &str = include_str!("../../assets/get-guest-toolchain.sh");

/// Debian testing: the first release whose rustc comes with a std for wasm32-wasip1 as new as ours.
const DEFAULT_SUITE: &str = "forky";

pub struct Route {
    folder: PathBuf,
    suite: String,
    rust_lld: Option<PathBuf>,
}

/// Whether this machine has the tools of a Debian.
pub fn possible() -> bool {
    ["bash", "apt-get", "dpkg-deb"].into_iter().all(|tool| on_path(tool).is_some())
}

impl Route {
    pub fn new(project: &Project, host: &Host) -> Self {
        Self {
            folder: project.cache().join("guest-toolchain"),
            suite: env::var("CAPSULE_DEBIAN_SUITE").unwrap_or_else(|_| DEFAULT_SUITE.to_owned()),
            rust_lld: host.rust_lld(),
        }
    }

    /// The script writes the stamp last, so what a killed run left behind is never current.
    pub fn is_current(&self) -> bool {
        let stamped = fs::read_to_string(self.folder.join("stamp")).is_ok_and(|stamp| stamp == self.stamp());
        stamped && self.linker().is_file()
    }

    pub fn fetch(&self) -> Result<()> {
        let mut bash = Command::new("bash");
        bash.args(["-c", SCRIPT, "get-guest-toolchain"]).arg(&self.folder);
        bash.env("STAMP", self.stamp()).env("CAPSULE_DEBIAN_SUITE", &self.suite);
        match &self.rust_lld {
            Some(lld) => bash.env("RUST_LLD", lld),
            None => bash.env_remove("RUST_LLD"),
        };
        // Not `run()`: its error would show the whole script. The script itself says on stderr what went wrong.
        let status = bash.status().context("cannot start bash")?;
        ensure!(status.success(), "no guest toolchain from Debian: try `rustup target add {TARGET}`");
        Ok(())
    }

    pub fn toolchain(&self) -> Result<GuestToolchain> {
        let rustc = self.folder.join("rustc");
        Ok(GuestToolchain {
            origin: "from Debian, in the cache",
            version: Command::new(&rustc).arg("-vV").text()?,
            rustc: Some(rustc),
            linker: Some(self.linker()),
            clippy: false,
        })
    }

    fn linker(&self) -> PathBuf {
        self.rust_lld.clone().unwrap_or_else(|| self.folder.join("wasm-ld"))
    }

    fn stamp(&self) -> String {
        let script = blake3::hash(SCRIPT.as_bytes()).to_hex();
        let linker = if self.rust_lld.is_some() { "rust-lld" } else { "wasm-ld" };
        format!("script {} suite {} linker {linker}", &script[..16], self.suite)
    }
}

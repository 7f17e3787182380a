//! The guests: from their sources to `target/guests/*.wasm`.
//!
//! * `table`: which guests there are and how each is built
//! * `fingerprint`: a hash over everything a build depends on, so that nothing is started when nothing changed
//! * `build`: one guest, when something changed
//! * `cargo`: a guest written in Rust; `snapshot`: the Python guest
//! * `output`: finished programs, copied only when their bytes changed

mod build;
mod cargo;
mod fingerprint;
mod output;
mod snapshot;
mod table;

use std::fs::{self, File};

use anyhow::{Context, Result};

use crate::progress;
use crate::project::Project;
use crate::toolchain::{self, GuestToolchain};
pub use snapshot::Tool;
pub use table::{Build, FEATURES, GUESTS, Guest, Use};

/// Brings every guest up to date, test programs included.
pub fn build_all(project: &Project) -> Result<GuestToolchain> {
    build(project, Tool::Debug, |_| true)
}

/// Brings the guests up to date that the `capsule` binary embeds, which is about to be built for release.
pub fn build_shipped(project: &Project) -> Result<GuestToolchain> {
    build(project, Tool::Release, |guest| guest.usage == Use::Shipped)
}

/// Brings the wanted guests up to date. A guest whose folder is not there is skipped.
pub fn build(project: &Project, tool: Tool, wanted: impl Fn(&Guest) -> bool) -> Result<GuestToolchain> {
    let toolchain = toolchain::ensure(project)?;
    if !project.has_guests() {
        progress::note("no guests yet: guests/Cargo.toml is not there");
        return Ok(toolchain);
    }
    let folder = project.guests_build();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Two runs at once would copy programs the other is just writing. The lock ends with the file, however we end.
    let lock = File::create(folder.join("lock")).context("cannot make the lock of the guests")?;
    lock.lock().context("cannot lock the guests")?;

    let sources = fingerprint::of_sources(project)?;
    for guest in GUESTS.iter().filter(|guest| wanted(guest)) {
        if project.guests().join(guest.folder).is_dir() {
            let context = build::Context { project, toolchain: &toolchain, sources: &sources, tool };
            build::bring_up_to_date(&context, guest)?;
        }
    }
    Ok(toolchain)
}

//! The guests: from their sources to `target/guests/*.wasm`.
//!
//! * `table`: which guests there are and how each is built
//! * `fingerprint`: a hash over everything a build depends on, so that nothing is started when nothing changed
//! * `build`: one guest, with cargo
//! * `output`: finished programs, copied only when their bytes changed

mod build;
mod fingerprint;
mod output;
mod table;

use std::fs::{self, File};

use anyhow::{Context, Result};

use crate::progress;
use crate::project::Project;
use crate::toolchain::{self, GuestToolchain};
pub use table::{FEATURES, GUESTS, Guest, Use};

/// Brings every guest up to date, test programs included.
pub fn build_all(project: &Project) -> Result<GuestToolchain> {
    build(project, |_| true)
}

/// Brings the guests up to date that the `capsule` binary embeds.
pub fn build_shipped(project: &Project) -> Result<GuestToolchain> {
    build(project, |guest| guest.usage == Use::Shipped)
}

/// Brings the wanted guests up to date. A guest whose folder is not there is skipped.
pub fn build(project: &Project, wanted: impl Fn(&Guest) -> bool) -> Result<GuestToolchain> {
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
            build::bring_up_to_date(project, &toolchain, guest, &sources)?;
        }
    }
    Ok(toolchain)
}

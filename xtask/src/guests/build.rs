//! One guest, made when its fingerprint changed or one of its programs is not in its place.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{Build, Guest, Tool, cargo, fingerprint, output, snapshot};
use crate::progress;
use crate::project::Project;
use crate::toolchain::GuestToolchain;

/// The names of a guest's programs with the hash of their bytes.
type Programs = BTreeMap<String, String>;

/// What every guest is made with.
pub struct Context<'a> {
    pub project: &'a Project,
    pub toolchain: &'a GuestToolchain,
    /// The fingerprint of all sources in Rust.
    pub sources: &'a str,
    pub tool: Tool,
}

pub fn bring_up_to_date(context: &Context<'_>, guest: &Guest) -> Result<()> {
    let project = context.project;
    let place = project.built_guests().join(guest.output);
    let stamp_file = project.guests_build().join(format!("{}.stamp.json", guest.name));
    let stamp = fs::read(&stamp_file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or(Value::Null);
    let before = stamped_programs(&stamp);
    let fingerprint = match &guest.build {
        Build::Cargo { .. } => fingerprint::of_guest(guest, context.toolchain, context.sources),
        Build::Snapshot => fingerprint::of_snapshot(project)?,
    };
    let in_place = |(name, hash): (&String, &String)| output::is_installed(&place.join(name), hash);
    if stamp["fingerprint"] == fingerprint.as_str() && !before.is_empty() && before.iter().all(in_place) {
        return Ok(());
    }
    let what = format!("building the guest {}", guest.name);
    let programs = progress::step(what, || {
        let made = match &guest.build {
            Build::Cargo { package, profile, rustflags } => {
                cargo::programs(project, context.toolchain, package, profile, rustflags)?
            }
            Build::Snapshot => snapshot::programs(project, context.tool)?,
        };
        let mut programs = Programs::new();
        for program in made {
            let name = program.file_name().and_then(|name| name.to_str()).context("a program without a name")?;
            programs.insert(name.to_owned(), output::install(&program, &place.join(name))?);
        }
        ensure!(!programs.is_empty(), "the guest {} has no programs", guest.name);
        Ok(programs)
    })?;
    for name in before.keys().filter(|name| !programs.contains_key(*name)) {
        let _ = fs::remove_file(place.join(name));
    }
    // Last, so that a run that was ended before builds again.
    let stamp = json!({ "fingerprint": fingerprint, "programs": programs });
    output::write(&stamp_file, stamp.to_string().as_bytes())
}

fn stamped_programs(stamp: &Value) -> Programs {
    let programs = stamp["programs"].as_object().into_iter().flatten();
    programs.filter_map(|(name, hash)| Some((name.clone(), hash.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_stamp_names_no_programs() {
        assert!(stamped_programs(&Value::Null).is_empty());
        assert!(stamped_programs(&json!({ "programs": [1, "x"] })).is_empty());
        assert_eq!(stamped_programs(&json!({ "programs": { "a.wasm": "1" } })).len(), 1);
    }
}

//! One guest, built with cargo when its fingerprint changed or one of its programs is not in its place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Guest, fingerprint, output};
use crate::process::CommandExt;
use crate::progress;
use crate::project::Project;
use crate::toolchain::GuestToolchain;

/// The names of a guest's programs with the hash of their bytes.
type Programs = BTreeMap<String, String>;

pub fn bring_up_to_date(project: &Project, toolchain: &GuestToolchain, guest: &Guest, sources: &str) -> Result<()> {
    let place = project.built_guests().join(guest.output);
    let stamp_file = project.guests_build().join(format!("{}.stamp.json", guest.name));
    let stamp = fs::read(&stamp_file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or(Value::Null);
    let before = stamped_programs(&stamp);
    let fingerprint = fingerprint::of_guest(guest, toolchain, sources);
    let in_place = |(name, hash): (&String, &String)| output::is_installed(&place.join(name), hash);
    if stamp["fingerprint"] == fingerprint.as_str() && !before.is_empty() && before.iter().all(in_place) {
        return Ok(());
    }
    let what = format!("building the guest {}", guest.name);
    let programs = progress::step(what, || {
        let mut programs = Programs::new();
        for program in cargo_build(project, toolchain, guest)? {
            let name = program.file_name().and_then(|name| name.to_str()).context("a program without a name")?;
            programs.insert(name.to_owned(), output::install(&program, &place.join(name))?);
        }
        ensure!(!programs.is_empty(), "the package {} has no programs", guest.package);
        Ok(programs)
    })?;
    for name in before.keys().filter(|name| !programs.contains_key(*name)) {
        let _ = fs::remove_file(place.join(name));
    }
    // Last, so that a run that was ended before builds again.
    let stamp = json!({ "fingerprint": fingerprint, "programs": programs });
    output::write(&stamp_file, stamp.to_string().as_bytes())
}

/// The programs cargo made, or found to be fresh.
fn cargo_build(project: &Project, toolchain: &GuestToolchain, guest: &Guest) -> Result<Vec<PathBuf>> {
    let mut cargo = toolchain.cargo(project, guest.rustflags);
    cargo.args(["build", "--package", guest.package, "--bins", "--profile", guest.profile]);
    cargo.arg("--message-format=json-render-diagnostics").stdin(Stdio::null());
    Ok(cargo.text()?.lines().filter_map(program_of_message).collect())
}

fn program_of_message(line: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    message["executable"].as_str().map(|program| Path::new(program).to_path_buf())
}

fn stamped_programs(stamp: &Value) -> Programs {
    let programs = stamp["programs"].as_object().into_iter().flatten();
    programs.filter_map(|(name, hash)| Some((name.clone(), hash.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_cargos_messages() {
        let artifact = r#"{"reason":"compiler-artifact","executable":"/t/bash.wasm","fresh":true}"#;
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let end = r#"{"reason":"build-finished","success":true}"#;
        assert_eq!(program_of_message(artifact), Some(PathBuf::from("/t/bash.wasm")));
        assert_eq!([library, end, "not json"].map(program_of_message), [None, None, None]);
    }

    #[test]
    fn a_broken_stamp_names_no_programs() {
        assert!(stamped_programs(&Value::Null).is_empty());
        assert!(stamped_programs(&json!({ "programs": [1, "x"] })).is_empty());
        assert_eq!(stamped_programs(&json!({ "programs": { "a.wasm": "1" } })).len(), 1);
    }
}

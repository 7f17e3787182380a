//! `cargo xtask fuzz`

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::guests;
use crate::process::CommandExt;
use crate::progress;
use crate::project::Project;
use crate::tools::{self, CARGO_FUZZ};

/// Fuzz one target, or each in turn (needs a nightly toolchain)
#[derive(clap::Args)]
pub struct Args {
    /// A file of fuzz/fuzz_targets, without .rs
    target: Option<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let all = targets(&project.root().join("fuzz/fuzz_targets"))?;
        let chosen = choose(&all, self.target.as_deref())?;
        ensure!(nightly_is_installed(), "fuzzing needs a nightly toolchain: rustup toolchain install nightly");
        let cargo_fuzz = tools::ensure(project, &CARGO_FUZZ)?;
        guests::build_shipped(project)?;
        for target in chosen {
            let what = format!("fuzzing {target} for {} s", self.seconds);
            progress::step(what, || self.fuzz(project, &cargo_fuzz, target))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn fuzz(&self, project: &Project, cargo_fuzz: &Path, target: &str) -> Result<()> {
        let mut fuzz = Command::new("rustup");
        fuzz.args(["run", "nightly"]).arg(cargo_fuzz).args(["run", target, "--"]);
        fuzz.arg(format!("-max_total_time={}", self.seconds));
        // Cargo named its own path and toolchain when it started us; both are stable's.
        fuzz.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        fuzz.current_dir(project.root()).env("CAPSULE_GUESTS_DIR", project.built_guests()).run()
    }
}

fn nightly_is_installed() -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).text();
    list.is_ok_and(|list| list.lines().any(|line| line.starts_with("nightly")))
}

/// The names of the targets in `folder`, sorted.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let files = fs::read_dir(folder).with_context(|| format!("no fuzz targets: cannot read {}", folder.display()))?;
    let name = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix(".rs")?.to_owned());
    let mut names: Vec<String> = files.flatten().filter_map(|file| name(&file.path())).collect();
    names.sort();
    Ok(names)
}

fn choose<'a>(all: &'a [String], wanted: Option<&str>) -> Result<Vec<&'a str>> {
    let chosen: Vec<&str> = all.iter().map(String::as_str).filter(|name| wanted.is_none_or(|it| it == *name)).collect();
    let unknown = || format!("no fuzz target {}; there are: {}", wanted.unwrap_or_default(), all.join(", "));
    ensure!(!chosen.is_empty(), unknown());
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_the_rust_files_in_order() {
        let folder = std::env::temp_dir().join(format!("capsule-xtask-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["vfs.rs", "door_wasi.rs", "README.md"] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(targets(&folder).unwrap(), ["door_wasi", "vfs"]);
        fs::remove_dir_all(&folder).unwrap();
        assert!(targets(&folder).is_err());
    }

    #[test]
    fn a_target_is_chosen_by_name_or_all_are() {
        let all = ["door".to_owned(), "vfs".to_owned()];
        assert_eq!(choose(&all, None).unwrap(), ["door", "vfs"]);
        assert_eq!(choose(&all, Some("vfs")).unwrap(), ["vfs"]);
        assert_eq!(choose(&all, Some("x")).unwrap_err().to_string(), "no fuzz target x; there are: door, vfs");
    }
}

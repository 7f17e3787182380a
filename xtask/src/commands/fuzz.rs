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

/// Fuzz one target, or each in turn (with a nightly toolchain, or with stable as if it were one)
#[derive(clap::Args)]
pub struct Args {
    /// A file of fuzz/fuzz_targets or guests/fuzz/fuzz_targets, without .rs
    target: Option<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let all = targets(project.root())?;
        let chosen = choose(&all, self.target.as_deref())?;
        let cargo_fuzz = tools::ensure(project, &CARGO_FUZZ)?;
        if chosen.iter().any(|target| target.package == HOST) {
            guests::build_shipped(project)?;
        }
        for target in chosen {
            let what = format!("fuzzing {} for {} s", target.name, self.seconds);
            progress::step(what, || self.fuzz(project, &cargo_fuzz, target))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn fuzz(&self, project: &Project, cargo_fuzz: &Path, target: &Target) -> Result<()> {
        let mut fuzz = Command::new("rustup");
        let toolchain = if nightly_is_installed() { "nightly" } else { "stable" };
        fuzz.args(["run", toolchain]).arg(cargo_fuzz).arg("run").arg("--fuzz-dir").arg(target.package);
        fuzz.args([&target.name, "--"]);
        // Names of the shell live as long as it does. What takes ten seconds is a finding.
        fuzz.arg(format!("-max_total_time={}", self.seconds)).args(["-detect_leaks=0", "-timeout=10"]);
        // Stable has everything that fuzzing uses, and lets it be used when asked so. Characters of many bytes are
        // more to go wrong.
        fuzz.env("RUSTC_BOOTSTRAP", "1").env("LC_ALL", "C.UTF-8");
        // Cargo named its own path and toolchain when it started us; both are stable's.
        fuzz.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        fuzz.current_dir(project.root()).env("CAPSULE_GUESTS_DIR", project.built_guests()).run()
    }
}

fn nightly_is_installed() -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).text();
    list.is_ok_and(|list| list.lines().any(|line| line.starts_with("nightly")))
}

/// The host's targets, which run the guests themselves.
const HOST: &str = "fuzz";
/// Also the guests' own, which are built without the engine.
const PACKAGES: [&str; 2] = [HOST, "guests/fuzz"];

#[derive(Debug, PartialEq, Eq)]
struct Target {
    package: &'static str,
    name: String,
}

/// All targets below `root`, sorted.
fn targets(root: &Path) -> Result<Vec<Target>> {
    let mut all = Vec::new();
    for package in PACKAGES {
        let folder = root.join(package).join("fuzz_targets");
        let files =
            fs::read_dir(&folder).with_context(|| format!("no fuzz targets: cannot read {}", folder.display()))?;
        let name = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix(".rs")?.to_owned());
        let mut names: Vec<String> = files.flatten().filter_map(|file| name(&file.path())).collect();
        names.sort();
        all.extend(names.into_iter().map(|name| Target { package, name }));
    }
    Ok(all)
}

fn choose<'a>(all: &'a [Target], wanted: Option<&str>) -> Result<Vec<&'a Target>> {
    let chosen: Vec<&Target> = all.iter().filter(|target| wanted.is_none_or(|it| it == target.name)).collect();
    let names = || all.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ");
    ensure!(!chosen.is_empty(), "no fuzz target {}; there are: {}", wanted.unwrap_or_default(), names());
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_the_rust_files_in_order() {
        let root = std::env::temp_dir().join(format!("capsule-xtask-fuzz-{}", std::process::id()));
        for (package, files) in [("fuzz", ["vfs.rs", "door.rs", "README.md"]), ("guests/fuzz", ["a.rs", "b", "c.txt"])]
        {
            let folder = root.join(package).join("fuzz_targets");
            fs::create_dir_all(&folder).unwrap();
            for name in files {
                fs::write(folder.join(name), "").unwrap();
            }
        }
        let found = targets(&root).unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|target| (target.package, target.name.as_str())).collect();
        assert_eq!(found, [("fuzz", "door"), ("fuzz", "vfs"), ("guests/fuzz", "a")]);
        fs::remove_dir_all(&root).unwrap();
        assert!(targets(&root).is_err());
    }

    #[test]
    fn a_target_is_chosen_by_name_or_all_are() {
        let all = ["door", "vfs"].map(|name| Target { package: "fuzz", name: name.to_owned() });
        assert_eq!(choose(&all, None).unwrap(), [&all[0], &all[1]]);
        assert_eq!(choose(&all, Some("vfs")).unwrap(), [&all[1]]);
        assert_eq!(choose(&all, Some("x")).unwrap_err().to_string(), "no fuzz target x; there are: door, vfs");
    }
}

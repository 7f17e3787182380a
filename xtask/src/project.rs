//! Where things are: the work tree, its build results, and the cache outside it.

use std::env;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{self, CommandExt};
use crate::progress;

pub struct Project {
    root: PathBuf,
    cache: PathBuf,
}

impl Project {
    /// The work tree this program belongs to. Cargo names it at run time, so a shared target folder cannot mix up two trees.
    pub fn find() -> Result<Self> {
        let xtask = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = xtask.parent().context("xtask has no parent folder")?.to_path_buf();
        let cache = cache_folder(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))?;
        Ok(Self { root, cache })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path as people read it: from the work tree on, where it is in it.
    pub fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }

    /// What outlives the work tree and is shared by all of them: the guest toolchain and installed tools.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// The guests' own cargo workspace.
    pub fn guests(&self) -> PathBuf {
        self.root.join("guests")
    }

    pub fn has_guests(&self) -> bool {
        self.guests().join("Cargo.toml").is_file()
    }

    /// Finished guests, where capsule-session's build script and the tests look for them.
    pub fn built_guests(&self) -> PathBuf {
        self.root.join("target/guests")
    }

    /// Cargo's target folder for the guests, and the stamps of what was built.
    pub fn guests_build(&self) -> PathBuf {
        self.root.join("target/guests-build")
    }

    /// Cargo for the host workspace.
    pub fn cargo(&self) -> Command {
        let mut cargo = process::cargo();
        cargo.current_dir(&self.root).env("CAPSULE_GUESTS_DIR", self.built_guests());
        cargo
    }

    /// Cargo for the guests' workspace with the host's rustc: the shell's language and the applets' logic need no sandbox.
    pub fn native_guests_cargo(&self) -> Command {
        let mut cargo = process::cargo();
        cargo.current_dir(self.guests()).env("CARGO_TARGET_DIR", self.root.join("target/guests-native"));
        cargo
    }

    /// The `capsule` binary, built for release.
    pub fn build_capsule(&self) -> Result<PathBuf> {
        self.build_release("capsule")
    }

    /// A program of the host workspace. Its features are those of the whole workspace, as everywhere: with those of its own
    /// package all dependencies would be built once more.
    pub fn build_release(&self, name: &str) -> Result<PathBuf> {
        progress::step(format_args!("building {name} (release)"), || {
            self.cargo().args(["build", "--release", "--workspace", "--bin", name]).run()
        })?;
        self.built("release", name)
    }

    /// The `capsule` that the tests of the host workspace were run with.
    pub fn tested_capsule(&self) -> Result<PathBuf> {
        self.built("debug", "capsule")
    }

    fn built(&self, profile: &str, name: &str) -> Result<PathBuf> {
        let text = self.cargo().args(["metadata", "--no-deps", "--format-version", "1"]).text()?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata")?;
        let target = metadata["target_directory"].as_str().context("cargo metadata names no target_directory")?;
        let binary = Path::new(target).join(profile).join(format!("{name}{}", env::consts::EXE_SUFFIX));
        if !binary.is_file() {
            bail!("the build left no {}", binary.display());
        }
        Ok(binary)
    }
}

fn cache_folder(var: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf> {
    if let Some(folder) = var("CAPSULE_CACHE") {
        return absolute(&folder).with_context(|| format!("CAPSULE_CACHE={}", folder.display()));
    }
    // The XDG rules say that a relative path is to be ignored.
    if let Some(folder) = var("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()) {
        return Ok(folder.join("capsule"));
    }
    let home = var("HOME").context("no place for the cache: set CAPSULE_CACHE or HOME")?;
    Ok(home.join(".cache/capsule"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(vars: &[(&str, &str)]) -> PathBuf {
        cache_folder(|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())).unwrap()
    }

    #[test]
    fn the_cache_is_the_first_place_named() {
        let all = [("CAPSULE_CACHE", "/c"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(cache(&all), Path::new("/c"));
        assert_eq!(cache(&all[1..]), Path::new("/x/capsule"));
        assert_eq!(cache(&all[2..]), Path::new("/h/.cache/capsule"));
        assert_eq!(cache(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]), Path::new("/h/.cache/capsule"));
    }

    #[test]
    fn no_place_for_the_cache_is_an_error() {
        assert!(cache_folder(|_| None).is_err());
    }
}

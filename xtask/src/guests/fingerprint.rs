//! A hash over everything a guest's build depends on. Contents, never times: a checkout or a touch builds nothing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Build, Guest};
use crate::project::Project;
use crate::toolchain::GuestToolchain;

/// The guest that is not Rust: nothing of the others depends on it.
const PYTHON: &str = "guests/python";

/// Of all guests' sources in Rust and what they take from the host workspace: capsule-abi, and the workspace table it
/// inherits from.
pub fn of_sources(project: &Project) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    for path in entries(project.root(), Path::new("guests"))?.iter().filter(|path| *path != Path::new(PYTHON)) {
        add(&mut hasher, project.root(), path)?;
    }
    add_tree(&mut hasher, project.root(), Path::new("crates/capsule-abi"))?;
    add_file(&mut hasher, project.root(), Path::new("Cargo.toml"))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Of the Python guest: the driver, the crates' versions, and the program that puts them together.
pub fn of_snapshot(project: &Project) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    for folder in [PYTHON, "crates/capsule-snapshot", "crates/capsule-abi"] {
        add_tree(&mut hasher, project.root(), Path::new(folder))?;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Of one guest: the sources, the compiler and the way it is built.
pub fn of_guest(guest: &Guest, toolchain: &GuestToolchain, sources: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    let (package, profile, rustflags) = match &guest.build {
        Build::Cargo { package, profile, rustflags } => (*package, *profile, *rustflags),
        Build::Snapshot => ("", "", [].as_slice()),
    };
    let how = [sources, &toolchain.version, package, profile, guest.output];
    for part in how.into_iter().chain(rustflags.iter().copied()) {
        add_part(&mut hasher, part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn add_tree(hasher: &mut blake3::Hasher, root: &Path, folder: &Path) -> Result<()> {
    entries(root, folder)?.iter().try_for_each(|path| add(hasher, root, path))
}

/// A file, or a folder unless it holds build results.
fn add(hasher: &mut blake3::Hasher, root: &Path, path: &Path) -> Result<()> {
    let meta = fs::metadata(root.join(path)).with_context(|| format!("cannot read {}", path.display()))?;
    match path.file_name() {
        _ if !meta.is_dir() => add_file(hasher, root, path),
        Some(name) if name != "target" && name != "__pycache__" => add_tree(hasher, root, path),
        _ => Ok(()),
    }
}

/// What is in a folder, in a stable order.
fn entries(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("cannot read {}", folder.display());
    let read = fs::read_dir(root.join(folder)).with_context(context)?;
    let mut paths =
        read.map(|entry| Ok(folder.join(entry?.file_name()))).collect::<Result<Vec<_>>>().with_context(context)?;
    paths.sort();
    Ok(paths)
}

fn add_file(hasher: &mut blake3::Hasher, root: &Path, path: &Path) -> Result<()> {
    let bytes = fs::read(root.join(path)).with_context(|| format!("cannot read {}", path.display()))?;
    add_part(hasher, path.as_os_str().as_encoded_bytes());
    add_part(hasher, &bytes);
    Ok(())
}

/// With its length before it, so that no two lists of parts run together into the same bytes.
fn add_part(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("capsule-xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src/target")).unwrap();
        fs::write(folder.join("src/a.rs"), "a").unwrap();
        folder
    }

    fn hash(root: &Path) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        add_tree(&mut hasher, root, Path::new("src")).unwrap();
        hasher.finalize()
    }

    #[test]
    fn contents_and_names_count_but_times_and_build_results_do_not() {
        let root = scratch("fingerprint");
        let first = hash(&root);
        fs::write(root.join("src/target/junk"), "junk").unwrap();
        fs::write(root.join("src/a.rs"), "a").unwrap();
        assert_eq!(hash(&root), first);
        fs::write(root.join("src/a.rs"), "b").unwrap();
        let changed = hash(&root);
        assert_ne!(changed, first);
        fs::rename(root.join("src/a.rs"), root.join("src/b.rs")).unwrap();
        assert_ne!(hash(&root), changed);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn parts_do_not_run_together() {
        let hash = |parts: &[&str]| {
            let mut hasher = blake3::Hasher::new();
            parts.iter().for_each(|part| add_part(&mut hasher, part.as_bytes()));
            hasher.finalize()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }
}

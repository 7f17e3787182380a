//! Which file a patch is about. Names that lead out of the working directory are never taken.

use super::parse::{Name, Patch};
use crate::input::{base_name, dir_name};
use capsule_sys::{Errno, FileType, lstat, stat};

/// Takes leading components away; without a number all but the last.
pub fn strip(name: &[u8], components: Option<usize>) -> Option<Vec<u8>> {
    let Some(components) = components else {
        return Some(base_name(name).to_vec()).filter(|n| !n.is_empty());
    };
    let mut rest = name;
    for _ in 0..components {
        let slash = memchr::memchr(b'/', rest)?;
        rest = &rest[slash..];
        rest = &rest[rest.iter().take_while(|b| **b == b'/').count()..];
    }
    (!rest.is_empty()).then(|| rest.to_vec())
}

/// Whether a name stays below the working directory: not absolute, no `..`, and no link on the way that leads out.
pub fn is_safe(name: &[u8]) -> bool {
    if name.first() == Some(&b'/') || name.split(|&b| b == b'/').any(|part| part == b"..") {
        return false;
    }
    let mut dir = dir_name(name);
    while dir != b"." && dir != b"/" {
        if lstat(dir).is_ok_and(|s| s.kind == FileType::Symlink) {
            return false;
        }
        dir = dir_name(dir);
    }
    true
}

/// The names to choose from.
pub fn candidates(patch: &Patch, components: Option<usize>) -> Vec<Vec<u8>> {
    let usable = |name: &Name| (name.name != b"/dev/null").then(|| strip(&name.name, components)).flatten();
    let mut names = Vec::new();
    match &patch.git {
        Some(git) if git.rename || git.copy || patch.old.is_none() => {
            // git's own prefixes are one component, which only -p takes away.
            names.extend([&git.old, &git.new].into_iter().filter_map(|n| strip(n, components)));
        }
        _ => {
            names.extend([&patch.old, &patch.new].into_iter().flatten().filter_map(usable));
            // Only where the others are not there at all.
            if patch.old.is_none() && patch.new.is_none() {
                names.extend(patch.index.iter().filter_map(|n| strip(n, components)));
            }
        }
    }
    names
}

fn components(name: &[u8]) -> usize {
    name.split(|&b| b == b'/').filter(|p| !p.is_empty()).count()
}

/// Fewest components, then the shortest last one, then the shortest.
pub fn best(names: &[Vec<u8>]) -> Option<Vec<u8>> {
    names.iter().min_by_key(|n| (components(n), base_name(n).len(), n.len())).cloned()
}

/// The file to patch: the best that exists, or the one that needs the fewest new directories when one is to be made.
pub fn choose(names: &[Vec<u8>], creates: bool) -> Option<Vec<u8>> {
    let existing: Vec<Vec<u8>> =
        names.iter().filter(|n| stat(n) != Err(Errno::ENOENT) && lstat(n).is_ok()).cloned().collect();
    if let Some(name) = best(&existing) {
        return Some(name);
    }
    if !creates {
        return None;
    }
    let missing = |name: &[u8]| {
        let mut dir = dir_name(name);
        let mut count = 0;
        while dir != b"." && dir != b"/" && stat(dir).is_err() {
            count += 1;
            dir = dir_name(dir);
        }
        count
    };
    let least = names.iter().map(|n| missing(n)).min()?;
    let near: Vec<Vec<u8>> = names.iter().filter(|n| missing(n) == least).cloned().collect();
    best(&near)
}

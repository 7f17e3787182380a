//! What a run did, in words: a silent command is no riddle.

use capsule_abi::fs::FileType;
use capsule_vfs::{Caller, Changes, Credentials, Vfs};

/// One line a kind of change, in the order things were listed.
pub fn of(changes: &Changes, vfs: &Vfs) -> Vec<String> {
    let caller = Caller { credentials: Credentials::default(), umask: 0, cwd: vfs.root(), pid: 0 };
    let mut lines = Vec::new();
    for path in &changes.created {
        let folder = vfs.stat(&caller, None, path, false).is_ok_and(|s| s.kind == FileType::Directory);
        lines.push(if folder { "Folder created ✔" } else { "File created ✔" });
    }
    lines.extend(changes.modified.iter().map(|_| "File modified ✔"));
    lines.extend(changes.renamed.iter().map(|_| "Renamed ✔"));
    lines.extend(changes.mode_changed.iter().map(|_| "Mode changed ✔"));
    lines.extend(changes.deleted.iter().map(|_| "Deleted ✔"));
    summarise(&lines)
}

/// The same line many times is one line with its count.
fn summarise(lines: &[&str]) -> Vec<String> {
    let groups = lines.chunk_by(|a, b| a == b);
    groups
        .flat_map(|group| match group.len() {
            1..=3 => group.iter().map(|line| (*line).to_owned()).collect(),
            n => vec![format!("{} ({n})", group[0])],
        })
        .collect()
}

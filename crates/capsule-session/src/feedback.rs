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

/// More lines than this say less than their counts do.
const MOST_LINES: usize = 20;

/// The same line many times is one line with its count.
fn summarise(lines: &[&str]) -> Vec<String> {
    let told = |(line, count): (&str, usize)| match count {
        1..=3 => vec![line.to_owned(); count],
        _ => vec![format!("{line} ({count})")],
    };
    let groups: Vec<(&str, usize)> = lines.chunk_by(|a, b| a == b).map(|group| (group[0], group.len())).collect();
    if groups.len() <= MOST_LINES {
        return groups.into_iter().flat_map(told).collect();
    }
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for (line, count) in groups {
        match kinds.iter_mut().find(|(known, _)| *known == line) {
            Some(kind) => kind.1 += count,
            None => kinds.push((line, count)),
        }
    }
    kinds.into_iter().flat_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_counted() {
        assert_eq!(summarise(&["a", "b", "b"]), ["a", "b", "b"]);
        assert_eq!(summarise(&["a", "a", "a", "a", "b"]), ["a (4)", "b"]);
        assert_eq!(summarise(&["a", "b"].repeat(50)), ["a (50)", "b (50)"]);
    }
}

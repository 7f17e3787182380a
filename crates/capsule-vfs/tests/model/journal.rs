//! The journal against two snapshots of the tree: what it tells must lead from the first to the second, and must tell
//! nothing that is not so.

use crate::ops::{Op, Subject, op, prefill};
use crate::vfs::OnVfs;
use crate::{Make, TREES, apply_all, config, memory};
use capsule_abi::fs::{FileType, OpenFlags};
use capsule_vfs::Changes;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A node as the journal sees it.
#[derive(Clone, PartialEq, Debug)]
struct Node {
    kind: FileType,
    mode: u32,
    size: u64,
    /// A file's first bytes, a link's target.
    content: Vec<u8>,
}

type Snapshot = BTreeMap<Vec<u8>, Node>;

fn snapshot(on: &OnVfs) -> Snapshot {
    let root = capsule_vfs::Caller { cwd: on.vfs.root(), ..on.caller };
    let mut found = Snapshot::new();
    let mut pending = vec![b"/".to_vec()];
    while let Some(path) = pending.pop() {
        let stat = on.vfs.stat(&root, None, &path, false).expect("stat");
        let mut node = Node { kind: stat.kind, mode: stat.mode, size: 0, content: Vec::new() };
        match stat.kind {
            FileType::Directory => {
                let dir = on.vfs.open(&root, None, &path, OpenFlags::DIRECTORY, 0).expect("open");
                dir.read_dir(2, &mut |entry| {
                    let parent = if path == b"/" { &b""[..] } else { &path };
                    pending.push([parent, b"/", &entry.name].concat());
                    true
                })
                .expect("read_dir");
            }
            FileType::Symlink => node.content = on.vfs.read_link(&root, None, &path).expect("read_link"),
            _ => {
                node.size = stat.size;
                node.content = vec![0; stat.size.min(300_000) as usize];
                let file = on.vfs.open(&root, None, &path, OpenFlags::RDONLY, 0).expect("open");
                file.read_at(0, &mut node.content).expect("read");
            }
        }
        found.insert(path, node);
    }
    found
}

fn is_below(path: &[u8], dir: &[u8]) -> bool {
    path.len() > dir.len() && path.starts_with(dir) && path[dir.len()] == b'/'
}

/// The first snapshot with all renames done at once, the innermost one counting: what stayed, and what went.
fn moved(before: &Snapshot, renamed: &[(Vec<u8>, Vec<u8>)]) -> (Snapshot, Snapshot) {
    let (mut stayed, mut went) = (Snapshot::new(), Snapshot::new());
    for (path, node) in before {
        let innermost =
            renamed.iter().filter(|(from, _)| from == path || is_below(path, from)).max_by_key(|r| r.0.len());
        match innermost {
            Some((from, to)) => went.insert([to.as_slice(), &path[from.len()..]].concat(), node.clone()),
            None => stayed.insert(path.clone(), node.clone()),
        };
    }
    (stayed, went)
}

fn check(before: &Snapshot, after: &Snapshot, changes: &Changes) -> Result<(), TestCaseError> {
    let (mut rebuilt, mut went) = moved(before, &changes.renamed);
    for path in &changes.deleted {
        // What stayed and was removed may have made room for what went there.
        let was = rebuilt.remove(path).or_else(|| went.remove(path));
        prop_assert!(was.is_some(), "deleted, but was not there: {:?}", show(path));
        let is = after.contains_key(path) && !changes.created.contains(path) && !went.contains_key(path);
        prop_assert!(!is, "deleted, but is: {:?}", show(path));
    }
    rebuilt.extend(went);
    for path in &changes.created {
        prop_assert!(!rebuilt.contains_key(path), "created, but was there: {:?}", show(path));
        let node = after.get(path);
        prop_assert!(node.is_some(), "created, but is not there: {:?}", show(path));
        rebuilt.insert(path.clone(), node.cloned().expect("checked"));
    }
    for (list, modes) in [(&changes.modified, false), (&changes.mode_changed, true)] {
        for path in list {
            let (old, new) = (rebuilt.get_mut(path), after.get(path));
            prop_assert!(old.is_some() && new.is_some(), "changed, but not in both: {:?}", show(path));
            let (old, new) = (old.expect("checked"), new.expect("checked"));
            if modes {
                prop_assert_ne!(old.mode, new.mode, "the same mode: {:?}", show(path));
                old.mode = new.mode;
            } else {
                // Far out in a sparse file the snapshot does not look.
                let differs = (&old.content, old.size) != (&new.content, new.size) || new.size > 300_000;
                prop_assert!(differs, "modified, but holds the same: {:?}", show(path));
                (old.content, old.size) = (new.content.clone(), new.size);
            }
        }
    }
    let paths = |snapshot: &Snapshot| snapshot.keys().map(|path| show(path)).collect::<Vec<_>>();
    prop_assert_eq!(paths(&rebuilt), paths(after), "the names the changes lead to (left) are not those there are");
    for (path, node) in after {
        prop_assert!(rebuilt[path] == *node, "a change was not told: {:?}", show(path));
    }
    Ok(())
}

fn show(path: &[u8]) -> String {
    String::from_utf8_lossy(path).replace("/x/x/x/x", "")
}

fn journal_tells_all(make: Make, runs: &[Vec<Op>]) -> Result<(), TestCaseError> {
    let tree = make();
    let mut on = OnVfs::new(tree.fs.clone());
    if !tree.prefilled {
        apply_all(&mut on, &prefill());
    }
    for ops in runs {
        let before = snapshot(&on);
        on.vfs.journal().begin();
        for op in ops {
            let _ = on.apply(op);
        }
        let changes = on.vfs.changes();
        check(&before, &snapshot(&on), &changes)?;
        prop_assert_eq!(changes, on.vfs.changes(), "asking again gives another answer");
    }
    Ok(())
}

/// Handles stay open from one run to the next.
fn runs() -> impl Strategy<Value = Vec<Vec<Op>>> {
    prop::collection::vec(prop::collection::vec(op(), 1..30), 1..4)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn the_journal_tells_all_and_nothing_else(runs in runs()) {
        journal_tells_all(memory, &runs)?;
    }
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn the_journal_of_every_filesystem_does(runs in runs()) {
        for (name, make) in TREES {
            journal_tells_all(*make, &runs).map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
        }
    }
}

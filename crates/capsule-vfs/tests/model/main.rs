//! Random operations, by every filesystem through [`capsule_vfs::Vfs`] and by the kernel of this machine: all must give
//! the same answers and end with the same tree.
//!
//! A filesystem joins by a line in [`trees`]. `PROPTEST_CASES=20000 cargo test -p capsule-vfs --test model` goes on for
//! longer.

mod journal;
mod kernel;
mod ops;
mod trees;
mod vfs;

use kernel::OnKernel;
use ops::{Op, Outcome, Subject, Value, op, prefill};
use proptest::prelude::*;
use trees::{Make, TREES, Tree, memory};
use vfs::OnVfs;

/// Makes what is there before the operations.
fn apply_all(subject: &mut dyn Subject, ops: &[Op]) {
    for op in ops {
        subject.apply(op).unwrap_or_else(|errno| panic!("{op:?}: {errno:?}"));
    }
}

/// The whole tree: every path with what stat and read tell of it.
type Snapshot = Vec<(Vec<u8>, Outcome, Option<Value>)>;

fn snapshot(subject: &mut dyn Subject) -> Snapshot {
    let mut found = Vec::new();
    let mut pending = vec![b".".to_vec()];
    while let Some(dir) = pending.pop() {
        let Ok(Value::Names(names)) = subject.apply(&Op::ReadDir { start: None, path: dir.clone() }) else { continue };
        for (name, kind) in names {
            if name == b"." || name == b".." {
                continue;
            }
            let path = [dir.as_slice(), b"/", &name].concat();
            let stat = subject.apply(&Op::Stat { start: None, path: path.clone(), follow: false });
            let content = match kind {
                capsule_abi::fs::FileType::Symlink => subject.apply(&Op::ReadLink { path: path.clone() }).ok(),
                capsule_abi::fs::FileType::Directory => {
                    pending.push(path.clone());
                    None
                }
                _ => head(subject, &path),
            };
            found.push((path, stat, content));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The first bytes of a file (sparse giants are not read whole).
fn head(subject: &mut dyn Subject, path: &[u8]) -> Option<Value> {
    let flags = capsule_abi::fs::OpenFlags::RDONLY;
    subject.apply(&Op::Open { start: None, path: path.to_vec(), flags, mode: 0, handle: 0 }).ok()?;
    subject.apply(&Op::Read { handle: 0, offset: 0, len: 400_000 }).ok()
}

fn agree(ops: &[Op]) -> Result<(), TestCaseError> {
    let mut kernel = OnKernel::new();
    apply_all(&mut kernel, &prefill());
    let mut trees: Vec<(&str, OnVfs, Tree)> = Vec::new();
    for (name, make) in TREES {
        let tree = make();
        let mut subject = OnVfs::new(tree.fs.clone());
        if !tree.prefilled {
            apply_all(&mut subject, &prefill());
        }
        trees.push((name, subject, tree));
    }
    for (at, op) in ops.iter().enumerate() {
        let expected = kernel.apply(op);
        for (name, subject, _) in &mut trees {
            let answer = subject.apply(op);
            prop_assert_eq!(
                &answer,
                &expected,
                "{} (left) and Linux (right) differ at operation {}: {:?}",
                name,
                at,
                op
            );
        }
    }
    let expected = snapshot(&mut kernel);
    for (name, mut subject, tree) in trees {
        let seen = snapshot(&mut subject);
        prop_assert_eq!(&seen, &expected, "{} (left) ended otherwise than Linux (right)", name);
        drop(subject);
        let finished = tree.finish(&seen);
        prop_assert!(finished.is_ok(), "{}: {:?}", name, finished);
    }
    Ok(())
}

/// As many cases as `PROPTEST_CASES` says.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    ProptestConfig { cases, max_shrink_iters: 4000, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn every_filesystem_answers_as_linux_does(ops in prop::collection::vec(op(), 1..60)) {
        agree(&ops)?;
    }
}

//! Reading a directory while it changes gives every entry that stays exactly once.
use capsule_sys::{mkdir, read_dir, unlink};
use door_tests::{check, check_eq, ok, put};
use std::collections::BTreeSet;

fn main() {
    ok!(mkdir(b"d", 0o755));
    for i in 0..2000 {
        put(format!("d/keep-with-a-long-name-{i:04}").as_bytes(), b"");
        put(format!("d/go-with-a-long-name-{i:04}").as_bytes(), b"");
    }
    let mut seen = BTreeSet::new();
    for (i, entry) in ok!(read_dir(b"d")).enumerate() {
        let name = ok!(entry).name;
        check!(seen.insert(name));
        if i < 2000 {
            ok!(unlink(format!("d/go-with-a-long-name-{i:04}").as_bytes()));
            put(format!("d/new-{i:04}").as_bytes(), b"");
        }
    }
    let kept = seen.iter().filter(|n| n.starts_with(b"keep")).count();
    check_eq!(kept, 2000);
}

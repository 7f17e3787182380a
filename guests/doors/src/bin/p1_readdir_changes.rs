//! Reading a directory while it changes gives every entry that stays exactly once.
use door_tests::{check, check_eq, ok, p1, put};
use std::collections::BTreeSet;

fn main() {
    let dir = p1::here();
    for i in 0..100 {
        put(format!("keep-{i:03}").as_bytes(), b"");
        put(format!("go-{i:03}").as_bytes(), b"");
    }
    let mut seen = BTreeSet::new();
    let (mut cookie, mut turn) = (0, 0);
    loop {
        let (entries, used) = ok!(p1::readdir(dir, 200, cookie));
        for entry in &entries {
            check!(seen.insert(entry.name.clone()));
            cookie = entry.next;
        }
        if turn < 100 {
            ok!(p1::unlink(dir, format!("go-{turn:03}").as_bytes()));
            put(format!("new-{turn:03}").as_bytes(), b"");
            turn += 1;
        }
        if used < 200 {
            break;
        }
    }
    check_eq!(seen.iter().filter(|n| n.starts_with(b"keep")).count(), 100);
}

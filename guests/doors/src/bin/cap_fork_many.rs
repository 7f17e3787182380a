//! A hundred children at once, each with its own answer.
use capsule_sys::{WaitStatus, fork, wait};
use door_tests::{check, check_eq, ok};
use std::collections::BTreeMap;

fn main() {
    let mut children = BTreeMap::new();
    for i in 0..100u8 {
        let pid = ok!(fork(move || i.into()));
        check!(children.insert(pid, i).is_none());
    }
    while !children.is_empty() {
        let waited = ok!(wait(-1, 0));
        let Some(waited) = waited else { continue };
        let want = children.remove(&waited.pid);
        check_eq!(Some(waited.status), want.map(WaitStatus::Exited));
    }
}

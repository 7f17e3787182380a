//! /tmp is there, writable, and sticky.
use capsule_sys::{FileType, mkdir, rmdir, stat};
use door_tests::{check_eq, ok};

fn main() {
    let s = ok!(stat(b"/tmp"));
    check_eq!((s.kind, s.mode), (FileType::Directory, 0o1777));
    let name = format!("/tmp/cap-sticky-{}", capsule_sys::getpid());
    ok!(mkdir(name.as_bytes(), 0o755));
    ok!(rmdir(name.as_bytes()));
}

//! `statfs` tells sizes that fit each other.
use capsule_sys::statfs;
use door_tests::{check, fails, ok};

fn main() {
    let s = ok!(statfs(b"."));
    check!(s.blocks > 0 && s.blocks_free <= s.blocks && s.files_free <= s.files && !s.read_only);
    fails!(statfs(b"nosuch"), ENOENT);
}

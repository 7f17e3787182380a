//! `access` answers from the mode.
use capsule_sys::{F_OK, R_OK, W_OK, X_OK, access, chmod, mkdir};
use door_tests::{fails, ok, put};

fn main() {
    put(b"f", b"");
    ok!(access(b"f", F_OK));
    ok!(access(b"f", R_OK | W_OK));
    fails!(access(b"f", X_OK), EACCES);
    ok!(chmod(b"f", 0o700));
    ok!(access(b"f", R_OK | W_OK | X_OK));
    ok!(mkdir(b"d", 0o755));
    ok!(access(b"d", R_OK | W_OK | X_OK));
    fails!(access(b"nosuch", F_OK), ENOENT);
    fails!(access(b"f/x", F_OK), ENOTDIR);
    fails!(access(b"f", 64), EINVAL);
}

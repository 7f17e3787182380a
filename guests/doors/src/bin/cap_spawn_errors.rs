//! What cannot be started says why, and leaves no child.
use capsule_sys::{Errno, FdAction, SpawnRequest, mkdir, spawn, wait};
use door_tests::{again, check_eq, fails, ok, put};

fn main() {
    let program = |path: &[u8]| SpawnRequest { path: path.to_vec(), ..again(&[]) };
    ok!(mkdir(b"dir", 0o755));
    put(b"plain", b"not executable");
    fails!(spawn(&program(b"nosuch")), ENOENT);
    fails!(spawn(&program(b"")), ENOENT);
    fails!(spawn(&program(b"plain")), EACCES);
    fails!(spawn(&program(b"dir")), EACCES);
    fails!(spawn(&program(b"plain/x")), ENOTDIR);
    let action = FdAction::Dup2 { from: 77, to: 1 };
    fails!(spawn(&SpawnRequest { actions: vec![action], ..again(&[b"x"]) }), EBADF);
    let action = FdAction::Open { fd: 5, path: b"nosuch".to_vec(), flags: 0, mode: 0 };
    fails!(spawn(&SpawnRequest { actions: vec![action], ..again(&[b"x"]) }), ENOENT);
    check_eq!(wait(-1, 0), Err(Errno::ECHILD));
}

//! An executable file without magic is a script of the shell, where there is one.
use capsule_sys::{SpawnRequest, WaitStatus, chmod, spawn, stat};
use door_tests::{again, check_eq, ok, put, wait_for};

fn main() {
    if stat(b"/bin/sh").is_err() {
        return;
    }
    put(b"script", b"exit $1\n");
    ok!(chmod(b"script", 0o755));
    let argv = vec![b"script".to_vec(), b"12".to_vec()];
    let pid = ok!(spawn(&SpawnRequest { path: b"./script".to_vec(), argv, ..again(&[]) }));
    check_eq!(wait_for(pid), WaitStatus::Exited(12));
}

//! A spawned program keeps its parent's process group, starts one, or joins one.
use capsule_sys::{SpawnRequest, WaitStatus, getpgid, getpid, spawn};
use door_tests::{again, check_eq, ok, role, wait_for};

fn main() {
    match role().as_deref() {
        Some(b"own") => check_eq!(ok!(getpgid(0)), getpid()),
        Some(pgid) => check_eq!(ok!(getpgid(0)).to_string().as_bytes(), pgid),
        None => {
            let ours = ok!(getpgid(0));
            let pid = ok!(spawn(&again(&[ours.to_string().as_bytes()])));
            check_eq!(wait_for(pid), WaitStatus::Exited(0));
            let pid = ok!(spawn(&SpawnRequest { pgid: Some(0), ..again(&[b"own"]) }));
            check_eq!(wait_for(pid), WaitStatus::Exited(0));
        }
    }
}

//! A spawned program starts where it is told, else where its parent is.
use capsule_sys::{SpawnRequest, WaitStatus, chdir, getcwd, mkdir, spawn, stat};
use door_tests::{again, check, check_eq, fails, ok, role, wait_for};

fn main() {
    match role().as_deref() {
        Some(b"below") => check!(ok!(getcwd()).ends_with(b"/below")),
        Some(_) => check!(ok!(getcwd()).ends_with(b"/here")),
        None => {
            ok!(mkdir(b"here", 0o777));
            ok!(chdir(b"here"));
            ok!(mkdir(b"below", 0o777));
            let pid = ok!(spawn(&again(&[b"here"])));
            check_eq!(wait_for(pid), WaitStatus::Exited(0));
            let request = SpawnRequest { cwd: Some(b"below".to_vec()), ..again(&[b"below"]) };
            let pid = ok!(spawn(&request));
            check_eq!(wait_for(pid), WaitStatus::Exited(0));
            let request = SpawnRequest { cwd: Some(b"nosuch".to_vec()), ..again(&[b"below"]) };
            fails!(spawn(&request), ENOENT);
            check!(stat(b"below").is_ok());
        }
    }
}

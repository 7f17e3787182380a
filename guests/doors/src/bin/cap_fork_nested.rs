//! A child may fork too; each process waits for its own children.
use capsule_sys::{Errno, WaitStatus, fork, getpid, getppid, wait};
use door_tests::{check, check_eq, ok, wait_for};

fn tree(depth: i32) -> i32 {
    if depth == 0 {
        return 1;
    }
    let me = getpid();
    let mut sum = 0;
    for _ in 0..2 {
        let pid = ok!(fork(|| {
            check_eq!(getppid(), me);
            check!(getpid() != me);
            check_eq!(wait(-1, 0), Err(Errno::ECHILD));
            tree(depth - 1)
        }));
        match wait_for(pid) {
            WaitStatus::Exited(n) => sum += i32::from(n),
            other => check_eq!(other, WaitStatus::Exited(0)),
        }
    }
    sum
}

fn main() {
    check_eq!(tree(4), 16);
}

//! `wait` by id, for anyone, without waiting, and when there is nobody.
use capsule_sys::{Errno, OpenFlags, WNOHANG, WaitStatus, fork, pipe, read, wait, write_all};
use door_tests::{check, check_eq, ok, wait_for};

fn main() {
    check_eq!(wait(-1, 0), Err(Errno::ECHILD));
    check_eq!(wait(-1, WNOHANG), Err(Errno::ECHILD));
    let (go, gate) = ok!(pipe(OpenFlags(0)));
    let first = ok!(fork(|| {
        check_eq!(ok!(read(go.raw(), &mut [0])), 1);
        1
    }));
    let second = ok!(fork(|| 2));
    check_eq!(wait_for(second), WaitStatus::Exited(2));
    check_eq!(wait(second, 0), Err(Errno::ECHILD));
    check_eq!(ok!(wait(-1, WNOHANG)), None);
    check_eq!(ok!(wait(first, WNOHANG)), None);
    ok!(write_all(gate.raw(), b"x"));
    let waited = ok!(wait(-1, 0));
    check_eq!(waited.map(|w| (w.pid, w.status)), Some((first, WaitStatus::Exited(1))));
    check_eq!(wait(99_999_999, 0), Err(Errno::ECHILD));
    check!(wait(capsule_sys::getpid(), 0).is_err());
}

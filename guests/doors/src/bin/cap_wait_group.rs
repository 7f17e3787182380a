//! `wait` for a process group takes only its members.
use capsule_sys::{Errno, WaitStatus, fork, setpgid, wait};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    let other = ok!(fork(|| 1));
    let leader = ok!(fork(|| {
        ok!(setpgid(0, 0));
        2
    }));
    // Both sides set it, so that it holds whoever comes first; a child that has ended keeps its group.
    let _ = setpgid(leader, leader);
    let waited = ok!(wait(-leader, 0));
    check_eq!(waited.map(|w| (w.pid, w.status)), Some((leader, WaitStatus::Exited(2))));
    check_eq!(wait(-leader, 0), Err(Errno::ECHILD));
    let waited = ok!(wait(0, 0));
    check_eq!(waited.map(|w| w.pid), Some(other));
    check_eq!(wait(other, 0), Err(Errno::ECHILD));
    let last = ok!(fork(|| 3));
    check_eq!(wait_for(last), WaitStatus::Exited(3));
}

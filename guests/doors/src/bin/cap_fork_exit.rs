//! A forked child exits with the closure's answer, all eight bits of it.
use capsule_sys::{WaitStatus, fork};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    for code in [0, 1, 7, 126, 127, 128, 255] {
        let pid = ok!(fork(move || code));
        check_eq!(wait_for(pid), WaitStatus::Exited(code as u8));
    }
    let pid = ok!(fork(|| 256 + 3));
    check_eq!(wait_for(pid), WaitStatus::Exited(3));
}

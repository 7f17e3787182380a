//! Every status from 0 to 255 reaches the parent; what is beyond loses its high bits.
use capsule_sys::{WaitStatus, fork};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    for code in 0..=255u8 {
        let pid = ok!(fork(|| code.into()));
        check_eq!(wait_for(pid), WaitStatus::Exited(code));
    }
    let pid = ok!(fork(|| -1));
    check_eq!(wait_for(pid), WaitStatus::Exited(255));
}

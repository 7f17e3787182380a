//! Sleeping takes as long as asked, and others run meanwhile.
use capsule_sys::{Clock, WaitStatus, clock, fork, sleep};
use door_tests::{check, check_eq, ok, wait_for};

fn main() {
    let start = clock(Clock::Monotonic);
    let mut children = Vec::new();
    for _ in 0..20 {
        children.push(ok!(fork(|| {
            ok!(sleep(50_000_000));
            0
        })));
    }
    for pid in children {
        check_eq!(wait_for(pid), WaitStatus::Exited(0));
    }
    let took = clock(Clock::Monotonic) - start;
    check!(took >= 50_000_000);
    // One after the other would be a second.
    check!(took < 900_000_000);
    ok!(sleep(0));
}

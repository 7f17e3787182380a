//! A caught CHLD tells of a child's end.
use capsule_sys::{Disposition, Signal, WaitStatus, fork, signal_action, signal_take, sleep};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    ok!(signal_action(Signal::CHLD, Disposition::Catch));
    let pid = ok!(fork(|| 5));
    let mut seen = false;
    // The child may end before the sleep begins; then the signal is pending already.
    for _ in 0..1000 {
        if signal_take() == Some(Signal::CHLD) {
            seen = true;
            break;
        }
        let _ = sleep(10_000_000);
    }
    check_eq!(seen, true);
    check_eq!(wait_for(pid), WaitStatus::Exited(5));
}

//! TERM ends a process that waits, and its parent is told the signal.
use capsule_sys::{Signal, WaitStatus, fork, kill, sleep};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    for signal in [Signal::TERM, Signal::KILL, Signal::HUP, Signal::INT, Signal::USR1] {
        let pid = ok!(fork(|| {
            let _ = sleep(60_000_000_000);
            0
        }));
        ok!(kill(pid, signal.number().into()));
        check_eq!(wait_for(pid), WaitStatus::Signaled(signal.number()));
    }
}

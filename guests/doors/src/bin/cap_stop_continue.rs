//! A stopped process does nothing until it is continued, and its parent is told of both.
use capsule_sys::{Signal, WUNTRACED, WaitStatus, fork, kill, sleep, wait};
use door_tests::{check_eq, ok, wait_for};

const WCONTINUED: u32 = 8;

fn main() {
    let pid = ok!(fork(|| {
        let _ = sleep(60_000_000_000);
        0
    }));
    ok!(kill(pid, Signal::STOP.number().into()));
    check_eq!(ok!(wait(pid, WUNTRACED)).map(|w| w.status), Some(WaitStatus::Stopped(19)));
    ok!(kill(pid, Signal::CONT.number().into()));
    check_eq!(ok!(wait(pid, WCONTINUED)).map(|w| w.status), Some(WaitStatus::Continued));
    ok!(kill(pid, Signal::STOP.number().into()));
    // KILL needs no continuing.
    ok!(kill(pid, Signal::KILL.number().into()));
    check_eq!(wait_for(pid), WaitStatus::Signaled(9));
}

//! Ignored signals, and those whose default is to be ignored, do nothing; KILL cannot be ignored.
use capsule_sys::{Disposition, Signal, WaitStatus, fork, getpid, kill, signal_action};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    fails!(signal_action(Signal::KILL, Disposition::Ignore), EINVAL);
    fails!(signal_action(Signal::STOP, Disposition::Catch), EINVAL);
    check_eq!(ok!(signal_action(Signal::TERM, Disposition::Ignore)), Disposition::Default);
    check_eq!(ok!(signal_action(Signal::TERM, Disposition::Ignore)), Disposition::Ignore);
    ok!(kill(getpid(), 15));
    ok!(kill(getpid(), Signal::CHLD.number().into()));
    ok!(kill(getpid(), Signal::URG.number().into()));
    // A child inherits it.
    let pid = ok!(fork(|| {
        ok!(kill(getpid(), 15));
        4
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(4));
    check_eq!(ok!(signal_action(Signal::TERM, Disposition::Default)), Disposition::Ignore);
}

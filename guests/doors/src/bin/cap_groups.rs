//! Process groups: moved, signalled as one, inherited.
use capsule_sys::{Signal, WaitStatus, fork, getpgid, getpid, getsid, kill, setpgid, setsid, sleep};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    let ours = ok!(getpgid(0));
    check_eq!(ok!(getpgid(getpid())), ours);
    fails!(getpgid(99_999_999), ESRCH);
    fails!(setpgid(0, -1), EINVAL);
    let wait_long = || {
        let _ = sleep(60_000_000_000);
        0
    };
    let leader = ok!(fork(wait_long));
    ok!(setpgid(leader, 0));
    check_eq!(ok!(getpgid(leader)), leader);
    let member = ok!(fork(wait_long));
    ok!(setpgid(member, leader));
    ok!(kill(-leader, Signal::INT.number().into()));
    check_eq!(wait_for(leader), WaitStatus::Signaled(2));
    check_eq!(wait_for(member), WaitStatus::Signaled(2));
    let child = ok!(fork(|| {
        check_eq!(ok!(getpgid(0)), ours);
        check_eq!(ok!(setsid()), getpid());
        check_eq!(ok!(getpgid(0)), getpid());
        check_eq!(ok!(getsid(0)), getpid());
        fails!(setsid(), EPERM);
        0
    }));
    check_eq!(wait_for(child), WaitStatus::Exited(0));
}

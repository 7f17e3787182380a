//! `kill` asks with signal 0, and says when there is nobody or no such signal.
use capsule_sys::{WaitStatus, fork, getpid, kill};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    ok!(kill(getpid(), 0));
    ok!(kill(0, 0));
    fails!(kill(99_999_999, 0), ESRCH);
    fails!(kill(-99_999_999, 15), ESRCH);
    fails!(kill(getpid(), 99), EINVAL);
    fails!(kill(getpid(), -1), EINVAL);
    let pid = ok!(fork(|| 0));
    // One that ended is still there until it is waited for.
    ok!(kill(pid, 0));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    fails!(kill(pid, 0), ESRCH);
}

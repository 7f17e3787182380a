//! `exec` sets caught signals back to their default and keeps ignored ones ignored.
use capsule_sys::{Disposition, Signal, WaitStatus, exec, fork, signal_action};
use door_tests::{again, check_eq, ok, role, wait_for};

fn main() {
    if role().is_some() {
        check_eq!(ok!(signal_action(Signal::USR1, Disposition::Default)), Disposition::Default);
        check_eq!(ok!(signal_action(Signal::USR2, Disposition::Default)), Disposition::Ignore);
        return;
    }
    let pid = ok!(fork(|| {
        ok!(signal_action(Signal::USR1, Disposition::Catch));
        ok!(signal_action(Signal::USR2, Disposition::Ignore));
        exec(&again(&[b"child"]));
        1
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
}

//! Writing to a pipe nobody reads ends the process with PIPE.
use capsule_sys::{Disposition, OpenFlags, Signal, WaitStatus, fork, pipe, signal_action, write};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    ok!(signal_action(Signal::PIPE, Disposition::Default));
    let (from, to) = ok!(pipe(OpenFlags(0)));
    ok!(from.close());
    let pid = ok!(fork(|| {
        let _ = write(to.raw(), b"x");
        0
    }));
    check_eq!(wait_for(pid), WaitStatus::Signaled(Signal::PIPE.number()));
    // Ignored, it is an error instead.
    ok!(signal_action(Signal::PIPE, Disposition::Ignore));
    fails!(write(to.raw(), b"x"), EPIPE);
}

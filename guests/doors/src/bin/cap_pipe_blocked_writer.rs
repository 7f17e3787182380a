//! A writer that waits for room is ended by PIPE when the last reader goes.
use capsule_sys::{Disposition, OpenFlags, Signal, WaitStatus, fork, pipe, read, signal_action, write_all};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    ok!(signal_action(Signal::PIPE, Disposition::Default));
    let (from, to) = ok!(pipe(OpenFlags(0)));
    let reader = from.raw();
    let pid = ok!(fork(|| {
        ok!(capsule_sys::close(reader));
        let _ = write_all(to.raw(), &[0; 1 << 20]);
        0
    }));
    let mut buf = [0; 100];
    check_eq!(ok!(read(from.raw(), &mut buf)), 100);
    ok!(from.close());
    check_eq!(wait_for(pid), WaitStatus::Signaled(Signal::PIPE.number()));
}

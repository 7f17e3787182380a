//! A pipe's reader gets what was written, then the end when the last writer is gone; also in other processes.
use capsule_sys::{OpenFlags, WaitStatus, fork, pipe, read, read_to_end, write_all};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    let (from, to) = ok!(pipe(OpenFlags(0)));
    ok!(write_all(to.raw(), b"hello"));
    let mut buf = [0; 3];
    check_eq!(ok!(read(from.raw(), &mut buf)), 3);
    check_eq!(&buf, b"hel");
    let pid = ok!(fork(|| {
        ok!(write_all(to.raw(), b" child"));
        0
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    let second = ok!(capsule_sys::dup(to.raw(), 0, false));
    ok!(to.close());
    ok!(write_all(second, b" last"));
    ok!(capsule_sys::close(second));
    check_eq!(ok!(read_to_end(from.raw())), b"lo child last");
    check_eq!(ok!(read(from.raw(), &mut buf)), 0);
}

//! A process whose parent ends goes on, with another parent.
use capsule_sys::{OpenFlags, WaitStatus, fork, getpid, getppid, pipe, read_to_end, sleep, write_all};
use door_tests::{check, check_eq, ok, wait_for};

fn main() {
    let (from, to) = ok!(pipe(OpenFlags(0)));
    let me = getpid();
    let middle = ok!(fork(|| {
        let middle = getpid();
        ok!(fork(|| {
            while getppid() == middle {
                let _ = sleep(1_000_000);
            }
            check!(getppid() != me);
            ok!(write_all(to.raw(), b"orphan"));
            0
        }));
        0
    }));
    check_eq!(wait_for(middle), WaitStatus::Exited(0));
    ok!(to.close());
    check_eq!(ok!(read_to_end(from.raw())), b"orphan");
}

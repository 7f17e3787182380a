//! A file may not grow beyond the limit: what fits is written, the rest is EFBIG.
use capsule_sys::{
    Disposition, OpenFlags, Resource, Signal, UNLIMITED, WaitStatus, fork, getrlimit, open, setrlimit, signal_action,
    stat, write,
};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    check_eq!(ok!(getrlimit(Resource::FileSize)).0, UNLIMITED);
    let pid = ok!(fork(|| {
        ok!(signal_action(Signal::XFSZ, Disposition::Ignore));
        ok!(setrlimit(Resource::FileSize, 1000, UNLIMITED));
        let f = ok!(open(b"f", OpenFlags::WRONLY | OpenFlags::CREAT, 0o644));
        check_eq!(ok!(write(f.raw(), &[1; 1500])), 1000);
        fails!(write(f.raw(), b"x"), EFBIG);
        0
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    check_eq!(ok!(stat(b"f")).size, 1000);
}

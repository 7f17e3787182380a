//! Parent and child share file descriptions: one offset for both.
use capsule_sys::{OpenFlags, Seek, WaitStatus, fork, open, read, seek, write_all};
use door_tests::{check_eq, get, ok, put, wait_for};

fn main() {
    put(b"in", b"0123456789");
    let input = ok!(open(b"in", OpenFlags::RDONLY, 0));
    let output = ok!(open(b"out", OpenFlags::WRONLY | OpenFlags::CREAT, 0o600));
    let mut buf = [0; 3];
    check_eq!(ok!(read(input.raw(), &mut buf)), 3);
    ok!(write_all(output.raw(), b"parent "));
    let pid = ok!(fork(|| {
        check_eq!(ok!(read(input.raw(), &mut buf)), 3);
        check_eq!(&buf, b"345");
        ok!(write_all(output.raw(), b"child "));
        0
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    check_eq!(ok!(seek(input.raw(), Seek::Current(0))), 6);
    ok!(write_all(output.raw(), b"parent"));
    check_eq!(get(b"out"), b"parent child parent");
}

//! `truncate` cuts and extends with zeros, and leaves offsets alone.
use capsule_sys::{OpenFlags, Seek, ftruncate, mkdir, open, read, seek, stat, truncate};
use door_tests::{check_eq, fails, get, ok, put};

fn main() {
    put(b"f", b"0123456789");
    ok!(truncate(b"f", 4));
    check_eq!(get(b"f"), b"0123");
    ok!(truncate(b"f", 6));
    check_eq!(get(b"f"), b"0123\0\0");
    let f = ok!(open(b"f", OpenFlags::RDWR, 0));
    ok!(seek(f.raw(), Seek::Start(5)));
    ok!(ftruncate(f.raw(), 2));
    check_eq!(ok!(seek(f.raw(), Seek::Current(0))), 5);
    check_eq!(ok!(read(f.raw(), &mut [0])), 0);
    check_eq!(ok!(stat(b"f")).size, 2);
    // A hole costs nothing.
    ok!(truncate(b"f", 1 << 30));
    check_eq!(ok!(stat(b"f")).size, 1 << 30);
    check_eq!(ok!(stat(b"f")).blocks < 100, true);
    ok!(mkdir(b"d", 0o755));
    fails!(truncate(b"d", 0), EISDIR);
    fails!(truncate(b"nosuch", 0), ENOENT);
    fails!(truncate(b"f", u64::MAX), EINVAL);
}

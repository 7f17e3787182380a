//! `dup` gives the lowest free descriptor, `dup2` the one asked for; both share the offset.
use capsule_sys::{OpenFlags, Seek, close, dup, dup2, is_cloexec, open, read, seek, set_cloexec};
use door_tests::{check, check_eq, fails, ok, put};

fn main() {
    put(b"f", b"0123456789");
    let f = ok!(open(b"f", OpenFlags::RDONLY, 0));
    let a = ok!(dup(f.raw(), 0, false));
    check_eq!(a, f.raw() + 1);
    check_eq!(ok!(dup(f.raw(), 40, true)), 40);
    check!(ok!(is_cloexec(40)));
    check_eq!(ok!(dup(f.raw(), 40, false)), 41);
    check!(!ok!(is_cloexec(41)));
    ok!(dup2(f.raw(), 50, OpenFlags(0)));
    ok!(dup2(f.raw(), 50, OpenFlags::CLOEXEC));
    check!(ok!(is_cloexec(50)));
    // The same number: nothing happens, but it must be open.
    ok!(set_cloexec(f.raw(), true));
    ok!(dup2(f.raw(), f.raw(), OpenFlags(0)));
    fails!(dup2(99, 99, OpenFlags(0)), EBADF);
    fails!(dup2(99, 3, OpenFlags(0)), EBADF);
    fails!(dup2(f.raw(), -1, OpenFlags(0)), EBADF);
    fails!(dup(99, 0, false), EBADF);
    fails!(dup(f.raw(), -1, false), EINVAL);
    let mut buf = [0; 2];
    check_eq!(ok!(read(a, &mut buf)), 2);
    check_eq!(ok!(read(50, &mut buf)), 2);
    check_eq!(&buf, b"23");
    check_eq!(ok!(seek(f.raw(), Seek::Current(0))), 4);
    ok!(close(a));
    check_eq!(ok!(read(41, &mut buf)), 2);
    fails!(close(a), EBADF);
}

//! Close-on-exec belongs to the descriptor, status flags to the description.
use capsule_sys::{
    F_GETFD, F_GETFL, F_SETFD, F_SETFL, OpenFlags, Seek, dup, fcntl, flags, open, seek, set_flags, write_all,
};
use door_tests::{check, check_eq, fails, get, ok};

fn main() {
    let f = ok!(open(b"f", OpenFlags::RDWR | OpenFlags::CREAT, 0o644));
    let g = ok!(dup(f.raw(), 0, false));
    check_eq!(ok!(fcntl(f.raw(), F_SETFD, 1)), 0);
    check_eq!(ok!(fcntl(f.raw(), F_GETFD, 0)), 1);
    check_eq!(ok!(fcntl(g, F_GETFD, 0)), 0);
    check_eq!(ok!(fcntl(f.raw(), F_GETFL, 0)) & 3, 2);
    ok!(set_flags(f.raw(), OpenFlags::APPEND));
    check!(ok!(flags(g)).contains(OpenFlags::APPEND));
    ok!(write_all(f.raw(), b"one"));
    ok!(seek(f.raw(), Seek::Start(0)));
    ok!(write_all(g, b"two"));
    check_eq!(get(b"f"), b"onetwo");
    ok!(fcntl(f.raw(), F_SETFL, 0));
    ok!(seek(f.raw(), Seek::Start(0)));
    ok!(write_all(g, b"2"));
    check_eq!(get(b"f"), b"2netwo");
    // The access mode cannot be changed.
    check_eq!(ok!(flags(f.raw())).0 & 3, 2);
    fails!(fcntl(99, F_GETFD, 0), EBADF);
    fails!(fcntl(f.raw(), 9999, 0), EINVAL);
}

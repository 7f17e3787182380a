//! `pipe` knows its flags, refuses others, and gives ends that go one way.
use capsule_sys::{F_GETFL, FileType, OpenFlags, Seek, fcntl, fstat, is_cloexec, pipe, read, seek, write};
use door_tests::{check, check_eq, fails, ok};

fn main() {
    let (from, to) = ok!(pipe(OpenFlags(0)));
    check!(!ok!(is_cloexec(from.raw())));
    check_eq!(ok!(fcntl(from.raw(), F_GETFL, 0)) & 3, 0);
    check_eq!(ok!(fcntl(to.raw(), F_GETFL, 0)) & 3, 1);
    let (from2, to2) = ok!(pipe(OpenFlags::CLOEXEC | OpenFlags::NONBLOCK));
    check!(ok!(is_cloexec(from2.raw())) && ok!(is_cloexec(to2.raw())));
    fails!(pipe(OpenFlags::CREAT), EINVAL);
    fails!(write(from.raw(), b"x"), EBADF);
    fails!(read(to.raw(), &mut [0]), EBADF);
    fails!(seek(from.raw(), Seek::Current(0)), ESPIPE);
    check_eq!(ok!(fstat(from.raw())).kind, FileType::Fifo);
}

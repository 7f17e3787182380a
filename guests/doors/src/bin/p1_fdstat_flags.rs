//! `fd_fdstat_set_flags` turns append and nonblock on and off.
use door_tests::{check_eq, get, ok, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"one");
    check_eq!(p1::fd_fdstat_set_flags(f, p1::FDFLAGS_APPEND.into()), 0);
    check_eq!(ok!(p1::fdstat(f)).flags, p1::FDFLAGS_APPEND);
    ok!(p1::seek(f, 0, p1::WHENCE_SET));
    check_eq!(ok!(p1::write(f, b"two")), 3);
    check_eq!(get(b"f"), b"onetwo");
    check_eq!(p1::fd_fdstat_set_flags(f, 0), 0);
    ok!(p1::seek(f, 0, p1::WHENCE_SET));
    check_eq!(ok!(p1::write(f, b"2")), 1);
    check_eq!(get(b"f"), b"2netwo");
    check_eq!(p1::fd_fdstat_set_flags(f, p1::FDFLAGS_NONBLOCK.into()), 0);
    check_eq!(ok!(p1::fdstat(f)).flags, p1::FDFLAGS_NONBLOCK);
    check_eq!(p1::fd_fdstat_set_flags(99, 0), p1::errno::BADF);
}

//! `fd_sync` and `fd_datasync` work on files and refuse what is not open.
use door_tests::{check_eq, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"x");
    check_eq!(p1::fd_sync(f), 0);
    check_eq!(p1::fd_datasync(f), 0);
    check_eq!(p1::fd_sync(99), p1::errno::BADF);
    check_eq!(p1::fd_datasync(99), p1::errno::BADF);
}

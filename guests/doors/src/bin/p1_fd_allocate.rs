//! `fd_allocate` makes a file at least so large and never smaller.
use door_tests::{check_eq, ok, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"0123456789");
    check_eq!(p1::fd_allocate(f, 0, 5), 0);
    check_eq!(ok!(p1::fstat(f)).size, 10);
    check_eq!(p1::fd_allocate(f, 100, 50), 0);
    check_eq!(ok!(p1::fstat(f)).size, 150);
    let mut tail = [1; 20];
    check_eq!(ok!(p1::pread(f, &mut tail, 5)), 20);
    check_eq!(&tail[..6], b"56789\0");
    check_eq!(p1::fd_allocate(f, 0, 0), p1::errno::INVAL);
    check_eq!(p1::fd_allocate(99, 0, 1), p1::errno::BADF);
}

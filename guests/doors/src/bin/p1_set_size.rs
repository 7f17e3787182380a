//! `fd_filestat_set_size` cuts, and extends with zeros.
use door_tests::{check, check_eq, get, ok, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"0123456789");
    check_eq!(p1::fd_filestat_set_size(f, 4), 0);
    check_eq!(get(b"f"), b"0123");
    check_eq!(p1::fd_filestat_set_size(f, 6), 0);
    check_eq!(get(b"f"), b"0123\0\0");
    check_eq!(ok!(p1::tell(f)), 10);
    check_eq!(p1::fd_filestat_set_size(f, -1), p1::errno::INVAL);
    check_eq!(p1::fd_filestat_set_size(99, 0), p1::errno::BADF);
    check!(matches!(p1::fd_filestat_set_size(p1::here(), 0), p1::errno::INVAL | p1::errno::ISDIR | p1::errno::BADF));
}

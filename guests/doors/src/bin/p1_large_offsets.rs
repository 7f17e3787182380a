//! Offsets beyond what a file can have are refused; holes below that cost nothing.
use door_tests::{check, check_eq, ok, p1, refused};

fn main() {
    let f = p1::create(p1::here(), b"f", b"x");
    check_eq!(ok!(p1::seek(f, 1 << 40, p1::WHENCE_SET)), 1 << 40);
    check!(matches!(p1::seek(f, i64::MAX, p1::WHENCE_CUR), Err(p1::errno::INVAL | p1::errno::OVERFLOW)));
    check_eq!(p1::fd_filestat_set_size(f, 1 << 30), 0);
    check_eq!(ok!(p1::fstat(f)).size, 1 << 30);
    let mut buf = [1; 4];
    check_eq!(ok!(p1::pread(f, &mut buf, 1 << 29)), 4);
    check_eq!(buf, [0; 4]);
    check!(matches!(p1::pwrite(f, b"x", i64::MAX as u64), Err(p1::errno::INVAL | p1::errno::FBIG)));
    // Linux's tmpfs takes even this; what it may not do is anything else.
    check!(matches!(p1::fd_filestat_set_size(f, i64::MAX), p1::errno::SUCCESS | p1::errno::INVAL | p1::errno::FBIG));
    refused!(p1::pwrite(f, b"x", u64::MAX), INVAL);
}

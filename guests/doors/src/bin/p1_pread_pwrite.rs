//! Reading and writing at a place leaves the offset alone.
use door_tests::{check_eq, get, ok, p1, refused};

fn main() {
    let f = p1::create(p1::here(), b"f", b"0123456789");
    let mut buf = [0; 4];
    check_eq!(ok!(p1::pread(f, &mut buf, 2)), 4);
    check_eq!(&buf, b"2345");
    check_eq!(ok!(p1::pread(f, &mut buf, 8)), 2);
    check_eq!(ok!(p1::pread(f, &mut buf, 100)), 0);
    check_eq!(ok!(p1::pwrite(f, b"ab", 1)), 2);
    check_eq!(ok!(p1::tell(f)), 10);
    check_eq!(ok!(p1::pwrite(f, b"z", 12)), 1);
    check_eq!(get(b"f"), b"0ab3456789\0\0z");
    refused!(p1::pread(99, &mut buf, 0), BADF);
    refused!(p1::pread(f, &mut buf, u64::MAX), INVAL);
}

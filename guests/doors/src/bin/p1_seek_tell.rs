//! Seeking from the start, from here and from the end; before the start is refused, behind the end is not.
use door_tests::{check_eq, get, ok, p1, refused};

fn main() {
    let f = p1::create(p1::here(), b"f", b"0123456789");
    check_eq!(ok!(p1::tell(f)), 10);
    check_eq!(ok!(p1::seek(f, 3, p1::WHENCE_SET)), 3);
    check_eq!(ok!(p1::seek(f, 2, p1::WHENCE_CUR)), 5);
    check_eq!(ok!(p1::read_some(f)), b"56789");
    check_eq!(ok!(p1::seek(f, -4, p1::WHENCE_END)), 6);
    check_eq!(ok!(p1::tell(f)), 6);
    refused!(p1::seek(f, -1, p1::WHENCE_SET), INVAL);
    refused!(p1::seek(f, -7, p1::WHENCE_CUR), INVAL);
    refused!(p1::seek(f, 0, 9), INVAL);
    check_eq!(ok!(p1::tell(f)), 6);
    check_eq!(ok!(p1::seek(f, 5, p1::WHENCE_END)), 15);
    check_eq!(ok!(p1::read_some(f)), b"");
    check_eq!(ok!(p1::write(f, b"x")), 1);
    check_eq!(get(b"f"), b"0123456789\0\0\0\0\0x");
    refused!(p1::seek(99, 0, p1::WHENCE_SET), BADF);
}

//! The rights asked for decide what a descriptor is opened for.
use door_tests::{check, check_eq, ok, p1};

fn main() {
    let dir = p1::here();
    p1::create(dir, b"f", b"content");
    let r = ok!(p1::open_with(dir, b"f", 0, p1::RIGHTS_FD_READ, 0));
    check_eq!(ok!(p1::read_some(r)), b"content");
    check!(matches!(p1::write(r, b"x"), Err(p1::errno::BADF | p1::errno::NOTCAPABLE)));
    let w = ok!(p1::open_with(dir, b"f", 0, p1::RIGHTS_FD_WRITE, 0));
    check_eq!(ok!(p1::write(w, b"C")), 1);
    check!(matches!(p1::read_some(w), Err(p1::errno::BADF | p1::errno::NOTCAPABLE)));
}

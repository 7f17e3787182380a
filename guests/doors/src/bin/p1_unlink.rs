//! Unlinking takes the name; who has the file open keeps it.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    let f = p1::create(dir, b"f", b"still ");
    ok!(p1::unlink(dir, b"f"));
    refused!(p1::unlink(dir, b"f"), NOENT);
    refused!(p1::stat(dir, b"f"), NOENT);
    check_eq!(ok!(p1::write(f, b"here")), 4);
    ok!(p1::seek(f, 0, p1::WHENCE_SET));
    check_eq!(ok!(p1::read_some(f)), b"still here");
    check_eq!(ok!(p1::fstat(f)).nlink, 0);
    p1::create(dir, b"f", b"new");
    check_eq!(ok!(p1::fstat(f)).size, 10);
}

//! A link's target is cut to the buffer, without an error.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    ok!(p1::symlink(b"the/target", dir, b"l"));
    let mut buf = [0; 20];
    check_eq!(ok!(p1::readlink(dir, b"l", &mut buf)), 10);
    check_eq!(&buf[..11], b"the/target\0");
    let mut short = [0; 3];
    check_eq!(ok!(p1::readlink(dir, b"l", &mut short)), 3);
    check_eq!(&short, b"the");
    p1::create(dir, b"f", b"");
    refused!(p1::readlink(dir, b"f", &mut buf), INVAL);
    refused!(p1::readlink(dir, b"nosuch", &mut buf), NOENT);
}

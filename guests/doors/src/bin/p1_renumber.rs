//! `fd_renumber` moves a descriptor onto another one.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    let (a, b) = (p1::create(dir, b"a", b"a"), p1::create(dir, b"b", b"b"));
    check_eq!(p1::fd_renumber(a, b), 0);
    refused!(p1::fdstat(a), BADF);
    check_eq!(ok!(p1::fstat(b)).ino, ok!(p1::stat(dir, b"a")).ino);
    check_eq!(p1::fd_renumber(b, b), 0);
    ok!(p1::fdstat(b));
    check_eq!(p1::fd_renumber(99, b), p1::errno::BADF);
    check_eq!(p1::fd_renumber(b, 99), p1::errno::BADF);
}

//! Hard links are names of one file.
use door_tests::{at, check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    p1::create(dir, b"a", b"x");
    ok!(p1::link(dir, b"a", b"b"));
    let (a, b) = (ok!(p1::stat(dir, b"a")), ok!(p1::stat(dir, b"b")));
    check_eq!((a.ino, a.nlink), (b.ino, 2));
    refused!(p1::link(dir, b"a", b"b"), EXIST);
    refused!(p1::link(dir, b"nosuch", b"c"), NOENT);
    ok!(p1::mkdir(dir, b"d"));
    refused!(p1::link(dir, b"d", b"e"), PERM);
    ok!(p1::symlink(b"a", dir, b"s"));
    ok!(p1::link(dir, b"s", b"t"));
    check_eq!(ok!(p1::lstat(dir, b"t")).filetype, p1::FILETYPE_SYMBOLIC_LINK);
    check_eq!(p1::path_link(dir, 1, at(b"s"), 1, dir, at(b"u"), 1), 0);
    check_eq!(ok!(p1::lstat(dir, b"u")).ino, a.ino);
    ok!(p1::unlink(dir, b"a"));
    check_eq!(ok!(p1::stat(dir, b"b")).nlink, 2);
}

//! `..` above the root is the root; absolute paths and links lead nowhere else.
use door_tests::{check_eq, ok, p1};

fn main() {
    let dir = p1::here();
    let root = ok!(p1::fstat(p1::ROOT)).ino;
    check_eq!(ok!(p1::stat(p1::ROOT, b"..")).ino, root);
    check_eq!(ok!(p1::stat(p1::ROOT, b"../../../..")).ino, root);
    check_eq!(ok!(p1::stat(dir, b"../../../../../../..")).ino, root);
    ok!(p1::symlink(b"/", dir, b"top"));
    check_eq!(ok!(p1::stat(dir, b"top")).ino, root);
    check_eq!(ok!(p1::stat(dir, b"top/..")).ino, root);
    ok!(p1::symlink(b"../../../../../../..", dir, b"up"));
    check_eq!(ok!(p1::stat(dir, b"up")).ino, root);
    ok!(p1::mkdir(dir, b"d"));
    p1::create(dir, b"f", b"");
    check_eq!(ok!(p1::stat(dir, b"d/../f")).ino, ok!(p1::stat(dir, b"./././f")).ino);
}

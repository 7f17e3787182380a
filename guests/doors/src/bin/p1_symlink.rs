//! Symbolic links hold any text and stand in nobody's way.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    ok!(p1::symlink(b"nowhere", dir, b"l"));
    refused!(p1::symlink(b"x", dir, b"l"), EXIST);
    refused!(p1::stat(dir, b"l"), NOENT);
    ok!(p1::lstat(dir, b"l"));
    refused!(p1::symlink(b"", dir, b"empty"), NOENT);
    refused!(p1::symlink(b"x", dir, b"no/such"), NOENT);
    // Creating through a dangling link makes its target.
    p1::create(dir, b"l", b"made");
    check_eq!(door_tests::get(b"nowhere"), b"made");
    refused!(p1::open(dir, b"l", p1::OFLAGS_CREAT | p1::OFLAGS_EXCL), EXIST);
    ok!(p1::unlink(dir, b"l"));
    ok!(p1::stat(dir, b"nowhere"));
}

//! `path_open` creates, truncates, insists on a new file, insists on a directory.
use door_tests::{check_eq, get, ok, p1, put, refused};

fn main() {
    let dir = p1::here();
    refused!(p1::open(dir, b"f", 0), NOENT);
    ok!(p1::open(dir, b"f", p1::OFLAGS_CREAT));
    put(b"f", b"content");
    ok!(p1::open(dir, b"f", p1::OFLAGS_CREAT));
    check_eq!(get(b"f"), b"content");
    refused!(p1::open(dir, b"f", p1::OFLAGS_CREAT | p1::OFLAGS_EXCL), EXIST);
    ok!(p1::open(dir, b"f", p1::OFLAGS_TRUNC));
    check_eq!(get(b"f"), b"");
    ok!(p1::open(dir, b"g", p1::OFLAGS_CREAT | p1::OFLAGS_EXCL));
    refused!(p1::open(dir, b"g", p1::OFLAGS_DIRECTORY), NOTDIR);
    ok!(p1::mkdir(dir, b"d"));
    ok!(p1::open_with(dir, b"d", p1::OFLAGS_DIRECTORY, p1::RIGHTS_FD_READDIR, 0));
    // Without writing a directory opens also unasked.
    ok!(p1::open_with(dir, b"d", 0, p1::RIGHTS_FD_READ, 0));
    refused!(p1::open_with(dir, b"d", 0, p1::RIGHTS_FD_WRITE, 0), ISDIR);
    refused!(p1::open(dir, b"new", p1::OFLAGS_CREAT | p1::OFLAGS_DIRECTORY), INVAL);
}

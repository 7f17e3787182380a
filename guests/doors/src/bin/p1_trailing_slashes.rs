//! A slash at the end asks for a directory.
use door_tests::{ok, p1, refused};

fn main() {
    let dir = p1::here();
    p1::create(dir, b"f", b"");
    ok!(p1::mkdir(dir, b"d/"));
    ok!(p1::open_with(dir, b"d/", p1::OFLAGS_DIRECTORY, p1::RIGHTS_FD_READDIR, 0));
    ok!(p1::stat(dir, b"d///"));
    refused!(p1::open(dir, b"f/", 0), NOTDIR);
    refused!(p1::stat(dir, b"f/"), NOTDIR);
    refused!(p1::unlink(dir, b"f/"), NOTDIR);
    refused!(p1::open(dir, b"new/", p1::OFLAGS_CREAT), ISDIR);
    refused!(p1::rename(dir, b"f", b"g/"), NOTDIR);
    ok!(p1::rename(dir, b"d/", b"e/"));
    ok!(p1::rmdir(dir, b"e/"));
    ok!(p1::symlink(b"f", dir, b"l"));
    refused!(p1::lstat(dir, b"l/"), NOTDIR);
}

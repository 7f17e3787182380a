//! A directory replaces an empty one only, and cannot go into itself.
use door_tests::{ok, p1, put, refused};

fn main() {
    let dir = p1::here();
    for name in [b"a".as_slice(), b"empty", b"full", b"a/sub"] {
        ok!(p1::mkdir(dir, name));
    }
    put(b"full/x", b"");
    put(b"f", b"");
    refused!(p1::rename(dir, b"a", b"full"), NOTEMPTY);
    refused!(p1::rename(dir, b"a", b"f"), NOTDIR);
    refused!(p1::rename(dir, b"a", b"a/sub/a"), INVAL);
    refused!(p1::rename(dir, b"a/sub", b"a"), NOTEMPTY);
    ok!(p1::rename(dir, b"a", b"empty"));
    ok!(p1::stat(dir, b"empty/sub"));
    refused!(p1::stat(dir, b"a"), NOENT);
}

//! What `path_open` says when the way is blocked.
use door_tests::{ok, p1, refused};

fn main() {
    let dir = p1::here();
    let f = p1::create(dir, b"f", b"");
    refused!(p1::open(dir, b"f/x", 0), NOTDIR);
    refused!(p1::open(dir, b"no/such", p1::OFLAGS_CREAT), NOENT);
    refused!(p1::open(dir, b"", 0), NOENT);
    refused!(p1::open(f, b"x", 0), NOTDIR);
    refused!(p1::open(99, b"x", 0), BADF);
    ok!(p1::symlink(b"b", dir, b"a"));
    ok!(p1::symlink(b"a", dir, b"b"));
    refused!(p1::open(dir, b"a", 0), LOOP);
    refused!(p1::open(dir, b"a/x", 0), LOOP);
    ok!(p1::symlink(b"f", dir, b"l"));
    refused!(p1::open_nofollow(dir, b"l", 0), LOOP);
    ok!(p1::open(dir, b"l", 0));
}

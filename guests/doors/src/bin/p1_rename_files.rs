//! Renaming puts a file in another's place at once.
use door_tests::{check_eq, get, ok, p1, put, refused};

fn main() {
    let dir = p1::here();
    put(b"a", b"a");
    put(b"b", b"b");
    ok!(p1::rename(dir, b"a", b"b"));
    check_eq!(get(b"b"), b"a");
    refused!(p1::stat(dir, b"a"), NOENT);
    refused!(p1::rename(dir, b"a", b"c"), NOENT);
    ok!(p1::rename(dir, b"b", b"b"));
    ok!(p1::mkdir(dir, b"d"));
    refused!(p1::rename(dir, b"b", b"d"), ISDIR);
    ok!(p1::rename(dir, b"b", b"d/b"));
    check_eq!(get(b"d/b"), b"a");
    refused!(p1::rename(dir, b"d/b", b"no/such"), NOENT);
    // A link is renamed, not what it points to.
    ok!(p1::symlink(b"d/b", dir, b"l"));
    ok!(p1::rename(dir, b"l", b"m"));
    check_eq!(ok!(p1::lstat(dir, b"m")).filetype, p1::FILETYPE_SYMBOLIC_LINK);
}

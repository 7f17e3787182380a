//! `fd_filestat_get` and `path_filestat_get` tell the same.
use door_tests::{check, check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    let f = p1::create(dir, b"f", b"12345");
    let s = ok!(p1::fstat(f));
    check_eq!((s.filetype, s.size, s.nlink), (p1::FILETYPE_REGULAR_FILE, 5, 1));
    check!(s.ino != 0 && s.mtim > 1_577_836_800_000_000_000);
    let t = ok!(p1::stat(dir, b"f"));
    check_eq!((t.dev, t.ino, t.size), (s.dev, s.ino, s.size));
    check_eq!(ok!(p1::fstat(dir)).filetype, p1::FILETYPE_DIRECTORY);
    ok!(p1::symlink(b"f", dir, b"l"));
    check_eq!(ok!(p1::stat(dir, b"l")).ino, s.ino);
    let l = ok!(p1::lstat(dir, b"l"));
    check_eq!((l.filetype, l.size), (p1::FILETYPE_SYMBOLIC_LINK, 1));
    refused!(p1::stat(dir, b"nosuch"), NOENT);
    refused!(p1::stat(f, b"x"), NOTDIR);
    refused!(p1::fstat(99), BADF);
}

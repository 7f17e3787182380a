//! Symbolic links: relative to where they are, through several, and in circles.
use capsule_sys::{FileType, lstat, mkdir, readlink, rmdir, stat, symlink};
use door_tests::{check_eq, fails, get, ok, put};

fn main() {
    ok!(mkdir(b"d", 0o755));
    put(b"d/f", b"found");
    ok!(symlink(b"f", b"d/l"));
    check_eq!(get(b"d/l"), b"found");
    ok!(symlink(b"d", b"dir"));
    check_eq!(get(b"dir/l"), b"found");
    check_eq!(ok!(lstat(b"dir/")).kind, FileType::Directory);
    check_eq!(ok!(readlink(b"dir")), b"d");
    fails!(readlink(b"d/f"), EINVAL);
    fails!(readlink(b"nosuch"), ENOENT);
    fails!(rmdir(b"dir"), ENOTDIR);
    ok!(symlink(b"b", b"a"));
    ok!(symlink(b"a", b"b"));
    fails!(stat(b"a"), ELOOP);
    fails!(symlink(b"x", b"a"), EEXIST);
    fails!(symlink(b"", b"empty"), ENOENT);
    // Forty in a row are followed, more are not.
    put(b"end", b"");
    ok!(symlink(b"end", b"s1"));
    for i in 2..=41 {
        ok!(symlink(format!("s{}", i - 1).as_bytes(), format!("s{i}").as_bytes()));
    }
    ok!(stat(b"s40"));
    fails!(stat(b"s41"), ELOOP);
    // Names that are not UTF-8 come back as they were.
    ok!(symlink(b"\xff\xfe", b"raw"));
    check_eq!(ok!(readlink(b"raw")), b"\xff\xfe");
}

//! Hard links share everything; what they cannot do is refused.
use capsule_sys::{AT_SYMLINK_FOLLOW, FileType, link, lstat, mkdir, stat, symlink, unlink};
use door_tests::{check_eq, fails, get, ok, put};

fn main() {
    put(b"a", b"x");
    ok!(link(b"a", b"b", 0));
    check_eq!(ok!(stat(b"a")).ino, ok!(stat(b"b")).ino);
    check_eq!(ok!(stat(b"b")).nlink, 2);
    put(b"b", b"changed");
    check_eq!(get(b"a"), b"changed");
    ok!(unlink(b"a"));
    check_eq!((get(b"b"), ok!(stat(b"b")).nlink), (b"changed".to_vec(), 1));
    fails!(link(b"b", b"b", 0), EEXIST);
    fails!(link(b"nosuch", b"c", 0), ENOENT);
    ok!(mkdir(b"d", 0o755));
    fails!(link(b"d", b"e", 0), EPERM);
    ok!(symlink(b"b", b"s"));
    ok!(link(b"s", b"t", 0));
    check_eq!(ok!(lstat(b"t")).kind, FileType::Symlink);
    ok!(link(b"s", b"u", AT_SYMLINK_FOLLOW));
    check_eq!(ok!(lstat(b"u")).ino, ok!(stat(b"b")).ino);
    fails!(unlink(b"d"), EISDIR);
    fails!(unlink(b"nosuch"), ENOENT);
    fails!(unlink(b"b/"), ENOTDIR);
}

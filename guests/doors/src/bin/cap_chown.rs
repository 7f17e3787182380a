//! Owners are numbers; -1 keeps one.
use capsule_sys::{AT_FDCWD, AT_SYMLINK_NOFOLLOW, chown, chown_at, getids, lstat, stat, symlink};
use door_tests::{check_eq, fails, ok, put};

fn main() {
    put(b"f", b"");
    let (uid, gid) = ok!(getids());
    // Only root gives files away.
    if uid != 0 {
        ok!(chown(b"f", Some(uid), Some(gid)));
        fails!(chown(b"f", Some(uid + 1), None), EPERM);
        return;
    }
    ok!(chown(b"f", Some(12), Some(34)));
    let s = ok!(stat(b"f"));
    check_eq!((s.uid, s.gid), (12, 34));
    ok!(chown(b"f", None, Some(56)));
    ok!(chown(b"f", None, None));
    let s = ok!(stat(b"f"));
    check_eq!((s.uid, s.gid), (12, 56));
    ok!(symlink(b"f", b"l"));
    ok!(chown_at(AT_FDCWD, b"l", Some(7), None, AT_SYMLINK_NOFOLLOW));
    check_eq!((ok!(lstat(b"l")).uid, ok!(stat(b"f")).uid), (7, 12));
    fails!(chown(b"nosuch", None, None), ENOENT);
}

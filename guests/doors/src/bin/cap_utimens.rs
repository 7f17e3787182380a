//! Times are set to the nanosecond, to now, or left alone.
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, OpenFlags, SetTime, Time, futimens, lstat, now, open, stat, symlink, utimens,
    utimens_at,
};
use door_tests::{check, check_eq, fails, ok, put};

fn main() {
    put(b"f", b"");
    let a = Time { sec: 1_000_000_000, nsec: 123_456_789 };
    let m = Time { sec: -5, nsec: 999_999_999 };
    ok!(utimens(b"f", SetTime::At(a), SetTime::At(m)));
    let s = ok!(stat(b"f"));
    check_eq!((s.atime, s.mtime), (a, m));
    ok!(utimens(b"f", SetTime::Omit, SetTime::Now));
    let s = ok!(stat(b"f"));
    check_eq!(s.atime, a);
    check!((s.mtime.sec - now().sec).abs() < 100);
    let f = ok!(open(b"f", OpenFlags::RDONLY, 0));
    ok!(futimens(f.raw(), SetTime::Omit, SetTime::At(a)));
    check_eq!(ok!(stat(b"f")).mtime, a);
    ok!(symlink(b"f", b"l"));
    ok!(utimens_at(AT_FDCWD, b"l", SetTime::At(m), SetTime::At(m), AT_SYMLINK_NOFOLLOW));
    check_eq!((ok!(lstat(b"l")).mtime, ok!(stat(b"f")).mtime), (m, a));
    fails!(utimens(b"nosuch", SetTime::Now, SetTime::Now), ENOENT);
}

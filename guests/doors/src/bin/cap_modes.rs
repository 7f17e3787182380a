//! `chmod` sets all twelve bits; the umask takes bits from new files only.
use capsule_sys::{OpenFlags, chmod, fchmod, lstat, mkdir, open, stat, symlink, umask};
use door_tests::{check_eq, fails, ok, put};

fn main() {
    umask(0o77);
    put(b"f", b"");
    check_eq!(ok!(stat(b"f")).mode, 0o600);
    for mode in [0, 0o7777, 0o644, 0o4755] {
        ok!(chmod(b"f", mode));
        check_eq!(ok!(stat(b"f")).mode, mode);
    }
    let f = ok!(open(b"f", OpenFlags::RDONLY, 0));
    ok!(fchmod(f.raw(), 0o640));
    check_eq!(ok!(stat(b"f")).mode, 0o640);
    ok!(symlink(b"f", b"l"));
    ok!(chmod(b"l", 0o600));
    check_eq!((ok!(stat(b"f")).mode, ok!(lstat(b"l")).mode), (0o600, 0o777));
    ok!(mkdir(b"d", 0o1777));
    check_eq!(ok!(stat(b"d")).mode, 0o1700);
    fails!(chmod(b"nosuch", 0o644), ENOENT);
    check_eq!(umask(0o7777), 0o77);
    check_eq!(umask(0o22), 0o777);
}

//! A file without a name lives as long as it is open.
use capsule_sys::{OpenFlags, Seek, fstat, open, read_to_end, seek, stat, unlink, write_all};
use door_tests::{check_eq, fails, ok};

fn main() {
    let f = ok!(open(b"f", OpenFlags::RDWR | OpenFlags::CREAT, 0o644));
    ok!(write_all(f.raw(), b"still "));
    ok!(unlink(b"f"));
    fails!(stat(b"f"), ENOENT);
    ok!(write_all(f.raw(), b"here"));
    check_eq!((ok!(fstat(f.raw())).nlink, ok!(fstat(f.raw())).size), (0, 10));
    let g = ok!(open(b"f", OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL, 0o644));
    ok!(write_all(g.raw(), b"another"));
    ok!(seek(f.raw(), Seek::Start(0)));
    check_eq!(ok!(read_to_end(f.raw())), b"still here");
}

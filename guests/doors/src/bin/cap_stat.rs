//! What `stat` tells of a file, a directory, a link and a device.
use capsule_sys::{
    AT_EMPTY_PATH, FileType, OpenFlags, fstat, getids, lstat, mkdir, open, stat, stat_at, symlink, umask,
};
use door_tests::{check, check_eq, fails, ok, put};

fn main() {
    umask(0o22);
    put(b"f", b"12345");
    let s = ok!(stat(b"f"));
    let ids = ok!(getids());
    check_eq!((s.kind, s.mode, s.size, s.nlink), (FileType::Regular, 0o644, 5, 1));
    check_eq!((s.uid, s.gid), ids);
    check!(s.ino != 0 && s.blocks > 0 && s.mtime.sec > 1_600_000_000 && s.ctime >= s.mtime);
    let f = ok!(open(b"f", OpenFlags::RDONLY, 0));
    let t = ok!(fstat(f.raw()));
    check_eq!((t.dev, t.ino, t.size), (s.dev, s.ino, s.size));
    ok!(mkdir(b"d", 0o777));
    let d = ok!(stat(b"d"));
    check_eq!((d.kind, d.mode, d.nlink), (FileType::Directory, 0o755, 2));
    ok!(mkdir(b"d/e", 0o777));
    check_eq!(ok!(stat(b"d")).nlink, 3);
    ok!(symlink(b"target", b"l"));
    let l = ok!(lstat(b"l"));
    check_eq!((l.kind, l.mode, l.size), (FileType::Symlink, 0o777, 6));
    fails!(stat(b"l"), ENOENT);
    check_eq!(ok!(stat(b"/dev/null")).kind, FileType::CharDevice);
    check_eq!(ok!(stat(b"/")).kind, FileType::Directory);
    fails!(stat(b""), ENOENT);
    check!(stat_at(f.raw(), b"", AT_EMPTY_PATH).is_ok());
    fails!(fstat(99), EBADF);
    check_eq!(ok!(stat(b"..")).kind, FileType::Directory);
}

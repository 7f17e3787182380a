//! Paths relative to a directory descriptor.
use capsule_sys::{
    OpenFlags as O, chdir, fchdir, getcwd, mkdir, mkdir_at, open, open_at, rename_at, stat, stat_at, unlink_at,
};
use door_tests::{check, check_eq, fails, ok, put};

fn main() {
    ok!(mkdir(b"d", 0o777));
    let d = ok!(open(b"d", O::RDONLY | O::DIRECTORY, 0));
    ok!(open_at(d.raw(), b"f", O::WRONLY | O::CREAT, 0o600));
    check!(stat(b"d/f").is_ok());
    check_eq!(ok!(stat_at(d.raw(), b"f", 0)).ino, ok!(stat(b"d/f")).ino);
    ok!(mkdir_at(d.raw(), b"e", 0o755));
    ok!(rename_at(d.raw(), b"f", d.raw(), b"e/g", 0));
    check!(stat(b"d/e/g").is_ok());
    ok!(unlink_at(d.raw(), b"e/g", 0));
    put(b"plain", b"");
    let f = ok!(open(b"plain", O::RDONLY, 0));
    fails!(open_at(f.raw(), b"x", O::RDONLY, 0), ENOTDIR);
    fails!(open_at(99, b"x", O::RDONLY, 0), EBADF);
    fails!(fchdir(f.raw()), ENOTDIR);
    // An absolute path does not ask the descriptor.
    ok!(open_at(99, b"/", O::RDONLY, 0));
    let before = ok!(getcwd());
    ok!(fchdir(d.raw()));
    check!(ok!(getcwd()).ends_with(b"/d"));
    ok!(chdir(b".."));
    check_eq!(ok!(getcwd()), before);
}

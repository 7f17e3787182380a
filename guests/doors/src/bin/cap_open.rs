//! `open` with Linux's flags and errors.
use capsule_sys::{OpenFlags as O, isatty, mkdir, open, read, stat, symlink, umask, window, write, write_all};
use door_tests::{check, check_eq, fails, get, ok, put};

fn main() {
    umask(0o27);
    fails!(open(b"f", O::RDONLY, 0), ENOENT);
    let f = ok!(open(b"f", O::WRONLY | O::CREAT | O::EXCL, 0o666));
    check_eq!(ok!(stat(b"f")).mode, 0o640);
    ok!(write_all(f.raw(), b"content"));
    fails!(read(f.raw(), &mut [0]), EBADF);
    fails!(open(b"f", O::WRONLY | O::CREAT | O::EXCL, 0o666), EEXIST);
    let r = ok!(open(b"f", O::RDONLY, 0));
    fails!(write(r.raw(), b"x"), EBADF);
    check!(!isatty(r.raw()) && window(r.raw()).is_none());
    ok!(open(b"f", O::WRONLY | O::TRUNC, 0));
    check_eq!(get(b"f"), b"");
    ok!(mkdir(b"d", 0o777));
    ok!(open(b"d", O::RDONLY | O::DIRECTORY, 0));
    fails!(open(b"d", O::WRONLY, 0), EISDIR);
    fails!(open(b"d", O::RDONLY | O::CREAT, 0o666), EISDIR);
    fails!(open(b"f", O::RDONLY | O::DIRECTORY, 0), ENOTDIR);
    fails!(open(b"f/x", O::RDONLY, 0), ENOTDIR);
    fails!(open(b"f/", O::RDONLY, 0), ENOTDIR);
    fails!(open(b"new/", O::WRONLY | O::CREAT, 0o666), EISDIR);
    fails!(open(b"no/such", O::WRONLY | O::CREAT, 0o666), ENOENT);
    fails!(open(b"", O::RDONLY, 0), ENOENT);
    ok!(symlink(b"f", b"link"));
    fails!(open(b"link", O::RDONLY | O::NOFOLLOW, 0), ELOOP);
    fails!(open(b"link", O::WRONLY | O::CREAT | O::EXCL, 0o666), EEXIST);
    put(b"f", b"abc");
    let a = ok!(open(b"link", O::WRONLY | O::APPEND, 0));
    ok!(write_all(a.raw(), b"def"));
    check_eq!(get(b"f"), b"abcdef");
    // A dangling link: creating goes through it.
    ok!(symlink(b"target", b"dangling"));
    ok!(open(b"dangling", O::WRONLY | O::CREAT, 0o600));
    check!(stat(b"target").is_ok());
    let p = ok!(open(b"f", O::PATH, 0));
    fails!(read(p.raw(), &mut [0]), EBADF);
}

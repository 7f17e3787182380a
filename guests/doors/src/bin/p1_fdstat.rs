//! `fd_fdstat_get` tells the kind, the flags, and rights that allow what the descriptor can do.
use door_tests::{check, check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    let d = ok!(p1::fdstat(dir));
    check_eq!(d.filetype, p1::FILETYPE_DIRECTORY);
    check!(d.rights & p1::RIGHTS_PATH_OPEN != 0 && d.rights & p1::RIGHTS_FD_READDIR != 0);
    check!(d.inheriting & p1::RIGHTS_FD_READ != 0);
    // Without the right to seek wasi-libc takes a directory for what it is, and a file for a terminal.
    let f = p1::create(dir, b"f", b"x");
    let s = ok!(p1::fdstat(f));
    check_eq!((s.filetype, s.flags), (p1::FILETYPE_REGULAR_FILE, 0));
    let wanted = p1::RIGHTS_FD_READ | p1::RIGHTS_FD_WRITE | p1::RIGHTS_FD_SEEK | p1::RIGHTS_FD_TELL;
    check_eq!(s.rights & wanted, wanted);
    let a = ok!(p1::open_with(dir, b"f", 0, p1::RIGHTS_ALL, p1::FDFLAGS_APPEND));
    check_eq!(ok!(p1::fdstat(a)).flags, p1::FDFLAGS_APPEND);
    refused!(p1::fdstat(99), BADF);
}

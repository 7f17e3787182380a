//! Rights cannot be taken back: they are given up for good, or they cannot be changed at all.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let f = p1::create(p1::here(), b"f", b"x");
    let all = ok!(p1::fdstat(f)).rights;
    check_eq!(p1::fd_fdstat_set_rights(99, 0, 0), p1::errno::BADF);
    let less = all & !p1::RIGHTS_FD_WRITE;
    if p1::fd_fdstat_set_rights(f, less as i64, 0) == p1::errno::NOTSUP {
        check_eq!(ok!(p1::fdstat(f)).rights, all);
        check_eq!(ok!(p1::write(f, b"x")), 1);
        return;
    }
    check_eq!(ok!(p1::fdstat(f)).rights & p1::RIGHTS_FD_WRITE, 0);
    refused!(p1::write(f, b"x"), NOTCAPABLE);
    check_eq!(p1::fd_fdstat_set_rights(f, all as i64, 0), p1::errno::NOTCAPABLE);
}

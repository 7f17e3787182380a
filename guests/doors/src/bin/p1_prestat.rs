//! The root is preopened at 3, as `/`; nothing else is.
use door_tests::{at_mut, check, check_eq, p1};

fn main() {
    let mut prestat = [9u32; 2];
    check_eq!(p1::fd_prestat_get(p1::ROOT, at_mut(&mut prestat)), 0);
    check_eq!((prestat[0] & 0xff, prestat[1]), (0, 1));
    let mut name = [0u8; 1];
    check_eq!(p1::fd_prestat_dir_name(p1::ROOT, at_mut(&mut name), 1), 0);
    check_eq!(&name, b"/");
    check_eq!(p1::fd_prestat_dir_name(p1::ROOT, at_mut(&mut name), 0), p1::errno::NAMETOOLONG);
    // wasi-libc asks until it hears this.
    check_eq!(p1::fd_prestat_get(p1::ROOT + 1, at_mut(&mut prestat)), p1::errno::BADF);
    let dir = p1::here();
    check!(p1::fd_prestat_get(dir, at_mut(&mut prestat)) != 0);
    check!(p1::fd_prestat_get(0, at_mut(&mut prestat)) != 0);
}

//! Without waiting: EAGAIN when a pipe is empty or full; a write of more than fits is short.
use capsule_sys::{OpenFlags, pipe, read, write};
use door_tests::{check, check_eq, fails, ok};

fn main() {
    let (from, to) = ok!(pipe(OpenFlags::NONBLOCK));
    let mut buf = vec![0; 100_000];
    fails!(read(from.raw(), &mut buf), EAGAIN);
    let n = ok!(write(to.raw(), &buf));
    check_eq!(n, 65_536);
    fails!(write(to.raw(), b"x"), EAGAIN);
    check_eq!(ok!(read(from.raw(), &mut buf[..4096])), 4096);
    // A write of up to 4096 bytes is done whole or not at all.
    check_eq!(ok!(write(to.raw(), &buf[..100])), 100);
    fails!(write(to.raw(), &buf[..4096]), EAGAIN);
    check!(ok!(read(from.raw(), &mut buf)) > 0);
    ok!(to.close());
    while ok!(read(from.raw(), &mut buf)) > 0 {}
    check_eq!(ok!(read(from.raw(), &mut buf)), 0);
}

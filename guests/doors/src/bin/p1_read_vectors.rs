//! One read fills several buffers in order; empty ones are stepped over.
use door_tests::{at, at_mut, check_eq, ok, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"0123456789");
    ok!(p1::seek(f, 0, p1::WHENCE_SET));
    let (mut a, mut b, mut c) = ([0u8; 3], [0u8; 0], [0u8; 20]);
    let vectors = [[at_mut(&mut a), 3], [at_mut(&mut b), 0], [at_mut(&mut c), 20]];
    let mut n = 0u32;
    check_eq!(p1::fd_read(f, at(&vectors), 3, at_mut(&mut n)), 0);
    check_eq!(n, 10);
    check_eq!((&a, &c[..8]), (b"012", b"3456789\0".as_slice()));
    check_eq!(p1::fd_read(f, at(&vectors), 3, at_mut(&mut n)), 0);
    check_eq!(n, 0);
    // No vectors at all.
    n = 9;
    check_eq!(p1::fd_read(f, at(&vectors), 0, at_mut(&mut n)), 0);
    check_eq!(n, 0);
    check_eq!(p1::fd_pread(f, at(&vectors), 2, 5, at_mut(&mut n)), 0);
    check_eq!((n, &a), (3, b"567"));
}

//! null, zero, full, random and urandom.
use capsule_sys::{Errno, OpenFlags, open, read, write};
use door_tests::{check, check_eq, ok};

fn main() {
    let device = |name: &str| ok!(open(format!("/dev/{name}").as_bytes(), OpenFlags::RDWR, 0));
    let mut buf = vec![1; 5000];
    let null = device("null");
    check_eq!(ok!(read(null.raw(), &mut buf)), 0);
    check_eq!(ok!(write(null.raw(), &buf)), 5000);
    let zero = device("zero");
    check_eq!(ok!(read(zero.raw(), &mut buf)), 5000);
    check!(buf.iter().all(|b| *b == 0));
    check_eq!(ok!(write(zero.raw(), &buf)), 5000);
    let full = device("full");
    buf.fill(1);
    check_eq!(ok!(read(full.raw(), &mut buf)), 5000);
    check!(buf.iter().all(|b| *b == 0));
    check_eq!(write(full.raw(), b"x"), Err(Errno::ENOSPC));
    for name in ["random", "urandom"] {
        let random = device(name);
        let mut other = vec![0; 5000];
        check_eq!(ok!(read(random.raw(), &mut buf[..64])), 64);
        check_eq!(ok!(read(random.raw(), &mut other[..64])), 64);
        check!(buf[..64] != other[..64] && buf[..64].iter().any(|b| *b != 0));
    }
}

//! Advice is taken for every kind there is, and refused for kinds there are not.
use door_tests::{check_eq, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"0123456789");
    for advice in 0..=5 {
        check_eq!(p1::fd_advise(f, 0, 10, advice), 0);
    }
    check_eq!(p1::fd_advise(f, 0, 10, 6), p1::errno::INVAL);
    check_eq!(p1::fd_advise(99, 0, 10, 0), p1::errno::BADF);
}

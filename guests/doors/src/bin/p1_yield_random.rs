//! `sched_yield` comes back; `random_get` fills all of a buffer with something.
use door_tests::{at_mut, check, check_eq, p1};

fn main() {
    check_eq!(p1::sched_yield(), 0);
    let mut a = vec![0u8; 1000];
    let mut b = vec![0u8; 1000];
    check_eq!(p1::random_get(at_mut(a.as_mut_slice()), 1000), 0);
    check_eq!(p1::random_get(at_mut(b.as_mut_slice()), 1000), 0);
    check!(a != b && a[990..].iter().any(|x| *x != 0));
    check_eq!(p1::random_get(at_mut(a.as_mut_slice()), 0), 0);
}

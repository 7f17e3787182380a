//! `wait` tells what the child used; `getrusage` counts children that were waited for.
use capsule_sys::{UsageOf, fork, getrusage, wait};
use door_tests::{check, ok};

fn main() {
    let before = ok!(getrusage(UsageOf::Children));
    let pid = ok!(fork(|| {
        let big = vec![1u8; 3 << 20];
        let mut x = 1u64;
        // Enough to be seen by a clock that ticks in milliseconds.
        for i in 0..30_000_000u64 {
            x = std::hint::black_box(x.wrapping_mul(i | 1));
        }
        i32::from(std::hint::black_box(&big)[0] != 1 || x == 0)
    }));
    let waited = ok!(wait(pid, 0));
    check!(waited.is_some_and(|w| w.usage.cpu_ns > 0 && w.usage.peak_memory >= 3 << 20));
    let after = ok!(getrusage(UsageOf::Children));
    check!(after.cpu_ns > before.cpu_ns);
    check!(ok!(getrusage(UsageOf::Itself)).peak_memory > 0);
}

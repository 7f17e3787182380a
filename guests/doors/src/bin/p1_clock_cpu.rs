//! The processor clocks count what this process used.
use door_tests::{check, p1};

fn main() {
    let before = p1::now(p1::CLOCK_PROCESS_CPUTIME);
    let mut x = 1u64;
    for i in 0..20_000_000u64 {
        x = std::hint::black_box(x.wrapping_mul(i | 1));
    }
    check!(x != 0);
    check!(p1::now(p1::CLOCK_PROCESS_CPUTIME) > before);
    check!(p1::now(p1::CLOCK_THREAD_CPUTIME) > 0);
}

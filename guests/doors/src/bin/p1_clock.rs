//! Clocks have a resolution and go forward.
use door_tests::{at_mut, check, check_eq, p1};

fn main() {
    for clock in [p1::CLOCK_REALTIME, p1::CLOCK_MONOTONIC] {
        let mut resolution = 0u64;
        check_eq!(p1::clock_res_get(clock as i32, at_mut(&mut resolution)), 0);
        check!(resolution > 0 && resolution <= 1_000_000_000);
        let first = p1::now(clock);
        check!(p1::now(clock) >= first);
    }
    // 2020 or later.
    check!(p1::now(p1::CLOCK_REALTIME) > 1_577_836_800_000_000_000);
    let mut time = 0u64;
    check_eq!(p1::clock_time_get(99, 1, at_mut(&mut time)), p1::errno::INVAL);
    check_eq!(p1::clock_res_get(99, at_mut(&mut time)), p1::errno::INVAL);
}

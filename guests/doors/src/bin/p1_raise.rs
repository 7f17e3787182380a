// expect: 143
//! `proc_raise` sends a signal to the program itself.
use door_tests::{check_eq, p1};

fn main() {
    check_eq!(p1::proc_raise(99), p1::errno::INVAL);
    p1::proc_raise(15);
    let _ = p1::poll(&[p1::clock_subscription(0, p1::CLOCK_MONOTONIC, 5_000_000_000, 0)]);
    door_tests::fail(line!(), "still here");
}

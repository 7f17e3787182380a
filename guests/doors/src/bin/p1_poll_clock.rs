//! Sleeping by `poll_oneoff`: for a time, until a time, and no longer when it is over.
use door_tests::{check, check_eq, ok, p1};

fn main() {
    let start = p1::now(p1::CLOCK_MONOTONIC);
    let events = ok!(p1::poll(&[p1::clock_subscription(7, p1::CLOCK_MONOTONIC, 20_000_000, 0)]));
    check_eq!(events.len(), 1);
    check_eq!((events[0].userdata, events[0].error, events[0].kind), (7, 0, p1::EVENTTYPE_CLOCK));
    check!(p1::now(p1::CLOCK_MONOTONIC) - start >= 20_000_000);
    let until = p1::now(p1::CLOCK_REALTIME) + 20_000_000;
    ok!(p1::poll(&[p1::clock_subscription(0, p1::CLOCK_REALTIME, until, p1::SUBCLOCKFLAGS_ABSTIME)]));
    check!(p1::now(p1::CLOCK_REALTIME) >= until);
    ok!(p1::poll(&[p1::clock_subscription(0, p1::CLOCK_MONOTONIC, 1, p1::SUBCLOCKFLAGS_ABSTIME)]));
    // The earlier of two.
    let (soon, late) = (10_000_000, 60_000_000_000);
    let two = [p1::clock_subscription(1, p1::CLOCK_MONOTONIC, late, 0), p1::clock_subscription(2, 1, soon, 0)];
    check_eq!(ok!(p1::poll(&two)).iter().map(|e| e.userdata).collect::<Vec<_>>(), [2]);
}

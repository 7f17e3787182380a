//! `poll_oneoff` tells of files and pipes that are ready, and of descriptors that are not open.
use capsule_sys::{OpenFlags, pipe};
use door_tests::{check, check_eq, ok, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"12345");
    ok!(p1::seek(f, 2, p1::WHENCE_SET));
    let events = ok!(p1::poll(&[p1::fd_subscription(1, p1::EVENTTYPE_FD_READ, f)]));
    check_eq!((events.len(), events[0].userdata, events[0].kind), (1, 1, p1::EVENTTYPE_FD_READ));
    let (from, to) = ok!(pipe(OpenFlags(0)));
    let read = p1::fd_subscription(2, p1::EVENTTYPE_FD_READ, from.raw());
    let write = p1::fd_subscription(3, p1::EVENTTYPE_FD_WRITE, to.raw());
    let timer = p1::clock_subscription(4, p1::CLOCK_MONOTONIC, 10_000_000, 0);
    check_eq!(ok!(p1::poll(&[read, write])).iter().map(|e| e.userdata).collect::<Vec<_>>(), [3]);
    check_eq!(ok!(p1::poll(&[read, timer])).iter().map(|e| e.userdata).collect::<Vec<_>>(), [4]);
    check_eq!(ok!(p1::write(to.raw(), b"abc")), 3);
    let events = ok!(p1::poll(&[read, timer]));
    check!(events[0].userdata == 2 && (1..=3).contains(&events[0].bytes));
    ok!(p1::read_some(from.raw()));
    ok!(to.close());
    let events = ok!(p1::poll(&[read]));
    check!(events[0].flags & p1::EVENTRWFLAGS_HANGUP != 0);
    let events = ok!(p1::poll(&[p1::fd_subscription(9, p1::EVENTTYPE_FD_READ, 99)]));
    check_eq!((events[0].userdata, events[0].error), (9, p1::errno::BADF));
}

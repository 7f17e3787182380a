//! `poll` tells what can be read and written, who hung up, and when time is over.
use capsule_sys::{
    Clock, OpenFlags, POLLHUP, POLLIN, POLLNVAL, POLLOUT, PollFd, clock, fork, pipe, poll, read, sleep, write_all,
};
use door_tests::{check, check_eq, ok, put, wait_for};

fn main() {
    let (from, to) = ok!(pipe(OpenFlags(0)));
    let watch = |fd: i32, events: u16| PollFd { fd, events, revents: 0 };
    let mut fds = [watch(from.raw(), POLLIN), watch(to.raw(), POLLOUT)];
    check_eq!(ok!(poll(&mut fds, -1)), 1);
    check_eq!((fds[0].revents, fds[1].revents), (0, POLLOUT));
    let start = clock(Clock::Monotonic);
    check_eq!(ok!(poll(&mut fds[..1], 30)), 0);
    check!(clock(Clock::Monotonic) - start >= 29_000_000);
    let pid = ok!(fork(|| {
        let _ = sleep(10_000_000);
        ok!(write_all(to.raw(), b"x"));
        0
    }));
    check_eq!(ok!(poll(&mut fds[..1], -1)), 1);
    check_eq!(fds[0].revents, POLLIN);
    wait_for(pid);
    check_eq!(ok!(read(from.raw(), &mut [0])), 1);
    ok!(to.close());
    check_eq!(ok!(poll(&mut fds[..1], -1)), 1);
    check_eq!(fds[0].revents & POLLHUP, POLLHUP);
    // A file is always ready; a descriptor that is not open says so; below zero is left out.
    put(b"f", b"");
    let f = ok!(capsule_sys::open(b"f", OpenFlags::RDWR, 0));
    let mut fds = [watch(f.raw(), POLLIN | POLLOUT), watch(99, POLLIN), watch(-1, POLLIN)];
    check_eq!(ok!(poll(&mut fds, -1)), 2);
    check_eq!(fds.map(|p| p.revents), [POLLIN | POLLOUT, POLLNVAL, 0]);
    check_eq!(ok!(poll(&mut [], 0)), 0);
}

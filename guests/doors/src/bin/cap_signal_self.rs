// expect: 143
//! A process that kills itself with TERM ends there.
use capsule_sys::{Signal, getpid, kill, sleep};

fn main() {
    let _ = kill(getpid(), Signal::TERM.number().into());
    let _ = sleep(10_000_000_000);
    door_tests::fail(line!(), "still here");
}

//! Children that ended are kept until they are waited for, and then their ids are free.
use capsule_sys::{Errno, fork, wait};
use door_tests::{check, check_eq, ok};

fn main() {
    // More in turn than a session may have at once.
    for _ in 0..20 {
        for _ in 0..30 {
            ok!(fork(|| 0));
        }
        for _ in 0..30 {
            check!(ok!(wait(-1, 0)).is_some());
        }
    }
    check_eq!(wait(-1, 0), Err(Errno::ECHILD));
}

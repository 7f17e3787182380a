//! A child sees the locals of every frame that was active when it was made.
use capsule_sys::{WaitStatus, fork};
use door_tests::{check_eq, ok, wait_for};

fn deep(level: u64, below: &dyn Fn() -> u64) -> i32 {
    let local = std::hint::black_box(level * level);
    let sum = || below() + local;
    if level == 20 {
        let want = (1..=20u64).map(|n| n * n).sum::<u64>();
        let pid = ok!(fork(|| i32::from(sum() != want)));
        check_eq!(wait_for(pid), WaitStatus::Exited(0));
        return 20;
    }
    deep(level + 1, &sum)
}

fn main() {
    check_eq!(deep(1, &|| 0), 20);
}

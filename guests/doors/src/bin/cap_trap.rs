//! A program that goes wrong dies alone, with the signal Linux would give it.
use capsule_sys::{WaitStatus, fork};
use door_tests::{check, ok, wait_for};

#[allow(unconditional_recursion)]
fn deep(n: u64) -> u64 {
    let big = std::hint::black_box([n; 512]);
    deep(std::hint::black_box(n + 1)) + big[n as usize % 512]
}

fn main() {
    let pid = ok!(fork(|| deep(0) as i32));
    check!(matches!(wait_for(pid), WaitStatus::Signaled(11 | 6)));
}

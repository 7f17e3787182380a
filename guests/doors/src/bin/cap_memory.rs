//! A process that asks for more memory than there can be gets an error, not the session's end.
use capsule_sys::{WaitStatus, fork};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    let pid = ok!(fork(|| {
        let mut small: Vec<u8> = Vec::new();
        i32::from(
            small
                .try_reserve_exact((1 << 31) - 65_536 + (isize::MAX as usize >> 1) * usize::from(usize::BITS == 64))
                .is_ok(),
        )
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
}

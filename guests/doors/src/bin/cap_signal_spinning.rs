//! A process that never calls the kernel can be ended.
use capsule_sys::{OpenFlags, Signal, WaitStatus, fork, kill, pipe, read, write_all};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    let (ready, say) = ok!(pipe(OpenFlags(0)));
    let pid = ok!(fork(|| {
        ok!(write_all(say.raw(), b"x"));
        let mut x = 0u64;
        loop {
            x = std::hint::black_box(x + 1);
        }
    }));
    check_eq!(ok!(read(ready.raw(), &mut [0])), 1);
    ok!(kill(pid, Signal::TERM.number().into()));
    check_eq!(wait_for(pid), WaitStatus::Signaled(15));
}

//! A child has a copy of all memory: it sees what was there, and neither sees what the other writes afterwards.
use capsule_sys::{OpenFlags, WaitStatus, fork, pipe, read, write_all};
use door_tests::{check, check_eq, ok, wait_for};
use std::cell::RefCell;

thread_local!(static GLOBAL: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });

fn main() {
    GLOBAL.set(b"before".to_vec());
    let mut heap = vec![7u8; 300_000];
    heap[299_999] = 9;
    let (done, said) = ok!(pipe(OpenFlags::CLOEXEC));
    let pid = ok!(fork(|| {
        check!(GLOBAL.with_borrow(|g| g == b"before"));
        check_eq!(heap[150_000], 7);
        check_eq!(heap[299_999], 9);
        GLOBAL.set(b"child".to_vec());
        heap.fill(1);
        ok!(write_all(said.raw(), b"x"));
        i32::from(heap.iter().any(|b| *b != 1))
    }));
    check_eq!(ok!(read(done.raw(), &mut [0])), 1);
    check!(GLOBAL.with_borrow(|g| g == b"before"));
    check_eq!(heap[0], 7);
    heap.fill(2);
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    check!(heap.iter().all(|b| *b == 2));
}

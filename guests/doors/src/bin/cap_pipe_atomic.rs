//! Writes of up to 4096 bytes are never mixed, however many write at once.
use capsule_sys::{OpenFlags, WaitStatus, fork, pipe, read_full, write};
use door_tests::{check, check_eq, ok, wait_for};

const SIZE: usize = 4096;

fn main() {
    let (from, to) = ok!(pipe(OpenFlags(0)));
    let mut children = Vec::new();
    for letter in b'a'..=b'h' {
        children.push(ok!(fork(|| {
            for _ in 0..50 {
                check_eq!(ok!(write(to.raw(), &[letter; SIZE])), SIZE);
            }
            0
        })));
    }
    ok!(to.close());
    let mut counts = [0; 256];
    let mut block = vec![0; SIZE];
    loop {
        let n = ok!(read_full(from.raw(), &mut block));
        if n == 0 {
            break;
        }
        check_eq!(n, SIZE);
        check!(block.iter().all(|b| *b == block[0]));
        counts[usize::from(block[0])] += 1;
    }
    check!((b'a'..=b'h').all(|letter| counts[usize::from(letter)] == 50));
    for pid in children {
        check_eq!(wait_for(pid), WaitStatus::Exited(0));
    }
}

//! Much more than a pipe holds goes through it, both ways at once.
use capsule_sys::{OpenFlags, WaitStatus, fork, pipe, read, read_full, write_all};
use door_tests::{check_eq, ok, wait_for};

const SIZE: usize = 1 << 20;

fn byte(i: usize) -> u8 {
    (i * 7 + i / 256) as u8
}

fn main() {
    let (child_in, to_child) = ok!(pipe(OpenFlags(0)));
    let (from_child, child_out) = ok!(pipe(OpenFlags(0)));
    let writer = to_child.raw();
    let pid = ok!(fork(|| {
        ok!(capsule_sys::close(writer));
        let mut buf = vec![0; 10_000];
        loop {
            let n = ok!(read(child_in.raw(), &mut buf));
            if n == 0 {
                return 0;
            }
            buf[..n].iter_mut().for_each(|b| *b = !*b);
            ok!(write_all(child_out.raw(), &buf[..n]));
        }
    }));
    ok!(child_out.close());
    let feeder = ok!(fork(|| {
        let all: Vec<u8> = (0..SIZE).map(byte).collect();
        ok!(write_all(to_child.raw(), &all));
        0
    }));
    ok!(to_child.close());
    let mut back = vec![0; SIZE + 1];
    check_eq!(ok!(read_full(from_child.raw(), &mut back)), SIZE);
    let wrong = (0..SIZE).find(|i| back[*i] != !byte(*i));
    check_eq!(wrong, None);
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    check_eq!(wait_for(feeder), WaitStatus::Exited(0));
}

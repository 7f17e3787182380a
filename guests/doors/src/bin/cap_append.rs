//! Several writers in append mode lose nothing.
use capsule_sys::{OpenFlags, WaitStatus, fork, open, write};
use door_tests::{check, check_eq, get, ok, wait_for};

fn main() {
    let mut children = Vec::new();
    for letter in b'a'..=b'd' {
        children.push(ok!(fork(|| {
            let f = ok!(open(b"log", OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::APPEND, 0o644));
            for _ in 0..100 {
                check_eq!(ok!(write(f.raw(), &[letter, letter, letter, b'\n'])), 4);
            }
            0
        })));
    }
    for pid in children {
        check_eq!(wait_for(pid), WaitStatus::Exited(0));
    }
    let log = get(b"log");
    check_eq!(log.len(), 4 * 100 * 4);
    check!(log.chunks(4).all(|line| line[0] == line[1] && line[1] == line[2] && line[3] == b'\n'));
}

//! One write takes several buffers in order, also very many.
use door_tests::{at, at_mut, check, check_eq, get, ok, p1};

fn main() {
    let f = ok!(p1::open(p1::here(), b"f", p1::OFLAGS_CREAT));
    let vectors = [[at(b"one "), 4], [at(b""), 0], [at(b"two"), 3]];
    let mut n = 0u32;
    check_eq!(p1::fd_write(f, at(&vectors), 3, at_mut(&mut n)), 0);
    check_eq!((n, get(b"f")), (7, b"one two".to_vec()));
    check_eq!(p1::fd_write(f, at(&vectors), 0, at_mut(&mut n)), 0);
    check_eq!(n, 0);
    check_eq!(ok!(p1::write(f, b"")), 0);
    let many = vec![[at(b"xy"), 2]; 1024];
    check_eq!(p1::fd_write(f, at(many.as_slice()), 1024, at_mut(&mut n)), 0);
    check!(n > 0 && n.is_multiple_of(2) && n <= 2048);
    check_eq!(get(b"f").len(), 7 + n as usize);
    let more = vec![[at(b"xy"), 2]; 5000];
    check_eq!(p1::fd_write(f, at(more.as_slice()), 5000, at_mut(&mut n)), p1::errno::INVAL);
    // Lengths whose sum does not fit are refused before anything is written.
    let before = get(b"f").len();
    let huge = [[at(b"xy"), 2], [at(b"xy"), -1]];
    check!(p1::fd_write(f, at(&huge), 2, at_mut(&mut n)) != 0);
    check_eq!(get(b"f").len(), before);
}

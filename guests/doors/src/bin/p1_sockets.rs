//! There are no sockets: a file is told from one, and a closed descriptor from both.
use door_tests::{at, at_mut, check_eq, p1};

fn main() {
    let f = p1::create(p1::here(), b"f", b"");
    let mut out = [0u32; 2];
    let vectors = [at(b"xy"), 2];
    let (a, b) = (at_mut(&mut out), at(&vectors));
    check_eq!(p1::sock_accept(f, 0, a), p1::errno::NOTSOCK);
    check_eq!(p1::sock_recv(f, b, 1, 0, a, a + 4), p1::errno::NOTSOCK);
    check_eq!(p1::sock_send(f, b, 1, 0, a), p1::errno::NOTSOCK);
    check_eq!(p1::sock_shutdown(f, 1), p1::errno::NOTSOCK);
    check_eq!(p1::sock_accept(99, 0, a), p1::errno::BADF);
    check_eq!(p1::sock_shutdown(99, 1), p1::errno::BADF);
}

//! A closed descriptor is gone, and its number is the next to be given.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    let f = p1::create(dir, b"f", b"x");
    ok!(p1::close(f));
    refused!(p1::close(f), BADF);
    refused!(p1::read_some(f), BADF);
    refused!(p1::fdstat(f), BADF);
    check_eq!(ok!(p1::open(dir, b"f", 0)), f);
    refused!(p1::close(-1), BADF);
    refused!(p1::close(0x7fff_ffff), BADF);
}

//! A directory's descriptor cannot be read, written or sought like a file.
use door_tests::{check, ok, p1, refused};

fn main() {
    let dir = p1::here();
    refused!(p1::read_some(dir), ISDIR);
    check!(matches!(p1::write(dir, b"x"), Err(p1::errno::ISDIR | p1::errno::BADF)));
    refused!(p1::pread(dir, &mut [0], 0), ISDIR);
    ok!(p1::fstat(dir));
    ok!(p1::close(dir));
    refused!(p1::mkdir(dir, b"x"), BADF);
}

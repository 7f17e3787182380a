//! The three standard descriptors are open, and are not directories.
use door_tests::{check, check_eq, ok, p1};

fn main() {
    for fd in 0..3 {
        check!(ok!(p1::fdstat(fd)).filetype != p1::FILETYPE_DIRECTORY);
    }
    check_eq!(ok!(p1::write(1, b"to standard output\n")), 19);
    check_eq!(ok!(p1::write(1, b"")), 0);
}

//! In append mode every write goes to the end, wherever the offset is.
use door_tests::{check_eq, get, ok, p1};

fn main() {
    let dir = p1::here();
    let other = p1::create(dir, b"f", b"one");
    let a = ok!(p1::open_with(dir, b"f", 0, p1::RIGHTS_ALL, p1::FDFLAGS_APPEND));
    check_eq!(ok!(p1::write(a, b" two")), 4);
    check_eq!(ok!(p1::tell(a)), 7);
    ok!(p1::seek(a, 0, p1::WHENCE_SET));
    check_eq!(ok!(p1::write(other, b"!")), 1);
    check_eq!(ok!(p1::write(a, b" three")), 6);
    check_eq!(get(b"f"), b"one!two three");
}

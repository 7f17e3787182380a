//! A pipe has no offset.
use capsule_sys::{OpenFlags, pipe};
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let (from, to) = ok!(pipe(OpenFlags(0)));
    refused!(p1::seek(from.raw(), 0, p1::WHENCE_CUR), SPIPE);
    refused!(p1::tell(to.raw()), SPIPE);
    refused!(p1::pread(from.raw(), &mut [0], 0), SPIPE);
    refused!(p1::pwrite(to.raw(), b"x", 0), SPIPE);
    check_eq!(ok!(p1::write(to.raw(), b"x")), 1);
    check_eq!(ok!(p1::read_some(from.raw())), b"x");
}

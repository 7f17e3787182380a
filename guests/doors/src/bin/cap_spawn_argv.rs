//! A spawned program gets its arguments byte for byte.
use capsule_sys::{WaitStatus, args};
use door_tests::{check_eq, program, respawn, role};

fn main() {
    let strange: [&[u8]; 5] = [b"child", b"", b"a b", b"\xff\xfe", b"'\"\n"];
    if role().is_some() {
        check_eq!(args()[0], program());
        check_eq!(args()[1..], strange);
        return;
    }
    check_eq!(respawn(&strange, Vec::new()), WaitStatus::Exited(0));
}

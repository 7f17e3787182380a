//! An `exec` that fails leaves the process as it was.
use capsule_sys::{Errno, F_GETFD, OpenFlags, SpawnRequest, exec, fcntl, open};
use door_tests::{again, check, check_eq, ok, put};

fn main() {
    put(b"plain", b"x");
    let f = ok!(open(b"plain", OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0));
    let program = |path: &[u8]| SpawnRequest { path: path.to_vec(), ..again(&[]) };
    check_eq!(exec(&program(b"nosuch")), Errno::ENOENT);
    check_eq!(exec(&program(b"plain")), Errno::EACCES);
    check_eq!(exec(&program(b"plain/x")), Errno::ENOTDIR);
    check!(fcntl(f.raw(), F_GETFD, 0).is_ok());
}

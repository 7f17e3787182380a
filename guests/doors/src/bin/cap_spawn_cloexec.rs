//! Close-on-exec descriptors do not reach a spawned program; an action may let one through.
use capsule_sys::{F_GETFD, FdAction, OpenFlags, WaitStatus, fcntl, open};
use door_tests::{check, check_eq, fails, ok, put, respawn, role};

fn main() {
    if let Some(role) = role() {
        check!(fcntl(20, F_GETFD, 0).is_ok());
        if role == b"closed" {
            fails!(fcntl(21, F_GETFD, 0), EBADF);
        } else {
            check_eq!(ok!(fcntl(21, F_GETFD, 0)), 0);
        }
        return;
    }
    put(b"f", b"");
    let f = ok!(open(b"f", OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0));
    check_eq!(ok!(capsule_sys::dup(f.raw(), 20, false)), 20);
    check_eq!(ok!(capsule_sys::dup(f.raw(), 21, true)), 21);
    check_eq!(respawn(&[b"closed"], Vec::new()), WaitStatus::Exited(0));
    check_eq!(respawn(&[b"open"], vec![FdAction::Dup2 { from: 21, to: 21 }]), WaitStatus::Exited(0));
}

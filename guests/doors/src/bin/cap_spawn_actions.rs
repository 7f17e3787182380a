//! Descriptor actions are carried out in order, in the new process only.
use capsule_sys::{FdAction, OpenFlags, WaitStatus, fcntl, open, read_to_end, write_all};
use door_tests::{check, check_eq, fails, get, ok, put, respawn, role};

fn main() {
    if role().is_some() {
        check_eq!(ok!(read_to_end(0)), b"input");
        ok!(write_all(1, b"to one "));
        ok!(write_all(2, b"to two "));
        ok!(write_all(9, b"to nine"));
        fails!(fcntl(8, capsule_sys::F_GETFD, 0), EBADF);
        return;
    }
    put(b"in", b"input");
    let out = ok!(open(b"out", OpenFlags::WRONLY | OpenFlags::CREAT, 0o644));
    let spare = ok!(capsule_sys::dup(out.raw(), 8, false));
    let actions = vec![
        FdAction::Open { fd: 0, path: b"in".to_vec(), flags: 0, mode: 0 },
        FdAction::Dup2 { from: out.raw(), to: 1 },
        FdAction::Dup2 { from: 1, to: 2 },
        FdAction::Dup2 { from: spare, to: 9 },
        FdAction::Close { fd: spare },
    ];
    check_eq!(respawn(&[b"child"], actions), WaitStatus::Exited(0));
    check_eq!(get(b"out"), b"to one to two to nine");
    check!(fcntl(spare, capsule_sys::F_GETFD, 0).is_ok());
}

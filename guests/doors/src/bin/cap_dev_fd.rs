//! `/dev/fd/N`, `/dev/stdin` and its friends are the process's own descriptors.
use capsule_sys::{FdAction, OpenFlags, WaitStatus, fork, open, pipe, read_to_end, write_all};
use door_tests::{check, check_eq, get, ok, put, respawn, role, wait_for};

fn main() {
    if role().is_some() {
        check_eq!(get(b"/dev/stdin"), b"from the file");
        let out = ok!(open(b"/dev/stdout", OpenFlags::WRONLY, 0));
        ok!(write_all(out.raw(), b"to the file"));
        return;
    }
    let (from, to) = ok!(pipe(OpenFlags(0)));
    let pid = ok!(fork(|| {
        let name = format!("/dev/fd/{}", to.raw());
        let again = ok!(open(name.as_bytes(), OpenFlags::WRONLY, 0));
        check!(again.raw() != to.raw());
        ok!(write_all(again.raw(), b"through the name"));
        0
    }));
    ok!(to.close());
    let name = format!("/dev/fd/{}", from.raw());
    let again = ok!(open(name.as_bytes(), OpenFlags::RDONLY, 0));
    check_eq!(ok!(read_to_end(again.raw())), b"through the name");
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    check!(open(b"/dev/fd/99", OpenFlags::RDONLY, 0).is_err());
    put(b"in", b"from the file");
    let flags = (OpenFlags::WRONLY | OpenFlags::CREAT).0;
    let actions = vec![
        FdAction::Open { fd: 0, path: b"in".to_vec(), flags: 0, mode: 0 },
        FdAction::Open { fd: 1, path: b"out".to_vec(), flags, mode: 0o644 },
    ];
    check_eq!(respawn(&[b"child"], actions), WaitStatus::Exited(0));
    check_eq!(get(b"out"), b"to the file");
}

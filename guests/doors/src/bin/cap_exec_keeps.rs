//! `exec` keeps the process id, the descriptors that are not close-on-exec, the directory and the umask.
use capsule_sys::{
    F_GETFD, OpenFlags, SpawnRequest, WaitStatus, args, exec, fcntl, fork, getcwd, getpid, mkdir, open, umask,
};
use door_tests::{again, check, check_eq, fails, ok, put, wait_for};

fn main() {
    if let [_, pid] = args().as_slice() {
        check_eq!(getpid().to_string().as_bytes(), pid.as_slice());
        check!(fcntl(30, F_GETFD, 0).is_ok());
        fails!(fcntl(31, F_GETFD, 0), EBADF);
        check!(ok!(getcwd()).ends_with(b"/dir"));
        check_eq!(umask(0), 0o27);
        return;
    }
    put(b"f", b"");
    ok!(mkdir(b"dir", 0o755));
    let f = ok!(open(b"f", OpenFlags::RDONLY, 0));
    ok!(capsule_sys::dup(f.raw(), 30, false));
    ok!(capsule_sys::dup(f.raw(), 31, true));
    let pid = ok!(fork(|| {
        umask(0o27);
        let request = SpawnRequest { cwd: Some(b"dir".to_vec()), ..again(&[getpid().to_string().as_bytes()]) };
        let why = exec(&request);
        check_eq!(why.name(), "never");
        1
    }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
}

//! The limit on open files is told, lowered, and met with EMFILE.
use capsule_sys::{Fd, OpenFlags, Resource, getrlimit, open, pipe, setrlimit};
use door_tests::{check, check_eq, fails, ok};

fn main() {
    let (soft, hard) = ok!(getrlimit(Resource::OpenFiles));
    check!(soft <= hard && soft >= 20);
    ok!(setrlimit(Resource::OpenFiles, 16, hard));
    check_eq!(ok!(getrlimit(Resource::OpenFiles)).0, 16);
    let mut held: Vec<Fd> = Vec::new();
    let why = loop {
        match open(b"/dev/null", OpenFlags::RDONLY, 0) {
            Ok(fd) => held.push(fd),
            Err(e) => break e,
        }
        check!(held.len() < 20);
    };
    check_eq!(why, capsule_sys::Errno::EMFILE);
    check_eq!(held.last().map(Fd::raw), Some(15));
    fails!(pipe(OpenFlags(0)), EMFILE);
    fails!(capsule_sys::dup(0, 0, false), EMFILE);
    fails!(capsule_sys::dup2(0, 16, OpenFlags(0)), EBADF);
    held.pop();
    ok!(open(b"/dev/null", OpenFlags::RDONLY, 0));
    fails!(setrlimit(Resource::OpenFiles, 20, 10), EINVAL);
    ok!(setrlimit(Resource::OpenFiles, 16, 16));
    check_eq!(ok!(getrlimit(Resource::OpenFiles)), (16, 16));
}

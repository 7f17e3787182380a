//! Every function answers EFAULT to an address outside of memory, and nothing else happens.
use capsule_abi::fs::AT_FDCWD as CWD;
use door_tests::{BAD, at, cap, check, check_eq, ok};

fn main() {
    let fault = -capsule_sys::Errno::EFAULT.linux();
    let name = b"name";
    let (good, len) = (at(name), name.len() as i32);
    let dir = ok!(capsule_sys::open(b".", capsule_sys::OpenFlags::RDONLY, 0));
    for bad in BAD {
        check_eq!(cap::spawn(bad, 64), fault);
        check_eq!(cap::exec(bad, 64), fault);
        check_eq!(cap::getids(bad), fault);
        check_eq!(cap::signal_mask(0, bad, 0), fault);
        check_eq!(cap::signal_mask(0, 0, bad), fault);
        check_eq!(cap::getrlimit(7, bad), fault);
        check_eq!(cap::setrlimit(7, bad), fault);
        check_eq!(cap::getrusage(0, bad), fault);
        check_eq!(cap::open(CWD, bad, 16, 0, 0), fault);
        check_eq!(cap::pipe(bad, 0), fault);
        check_eq!(cap::poll(bad, 2, 0), fault);
        check_eq!(cap::getdents(dir.raw(), bad, 4096), fault);
        check_eq!(cap::stat(CWD, bad, 16, 0, good), fault);
        check_eq!(cap::stat(CWD, at(b"."), 1, 0, bad), fault);
        check_eq!(cap::statfs(CWD, bad, 16, good), fault);
        check_eq!(cap::statfs(CWD, at(b"."), 1, bad), fault);
        check_eq!(cap::access(CWD, bad, 16, 0, 0), fault);
        check_eq!(cap::chmod(CWD, bad, 16, 0, 0), fault);
        check_eq!(cap::chown(CWD, bad, 16, 0, 0, 0), fault);
        check_eq!(cap::utimens(CWD, bad, 16, good, 0), fault);
        check_eq!(cap::utimens(CWD, good, len, bad, 0), fault);
        check_eq!(cap::truncate(CWD, bad, 16, 0), fault);
        check_eq!(cap::mkdir(CWD, bad, 16, 0o755), fault);
        check_eq!(cap::mkfifo(CWD, bad, 16, 0o644), fault);
        check_eq!(cap::symlink(bad, 16, CWD, good, len), fault);
        check_eq!(cap::symlink(good, len, CWD, bad, 16), fault);
        check_eq!(cap::readlink(CWD, bad, 16, good, len), fault);
        check_eq!(cap::link(CWD, bad, 16, CWD, good, len, 0), fault);
        check_eq!(cap::link(CWD, good, len, CWD, bad, 16, 0), fault);
        check_eq!(cap::unlink(CWD, bad, 16, 0), fault);
        check_eq!(cap::rename(CWD, bad, 16, CWD, good, len, 0), fault);
        check_eq!(cap::rename(CWD, good, len, CWD, bad, 16, 0), fault);
        check_eq!(cap::chdir(bad, 16), fault);
        check_eq!(cap::getcwd(bad, 4096), fault);
        check_eq!(cap::http_open(bad, 64), fault);
        check_eq!(cap::http_head(0, bad, 64), fault);
        check_eq!(cap::http_error(0, bad, 64), fault);
    }
    // A length that runs out of memory is as bad as an address that is out of it.
    let long = -capsule_sys::Errno::ENAMETOOLONG.linux();
    check!([fault, long].contains(&cap::open(CWD, good, -1, 0, 0)));
    check_eq!(cap::getcwd(good, -1), fault);
    let big = -capsule_sys::Errno::E2BIG.linux();
    check!([fault, big].contains(&cap::spawn(good, -1)));
    check_eq!(ok!(capsule_sys::read_dir(b".")).count(), 0);
}

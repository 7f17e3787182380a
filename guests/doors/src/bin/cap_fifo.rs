//! A FIFO's opener waits for the other side, then it is a pipe.
use capsule_sys::{Errno, FileType, OpenFlags, WaitStatus, fork, mkfifo, open, read_to_end, stat, umask, write_all};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    umask(0o22);
    ok!(mkfifo(b"fifo", 0o666));
    let s = ok!(stat(b"fifo"));
    check_eq!((s.kind, s.mode), (FileType::Fifo, 0o644));
    fails!(mkfifo(b"fifo", 0o666), EEXIST);
    fails!(open(b"fifo", OpenFlags::WRONLY | OpenFlags::NONBLOCK, 0), ENXIO);
    let pid = ok!(fork(|| {
        let to = ok!(open(b"fifo", OpenFlags::WRONLY, 0));
        ok!(write_all(to.raw(), b"through the fifo"));
        0
    }));
    let from = ok!(open(b"fifo", OpenFlags::RDONLY, 0));
    check_eq!(ok!(read_to_end(from.raw())), b"through the fifo");
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
    // Without waiting a reader comes in at once, and the pipe is at its end while nobody writes.
    let idle = ok!(open(b"fifo", OpenFlags::RDONLY | OpenFlags::NONBLOCK, 0));
    check_eq!(capsule_sys::read(idle.raw(), &mut [0]), Ok(0));
    let writer = ok!(open(b"fifo", OpenFlags::WRONLY | OpenFlags::NONBLOCK, 0));
    check_eq!(capsule_sys::read(idle.raw(), &mut [0]), Err(Errno::EAGAIN));
    drop(writer);
}

//! Pipes and FIFOs between processes.

mod common;

use capsule_abi::Errno;
use capsule_abi::door::{POLLIN, POLLNVAL};
use capsule_abi::fs::{AT_FDCWD, OpenFlags};
use capsule_abi::process::{FdAction, SpawnRequest, WaitStatus};
use capsule_abi::signal::Signal;
use capsule_kernel::{Exit, PollFd, Process};
use common::{OK, Scripts, read, read_all, request, write};
use std::sync::Arc;
use std::time::Duration;

fn with_fd(path: &str, from: i32, to: i32, closing: &[i32]) -> SpawnRequest {
    let mut actions = vec![FdAction::Dup2 { from, to }];
    actions.extend(closing.iter().map(|&fd| FdAction::Close { fd }));
    SpawnRequest { actions, ..request(path, &[]) }
}

#[tokio::test]
async fn a_megabyte_streams_through_a_pipe() {
    let machine = Scripts::default()
        .add("writer", |p: Arc<Process>| async move {
            let block: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
            for _ in 0..10 {
                write(&p, 1, &block).await.unwrap();
            }
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let (r, w) = p.pipe(OpenFlags::default()).unwrap();
            p.spawn(with_fd("/bin/writer", w, 1, &[r, w])).await.unwrap();
            p.close(w).unwrap();
            let all = read_all(&p, r).await.unwrap();
            assert_eq!(all.len(), 1_000_000);
            assert!(all.iter().enumerate().all(|(i, &b)| b == (i % 100_000) as u8));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.kernel.all_ended().await;
}

#[tokio::test]
async fn a_writer_without_readers_dies_of_sigpipe() {
    let machine = Scripts::default()
        .add("yes", |p: Arc<Process>| async move {
            loop {
                if write(&p, 1, b"y\n").await == Err(Errno::EPIPE) {
                    return OK;
                }
            }
        })
        .add("main", |p: Arc<Process>| async move {
            let (r, w) = p.pipe(OpenFlags::default()).unwrap();
            let pid = p.spawn(with_fd("/bin/yes", w, 1, &[r, w])).await.unwrap();
            p.close(w).unwrap();
            read(&p, r, 10).await.unwrap();
            p.close(r).unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Signaled(13));
            // Who ignores the signal sees the error.
            p.signal_action(13, 1).unwrap();
            let (r, w) = p.pipe(OpenFlags::default()).unwrap();
            p.close(r).unwrap();
            assert_eq!(write(&p, w, b"x").await, Err(Errno::EPIPE));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_many_writers_are_not_torn() {
    let machine = Scripts::default()
        .add("writer", |p: Arc<Process>| async move {
            let letter = b'a' + (p.pid() % 26) as u8;
            for _ in 0..50 {
                write(&p, 1, &[letter; 4096]).await.unwrap();
            }
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let (r, w) = p.pipe(OpenFlags::default()).unwrap();
            for _ in 0..8 {
                p.spawn(with_fd("/bin/writer", w, 1, &[r, w])).await.unwrap();
            }
            p.close(w).unwrap();
            let all = read_all(&p, r).await.unwrap();
            assert_eq!(all.len(), 8 * 50 * 4096);
            assert!(all.chunks(4096).all(|block| block.iter().all(|b| *b == block[0])));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn a_process_is_killed_while_it_waits() {
    let machine = Scripts::default()
        .add("reader", |p: Arc<Process>| async move {
            let (r, _w) = p.pipe(OpenFlags::default()).unwrap();
            assert_eq!(read(&p, r, 1).await, Err(Errno::EINTR));
            OK
        })
        .add("writer", |p: Arc<Process>| async move {
            let (_r, w) = p.pipe(OpenFlags::default()).unwrap();
            assert_eq!(write(&p, w, &[0; 1 << 20]).await, Err(Errno::EINTR));
            OK
        })
        .add("sleeper", |p: Arc<Process>| async move {
            assert_eq!(p.sleep(Duration::from_secs(3600)).await, Err(Errno::EINTR));
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            for path in ["/bin/reader", "/bin/writer", "/bin/sleeper"] {
                let pid = p.spawn(request(path, &[])).await.unwrap();
                tokio::task::yield_now().await;
                p.kill(pid, 9).unwrap();
                assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Signaled(9), "{path}");
            }
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn a_fifo_joins_those_who_open_it() {
    let machine = Scripts::default()
        .add("writer", |p: Arc<Process>| async move {
            let fd = p.open(AT_FDCWD, b"/tmp/fifo", OpenFlags::WRONLY, 0, 3).await.unwrap();
            write(&p, fd, b"through").await.unwrap();
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            p.mkfifo(AT_FDCWD, b"/tmp/fifo", 0o600).unwrap();
            let nonblocking = OpenFlags::WRONLY | OpenFlags::NONBLOCK;
            assert_eq!(p.open(AT_FDCWD, b"/tmp/fifo", nonblocking, 0, 3).await, Err(Errno::ENXIO));
            p.spawn(request("/bin/writer", &[])).await.unwrap();
            let fd = p.open(AT_FDCWD, b"/tmp/fifo", OpenFlags::RDONLY, 0, 3).await.unwrap();
            assert_eq!(read_all(&p, fd).await.unwrap(), b"through");
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn poll_tells_what_is_ready() {
    let machine = Scripts::default()
        .add("late", |p: Arc<Process>| async move {
            p.sleep(Duration::from_millis(1)).await.unwrap();
            write(&p, 1, b"x").await.unwrap();
            p.pause().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let (r, w) = p.pipe(OpenFlags::default()).unwrap();
            let pid = p.spawn(with_fd("/bin/late", w, 1, &[r, w])).await.unwrap();
            let mut fds = [PollFd { fd: r, events: POLLIN, revents: 0 }];
            assert_eq!(p.poll(&mut fds, Some(Duration::ZERO)).await, Ok(0));
            assert_eq!(p.poll(&mut fds, None).await, Ok(1));
            assert_eq!(fds[0].revents, POLLIN);
            let mut fds =
                [PollFd { fd: 77, events: POLLIN, revents: 0 }, PollFd { fd: -1, events: POLLIN, revents: 0 }];
            assert_eq!(p.poll(&mut fds, None).await, Ok(1));
            assert_eq!((fds[0].revents, fds[1].revents), (POLLNVAL, 0));
            p.kill(pid, Signal::TERM.number().into()).unwrap();
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.kernel.all_ended().await;
}

#[tokio::test]
async fn descriptors_share_an_offset_and_dev_fd_does_not() {
    let machine = Scripts::default()
        .add("main", |p: Arc<Process>| async move {
            let fd = p.open(AT_FDCWD, b"/tmp/data", OpenFlags::RDONLY, 0, 3).await.unwrap();
            let twin = p.dup(fd, 0, false).unwrap();
            assert_eq!(read(&p, fd, 2).await.unwrap(), b"ab");
            assert_eq!(read(&p, twin, 2).await.unwrap(), b"cd");
            let path = format!("/dev/fd/{fd}");
            let fresh = p.open(AT_FDCWD, path.as_bytes(), OpenFlags::RDONLY, 0, 0).await.unwrap();
            assert_eq!(read(&p, fresh, 2).await.unwrap(), b"ab");
            assert_eq!(p.open(AT_FDCWD, b"/dev/fd/99", OpenFlags::RDONLY, 0, 0).await, Err(Errno::ENOENT));
            OK
        })
        .boot();
    machine.write("/tmp/data", b"abcdef", 0o644);
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn descriptors_are_limited_per_process_and_per_session() {
    use capsule_abi::limits::{Limit, Limits};
    let mut limits = Limits::default();
    limits.set(Limit::OpenFiles, 50);
    let flood = |p: Arc<Process>| async move {
        let errno = loop {
            if let Err(e) = p.dup(1, 0, false) {
                break e;
            }
        };
        Exit::Code(errno.linux() as u8)
    };
    let machine = Scripts::default().add("flood", flood).boot_with(limits);
    assert_eq!(machine.run("flood", &[]).await.0, WaitStatus::Exited(Errno::ENFILE.linux() as u8));
    assert!(machine.kernel.limit_hits()[0].to_string().contains("open-files limit of 50"));
    machine.assert_empty().await;
    let machine = Scripts::default().add("flood", flood).boot();
    assert_eq!(machine.run("flood", &[]).await.0, WaitStatus::Exited(Errno::EMFILE.linux() as u8));
    machine.assert_empty().await;
}

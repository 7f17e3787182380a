//! Starting, ending, waiting.

mod common;

use capsule_abi::Errno;
use capsule_abi::fs::{AT_FDCWD, OpenFlags};
use capsule_abi::limits::{Limit, Limits};
use capsule_abi::process::{FdAction, SpawnRequest, WNOHANG, WaitStatus};
use capsule_abi::signal::Signal;
use capsule_kernel::{Exit, Process};
use common::{OK, Scripts, request, say};
use std::sync::Arc;

#[tokio::test]
async fn a_child_is_spawned_and_waited_for() {
    let machine = Scripts::default()
        .add("three", |_| async { Exit::Code(3) })
        .add("main", |p: Arc<Process>| async move {
            let pid = p.spawn(request("/bin/three", &[])).await.unwrap();
            let waited = p.wait(pid, 0).await.unwrap().unwrap();
            assert_eq!((waited.pid, waited.status), (pid, WaitStatus::Exited(3)));
            assert_eq!(p.wait(-1, 0).await, Err(Errno::ECHILD));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn wait_any_finds_each_child_once() {
    let machine = Scripts::default()
        .add("exit", |p: Arc<Process>| async move { Exit::Code(p.argv()[1][0] - b'0') })
        .add("main", |p: Arc<Process>| async move {
            for code in ["1", "2", "3"] {
                p.spawn(request("/bin/exit", &[code])).await.unwrap();
            }
            let mut codes = Vec::new();
            while let Ok(Some(waited)) = p.wait(-1, 0).await {
                codes.push(waited.status.shell_code());
            }
            codes.sort();
            assert_eq!(codes, [1, 2, 3]);
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn wait_without_hanging() {
    let machine = Scripts::default()
        .add("sleeper", |p: Arc<Process>| async move {
            p.pause().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let pid = p.spawn(request("/bin/sleeper", &[])).await.unwrap();
            assert_eq!(p.wait(pid, WNOHANG).await, Ok(None));
            p.kill(pid, 15).unwrap();
            let status = p.wait(pid, 0).await.unwrap().unwrap().status;
            assert_eq!(status, WaitStatus::Signaled(15));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn orphans_go_to_the_kernel_and_leave_nothing() {
    let machine = Scripts::default()
        .add("sleeper", |p: Arc<Process>| async move {
            p.pause().await;
            OK
        })
        .add("quick", |_| async { OK })
        .add("main", |p: Arc<Process>| async move {
            p.spawn(request("/bin/sleeper", &[])).await.unwrap();
            p.spawn(request("/bin/quick", &[])).await.unwrap();
            OK
        })
        .boot();
    machine.run("main", &[]).await;
    for orphan in machine.kernel.processes() {
        assert_eq!(orphan.ppid(), 1);
    }
    machine.kernel.kill_all(Signal::KILL);
    machine.assert_empty().await;
}

#[tokio::test]
async fn zombies_count_until_they_are_waited_for() {
    let mut limits = Limits::default();
    limits.set(Limit::Processes, 4);
    let machine = Scripts::default()
        .add("quick", |_| async { OK })
        .add("main", |p: Arc<Process>| async move {
            let mut pids = Vec::new();
            let refused = loop {
                match p.spawn(request("/bin/quick", &[])).await {
                    Ok(pid) => pids.push(pid),
                    Err(e) => break e,
                }
                // Let it end: it stays as a zombie.
                p.kernel().process(pids[pids.len() - 1]).unwrap().ended().await;
            };
            assert_eq!((pids.len(), refused.errno), (3, Errno::EAGAIN));
            p.wait(-1, 0).await.unwrap();
            p.spawn(request("/bin/quick", &[])).await.unwrap();
            OK
        })
        .boot_with(limits);
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    let hits = machine.kernel.limit_hits();
    assert!(hits[0].to_string().contains("the processes limit of 4 was reached"), "{}", hits[0]);
    machine.assert_empty().await;
}

#[tokio::test]
async fn a_panic_in_a_program_is_one_dead_process() {
    let machine = Scripts::default()
        .add("panics", |_| async { panic!("a program of the host failed") })
        .add("main", |p: Arc<Process>| async move {
            let pid = p.spawn(request("/bin/panics", &[])).await.unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Signaled(6));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn exec_keeps_the_process_and_closes_what_it_should() {
    let machine = Scripts::default()
        .add("after", |p: Arc<Process>| async move {
            assert_eq!(p.open_fds(), [1, 3]);
            say(&p, &format!("{} {}", p.pid(), String::from_utf8_lossy(&p.argv()[1]))).await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            p.open(AT_FDCWD, b"/tmp", OpenFlags::CLOEXEC, 0, 0).await.unwrap();
            p.open(AT_FDCWD, b"/tmp", OpenFlags::default(), 0, 3).await.unwrap();
            p.exec(request("/bin/after", &["arg"])).await.unwrap();
            Exit::Exec
        })
        .boot();
    let (process, output) = machine.start("main", &[]).await;
    assert_eq!(process.ended().await, WaitStatus::Exited(0));
    assert_eq!(output.take(), format!("{} arg", process.pid()).into_bytes());
    machine.assert_empty().await;
}

#[tokio::test]
async fn a_failed_exec_changes_nothing() {
    let machine = Scripts::default()
        .add("main", |p: Arc<Process>| async move {
            let fd = p.open(AT_FDCWD, b"/tmp", OpenFlags::CLOEXEC, 0, 0).await.unwrap();
            assert_eq!(p.exec(request("/bin/none", &[])).await.unwrap_err().errno, Errno::ENOENT);
            assert_eq!(p.exec(request("/tmp", &[])).await.unwrap_err().errno, Errno::EACCES);
            assert!(p.description(fd).is_ok());
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn what_can_be_executed() {
    let machine = Scripts::default()
        .add("bash", |p: Arc<Process>| async move {
            say(
                &p,
                &format!("{:?};", p.argv().iter().map(|a| String::from_utf8_lossy(a).into_owned()).collect::<Vec<_>>()),
            )
            .await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            for path in ["/tmp/interpreted", "/tmp/text"] {
                let pid = p.spawn(request(path, &["a"])).await.unwrap();
                p.wait(pid, 0).await.unwrap();
            }
            for (path, errno) in [
                ("/tmp/binary", Errno::ENOEXEC),
                ("/tmp/plain", Errno::EACCES),
                ("/tmp/loop", Errno::ELOOP),
                ("/tmp/lost", Errno::ENOENT),
            ] {
                assert_eq!(p.spawn(request(path, &[])).await.unwrap_err().errno, errno, "{path}");
            }
            OK
        })
        .boot();
    machine.write("/tmp/interpreted", b"#! /bin/bash -x y\n", 0o755);
    machine.write("/tmp/text", b"echo hi\n", 0o755);
    machine.write("/tmp/binary", b"\x7fELF\0\0\0", 0o755);
    machine.write("/tmp/plain", b"#!/bin/bash\n", 0o644);
    machine.write("/tmp/loop", b"#!/tmp/loop\n", 0o755);
    machine.write("/tmp/lost", b"#!/bin/lost\n", 0o755);
    let (status, output) = machine.run("main", &[]).await;
    assert_eq!(status, WaitStatus::Exited(0));
    assert_eq!(output, r#"["/bin/bash", "-x y", "/tmp/interpreted", "a"];["/bin/bash", "/tmp/text", "a"];"#);
    machine.assert_empty().await;
}

#[tokio::test]
async fn spawn_arranges_descriptors_directory_and_group() {
    let machine = Scripts::default()
        .add("child", |p: Arc<Process>| async move {
            assert_eq!(p.open_fds(), [1, 5, 7]);
            assert_eq!(p.getcwd().unwrap(), b"/tmp");
            assert_eq!(p.pgid(), p.pid());
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let fd = p.open(AT_FDCWD, b"/tmp", OpenFlags::CLOEXEC, 0, 3).await.unwrap();
            let open = FdAction::Open {
                fd: 7,
                path: b"made".to_vec(),
                flags: (OpenFlags::CREAT | OpenFlags::WRONLY).0,
                mode: 0o600,
            };
            let request = SpawnRequest {
                cwd: Some(b"/tmp".to_vec()),
                actions: vec![FdAction::Dup2 { from: fd, to: 5 }, open],
                pgid: Some(0),
                ..request("/bin/child", &[])
            };
            let pid = p.spawn(request).await.unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Exited(0));
            let bad = SpawnRequest { actions: vec![FdAction::Close { fd: 99 }], ..common::request("/bin/child", &[]) };
            assert_eq!(p.spawn(bad).await.unwrap_err().errno, Errno::EBADF);
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn arguments_are_bounded() {
    let machine = Scripts::default()
        .add("main", |p: Arc<Process>| async move {
            let huge = "x".repeat(3 << 20);
            assert_eq!(p.spawn(request("/bin/main", &[&huge])).await.unwrap_err().errno, Errno::E2BIG);
            assert_eq!(p.spawn(request("/bin/main", &["a\0b"])).await.unwrap_err().errno, Errno::EINVAL);
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn a_process_killed_while_it_spawns_leaves_no_half_made_child() {
    let machine = Scripts::default()
        .add("quick", |_| async { OK })
        .add("spawner", |p: Arc<Process>| async move {
            // The child would wait for ever for the other end of the FIFO before it could run.
            let open = FdAction::Open { fd: 0, path: b"/tmp/fifo".to_vec(), flags: 0, mode: 0 };
            let request = SpawnRequest { actions: vec![open], ..request("/bin/quick", &[]) };
            assert_eq!(p.spawn(request).await.unwrap_err().errno, Errno::EINTR);
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            p.mkfifo(AT_FDCWD, b"/tmp/fifo", 0o600).unwrap();
            let pid = p.spawn(request("/bin/spawner", &[])).await.unwrap();
            tokio::task::yield_now().await;
            p.kill(pid, 9).unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Signaled(9));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

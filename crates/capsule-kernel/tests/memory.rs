//! What processes make the host keep is their session's memory: it is refused when there is none left, by name, and
//! given back when it goes.

mod common;

use capsule_abi::Errno;
use capsule_abi::fs::{AT_FDCWD, OpenFlags};
use capsule_abi::limits::{Limit, Limits};
use capsule_abi::process::{FdAction, SpawnRequest, WaitStatus};
use capsule_kernel::Process;
use common::{OK, Scripts, request};
use std::sync::Arc;

fn limits(memory: u64) -> Limits {
    let mut limits = Limits::default();
    limits.set(Limit::Memory, memory);
    limits
}

/// Fills pipes and leaves the bytes in them, until somebody objects.
async fn fill_pipes(process: &Process) -> (usize, Errno) {
    for full in 0.. {
        let (_, writer) = process.pipe(OpenFlags::NONBLOCK).unwrap();
        let description = process.description(writer).unwrap();
        process.close(writer).unwrap();
        if let Err(errno) = process.try_write(&*description, &[1; 1 << 16]) {
            return (full, errno);
        }
    }
    unreachable!("pipes without end")
}

#[tokio::test]
async fn full_pipes_are_memory() {
    let machine = Scripts::default()
        .add("main", |p: Arc<Process>| async move {
            assert_eq!(fill_pipes(&p).await, (16, Errno::ENOMEM));
            OK
        })
        .boot_with(limits(1 << 20));
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    let hit = machine.kernel.limit_hits()[0].to_string();
    assert!(hit.contains("the memory limit of 1 MiB was reached: writing to a pipe was refused"), "{hit}");
    machine.assert_empty().await;
}

#[tokio::test]
async fn so_are_full_fifos() {
    let machine = Scripts::default()
        .add("main", |p: Arc<Process>| async move {
            p.mkfifo(AT_FDCWD, b"/fifo", 0o600).unwrap();
            let both = p.open(AT_FDCWD, b"/fifo", OpenFlags::RDWR | OpenFlags::NONBLOCK, 0, 0).await.unwrap();
            let description = p.description(both).unwrap();
            assert_eq!(p.try_write(&*description, &[1; 1 << 16]), Ok(1 << 16));
            assert_eq!(p.kernel().budget().used(Limit::Memory), 1 << 16);
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn arguments_are_memory() {
    let machine = Scripts::default()
        .add("waits", |p: Arc<Process>| async move {
            p.pause().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let long = SpawnRequest { argv: vec![b"x".to_vec(); 100_000], ..request("/bin/waits", &[]) };
            let mut children = Vec::new();
            let refused = loop {
                match p.spawn(long.clone()).await {
                    Ok(pid) => children.push(pid),
                    Err(error) => break error.errno,
                }
            };
            // A string costs the host 64 bytes and its own.
            assert_eq!((children.len(), refused), ((32 << 20) / 6_500_000, Errno::ENOMEM));
            for pid in children {
                p.kill(pid, 9).unwrap();
                let child = p.kernel().process(pid).unwrap();
                child.ended().await;
                assert!(child.argv().is_empty(), "a zombie keeps none");
            }
            assert_eq!(p.kernel().budget().used(Limit::Memory), 0);
            OK
        })
        .boot_with(limits(32 << 20));
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn a_request_without_end_is_too_long() {
    let machine = Scripts::default()
        .add("main", |p: Arc<Process>| async move {
            let actions = vec![FdAction::Dup2 { from: 1, to: 5 }; 100_000];
            let many = SpawnRequest { actions, ..request("/bin/main", &[]) };
            assert_eq!(p.spawn(many).await.unwrap_err().errno, Errno::E2BIG);
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

/// Messages go to terminals, and the name is the guest's.
#[tokio::test]
async fn names_in_messages_are_only_text() {
    let machine = Scripts::default()
        .add("named", |p: Arc<Process>| async move {
            assert_eq!(p.name(), format!("?]0;owned?{}", "é".repeat(27)));
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let name = format!("\x1b]0;owned\x07{}", "é".repeat(1000));
            let named = SpawnRequest { argv: vec![name.into_bytes()], ..request("/bin/named", &[]) };
            let pid = p.spawn(named).await.unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Exited(0));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

//! Signals between processes, groups, stopping, time.

mod common;

use capsule_abi::Errno;
use capsule_abi::limits::{Limit, Limits};
use capsule_abi::process::{SpawnRequest, WCONTINUED, WUNTRACED, WaitStatus};
use capsule_abi::signal::Signal;
use capsule_kernel::{Checkpoint, Process};
use common::{OK, Scripts, request};
use std::sync::Arc;

#[tokio::test]
async fn a_caught_signal_interrupts_and_is_taken() {
    let machine = Scripts::default()
        .add("child", |p: Arc<Process>| async move {
            p.kill(p.ppid(), 10).unwrap();
            p.pause().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            p.signal_action(10, 2).unwrap();
            let pid = p.spawn(request("/bin/child", &[])).await.unwrap();
            assert_eq!(p.wait(pid, 0).await, Err(Errno::EINTR));
            assert_eq!(p.checkpoint(), Checkpoint::Run);
            assert_eq!(p.signal_take(), Some(Signal::USR1));
            assert_eq!(p.signal_take(), None);
            p.kill(pid, 9).unwrap();
            p.wait(pid, 0).await.unwrap();
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn exec_forgets_handlers_and_keeps_ignored_signals() {
    let machine = Scripts::default()
        .add("child", |p: Arc<Process>| async move {
            assert_eq!(p.signal_action(1, 0).unwrap() as u8, 1, "HUP is still ignored");
            assert_eq!(p.signal_action(2, 0).unwrap() as u8, 0, "INT has its default action again");
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            p.signal_action(1, 1).unwrap();
            p.signal_action(2, 2).unwrap();
            let pid = p.spawn(request("/bin/child", &[])).await.unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Exited(0));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn a_group_is_signalled_as_a_whole() {
    let machine = Scripts::default()
        .add("sleeper", |p: Arc<Process>| async move {
            p.pause().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let leader = SpawnRequest { pgid: Some(0), ..request("/bin/sleeper", &[]) };
            let group = p.spawn(leader).await.unwrap();
            let member = SpawnRequest { pgid: Some(group), ..request("/bin/sleeper", &[]) };
            p.spawn(member).await.unwrap();
            let stray = SpawnRequest { pgid: Some(4000), ..request("/bin/sleeper", &[]) };
            assert_eq!(p.spawn(stray).await.unwrap_err().errno, Errno::EPERM);
            assert_eq!(p.kill(-9999, 0), Err(Errno::ESRCH));
            assert_eq!(p.kill(-group, 99), Err(Errno::EINVAL));
            p.kill(-group, 15).unwrap();
            for _ in 0..2 {
                let waited = p.wait(-group, 0).await.unwrap().unwrap();
                assert_eq!(waited.status, WaitStatus::Signaled(15));
            }
            assert_eq!(p.kill(-group, 0), Err(Errno::ESRCH));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn stopping_and_continuing_is_told() {
    let machine = Scripts::default()
        .add("sleeper", |p: Arc<Process>| async move {
            p.pause().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            let pid = p.spawn(request("/bin/sleeper", &[])).await.unwrap();
            p.kill(pid, 19).unwrap();
            assert_eq!(p.wait(pid, WUNTRACED).await.unwrap().unwrap().status, WaitStatus::Stopped(19));
            p.kill(pid, 18).unwrap();
            assert_eq!(p.wait(pid, WCONTINUED).await.unwrap().unwrap().status, WaitStatus::Continued);
            p.kill(pid, 19).unwrap();
            // A stopped process can be killed.
            p.kill(pid, 9).unwrap();
            assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().status, WaitStatus::Signaled(9));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn ignoring_chld_reaps_children_at_once() {
    let machine = Scripts::default()
        .add("quick", |_| async { OK })
        .add("main", |p: Arc<Process>| async move {
            p.signal_action(17, 1).unwrap();
            p.spawn(request("/bin/quick", &[])).await.unwrap();
            assert_eq!(p.wait(-1, 0).await, Err(Errno::ECHILD));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

#[tokio::test]
async fn the_wall_clock_ends_a_run_by_name() {
    let mut limits = Limits::default();
    limits.set(Limit::Wall, 1_000_000);
    let machine = Scripts::default()
        .add("spin", |p: Arc<Process>| async move {
            while p.checkpoint() == Checkpoint::Run {
                tokio::task::yield_now().await;
            }
            OK
        })
        .boot_with(limits);
    assert_eq!(machine.run("spin", &[]).await.0, WaitStatus::Signaled(9));
    assert_eq!(
        machine.kernel.limit_hits()[0].to_string(),
        "capsule: the wall limit of 1ms was reached: the run was ended; raise it with --limit wall=VALUE"
    );
}

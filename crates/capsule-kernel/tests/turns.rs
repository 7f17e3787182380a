//! Who runs when: children in the turn of their parent, and what must not go wrong with that.

mod common;

use capsule_abi::process::WaitStatus;
use capsule_abi::signal::Signal;
use capsule_kernel::{Checkpoint, Exit, Process};
use common::{OK, Scripts, request, say};
use std::sync::Arc;

#[tokio::test]
async fn children_start_in_order_when_their_parent_waits() {
    let machine = Scripts::default()
        .add("name", |p: Arc<Process>| async move {
            say(&p, &String::from_utf8_lossy(&p.argv()[1])).await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            for name in ["a", "b", "c"] {
                p.spawn(request("/bin/name", &[name])).await.unwrap();
            }
            say(&p, "parent").await;
            while p.wait(-1, 0).await.is_ok() {}
            OK
        })
        .boot();
    let (process, output) = machine.start("main", &[]).await;
    assert_eq!(process.ended().await, WaitStatus::Exited(0));
    assert_eq!(String::from_utf8_lossy(&output.take()), "parentabc");
}

/// More levels than run inside one another, each with a status from the one below.
#[tokio::test]
async fn processes_may_be_nested_deeper_than_turns() {
    let machine = Scripts::default()
        .add("nest", |p: Arc<Process>| async move {
            let left: u8 = String::from_utf8_lossy(&p.argv()[1]).parse().unwrap();
            if left == 0 {
                return OK;
            }
            let pid = p.spawn(request("/bin/nest", &[&(left - 1).to_string()])).await.unwrap();
            match p.wait(pid, 0).await.unwrap().unwrap().status {
                WaitStatus::Exited(below) => Exit::Code(below + 1),
                other => panic!("{other:?}"),
            }
        })
        .boot();
    assert_eq!(machine.run("nest", &["100"]).await.0, WaitStatus::Exited(100));
    machine.assert_empty().await;
}

/// A child that only ever yields shares the one thread with its parent and its siblings.
#[tokio::test]
async fn a_busy_child_holds_up_nobody() {
    let machine = Scripts::default()
        .add("busy", |p: Arc<Process>| async move {
            while p.checkpoint() == Checkpoint::Run {
                tokio::task::yield_now().await;
            }
            Exit::Signal(Signal::KILL)
        })
        .add("quick", |_| async { Exit::Code(7) })
        .add("main", |p: Arc<Process>| async move {
            let busy = p.spawn(request("/bin/busy", &[])).await.unwrap();
            let quick = p.spawn(request("/bin/quick", &[])).await.unwrap();
            assert_eq!(p.wait(quick, 0).await.unwrap().unwrap().status, WaitStatus::Exited(7));
            p.kill(busy, Signal::KILL.number().into()).unwrap();
            assert_eq!(p.wait(busy, 0).await.unwrap().unwrap().status, WaitStatus::Signaled(9));
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

/// The parent ends, or panics, in the turn in which it started a child: the child runs all the same.
#[tokio::test]
async fn children_outlive_the_turn_of_their_parent() {
    for ending in ["ends", "panics"] {
        let machine = Scripts::default()
            .add("child", |p: Arc<Process>| async move {
                say(&p, "child").await;
                OK
            })
            .add("ends", |p: Arc<Process>| async move {
                p.spawn(request("/bin/child", &[])).await.unwrap();
                OK
            })
            .add("panics", |p: Arc<Process>| async move {
                p.spawn(request("/bin/child", &[])).await.unwrap();
                panic!("the parent fails")
            })
            .boot();
        let (process, output) = machine.start(ending, &[]).await;
        process.ended().await;
        machine.kernel.all_ended().await;
        assert_eq!(output.take(), b"child", "{ending}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_short_children_are_never_lost() {
    let machine = Scripts::default()
        .add("yields", |_| async {
            tokio::task::yield_now().await;
            OK
        })
        .add("main", |p: Arc<Process>| async move {
            for turn in 0..2000 {
                let pid = p.spawn(request("/bin/yields", &[])).await.unwrap();
                assert_eq!(p.wait(pid, 0).await.unwrap().unwrap().pid, pid, "{turn}");
            }
            OK
        })
        .boot();
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
}

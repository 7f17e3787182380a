//! A program that holds sessions: its runtimes come and go, its functions block and panic, it has many threads.

mod common;

use capsule_session::{Bash, CommandOutput, CustomCommand, RunOptions, Sessions, Stream};
use common::{builder, memory};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn output(runtime: &Runtime, bash: &Bash, command: &str) -> String {
    let answer = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), bash.run(command)).await });
    answer.expect("it does not hang").unwrap().stdout
}

#[test]
fn a_session_goes_on_in_another_runtime() {
    let bash = memory();
    for n in 1..=3 {
        assert_eq!(output(&one_thread(), &bash, "n=$((n + 1)); echo $n | cat"), format!("{n}\n"));
    }
}

#[test]
fn a_runtime_that_ends_in_the_middle_of_a_run() {
    let bash = memory();
    output(&one_thread(), &bash, "n=1");
    for flavour in [Builder::new_multi_thread, Builder::new_current_thread] {
        let runtime = flavour().worker_threads(2).enable_all().build().unwrap();
        let (sender, started) = channel();
        let (session, command) = (bash.clone(), "n=2; touch f; (sleep 1000; echo x) | cat & echo started; sleep 1000");
        let options = RunOptions {
            on_output: Some(Arc::new(move |_: Stream, _: &[u8]| sender.send(()).unwrap_or_default())),
            ..RunOptions::default()
        };
        let run = runtime.spawn(async move { session.run_with(command, options).await });
        // A runtime of one thread works only while somebody waits in it.
        while started.try_recv().is_err() {
            runtime.block_on(async { tokio::time::sleep(Duration::from_millis(10)).await });
        }
        runtime.shutdown_background();
        drop(run);
        assert_eq!(output(&one_thread(), &bash, "echo $n; ls"), "1\nf\n");
    }
}

#[test]
fn threads_with_runtimes_of_their_own_take_turns() {
    let bash = memory();
    let threads: Vec<_> = (0..6)
        .map(|_| {
            let bash = bash.clone();
            std::thread::spawn(move || {
                let runtime = one_thread();
                for _ in 0..20 {
                    output(&runtime, &bash, "n=$((n + 1)); seq 100 | wc -l > out");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(output(&one_thread(), &bash, "echo $n; cat out"), "120\n100\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_blocks_its_thread_ends_and_others_go_on() {
    let blocks = CustomCommand::new("blocks", async |_, _| {
        std::thread::sleep(Duration::from_millis(300));
        Ok::<_, String>(CommandOutput::stdout("woke\n"))
    });
    let (blocked, other) = (builder().custom_commands([blocks]).build().unwrap(), memory());
    let run = tokio::spawn(async move { blocked.run("blocks | cat").await });
    for _ in 0..20 {
        assert_eq!(other.run("echo on | cat").await.unwrap().stdout, "on\n");
    }
    assert_eq!(run.await.unwrap().unwrap().stdout, "woke\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_panics_harms_its_own_run_only() {
    let bash = memory();
    bash.run("x=1").await.unwrap();
    let session = bash.clone();
    let run = tokio::spawn(async move {
        let on_output: capsule_session::OutputListener = Arc::new(|_, _| panic!("on purpose"));
        session.run_with("echo hi; echo ho", RunOptions { on_output: Some(on_output), ..RunOptions::default() }).await
    });
    // Whether the panic is told or ends the task: it is over.
    let _ = tokio::time::timeout(Duration::from_secs(60), run).await.expect("it does not hang");
    assert_eq!(bash.run("echo $x").await.unwrap().stdout, "1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_dropped_while_it_runs() {
    for _ in 0..20 {
        let bash = memory();
        let run = tokio::spawn(async move { bash.run("while :; do echo x | cat > /dev/null; done").await });
        tokio::time::sleep(Duration::from_millis(5)).await;
        run.abort();
        let _ = run.await;
    }
    assert_eq!(memory().run("echo on").await.unwrap().stdout, "on\n");
}

/// What ten thousand sessions cost: printed, and none may keep a descriptor of the host.
#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_sessions() {
    let sessions = Sessions::new(builder());
    sessions.get("first").unwrap().run("true").await.unwrap();
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let resident = || {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        statm.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4
    };
    let (open, memory, began) = (descriptors(), resident(), std::time::Instant::now());
    for i in 0..10_000 {
        let answer =
            sessions.get(&format!("s{i}")).unwrap().run(format!("x={i}; echo {i} > f; echo $x")).await.unwrap();
        assert_eq!(answer.stdout, format!("{i}\n"));
    }
    println!(
        "{:?} each, {} KiB each, {} more descriptors",
        began.elapsed() / 10_000,
        resident().saturating_sub(memory) / 10_000,
        descriptors().saturating_sub(open)
    );
    assert!(descriptors() < open + 100);
    assert_eq!(sessions.get("s4711").unwrap().run("cat f; echo $x").await.unwrap().stdout, "4711\n4711\n");
}

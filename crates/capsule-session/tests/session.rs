//! A session as its users meet it: what is kept between runs, and what an answer tells.

mod common;

use capsule_session::{Bash, CancellationToken, Error, Feedback, Input, RunOptions, Stream};
use common::{builder, memory};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[tokio::test]
async fn the_example_of_the_documents() {
    let bash = memory();
    let answer = bash.run("mkdir src && touch src/index.ts").await.unwrap();
    assert_eq!(answer.diff.created, ["src", "src/index.ts"]);
    assert!(answer.diff.modified.is_empty() && answer.diff.deleted.is_empty());
    assert_eq!((answer.exit_code, answer.state.cwd.as_str()), (0, "/workspace"));
    assert_eq!(answer.feedback, ["Folder created ✔", "File created ✔"]);
    let json: serde_json::Value = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["stdout"], "");
    assert_eq!(json["stderr"], "");
    assert_eq!(json["exitCode"], 0);
    assert_eq!(json["diff"], serde_json::json!({"created": ["src", "src/index.ts"], "modified": [], "deleted": []}));
    assert_eq!(json["state"], serde_json::json!({"cwd": "/workspace", "env": {}}));
    assert!(json["duration"].is_f64() && json.get("truncated").is_none() && json.get("limit").is_none());
}

#[tokio::test]
async fn feedback_in_stdout_where_it_is_asked_for() {
    let bash = builder().feedback(Feedback::Stdout).build().unwrap();
    let answer = bash.run("mkdir src && touch src/index.ts").await.unwrap();
    assert_eq!(answer.stdout, "Folder created ✔\nFile created ✔");
    assert_eq!(bash.run("echo x > y; echo mine").await.unwrap().stdout, "mine\n");
}

/// The three calls of the documents.
#[tokio::test]
async fn three_calls_share_one_session() {
    let bash = memory();
    let answer = bash.run("mkdir -p /data && cd /data").await.unwrap();
    assert_eq!((answer.state.cwd.as_str(), answer.diff.created), ("/data", vec!["/data".to_owned()]));
    let script =
        "echo 'nums = [x for x in [1, 2, 3, []] if isinstance(x, int)]\nprint(sum(nums) / len(nums))' > avg.py";
    let answer = bash.run(script).await.unwrap();
    assert_eq!(answer.diff.created, ["/data/avg.py"]);
    let answer = bash.run("python3 avg.py").await.unwrap();
    assert_eq!((answer.stdout.as_str(), answer.state.cwd.as_str()), ("2.0\n", "/data"), "{answer:?}");
}

#[tokio::test]
async fn what_a_shell_knows_is_kept() {
    let bash = memory();
    bash.run("x=1; export Y=2; f() { echo f$1; }; shopt -s expand_aliases; alias g='f a'; set -u; mkdir d; cd d")
        .await
        .unwrap();
    let answer = bash.run("echo $x $Y; f 3; g; pwd; echo $-").await.unwrap();
    assert!(answer.stdout.starts_with("1 2\nf3\nfa\n/workspace/d\n"), "{answer:?}");
    assert!(answer.stdout.lines().last().unwrap().contains('u'));
    assert_eq!(answer.state.env.get("Y").map(String::as_str), Some("2"));
    assert_eq!(answer.state.env.len(), 1, "{:?}", answer.state.env);
    assert_eq!(bash.state(), answer.state);
    let failed = bash.run("false").await.unwrap();
    assert_eq!(failed.exit_code, 1);
    assert_eq!(bash.run("echo $?").await.unwrap().stdout, "1\n");
    let left = bash.run("z=9; exit 4").await.unwrap();
    assert_eq!(left.exit_code, 4);
    assert_eq!(bash.run("echo $z").await.unwrap().stdout, "9\n");
}

#[tokio::test]
async fn reset_begins_anew() {
    let bash = builder().initial_cwd("/tmp").env("GIVEN", "yes").build().unwrap();
    assert_eq!(bash.state().cwd, "/tmp");
    bash.run("cd /; touch /workspace/f /tmp/g; x=1; export Z=1; unset GIVEN").await.unwrap();
    assert_eq!(bash.state().cwd, "/");
    bash.reset().await.unwrap();
    let state = bash.state();
    assert_eq!((state.cwd.as_str(), state.env.get("GIVEN").map(String::as_str)), ("/tmp", Some("yes")));
    let answer = bash.run("pwd; ls /workspace; ls; echo [$x$Z$GIVEN]").await.unwrap();
    assert_eq!(answer.stdout, "/tmp\n[yes]\n");
}

#[tokio::test]
async fn options_of_a_run() {
    let bash = memory();
    bash.run("mkdir -p a/b; x=1").await.unwrap();
    let options = RunOptions {
        stdin: Input::Bytes(b"one\ntwo\n".to_vec()),
        env: vec![(b"V".to_vec(), b"7".to_vec())],
        cwd: Some(b"/workspace/a/b".to_vec()),
        ..RunOptions::default()
    };
    let answer = bash.run_with("wc -l; echo $V $x $PWD", options).await.unwrap();
    assert_eq!(answer.stdout, "2\n7 1 /workspace/a/b\n");
    assert_eq!(answer.state.cwd, "/workspace/a/b");
    let nowhere = RunOptions { cwd: Some(b"/nowhere".to_vec()), ..RunOptions::default() };
    let error = bash.run_with("true", nowhere).await.unwrap_err();
    assert!(error.to_string().contains("/nowhere"), "{error}");
    assert_eq!(bash.run("pwd").await.unwrap().stdout, "/workspace/a/b\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_keeps_its_files_and_the_state_before_it() {
    let bash = memory();
    bash.run("x=before; cd /tmp").await.unwrap();
    let options = RunOptions { timeout: Some(Duration::from_millis(200)), ..RunOptions::default() };
    let answer = bash.run_with("x=after; cd /; echo kept > /workspace/f; while :; do :; done", options).await.unwrap();
    assert_eq!(answer.exit_code, 137);
    assert!(
        answer.limit[0].contains("the timeout of 200ms was reached: the run was ended; give the run more time"),
        "{answer:?}"
    );
    assert!(answer.feedback.iter().any(|line| line.contains("last completed run")), "{answer:?}");
    assert_eq!((answer.state.cwd.as_str(), answer.diff.created), ("/tmp", vec!["f".to_owned()]));
    assert_eq!(bash.run("echo $x $PWD; cat /workspace/f").await.unwrap().stdout, "before /tmp\nkept\n");
    let replaced = bash.run("x=lost; exec echo gone").await.unwrap();
    assert_eq!(replaced.stdout, "gone\n");
    assert!(replaced.feedback.iter().any(|line| line.contains("last completed run")), "{replaced:?}");
    assert_eq!(bash.run("echo $x").await.unwrap().stdout, "before\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_kills() {
    let bash = memory();
    let cancel = CancellationToken::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let on_output = {
        let (cancel, seen) = (cancel.clone(), seen.clone());
        move |stream: Stream, bytes: &[u8]| {
            seen.lock().unwrap().push((stream, bytes.to_vec()));
            cancel.cancel();
        }
    };
    let options = RunOptions { cancel: Some(cancel), on_output: Some(Arc::new(on_output)), ..RunOptions::default() };
    let answer = bash.run_with("echo started >&2; sleep 1000", options).await.unwrap();
    assert_eq!((answer.exit_code, answer.stderr.as_str()), (137, "started\n"));
    assert!(answer.feedback[0].contains("cancelled"), "{answer:?}");
    assert_eq!(*seen.lock().unwrap(), [(Stream::Stderr, b"started\n".to_vec())]);
    assert_eq!(bash.run("echo on").await.unwrap().stdout, "on\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_cancelled_before_its_turn_does_not_begin() {
    let bash = memory();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let options = RunOptions { cancel: Some(cancel), ..RunOptions::default() };
    assert!(matches!(bash.run_with("touch never", options).await, Err(Error::Cancelled)));
    assert_eq!(bash.run("ls").await.unwrap().stdout, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_nobody_waits_for_ends() {
    let bash = memory();
    bash.run("x=1").await.unwrap();
    let given_up = tokio::time::timeout(Duration::from_millis(50), bash.run("x=2; touch f; sleep 1000")).await;
    assert!(given_up.is_err());
    assert_eq!(bash.run("echo $x").await.unwrap().stdout, "1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_one_session_are_queued_in_order() {
    let bash = memory();
    let tasks: Vec<_> = (0..50)
        .map(|i| {
            let mut run = Box::pin({
                let bash = bash.clone();
                async move { bash.run(format!("echo {i} >> order")).await.unwrap() }
            });
            // Asked for now, in this order; the first may be done at once, the others are run later.
            futures_poll(&mut run).is_none().then(|| tokio::spawn(run))
        })
        .collect();
    for task in tasks.into_iter().flatten() {
        task.await.unwrap();
    }
    let order = bash.run("cat order").await.unwrap().stdout;
    assert_eq!(order, (0..50).map(|i| format!("{i}\n")).collect::<String>());
}

/// Polls a future once.
fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

#[tokio::test]
async fn files_from_outside() {
    let bash = memory();
    bash.write_file("notes/a.txt", "hello").await.unwrap();
    assert_eq!(bash.run("cat notes/a.txt").await.unwrap().stdout, "hello");
    bash.run("ln -s a.txt notes/link; mkdir notes/dir; printf '\\xff' > /tmp/b").await.unwrap();
    assert_eq!(bash.read_file("notes/link").await.unwrap(), b"hello");
    assert_eq!(bash.read_file("/tmp/b").await.unwrap(), b"\xff");
    let kinds: Vec<_> = bash.list_files("notes").await.unwrap().into_iter().map(|e| (e.name, e.kind)).collect();
    assert_eq!(kinds, [("a.txt".into(), "file"), ("dir".into(), "folder"), ("link".into(), "link")]);
    for path in ["nothing", "notes", "/dev/zero"] {
        assert!(bash.read_file(path).await.is_err(), "{path}");
    }
}

#[tokio::test]
async fn guests_that_are_not_there_are_named() {
    let bash = memory();
    bash.preload("bash").await.unwrap();
    let error = bash.preload("cobol").await.unwrap_err();
    assert!(error.to_string().contains("cobol"), "{error}");
}

#[tokio::test]
async fn a_closed_session_refuses() {
    let bash = memory();
    bash.close().await.unwrap();
    assert!(matches!(bash.run("true").await, Err(Error::Closed)));
}

#[tokio::test]
async fn a_state_too_large_is_not_kept() {
    let bash = memory();
    let answer = bash.run("x=12345678; for i in {1..21}; do x=$x$x; done; echo ${#x}").await.unwrap();
    assert_eq!(answer.stdout, "16777216\n");
    assert!(answer.feedback.iter().any(|line| line.contains("16 MiB")), "{:?}", answer.feedback);
    assert_eq!(bash.run("echo [$x]").await.unwrap().stdout, "[]\n");
}

#[tokio::test]
async fn two_sessions_share_nothing() {
    let (a, b): (Bash, Bash) = (memory(), memory());
    a.run("x=1; echo a > f").await.unwrap();
    assert_eq!(b.run("echo [$x]; ls").await.unwrap().stdout, "[]\n");
}

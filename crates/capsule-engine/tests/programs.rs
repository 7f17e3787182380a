//! Programs as processes: fork, spawn, exec, and what a WASI program sees of descriptors and paths.

mod common;

use capsule_abi::process::{FdAction, SpawnRequest};
use common::{Outcome, Session, run_wat};

/// Bytes as a WAT string.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// A module with the doors' functions these tests use, a page of memory, and `put`, which writes memory to standard
/// output.
fn module(body: &str) -> String {
    format!(
        r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (import "capsule" "fork" (func $fork (param i32) (result i32)))
        (import "capsule" "spawn" (func $spawn (param i32 i32) (result i32)))
        (import "capsule" "exec" (func $exec (param i32 i32) (result i32)))
        (import "capsule" "wait" (func $wait (param i32 i32 i32) (result i32)))
        (import "capsule" "kill" (func $kill (param i32 i32) (result i32)))
        (import "capsule" "getpid" (func $getpid (result i32)))
        (memory (export "memory") 4)
        (global $sp (export "__stack_pointer") (mut i32) (i32.const 65536))
        (func $put (param $ptr i32) (param $len i32)
          (i32.store (i32.const 16) (local.get $ptr)) (i32.store (i32.const 20) (local.get $len))
          (drop (call $fd_write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 24))))
        {body})"#
    )
}

async fn run(body: &str) -> Outcome {
    run_wat(&module(body)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forked_child_has_the_memory_and_the_stack_pointer_and_its_writes_are_its_own() {
    let outcome = run(r#"
        (func (export "capsule_fork_child") (param $arg i32)
          (if (i32.ne (global.get $sp) (i32.const 60000)) (then (call $exit (i32.const 1))))
          (if (i32.ne (i32.load (i32.const 200000)) (i32.const 77)) (then (call $exit (i32.const 2))))
          (if (i32.ne (i32.load (i32.const 300000)) (i32.const 78)) (then (call $exit (i32.const 3))))
          (i32.store (i32.const 200000) (i32.const 99))
          (call $exit (i32.add (local.get $arg) (i32.const 40))))
        (func (export "_start") (local $pid i32)
          (drop (memory.grow (i32.const 4)))
          (global.set $sp (i32.const 60000))
          (i32.store (i32.const 200000) (i32.const 77)) (i32.store (i32.const 300000) (i32.const 78))
          (local.set $pid (call $fork (i32.const 2)))
          (if (i32.le_s (local.get $pid) (i32.const 0)) (then (call $exit (i32.const 10))))
          (if (i32.ne (call $wait (local.get $pid) (i32.const 0) (i32.const 1024)) (local.get $pid))
            (then (call $exit (i32.const 11))))
          (if (i32.ne (i32.load (i32.const 200000)) (i32.const 77)) (then (call $exit (i32.const 12))))
          (call $exit (i32.shr_u (i32.load (i32.const 1024)) (i32.const 8))))"#)
    .await;
    assert_eq!(outcome.code(), 42);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_returns_exits_with_zero_and_forks_can_nest() {
    let outcome = run(r#"
        (func $child (export "capsule_fork_child") (param $depth i32)
          (if (local.get $depth) (then
            (if (i32.le_s (call $fork (i32.sub (local.get $depth) (i32.const 1))) (i32.const 0)) (then unreachable))
            (if (i32.le_s (call $wait (i32.const -1) (i32.const 0) (i32.const 1024)) (i32.const 0)) (then unreachable))
            (if (i32.load (i32.const 1024)) (then unreachable)))))
        (func (export "_start") (call $child (i32.const 20)))"#)
    .await;
    assert_eq!(outcome.code(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_with_hidden_state_cannot_be_forked() {
    for extra in ["", "(global (mut i32) (i32.const 0)) (func (export \"capsule_fork_child\") (param i32))"] {
        let outcome = run(&format!(
            "{extra} (func (export \"_start\") (call $exit (i32.sub (i32.const 0) (call $fork (i32.const 0)))))"
        ))
        .await;
        assert_eq!(outcome.code(), 38, "ENOSYS");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spawn_with_actions_and_exec() {
    let session = Session::new();
    session.put_wat(
        "/bin/hello",
        &module(r#"(data (i32.const 100) "hello") (func (export "_start") (call $put (i32.const 100) (i32.const 5)))"#),
    );
    let open = FdAction::Open { fd: 1, path: b"out".to_vec(), flags: 0o101, mode: 0o644 };
    let to_file = SpawnRequest {
        path: b"/bin/hello".to_vec(),
        argv: vec![b"hello".to_vec()],
        actions: vec![open],
        ..Default::default()
    };
    let plain = SpawnRequest { actions: vec![], ..to_file.clone() };
    let (to_file, plain) = (to_file.to_wire(), plain.to_wire());
    session.put_wat(
        "/bin/x",
        &module(&format!(
            r#"(data (i32.const 1000) "{}") (data (i32.const 2000) "{}")
        (func (export "_start")
          (drop (call $wait (call $spawn (i32.const 1000) (i32.const {})) (i32.const 0) (i32.const 0)))
          (drop (call $exec (i32.const 2000) (i32.const {})))
          unreachable)"#,
            escaped(&to_file),
            escaped(&plain),
            to_file.len(),
            plain.len()
        )),
    );
    let outcome = session.run(&["x"]).await;
    assert_eq!((outcome.code(), outcome.stdout.as_slice()), (0, &b"hello"[..]), "{outcome:?}");
    assert_eq!(session.read("/workspace/out").unwrap(), b"hello");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spawning_what_cannot_run_says_why() {
    let session = Session::new();
    session.put_wat("/bin/bad", "(module (import \"env\" \"foo\" (func)) (func (export \"_start\")))");
    let request = SpawnRequest { path: b"/bin/bad".to_vec(), ..Default::default() }.to_wire();
    session.put_wat(
        "/bin/x",
        &module(&format!(
            r#"(data (i32.const 1000) "{}")
        (func (export "_start") (call $exit (i32.sub (i32.const 0) (call $spawn (i32.const 1000) (i32.const {})))))"#,
            escaped(&request),
            request.len()
        )),
    );
    let outcome = session.run(&["x"]).await;
    assert_eq!(outcome.code(), 8, "ENOEXEC");
    assert_eq!(outcome.stderr, "capsule: /bin/bad: unknown import env.foo\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_oneself_does_not_return() {
    let outcome =
        run(r#"(func (export "_start") (drop (call $kill (call $getpid) (i32.const 15))) (call $exit (i32.const 1)))"#)
            .await;
    assert_eq!(outcome.code(), 143);
}

const PATHS: &str = r#"(module
    (import "wasi_snapshot_preview1" "path_open"
      (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    NATIVE
    (memory (export "memory") 1) (data (i32.const 100) "NAME") (data (i32.const 0) "\64\00\00\00\02\00\00\00")
    (func (export "_start") (local $errno i32)
      (local.set $errno (call $open (i32.const 3) (i32.const 1) (i32.const 100) (i32.const LEN) (i32.const 1)
        (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 50)))
      (if (local.get $errno) (then (call $exit (local.get $errno))))
      (if (i32.ne (i32.load (i32.const 50)) (i32.const 4)) (then unreachable))
      (call $exit (call $fd_write (i32.const 4) (i32.const 0) (i32.const 1) (i32.const 50)))))"#;

async fn write_to(name: &str, native: bool) -> Session {
    let session = Session::new();
    let mark = if native { "(@custom \"capsule\" \"\")" } else { "" };
    let text = PATHS.replace("NATIVE", mark).replace("NAME", name).replace("LEN", &name.len().to_string());
    session.put_wat("/bin/x", &text);
    assert_eq!(session.run(&["x"]).await.code(), 0, "{name}");
    session
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paths_of_foreign_programs_mean_what_the_user_expects() {
    assert!(write_to("out.txt", false).await.read("/workspace/out.txt").is_some());
    assert!(write_to("tmp/out.txt", false).await.read("/tmp/out.txt").is_some());
    assert!(write_to("workspace/out.txt", false).await.read("/workspace/out.txt").is_some());
    assert!(write_to("../tmp/out.txt", false).await.read("/tmp/out.txt").is_some());
    assert!(write_to("./out.txt", false).await.read("/workspace/out.txt").is_some());
    assert!(write_to("/out.txt", false).await.read("/out.txt").is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paths_of_native_programs_are_relative_to_the_root() {
    assert!(write_to("out.txt", true).await.read("/out.txt").is_some());
    assert!(write_to("tmp/out.txt", true).await.read("/tmp/out.txt").is_some());
    assert!(write_to("../../out.txt", true).await.read("/out.txt").is_some());
}

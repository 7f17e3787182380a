//! Calls that have much to do go in pieces: what they do is the same, and a process that is to end ends in between.

mod common;

use capsule_abi::limits::Limit;
use common::Session;

/// Writes the number of its page to each of 2000 pages (125 MiB) and forks; the child ends with 7 if it finds them all.
const FORK: &str = r#"(module
    (import "capsule" "fork" (func $fork (param i32) (result i32)))
    (import "capsule" "wait" (func $wait (param i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 2000)
    (global (export "__stack_pointer") (mut i32) (i32.const 65536))
    (func $pages (param $write i32) (local $page i32)
      (loop
        (if (local.get $write)
          (then (i32.store (i32.shl (local.get $page) (i32.const 12)) (local.get $page)))
          (else (if (i32.ne (i32.load (i32.shl (local.get $page) (i32.const 12))) (local.get $page))
            (then (call $exit (i32.const 1))))))
        (local.set $page (i32.add (local.get $page) (i32.const 1)))
        (br_if 0 (i32.lt_u (local.get $page) (i32.const 32000)))))
    (func (export "capsule_fork_child") (param i32) (call $pages (i32.const 0)) (call $exit (i32.const 7)))
    (func (export "_start")
      (call $pages (i32.const 1))
      (loop $again
        (if (i32.le_s (call $fork (i32.const 0)) (i32.const 0)) (then (call $exit (i32.const 2))))
        (drop (call $wait (i32.const -1) (i32.const 0) (i32.const 8)))
        (br_if $again (i32.eq (i32.load (i32.const 8)) (i32.const AGAIN))))
      (call $exit (i32.shr_u (i32.load (i32.const 8)) (i32.const 8)))))"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_process_is_copied_whole() {
    let session = Session::new();
    session.put_wat("/bin/x", &FORK.replace("AGAIN", "-1"));
    let outcome = session.run(&["x"]).await;
    assert_eq!(outcome.code(), 7, "{outcome:?}");
    assert_eq!(session.kernel.budget().used(Limit::Memory), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_does_nothing_but_fork_is_ended() {
    let session = Session::limited(&["wall=300ms"]);
    session.put_wat("/bin/x", &FORK.replace("AGAIN", "0x700"));
    let outcome = session.run(&["x"]).await;
    assert_eq!(outcome.code(), 137, "{outcome:?}");
    assert!(outcome.hit(Limit::Wall));
    assert_eq!(session.kernel.budget().used(Limit::Memory), 0);
    assert!(session.kernel.processes().is_empty());
}

/// Lists `/workspace/many` into a buffer of 16 MiB, in one call, and writes the whole buffer that was used.
const LIST: &str = r#"(module
    (import "wasi_snapshot_preview1" "path_open"
      (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_readdir" (func $list (param i32 i32 i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 300)
    (data (i32.const 100) "/workspace/many")
    (func (export "_start")
      (if (call $open (i32.const 3) (i32.const 0) (i32.const 100) (i32.const 15) (i32.const 2)
            (i64.const 0x4000) (i64.const 0) (i32.const 0) (i32.const 8)) (then (call $exit (i32.const 1))))
      (if (call $list (i32.load (i32.const 8)) (i32.const 65536) (i32.const LENGTH) (i64.const 0) (i32.const 20))
        (then (call $exit (i32.const 2))))
      (i32.store (i32.const 16) (i32.const 65536))
      (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))))"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_directory_is_listed_whole() {
    let session = Session::new();
    session.mkdir("/workspace/many");
    let names: Vec<String> = (0..20_000).map(|i| format!("file-{i:06}-{}", "x".repeat(i % 40))).collect();
    for name in &names {
        session.put(&format!("/workspace/many/{name}"), b"");
    }
    for length in [16 << 20, 1_000_000] {
        session.put_wat("/bin/x", &LIST.replace("LENGTH", &length.to_string()));
        let outcome = session.run(&["x"]).await;
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        let listed = outcome.stdout;
        let mut found = Vec::new();
        let mut rest = &listed[..];
        while let Some((head, more)) = rest.split_first_chunk::<24>() {
            let len = u32::from_le_bytes([head[16], head[17], head[18], head[19]]) as usize;
            let Some((name, more)) = more.split_at_checked(len) else { break };
            found.push(String::from_utf8(name.to_vec()).unwrap());
            rest = more;
        }
        assert_eq!(found[..2], [".", ".."]);
        assert!(names.starts_with(&found[2..]), "in order, each once");
        match length {
            1_000_000 => assert_eq!(listed.len(), length, "a full buffer says that there is more"),
            _ => assert_eq!(found.len(), names.len() + 2),
        }
    }
}

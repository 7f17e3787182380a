//! What a hostile program tries: it ends as one dead process with a status, and never as a dead host.

mod common;

use capsule_abi::Errno;
use capsule_abi::limits::{Limit, Limits};
use capsule_abi::signal::Signal;
use capsule_kernel::descriptions::capture::Capture;
use common::{Session, run_wat, runtime_with};
use std::time::{Duration, Instant};

const SPIN: &str = "(module (memory (export \"memory\") 1) (func (export \"_start\") (loop (br 0))))";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spinning_process_is_ended_by_the_wall_limit() {
    let session = Session::limited(&["wall=100ms"]);
    session.put_wat("/bin/spin", SPIN);
    let outcome = session.run(&["spin"]).await;
    assert_eq!(outcome.code(), 137);
    assert!(outcome.hit(Limit::Wall), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spinning_processes_on_every_thread_all_end_and_another_session_answers() {
    let mut spinning = Vec::new();
    for _ in 0..8 {
        spinning.push(tokio::spawn(async {
            let session = Session::limited(&["wall=300ms"]);
            session.put_wat("/bin/spin", SPIN);
            session.run(&["spin"]).await
        }));
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    let quick = run_wat("(module (func (export \"_start\")))").await;
    assert_eq!(quick.code(), 0);
    for spin in spinning {
        assert_eq!(spin.await.unwrap().code(), 137);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fuel_ends_a_run_at_the_same_instruction_every_time() {
    // Counts as far as the fuel lets it and writes the count after every thousand steps.
    let count = r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1) (data (i32.const 0) "\08\00\00\00\01\00\00\00.")
        (func (export "_start") (local $i i32)
          (loop (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (if (i32.eqz (i32.rem_u (local.get $i) (i32.const 1000)))
              (then (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))
            (br 0))))"#;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let session = Session::limited(&["fuel=50M"]);
        session.put_wat("/bin/count", count);
        let outcome = session.run(&["count"]).await;
        assert_eq!(outcome.code(), 137);
        assert!(outcome.hit(Limit::Fuel), "{outcome:?}");
        seen.push(outcome.stdout.len());
    }
    assert!(seen[0] > 100 && seen.iter().all(|n| *n == seen[0]), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fuel_is_the_runs_and_not_each_processs() {
    let session = Session::limited(&["fuel=1M"]);
    session.put_wat("/bin/true", "(module (func (export \"_start\")))");
    session.put_wat("/bin/spin", SPIN);
    assert_eq!(session.run(&["true"]).await.code(), 0);
    assert_eq!(session.run(&["spin"]).await.code(), 137);
    assert_eq!(session.run(&["true"]).await.code(), 0, "a new run has fuel again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_memory_bomb_gets_minus_one_and_a_named_limit() {
    let bomb = r#"(module (memory (export "memory") 1)
        (func (export "_start")
          (loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
          unreachable))"#;
    let session = Session::limited(&["memory=64M"]);
    session.put_wat("/bin/bomb", bomb);
    let outcome = session.run(&["bomb"]).await;
    assert_eq!(outcome.code(), 134);
    assert!(outcome.hit(Limit::Memory), "{outcome:?}");
    assert_eq!(session.kernel.budget().used(Limit::Memory), 0, "all of it was given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_larger_than_the_memory_limit_does_not_start() {
    let session = Session::limited(&["memory=1M"]);
    session.put_wat("/bin/big", "(module (memory (export \"memory\") 100) (func (export \"_start\")))");
    let outcome = session.run(&["big"]).await;
    assert_eq!(outcome.code(), 137);
    assert!(outcome.stderr.contains("not enough memory"), "{outcome:?}");
    assert!(outcome.hit(Limit::Memory));
    assert_eq!(session.kernel.budget().used(Limit::Memory), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn growing_past_the_modules_own_maximum_costs_nothing() {
    let session = Session::new();
    let text = r#"(module (memory (export "memory") 1 2)
        (func (export "_start")
          (if (i32.ne (memory.grow (i32.const 5)) (i32.const -1)) (then unreachable))
          (if (i32.ne (memory.grow (i32.const 1)) (i32.const 1)) (then unreachable))))"#;
    session.put_wat("/bin/x", text);
    let outcome = session.run(&["x"]).await;
    assert_eq!(outcome.code(), 0);
    assert_eq!(session.kernel.budget().used(Limit::Memory), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traps_are_the_signals_linux_would_send() {
    for (body, status) in [
        ("unreachable", 134),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", 136),
        ("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", 136),
        ("(drop (i32.load (i32.const -4)))", 139),
        ("(i32.store (i32.const 0x7fffffff) (i32.const 1))", 139),
        ("(call $deep)", 139),
        ("(call_indirect (i32.const 7))", 139),
        ("(memory.fill (i32.const 0) (i32.const 0) (i32.const -1))", 139),
    ] {
        let text = format!(
            "(module (memory (export \"memory\") 1) (table 10 funcref) (func $deep (call $deep) (call $deep))
             (func (export \"_start\") {body}))"
        );
        let outcome = run_wat(&text).await;
        assert_eq!(outcome.code(), status, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shadow_stack_overflow_is_a_segmentation_fault() {
    // As compiled code does it: the stack grows down from 64 KiB, below which there is nothing.
    let text = r#"(module (memory (export "memory") 2) (global $sp (mut i32) (i32.const 65536))
        (func $frame (global.set $sp (i32.sub (global.get $sp) (i32.const 4096)))
          (i32.store (global.get $sp) (i32.const 1)) (call $frame) (call $frame))
        (func (export "_start") (call $frame)))"#;
    assert_eq!(run_wat(text).await.code(), 139);
}

async fn refusal(bytes: &[u8]) -> (Errno, String) {
    let session = Session::new();
    session.put("/bin/x", bytes);
    let error = session.try_run(&["x"]).await.expect_err("must not start");
    (error.errno, error.why)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_command_is_refused_with_the_reason() {
    for (text, why) in [
        ("(module (import \"env\" \"foo\" (func)) (func (export \"_start\")))", "/bin/x: unknown import env.foo"),
        ("(module (import \"wasi_snapshot_preview1\" \"fd_close\" (func)) (func (export \"_start\")))", "fd_close"),
        ("(module)", "_start"),
        ("(module (func (export \"_start\") (param i32)))", "_start"),
        ("(module (func (export \"_initialize\")))", "_start"),
        ("(module (memory 1 1 shared) (func (export \"_start\")))", "threads"),
        ("(module (memory i64 1) (func (export \"_start\")))", "memory64"),
        ("(module (memory 1) (memory 1) (func (export \"_start\")))", "memories"),
        ("(module (table 100000 funcref) (func (export \"_start\")))", "table"),
        ("(component)", "component"),
    ] {
        let (errno, told) = refusal(&wat::parse_str(text).unwrap()).await;
        assert_eq!(errno, Errno::ENOEXEC, "{text}: {told}");
        assert!(told.contains(why), "{text}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_modules_are_refused() {
    let good = wat::parse_str(SPIN).unwrap();
    for cut in 4..good.len() - 1 {
        assert_eq!(refusal(&good[..cut]).await.0, Errno::ENOEXEC, "{cut}");
    }
    for at in 8..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x80;
        let session = Session::limited(&["wall=50ms"]);
        session.put("/bin/x", &bad);
        // Some changes make another valid program; none may do more than that.
        let _ = session.try_run(&["x"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modules_made_to_be_slow_to_compile_are_bounded() {
    let many_locals = format!("(module (func (export \"_start\") {}))", "(local i64)".repeat(49_000));
    let labels = "0 ".repeat(200_000);
    let big_table = format!("(module (func (export \"_start\") (block (br_table {labels} (i32.const 1)))))");
    let nested = format!("(module (func (export \"_start\") {} {}))", "block ".repeat(5_000), "end ".repeat(5_000));
    for text in [many_locals, big_table, nested] {
        let session = Session::new();
        session.put("/bin/x", &wat::parse_str(&text).unwrap());
        let _ = session.try_run(&["x"]).await;
    }
    let too_large = format!("(module (func (export \"_start\") {}))", "nop ".repeat(2 << 20));
    assert_eq!(refusal(&wat::parse_str(&too_large).unwrap()).await.0, Errno::ENOEXEC);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pointers_out_of_range_are_faults_and_not_panics() {
    // Every call has a pointer that is wrong in its own way; each must answer 21 (EFAULT) or 28 (EINVAL).
    let calls = [
        ("args_get", "i32 i32", "(i32.const -1) (i32.const 0)"),
        ("args_sizes_get", "i32 i32", "(i32.const 65533) (i32.const 0)"),
        ("environ_get", "i32 i32", "(i32.const 0) (i32.const -4)"),
        ("clock_time_get", "i32 i64 i32", "(i32.const 0) (i64.const 0) (i32.const 65530)"),
        ("fd_read", "i32 i32 i32 i32", "(i32.const 0) (i32.const 65532) (i32.const 1) (i32.const 0)"),
        ("fd_write", "i32 i32 i32 i32", "(i32.const 1) (i32.const -8) (i32.const 2) (i32.const 0)"),
        ("fd_write", "i32 i32 i32 i32", "(i32.const 1) (i32.const 0) (i32.const -1) (i32.const 0)"),
        ("fd_write", "i32 i32 i32 i32", "(i32.const 1) (i32.const 0) (i32.const 0) (i32.const -1)"),
        ("fd_fdstat_get", "i32 i32", "(i32.const 1) (i32.const 65520)"),
        ("fd_filestat_get", "i32 i32", "(i32.const 3) (i32.const -64)"),
        ("fd_prestat_get", "i32 i32", "(i32.const 3) (i32.const 65529)"),
        ("random_get", "i32 i32", "(i32.const 1) (i32.const -1)"),
        ("poll_oneoff", "i32 i32 i32 i32", "(i32.const 0) (i32.const 65500) (i32.const 2) (i32.const 0)"),
        ("path_create_directory", "i32 i32 i32", "(i32.const 3) (i32.const 65530) (i32.const 100)"),
        (
            "path_filestat_get",
            "i32 i32 i32 i32 i32",
            "(i32.const 3) (i32.const 0) (i32.const -1) (i32.const 1) (i32.const 0)",
        ),
    ];
    for (name, params, arguments) in calls {
        let text = format!(
            r#"(module (import "wasi_snapshot_preview1" "{name}" (func $f (param {params}) (result i32)))
                (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
                (memory (export "memory") 1) (func (export "_start") (call $exit (call $f {arguments}))))"#
        );
        let code = run_wat(&text).await.code();
        assert!(code == 21 || code == 28, "{name} {arguments}: {code}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_before_the_memory_exists_are_faults() {
    let text = r#"(module (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (func $init (if (i32.ne (call $random (i32.const 0) (i32.const 8)) (i32.const 21)) (then unreachable)))
        (memory (export "memory") 1) (start $init) (func (export "_start")))"#;
    assert_eq!(run_wat(text).await.code(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_function_that_traps_or_exits_ends_the_process() {
    let trap = "(module (func $s unreachable) (start $s) (func (export \"_start\")))";
    assert_eq!(run_wat(trap).await.code(), 134);
    let exit = r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (func $s (call $exit (i32.const 300))) (start $s) (func (export "_start")))"#;
    assert_eq!(run_wat(exit).await.code(), 300 & 0xff);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_pool_refuses_with_a_message_and_recovers() {
    let runtime = runtime_with(2);
    let wait = r#"(module (import "capsule" "pause" (func $pause (result i32)))
        (memory (export "memory") 1) (func (export "_start") (drop (call $pause))))"#;
    let holder = Session::with(Limits::default(), runtime.clone());
    holder.put_wat("/bin/wait", wait);
    let (_, out) = Capture::new();
    let first = holder.start(&["wait"], out.clone(), out.clone()).await.unwrap();
    let second = holder.start(&["wait"], out.clone(), out.clone()).await.unwrap();
    // Both are in place once they wait; until then a third may find room.
    let other = Session::with(Limits::default(), runtime);
    other.put_wat("/bin/x", "(module (memory (export \"memory\") 1) (func (export \"_start\")))");
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let outcome = other.run(&["x"]).await;
        if outcome.code() == 126 {
            assert!(outcome.stderr.contains("as many processes as it can hold"), "{outcome:?}");
            break;
        }
        assert!(Instant::now() < deadline);
    }
    for process in [first, second] {
        process.post(Signal::TERM);
        assert_eq!(process.ended().await.shell_code(), 143);
    }
    assert_eq!(other.run(&["x"]).await.code(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_comes_back_pristine() {
    // Ends with 1 if any byte is not zero, else fills all of it with a secret.
    let text = r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 64)
        (func (export "_start") (local $i i32)
          (drop (memory.grow (i32.const 16)))
          (loop
            (if (i64.ne (i64.load (local.get $i)) (i64.const 0)) (then (call $exit (i32.const 1))))
            (local.set $i (i32.add (local.get $i) (i32.const 8)))
            (br_if 0 (i32.lt_u (local.get $i) (i32.mul (memory.size) (i32.const 65536)))))
          (memory.fill (i32.const 0) (i32.const 0x5a) (i32.mul (memory.size) (i32.const 65536)))))"#;
    let bytes = wat::parse_str(text).unwrap();
    for _ in 0..40 {
        // A session each: the same module, the same slots, never the same bytes.
        let session = Session::new();
        session.put("/bin/x", &bytes);
        assert_eq!(session.run(&["x"]).await.code(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_numbers_differ_between_processes() {
    let text = r#"(module
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1) (data (i32.const 0) "\40\00\00\00\10\00\00\00")
        (func (export "_start") (drop (call $random (i32.const 64) (i32.const 16)))
          (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))"#;
    let session = Session::new();
    session.put_wat("/bin/x", text);
    let (one, two) = (session.run(&["x"]).await.stdout, session.run(&["x"]).await.stdout);
    assert_eq!((one.len(), two.len()), (16, 16));
    assert_ne!(one, two);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_call_into_the_host_is_ended_too() {
    // Asks for two gigabytes of random numbers, again and again.
    let text = r#"(module
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (memory (export "memory") 32000)
        (func (export "_start") (loop (drop (call $random (i32.const 0) (i32.const 0x7d000000))) (br 0))))"#;
    let session = Session::limited(&["wall=100ms", "memory=4G"]);
    session.put_wat("/bin/x", text);
    let outcome = session.run(&["x"]).await;
    assert_eq!(outcome.code(), 137);
    assert!(outcome.hit(Limit::Wall));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_instances_live_at_once() {
    let wait = r#"(module (import "capsule" "pause" (func $pause (result i32)))
        (memory (export "memory") 1) (func (export "_start") (drop (call $pause))))"#;
    let session = Session::with(Limits::default(), runtime_with(128));
    session.put_wat("/bin/wait", wait);
    let (_, sink) = Capture::new();
    let mut all = Vec::new();
    for _ in 0..100 {
        all.push(session.start(&["wait"], sink.clone(), sink.clone()).await.unwrap());
    }
    for process in &all {
        process.post(Signal::INT);
    }
    for process in all {
        assert_eq!(process.ended().await.shell_code(), 130);
    }
}

//! Prints what the engine's basic steps cost on this machine: `cargo run --release -p capsule-engine --example measure_processes`.

#[path = "../tests/common/mod.rs"]
mod common;

use capsule_abi::limits::Limits;
use capsule_abi::process::SpawnRequest;
use capsule_engine::{CacheFolder, Options, WasmRuntime};
use capsule_kernel::descriptions::capture::Capture;
use common::Session;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 200;
const BATCHES: usize = 60;

fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

fn module(imports: &str, pages: u32, body: &str) -> String {
    format!(
        r#"(module {imports} (memory (export "memory") {pages})
        (global (export "__stack_pointer") (mut i32) (i32.const 65536))
        (func (export "capsule_fork_child") (param i32)) {body})"#
    )
}

/// Repeats `step` inside a guest.
fn repeated(imports: &str, pages: u32, before: &str, step: &str, rounds: u32) -> String {
    let body = format!(
        r#"{before} (func (export "_start") (local $i i32)
          (call $before)
          (loop {step} (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if 0 (i32.lt_u (local.get $i) (i32.const {rounds})))))"#
    );
    module(imports, pages, &body)
}

const WAIT: &str = r#"(import "capsule" "wait" (func $wait (param i32 i32 i32) (result i32)))"#;
const FORK: &str = r#"(import "capsule" "fork" (func $fork (param i32) (result i32)))"#;
const SPAWN: &str = r#"(import "capsule" "spawn" (func $spawn (param i32 i32) (result i32)))"#;

/// What one round costs: the least and the median of many batches, as other work on the machine only adds.
async fn time(session: &Session, text: &str, rounds: u32) -> String {
    session.put_wat("/bin/x", text);
    let mut batches = Vec::new();
    for _ in 0..BATCHES {
        let start = Instant::now();
        let outcome = session.run(&["x"]).await;
        batches.push(start.elapsed() / rounds);
        assert_eq!(outcome.code(), 0, "{outcome:?}");
    }
    batches.sort();
    format!("{:?} (median {:?})", batches[0], batches[batches.len() / 2])
}

async fn spawn(session: &Session, name: &str) {
    session.put_wat("/bin/true", "(module (memory (export \"memory\") 2) (func (export \"_start\")))");
    let request = SpawnRequest { path: b"/bin/true".to_vec(), argv: vec![b"true".to_vec()], ..Default::default() };
    let request = request.to_wire();
    let before = format!("(data (i32.const 1024) \"{}\") (func $before)", escaped(&request));
    let step = format!(
        "(drop (call $wait (call $spawn (i32.const 1024) (i32.const {})) (i32.const 0) (i32.const 0)))",
        request.len()
    );
    let cost = time(session, &repeated(&format!("{WAIT}{SPAWN}"), 2, &before, &step, ROUNDS), ROUNDS).await;
    println!("spawn + wait, from a guest{name}: {cost}");
}

async fn fork(session: &Session) {
    for (name, dirty) in [("12 KiB", 12 << 10), ("1 MiB", 1 << 20), ("4 MiB", 4 << 20)] {
        let before = format!("(func $before (memory.fill (i32.const 65536) (i32.const 7) (i32.const {dirty})))");
        let step = "(drop (call $wait (call $fork (i32.const 0)) (i32.const 0) (i32.const 0)))";
        let rounds = if dirty > 64 << 10 { ROUNDS / 20 } else { ROUNDS };
        let cost = time(session, &repeated(&format!("{WAIT}{FORK}"), 128, &before, step, rounds), rounds).await;
        println!("fork + wait, {name} written of 8 MiB: {cost}");
    }
}

async fn calls(session: &Session) {
    const CALLS: u32 = 20_000;
    let cases = [
        ("getpid (never waits)", r#"(import "capsule" "getpid" (func $f (result i32)))"#, "(drop (call $f))"),
        (
            "fd_write of 0 bytes (may wait)",
            r#"(import "wasi_snapshot_preview1" "fd_write" (func $f (param i32 i32 i32 i32) (result i32)))"#,
            "(drop (call $f (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 8)))",
        ),
        (
            "path_filestat_get(/bin/x)",
            r#"(import "wasi_snapshot_preview1" "path_filestat_get" (func $f (param i32 i32 i32 i32 i32) (result i32)))"#,
            "(drop (call $f (i32.const 3) (i32.const 1) (i32.const 100) (i32.const 5) (i32.const 256)))",
        ),
    ];
    for (name, imports, step) in cases {
        let before = "(data (i32.const 100) \"bin/x\") (func $before)";
        println!("{name}: {}", time(session, &repeated(imports, 1, before, step, CALLS), CALLS).await);
    }
}

async fn kill_latency() {
    let spin = "(module (memory (export \"memory\") 1) (func (export \"_start\") (loop (br 0))))";
    for spinners in [1, 2, 8, 64] {
        let mut sessions = Vec::new();
        for _ in 0..spinners {
            let session = Session::limited(&["wall=100ms"]);
            session.put_wat("/bin/spin", spin);
            sessions.push(session);
        }
        let mut running = Vec::new();
        for session in &sessions {
            let (_, sink) = Capture::new();
            session.kernel.begin_run();
            let deadline = Instant::now() + Duration::from_millis(100);
            let process = session.start(&["spin"], sink.clone(), sink).await.unwrap();
            running.push(tokio::spawn(async move {
                process.ended().await;
                Instant::now().saturating_duration_since(deadline)
            }));
        }
        let mut late = Vec::new();
        for run in running {
            late.push(run.await.unwrap());
        }
        late.sort();
        println!(
            "{spinners} spinning processes end after their deadline by: median {:?}, most {:?}",
            late[late.len() / 2],
            late[late.len() - 1]
        );
    }
}

async fn idle_memory() {
    // Says that it is there, then waits.
    let wait = r#"(module (import "capsule" "pause" (func $pause (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 2) (data (i32.const 0) "\08\00\00\00\01\00\00\00.")
        (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
          (drop (call $pause))))"#;
    const PROCESSES: usize = 1000;
    let mut limits = Limits::default();
    limits.parse("processes=4000").unwrap();
    let options = Options { cache: CacheFolder::None, ..Options::default() };
    let session = Session::with(limits, WasmRuntime::new(options).unwrap());
    session.put_wat("/bin/wait", wait);
    let before = resident();
    let (there, sink) = Capture::new();
    for _ in 0..PROCESSES {
        session.start(&["wait"], sink.clone(), sink.clone()).await.unwrap();
    }
    let mut seen = 0;
    while seen < PROCESSES {
        tokio::time::sleep(Duration::from_millis(10)).await;
        seen += there.take().len();
    }
    println!("a blocked process: {} KiB resident", resident().saturating_sub(before) / PROCESSES as u64);
    session.kernel.kill_all(capsule_abi::signal::Signal::KILL);
    session.kernel.all_ended().await;
}

/// KiB of this host process in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let start = Instant::now();
        let runtime = WasmRuntime::new(Options { cache: CacheFolder::None, ..Options::default() }).unwrap();
        println!("engine with {} slots: {:?}", runtime.slots(), start.elapsed());
        drop(runtime);
        let session = Session::limited(&["memory=8G"]);
        spawn(&session, "").await;
        spawn(&Session::limited(&["memory=8G", "fuel=1000000G"]), ", with fuel").await;
        fork(&session).await;
        calls(&session).await;
        kill_latency().await;
        idle_memory().await;
    });
}

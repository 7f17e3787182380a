//! The kernel's own cost of a process: a guest of a few instructions starts or copies itself in a loop, so that nothing
//! but the system calls is measured.

use crate::Bench;
use crate::kernel::host_true;
use crate::report::{Target, median};
use capsule_abi::process::SpawnRequest;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const ROUNDS: u32 = 1000;

/// What bash has written when it forks for `(:)` as its first command: nine pages.
const SHELL_WRITES: u32 = 36 << 10;

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let rows = [
        ("system call: spawn + wait", spawning(), [Target::AtMost(10.0), Target::Ratio(0.02)]),
        ("system call: fork + wait, 36 KiB written", forking(), [Target::AtMost(15.0), Target::None]),
    ];
    for (name, guest, targets) in rows {
        if bench.wanted(name) {
            let one = turn(bench, &bench.one_worker, &guest)?;
            let all = turn(bench, &bench.tokio, &guest)?;
            let bash = matches!(targets[1], Target::Ratio(_)).then(host_true).transpose()?;
            bench.report.row(name, "µs", one, bash, &targets);
            bench.report.row("  the same with a worker a core", "µs", all, bash, &[]);
        }
    }
    Ok(())
}

/// The time of one turn of the guest's loop, in microseconds.
fn turn(bench: &Bench, workers: &Runtime, guest: &str) -> anyhow::Result<f64> {
    let session = bench.session()?;
    for (path, text) in [("/tmp/guest", guest), ("/tmp/nothing", NOTHING)] {
        workers.block_on(session.write_program(path, wat::parse_str(text)?))?;
    }
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..15 {
        let began = Instant::now();
        let answer = workers.block_on(session.run("/tmp/guest"))?;
        times.push(began.elapsed());
        anyhow::ensure!(answer.exit_code == 0, "{}", answer.stderr);
    }
    Ok(median(times) / f64::from(ROUNDS))
}

const NOTHING: &str = r#"(module (memory (export "memory") 2) (func (export "_start")))"#;

fn spawning() -> String {
    let request =
        SpawnRequest { path: b"/tmp/nothing".to_vec(), argv: vec![b"nothing".to_vec()], ..Default::default() };
    let request = request.to_wire();
    let data: String = request.iter().map(|byte| format!("\\{byte:02x}")).collect();
    let import = r#"(import "capsule" "spawn" (func $spawn (param i32 i32) (result i32)))"#;
    let start = format!("(call $spawn (i32.const 1024) (i32.const {}))", request.len());
    looping(import, 2, &format!("(data (i32.const 1024) \"{data}\") (func $before)"), &start)
}

fn forking() -> String {
    let import = r#"(import "capsule" "fork" (func $start (param i32) (result i32)))"#;
    let before = format!("(func $before (memory.fill (i32.const 65536) (i32.const 7) (i32.const {SHELL_WRITES})))");
    looping(import, 64, &before, "(call $start (i32.const 0))")
}

/// A guest that starts a child and waits for it, again and again.
fn looping(import: &str, pages: u32, before: &str, start: &str) -> String {
    format!(
        r#"(module {import} (import "capsule" "wait" (func $wait (param i32 i32 i32) (result i32)))
          (memory (export "memory") {pages})
          (global (export "__stack_pointer") (mut i32) (i32.const 65536))
          (func (export "capsule_fork_child") (param i32))
          {before}
          (func (export "_start") (local $i i32)
            (call $before)
            (loop
              (if (i32.lt_s (call $wait {start} (i32.const 0) (i32.const 0)) (i32.const 0)) (then unreachable))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br_if 0 (i32.lt_u (local.get $i) (i32.const {ROUNDS}))))))"#
    )
}

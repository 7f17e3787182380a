//! Processes without a shell around them: started and awaited by the host.

use crate::Bench;
use crate::report::{Target, median};
use capsule_kernel::Start;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "process: start, run and end `true`";
    if !bench.wanted(name) {
        return Ok(());
    }
    let bash = host_true()?;
    let one = start_true(bench, &bench.one_worker)?;
    bench.report.row(name, "µs", one, Some(bash), &[Target::Ratio(0.02)]);
    let all = start_true(bench, &bench.tokio)?;
    bench.report.row("  the same with a worker a core", "µs", all, Some(bash), &[]);
    Ok(())
}

fn start_true(bench: &Bench, workers: &Runtime) -> anyhow::Result<f64> {
    let kernel = bench.tokio.block_on(bench.session()?.kernel())?;
    kernel.begin_run(None);
    let start = || Start {
        path: b"/usr/bin/true".to_vec(),
        argv: vec![b"true".to_vec()],
        env: Vec::new(),
        cwd: b"/".to_vec(),
        umask: 0o022,
        descriptors: Vec::new(),
    };
    // Measured inside one task, as a process that spawns would do it.
    let measured = workers.block_on(async {
        tokio::spawn(async move {
            let mut times = Vec::new();
            for _ in 0..20_000 {
                let began = Instant::now();
                match kernel.start(start()).await {
                    Ok(process) => drop(process.ended().await),
                    Err(e) => anyhow::bail!("true cannot be started: {:?}", e.errno),
                }
                times.push(began.elapsed());
            }
            Ok(times)
        })
        .await
    })??;
    Ok(median(measured))
}

/// fork, exec and wait of the real `true`, in microseconds.
pub fn host_true() -> anyhow::Result<f64> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..300 {
        let began = Instant::now();
        std::process::Command::new("/bin/true").status()?;
        times.push(began.elapsed());
    }
    Ok(median(times))
}

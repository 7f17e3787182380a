//! A session as a library: the same command again and again, and copies of many files.

use crate::Bench;
use crate::report::{Target, median, times};
use capsule_session::{Bash, Run, RunOptions};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 2000;
const FILES: usize = 10_000;

/// Longer than any question takes.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "session: run echo hi";
    if bench.wanted(name) {
        let one = echo(bench, &bench.session()?, ROUNDS)?;
        let bash = median(times(200, || {
            let status = Command::new("bash").args(["--norc", "-c", "echo hi"]).stdout(Stdio::null()).status()?;
            anyhow::ensure!(status.success());
            Ok::<(), anyhow::Error>(())
        })?);
        bench.report.row(name, "µs", one, Some(bash), &[Target::AtMost(100.0)]);
    }
    let name = "session: run echo hi, kept on disk";
    if bench.wanted(name) {
        let folder = std::env::temp_dir().join(format!("capsule-bench-{}", std::process::id()));
        let builder = Bash::builder().runtime(bench.runtime.clone()).host_workspace("memory");
        let kept = echo(bench, &builder.sessions_folder(&folder).build()?, 200);
        std::fs::remove_dir_all(&folder)?;
        bench.report.row(name, "µs", kept?, None, &[Target::None]);
    }
    let name = "session: a question of the interactive shell";
    if bench.wanted(name) {
        let session = bench.session()?;
        bench.one_worker.block_on(session.run("x=1; touch f"))?;
        let check = || Run::bash(["-n", "-c", "for i in 1; do echo"].map(|arg| arg.as_bytes().to_vec()).to_vec());
        let complete = times(300, || bench.one_worker.block_on(session.ask_program(check(), PATIENCE)).map(drop))?;
        let commands = times(300, || bench.one_worker.block_on(session.ask("compgen -abck", PATIENCE)).map(drop))?;
        let prompt = times(300, || bench.one_worker.block_on(session.prompt(RunOptions::default())).map(drop))?;
        bench.report.row(name, "µs", median(complete), None, &[Target::AtMost(2000.0)]);
        bench.report.row("  all commands, for colouring", "µs", median(commands), None, &[Target::AtMost(2000.0)]);
        bench.report.row("  the prompt", "µs", median(prompt), None, &[Target::AtMost(2000.0)]);
    }
    let name = "session: fork with 10 000 files in memory";
    if bench.wanted(name) {
        let session = bench.session()?;
        let script = format!("mkdir d; for ((i = 0; i < {FILES}; i++)); do echo $i > d/$i; done");
        let made = bench.tokio.block_on(session.run(script))?;
        anyhow::ensure!(made.exit_code == 0, "{made:?}");
        let mut forks = Vec::new();
        let taken = times(50, || {
            forks.push(bench.tokio.block_on(session.fork("fork"))?);
            Ok::<(), capsule_session::Error>(())
        })?;
        bench.report.row(name, "µs", median(taken), None, &[Target::AtMost(1000.0)]);
    }
    Ok(())
}

/// The median time of `echo hi`, in microseconds, on one worker.
fn echo(bench: &Bench, session: &Bash, rounds: usize) -> anyhow::Result<f64> {
    bench.one_worker.block_on(async {
        let mut times: Vec<Duration> = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let began = Instant::now();
            let answer = session.run("echo hi").await?;
            times.push(began.elapsed());
            anyhow::ensure!(answer.stdout == "hi\n", "{answer:?}");
        }
        Ok(median(times))
    })
}

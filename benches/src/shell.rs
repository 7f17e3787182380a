//! The same script in the sandbox's shell and in real bash: the time of one turn of its loop.

use crate::Bench;
use crate::report::{Target, median};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

struct Script {
    what: &'static str,
    /// What one turn does.
    turn: &'static str,
    turns: u32,
    targets: &'static [Target],
}

const SCRIPTS: &[Script] = &[
    Script { what: "shell: spawn + wait of /bin/true", turn: "/bin/true", turns: 500, targets: &[Target::Ratio(0.02)] },
    Script { what: "shell: fork, (true)", turn: "(true)", turns: 500, targets: &[Target::None] },
    Script { what: "shell: fork, (:) & wait", turn: "(:) & wait $!", turns: 500, targets: &[Target::None] },
    Script { what: "shell: $(echo x)", turn: "x=$(echo x)", turns: 500, targets: &[Target::None] },
    Script { what: "shell: $(/bin/echo a)", turn: "x=$(/bin/echo a)", turns: 300, targets: &[Target::None] },
    Script {
        what: "shell: echo x | cat | cat",
        turn: "echo x | cat | cat",
        turns: 200,
        targets: &[Target::Ratio(0.05)],
    },
    Script { what: "shell: yes | head -n 1", turn: "yes | head -n 1", turns: 200, targets: &[Target::Ratio(0.05)] },
];

/// How much goes through the pipes of the throughput test.
const STREAM_MB: u32 = 512;

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    for script in SCRIPTS.iter().filter(|s| bench.wanted(s.what)).collect::<Vec<_>>() {
        let looped = |body: &str| format!("for i in {{1..{}}}; do {body}; done >/dev/null", script.turns);
        let (empty, full) = (looped(":"), looped(script.turn));
        let rounds = 9;
        let turn = |workers: &Runtime| -> anyhow::Result<f64> {
            let (full, empty) =
                (in_sandbox(bench, workers, &full, rounds)?, in_sandbox(bench, workers, &empty, rounds)?);
            Ok((full - empty) / f64::from(script.turns))
        };
        let (one, all) = (turn(&bench.one_worker)?, turn(&bench.tokio)?);
        let bash = (in_bash(&full, 3)? - in_bash(&empty, 3)?) / f64::from(script.turns);
        bench.report.row(script.what, "µs", one, Some(bash), script.targets);
        bench.report.row("  the same with a worker a core", "µs", all, Some(bash), &[]);
    }
    let name = "pipe: /dev/zero | cat | wc -c, throughput";
    if bench.wanted(name) {
        let script = format!("head -c {STREAM_MB}M /dev/zero | cat | wc -c");
        let rate = |micros: f64| f64::from(STREAM_MB) * 1.048_576 / micros * 1e6;
        let ours = rate(in_sandbox(bench, &bench.tokio, &script, 3)?);
        let bash = rate(in_bash(&script, 3)?);
        bench.report.row(name, "MB/s", ours, Some(bash), &[Target::AtLeast(400.0)]);
    }
    Ok(())
}

/// The median time of a script in a session, in microseconds.
fn in_sandbox(bench: &Bench, workers: &Runtime, script: &str, rounds: usize) -> anyhow::Result<f64> {
    let session = bench.session()?;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        let answer = workers.block_on(session.run(script))?;
        times.push(began.elapsed());
        anyhow::ensure!(answer.exit_code == 0, "{script}: {}{:?}", answer.stderr, answer.limit);
    }
    Ok(median(times))
}

fn in_bash(script: &str, rounds: usize) -> anyhow::Result<f64> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", script]).stdout(Stdio::null()).status()?;
        times.push(began.elapsed());
    }
    Ok(median(times))
}

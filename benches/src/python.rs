//! The sandbox's python3 beside the machine's: its start, and two kinds of work.

use crate::Bench;
use crate::cold::capsule;
use crate::report::{Target, median, times};
use std::process::{Command, Stdio};

const LOOP: &str = "
n = 0
for i in range(10_000_000): n += i & 7
print(n)";

/// Text, numbers and objects: what scripts of agents do all day.
const MIX: &str = r#"
import json, re
rows = [{"id": i, "name": f"user{i}", "tags": ["a", "b", str(i)], "score": i * 1.5} for i in range(20000)]
total = 0
for _ in range(3):
    text = json.dumps(rows)
    rows = json.loads(text)
    total += len(re.findall(r'"name": "user(\d+)"', text))
    rows.sort(key=lambda row: (row["score"] % 7, row["name"]))
print(total)"#;

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    start(bench)?;
    cold(bench)?;
    work(bench, "python: loop of 10 million turns", LOOP, Target::Ratio(3.0))?;
    work(bench, "python: json, re and sort", MIX, Target::Ratio(2.0))
}

/// A fresh interpreter in a session that has had one before.
fn start(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "python: python3 -c 'print(1)', warm session";
    if !bench.wanted(name) {
        return Ok(());
    }
    let session = bench.session()?;
    bench.tokio.block_on(session.preload("python"))?;
    let turns = 20;
    let script = format!("for i in {{1..{turns}}}; do python3 -c 'print(1)'; done >/dev/null");
    let rounds = times(9, || {
        let answer = bench.one_worker.block_on(session.run(script.as_str()))?;
        anyhow::ensure!(answer.exit_code == 0, "{}", answer.stderr);
        Ok(())
    })?;
    let native = times(9, || native("print(1)"))?;
    let ours = median(rounds) / 1e3 / f64::from(turns);
    bench.report.row(name, "ms", ours, Some(median(native) / 1e3), &[Target::AtMost(5.0)]);
    Ok(())
}

/// The command from its start to its end, with the interpreter compiled before.
fn cold(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "python: capsule bash -c 'python3 -c …', cold";
    if !bench.wanted(name) {
        return Ok(());
    }
    let capsule = capsule()?;
    let once = || {
        let mut command = Command::new(&capsule);
        command.args(["bash", "-c", "python3 -c 'print(1)'"]).stdin(Stdio::null()).stdout(Stdio::null());
        anyhow::ensure!(command.status()?.success(), "capsule failed");
        Ok(())
    };
    // The first start may compile the interpreter for this machine.
    once()?;
    let ours = median(times(9, once)?) / 1e3;
    let native = median(times(9, || native("print(1)"))?) / 1e3;
    bench.report.row(name, "ms", ours, Some(native), &[Target::AtMost(120.0)]);
    Ok(())
}

fn work(bench: &mut Bench, name: &str, program: &str, target: Target) -> anyhow::Result<()> {
    if !bench.wanted(name) {
        return Ok(());
    }
    let session = bench.session()?;
    bench.tokio.block_on(session.preload("python"))?;
    let script = format!("python3 - <<'EOF'\n{program}\nEOF");
    let rounds = times(3, || {
        let answer = bench.one_worker.block_on(session.run(script.as_str()))?;
        anyhow::ensure!(answer.exit_code == 0, "{}", answer.stderr);
        Ok(())
    })?;
    let (ours, native) = (median(rounds) / 1e3, median(times(3, || native(program))?) / 1e3);
    bench.report.row(name, "ms", ours, Some(native), &[target]);
    Ok(())
}

fn native(program: &str) -> anyhow::Result<()> {
    let status = Command::new("python3").args(["-c", program]).stdout(Stdio::null()).status()?;
    anyhow::ensure!(status.success(), "the machine's python3 failed");
    Ok(())
}

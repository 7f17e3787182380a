//! The sandbox's python3 beside the machine's: its start by the clock, two kinds of work by the processor time they take.

use crate::Bench;
use crate::cold::capsule;
use crate::report::{Target, median, times};
use crate::work::least;
use anyhow::{Context, ensure};
use nix::sys::resource::UsageWho;
use std::path::{Path, PathBuf};
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
        ensure!(answer.exit_code == 0, "{}", answer.stderr);
        Ok(())
    })?;
    let native = Native::find()?.start()?;
    let ours = median(rounds) / 1e3 / f64::from(turns);
    bench.report.row(name, "ms", ours, Some(native), &[Target::AtMost(5.0)]);
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
        ensure!(command.status()?.success(), "capsule failed");
        Ok(())
    };
    // The first start may compile the interpreter for this machine.
    once()?;
    let ours = median(times(9, once)?) / 1e3;
    bench.report.row(name, "ms", ours, Some(Native::find()?.start()?), &[Target::AtMost(120.0)]);
    Ok(())
}

fn work(bench: &mut Bench, name: &str, program: &str, target: Target) -> anyhow::Result<()> {
    if !bench.wanted(name) {
        return Ok(());
    }
    let session = bench.session()?;
    bench.tokio.block_on(session.preload("python"))?;
    let script = format!("python3 - <<'EOF'\n{program}\nEOF");
    let (ours, answer) = least(UsageWho::RUSAGE_SELF, || {
        let answer = bench.one_worker.block_on(session.run(script.as_str()))?;
        ensure!(answer.exit_code == 0, "{}", answer.stderr);
        Ok(answer.stdout)
    })?;
    let native = Native::find()?;
    let (theirs, wanted) = least(UsageWho::RUSAGE_CHILDREN, || native.run(program))?;
    ensure!(answer == wanted, "{name}: {answer:?} is not what the machine says: {wanted:?}");
    bench.report.row(name, "ms", ours, Some(theirs), &[target]);
    Ok(())
}

/// The machine's interpreter itself: `python3` may be a script that looks for one first (pyenv), and that takes longer
/// than the interpreter's own start.
struct Native(PathBuf);

impl Native {
    fn find() -> anyhow::Result<Native> {
        let shim = Native(PathBuf::from("python3"));
        let path = shim.run("import sys; print(sys.executable)")?;
        Ok(Native(Path::new(path.trim_end()).to_owned()))
    }

    fn run(&self, program: &str) -> anyhow::Result<String> {
        let output = Command::new(&self.0).args(["-c", program]).stderr(Stdio::inherit()).output();
        let output = output.context("cannot start the machine's python3")?;
        ensure!(output.status.success(), "the machine's python3 failed");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Milliseconds from start to end of a program that does nearly nothing.
    fn start(&self) -> anyhow::Result<f64> {
        Ok(median(times(9, || self.run("print(1)").map(drop))?) / 1e3)
    }
}
